from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, ChildCrashed, IndexDamaged
from core.retrieval.hybrid import HybridRetriever, Mode
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts
from tests.fakes.hash_embedder import FakeEmbedder

PASSAGES = ["The lamp burns whale oil.", "Herring swim in the bay.", "灯塔的守护人叫阿诺。", "Invoice AB-1029 is paid."]


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def store(home: Path, embedder: FakeEmbedder) -> Iterator[IndexStore]:
    store = IndexStore(home / "index.db")
    for number, text in enumerate(PASSAGES):
        vectors = embedder.embed_passages([text], cancel=CancelToken())
        store.put(FileFacts(Path(f"/docs/{number}.txt"), "File"), text, [ChunkSpan(0, len(text), 1)], [b"k"], vectors, embedder.model_id)
    yield store
    store.close()


@pytest.mark.parametrize("mode", ["hybrid", "words", "vectors"])
def test_every_mode_finds_the_passage(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken, mode: Mode) -> None:
    retriever = HybridRetriever(store, embedder, mode=mode)

    assert retriever.search("herring in the bay", k=2, cancel=cancel)[0].chunk.text == PASSAGES[1]
    assert retriever.search("阿诺", k=2, cancel=cancel)[0].chunk.text == PASSAGES[2]
    assert retriever.search("AB-1029", k=2, cancel=cancel)[0].chunk.text == PASSAGES[3]


def test_no_more_than_k_passages_come_back_best_first(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    found = HybridRetriever(store, embedder).search("the lamp in the bay", k=2, cancel=cancel)

    assert len(found) == 2
    assert found[0].score >= found[1].score


@pytest.mark.parametrize("query", ["", " \n", "lamp"])
def test_nothing_asked_is_nothing_found(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken, query: str) -> None:
    assert HybridRetriever(store, embedder).search(query, k=0 if query == "lamp" else 5, cancel=cancel) == []


def test_words_still_answer_when_the_embedder_is_gone(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    def crash() -> None:
        raise ChildCrashed("The embedding process ended.")

    embedder.before_query = crash

    outcome = HybridRetriever(store, embedder).search_with_notes("herring", k=3, cancel=cancel)

    assert [passage.chunk.text for passage in outcome.passages] == [PASSAGES[1]]
    assert outcome.notes == ("vectors_failed",)


def test_a_vector_of_nonsense_is_a_failed_half_too(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedder, "embed_query", lambda text, cancel: np.zeros(32, np.float32))

    assert HybridRetriever(store, embedder).search_with_notes("herring", k=3, cancel=cancel).notes == ("vectors_failed",)


def test_a_single_mode_that_fails_says_so(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    def crash() -> None:
        raise ChildCrashed("The embedding process ended.")

    embedder.before_query = crash

    with pytest.raises(ChildCrashed):
        HybridRetriever(store, embedder, mode="vectors").search("herring", k=3, cancel=cancel)


def test_a_damaged_index_is_not_taken_for_an_empty_one(home: Path, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    (home / "broken.db").write_bytes(b"\0" * 8192)

    with pytest.raises(IndexDamaged):
        HybridRetriever(IndexStore(home / "broken.db"), embedder).search("herring", k=3, cancel=cancel)


def test_a_cancelled_search_is_no_failed_half(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    embedder.before_query = cancel.cancel

    with pytest.raises(Cancelled):
        HybridRetriever(store, embedder).search("herring", k=3, cancel=cancel)


def test_an_empty_library_answers_with_nothing(home: Path, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    store = IndexStore(home / "empty.db")

    assert HybridRetriever(store, embedder).search("herring", k=3, cancel=cancel) == []
    store.close()
