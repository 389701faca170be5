"""Files of a few passages in an index, and what is found of them."""

from __future__ import annotations

from pathlib import Path

from core.cancel import CancelToken
from core.protocols import Vectors
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts, MadeVector, embedding_key, embedding_text
from core.store.unit_vectors import unit
from core.store.words import match_query
from tests.fakes.hash_embedder import FakeEmbedder

LAMP, FISH = Path("/docs/lamp.md"), Path("/docs/fish.md")


def put(
    store: IndexStore, path: Path, *passages: str, title: str = "", embedder: FakeEmbedder | None = None, vectors: Vectors | None = None
) -> str:
    """Index `passages` as the chunks of one file, an empty line between them; returns the file's text."""
    embedder = embedder or FakeEmbedder()
    text, spans = "", []
    for passage in passages:
        spans.append(ChunkSpan(len(text), len(text) + len(passage), text.count("\n") + 1, "Chapter"))
        text += passage + "\n\n"
    inputs = [embedding_text(title, "Chapter", passage) for passage in passages]
    made = embedder.embed_passages(inputs, cancel=CancelToken()) if vectors is None else vectors
    facts = FileFacts(path, title, "utf-8", f"sha of {text}", len(text), 1, 2)
    store.put(facts, text, spans, [embedding_key(item) for item in inputs], made, embedder.model_id)
    return text


def found_by_words(store: IndexStore, question: str, k: int = 10) -> list[str]:
    return [chunk.text for chunk in store.chunks([item for item, _ in store.search_words(match_query(question), k)])]


def found_by_vectors(store: IndexStore, question: str, embedder: FakeEmbedder | None = None) -> list[str]:
    embedder = embedder or FakeEmbedder()
    hits = store.search_vectors(embedder.embed_query(question, cancel=CancelToken()), 10, embedder.model_id)
    return [chunk.text for chunk in store.chunks([item for item, _ in hits])]


def put_words(store: IndexStore, path: Path, *passages: str, embedder: FakeEmbedder | None = None) -> int:
    """Store the text and the words of a file whose vectors are still to be made; returns its id."""
    embedder = embedder or FakeEmbedder()
    text = "\n\n".join(passages)
    starts = [text.index(passage) for passage in passages]
    spans = [ChunkSpan(start, start + len(passage), 1) for start, passage in zip(starts, passages, strict=True)]
    keys = [embedding_key(passage) for passage in passages]
    return store.put_text(FileFacts(path), text, spans, keys, [None] * len(spans), embedder.model_id, embedder.dimension)


def made(store: IndexStore, document: int, embedder: FakeEmbedder, *, limit: int = 100) -> list[MadeVector]:
    """Vectors for the first chunks of a file that lack theirs."""
    missing = store.missing(document, embedder.model_id, after=-1, limit=limit)
    vectors = embedder.embed_passages([item.text for item in missing], cancel=CancelToken())
    return [MadeVector(item.chunk_id, item.key, unit(vector)) for item, vector in zip(missing, vectors, strict=True)]
