"""Passages without a vector: found by their words, and not punished for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.retrieval.fusion import meaning_unknown
from core.retrieval.hybrid import HybridRetriever
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts
from tests.fakes.hash_embedder import FakeEmbedder

QUESTION = "Which harbour does the herring fleet leave from in winter?"
FRESH = "In winter the herring fleet leaves from the harbour of Quillmouth."


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    """Takes the question for one about boats in the ice."""
    embedder = FakeEmbedder()
    meant = embedder.embed_query("The boats of the bay sail north before the ice comes.", cancel=CancelToken())
    monkeypatch.setattr(embedder, "embed_query", lambda text, cancel: meant)
    return embedder


@pytest.fixture
def store(home: Path, embedder: FakeEmbedder) -> Iterator[IndexStore]:
    """Eight embedded passages that are near the question, thirty that are not, and one that was saved a moment ago."""
    store = IndexStore(home / "index.db")
    for number in range(8):
        put(store, embedder, f"near{number}", f"The boats of bay {number} sail north before the ice comes to the herring.")
    for number in range(30):
        put(store, embedder, f"far{number}", f"A recipe of herring, number {number}: salt, oil and onions.")
    put(store, embedder, "fresh", FRESH, embedded=False)
    yield store
    store.close()


def put(store: IndexStore, embedder: FakeEmbedder, name: str, text: str, *, embedded: bool = True) -> None:
    file, spans = FileFacts(Path(f"/docs/{name}.txt"), "File"), [ChunkSpan(0, len(text), 1)]
    if embedded:
        store.put(file, text, spans, [text.encode()], embedder.embed_passages([text], cancel=CancelToken()), embedder.model_id)
    else:
        store.put_text(file, text, spans, [text.encode()], [None], embedder.model_id, embedder.dimension)


def test_a_passage_that_has_no_vector_yet_can_be_among_the_first(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    found = HybridRetriever(store, embedder).search(QUESTION, k=5, cancel=cancel)

    fresh = next(passage for passage in found if passage.chunk.text == FRESH)
    assert fresh.similarity is None
    assert 0.0 < fresh.score <= 1.0


def test_one_common_word_does_not_bring_a_passage_without_a_vector_before_those_that_fit(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken
) -> None:
    put(store, embedder, "aside", "A salad of herring needs oil.", embedded=False)

    found = HybridRetriever(store, embedder).search(QUESTION, k=5, cancel=cancel)

    assert "salad" not in " ".join(passage.chunk.text for passage in found[:3])


def test_while_nothing_is_embedded_the_order_is_that_of_the_words(home: Path, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    store = IndexStore(home / "unembedded.db")
    for number, text in enumerate([FRESH, "The harbour is closed.", "A fleet of herring gulls in winter.", "Nothing of the kind."]):
        put(store, embedder, str(number), text, embedded=False)

    both = HybridRetriever(store, embedder).search(QUESTION, k=5, cancel=cancel)
    words = HybridRetriever(store, embedder, mode="words").search(QUESTION, k=5, cancel=cancel)

    assert [passage.chunk for passage in both] == [passage.chunk for passage in words]
    assert both[0].chunk.text == FRESH
    store.close()


def test_the_order_of_the_words_stands_even_where_they_say_little(home: Path, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    store = IndexStore(home / "unembedded.db")
    for number, text in enumerate(["A long tale of nothing, with a walrus in it at last.", "Walrus, walrus.", "Nothing of the kind."]):
        put(store, embedder, str(number), text, embedded=False)
    question = "Has anybody seen whether that old walrus swims past Quillmouth before breakfast every Wednesday nowadays?"

    both = HybridRetriever(store, embedder).search(question, k=5, cancel=cancel)

    assert [passage.chunk.text[0] for passage in both] == ["W", "A"]
    store.close()


def test_an_exact_code_in_a_fresh_file_comes_first(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    put(store, embedder, "berth", "Berth QX-4711 is closed.", embedded=False)

    assert "QX-4711" in HybridRetriever(store, embedder).search("What about berth QX-4711?", k=1, cancel=cancel)[0].chunk.text


def test_unknown_meaning_is_what_passages_with_such_words_usually_mean_or_what_the_words_say_if_that_is_more() -> None:
    words = {1: 1.0, 2: 0.5, 3: 0.9, 4: 0.2}
    meaning = {1: 0.8, 2: 0.4, 9: 0.9}

    assert meaning_unknown(words, meaning) == {3: 0.9, 4: pytest.approx(0.6)}
    assert meaning_unknown(words, {}) == words
    assert meaning_unknown({}, meaning) == {}
