from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, ChildCrashed, IndexDamaged, InvalidRequest, NotFound
from core.retrieval.hybrid import HybridRetriever, Mode
from core.retrieval.leads import follow_leads
from core.scope import EVERYTHING, Scope
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


def test_the_words_are_searched_while_the_encoder_works(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched, search_words = threading.Event(), store.search_words

    def seen(match: str, k: int, scope: Scope = EVERYTHING) -> list[tuple[int, float]]:
        searched.set()
        return search_words(match, k, scope)

    def wait() -> None:
        assert searched.wait(20)

    monkeypatch.setattr(store, "search_words", seen)
    embedder.before_query = wait

    assert HybridRetriever(store, embedder).search_with_notes("herring", k=3, cancel=cancel).notes == ()


@pytest.mark.parametrize("mode", ["hybrid", "words"])
def test_where_nothing_can_be_searched_the_index_is_named(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken, monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> None:
    def fail(*_: object) -> None:
        raise IndexDamaged("The index is damaged.")

    def crash() -> None:
        raise ChildCrashed("The embedding process ended.")

    monkeypatch.setattr(store, "search_words", fail)
    embedder.before_query = crash

    with pytest.raises(IndexDamaged):
        HybridRetriever(store, embedder, mode=mode).search("herring", k=3, cancel=cancel)


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


def test_every_passage_says_how_near_it_is_also_when_only_its_words_were_found(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken
) -> None:
    found = HybridRetriever(store, embedder).search("herring in the bay", k=4, cancel=cancel)

    assert all(passage.similarity is not None for passage in found)
    assert found[0].similarity == max(passage.similarity or 0.0 for passage in found)
    assert all(0.0 <= passage.score <= 1.0 for passage in found)


def test_words_alone_know_no_similarity(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    assert HybridRetriever(store, embedder, mode="words").search("herring", k=1, cancel=cancel)[0].similarity is None


def test_several_queries_bring_each_passage_once_with_its_best_score(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken
) -> None:
    retriever = HybridRetriever(store, embedder)
    queries = ["herring in the bay", "阿诺", "herring in the bay", " "]

    outcome = retriever.search_all(queries, k=4, cancel=cancel)

    texts = [passage.chunk.text for passage in outcome.passages]
    assert sorted(texts) == sorted(set(texts))
    assert set(texts[:2]) == {PASSAGES[1], PASSAGES[2]}
    alone = retriever.search("阿诺", k=1, cancel=cancel)[0]
    assert next(passage for passage in outcome.passages if passage.chunk.text == PASSAGES[2]).score == alone.score


def test_a_lighter_query_does_not_push_out_what_the_first_one_finds(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    retriever = HybridRetriever(store, embedder)
    queries = ["herring in the bay", "阿诺 灯塔"]

    outcome = retriever.search_all(queries, k=4, cancel=cancel, weights=(1.0, 0.5))

    assert outcome.passages[0].chunk.text == PASSAGES[1]
    lamp = next(passage for passage in outcome.passages if passage.chunk.text == PASSAGES[2])
    assert lamp.score == pytest.approx(0.5 * retriever.search(queries[1], k=1, cancel=cancel)[0].score)


def put_copy(store: IndexStore, embedder: FakeEmbedder, name: str, text: str) -> None:
    vectors = embedder.embed_passages([text], cancel=CancelToken())
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    store.put(
        FileFacts(Path(f"/docs/{name}"), "File", sha256=sha256), text, [ChunkSpan(0, len(text), 1)], [b"c"], vectors, embedder.model_id
    )


def test_copies_of_a_file_take_one_place_of_what_a_question_brings(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        put_copy(store, embedder, name, "Tea from the harbour office burns.")
    put_copy(store, embedder, "other.txt", "Tea from the kitchen burns as well.")
    retriever = HybridRetriever(store, embedder)

    found = retriever.search_all(["tea from the harbour office"], k=2, cancel=cancel).passages

    assert [passage.chunk.text for passage in found] == ["Tea from the harbour office burns.", "Tea from the kitchen burns as well."]


def test_a_search_lists_every_copy_of_a_file(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    for name in ("a.txt", "b.txt"):
        put_copy(store, embedder, name, "Tea from the harbour office burns.")

    found = HybridRetriever(store, embedder).search("tea from the harbour office", k=2, cancel=cancel)

    assert {passage.chunk.path.name for passage in found} == {"a.txt", "b.txt"}


def test_the_copy_that_is_asked_for_is_the_one_that_is_found(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    for name in ("a.txt", "b.txt"):
        put_copy(store, embedder, name, "Tea from the harbour office burns.")
    retriever = HybridRetriever(store, embedder).within(Scope((Path("/docs/b.txt"),)))

    assert [passage.chunk.path.name for passage in retriever.search_all(["tea"], k=3, cancel=cancel).passages] == ["b.txt"]


def test_the_same_words_in_files_that_differ_elsewhere_are_no_copies(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken
) -> None:
    for name, rest in (("jan.txt", "January"), ("feb.txt", "February")):
        text = f"Tea was bought.\n\n{rest}"
        vectors = embedder.embed_passages(["Tea was bought."], cancel=CancelToken())
        facts = FileFacts(Path(f"/docs/{name}"), "File", sha256=hashlib.sha256(text.encode()).hexdigest())
        store.put(facts, text, [ChunkSpan(0, 15, 1)], [b"t"], vectors, embedder.model_id)

    found = HybridRetriever(store, embedder).search_all(["tea was bought"], k=2, cancel=cancel).passages

    assert {passage.chunk.path.name for passage in found} == {"jan.txt", "feb.txt"}


def test_one_of_several_queries_is_like_a_search_for_it(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    retriever = HybridRetriever(store, embedder)

    assert list(retriever.search_all(["the lamp", ""], k=3, cancel=cancel).passages) == retriever.search("the lamp", k=3, cancel=cancel)


def test_a_failed_half_of_several_queries_is_said_once(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    def crash() -> None:
        raise ChildCrashed("The embedding process ended.")

    embedder.before_query = crash

    assert HybridRetriever(store, embedder).search_all(["herring", "lamp"], k=3, cancel=cancel).notes == ("vectors_failed",)


def test_the_text_around_a_passage_can_be_read(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    retriever = HybridRetriever(store, embedder)
    chunk = retriever.search("herring", k=1, cancel=cancel)[0].chunk

    assert retriever.text_of(chunk.document_id, 8, 500) == PASSAGES[1][8:]
    assert retriever.text_of(chunk.document_id, 500, 600) == ""
    assert retriever.text_of(99, 0, 10) == ""


def put(store: IndexStore, embedder: FakeEmbedder, texts: list[str]) -> None:
    for number, text in enumerate(texts):
        vectors = embedder.embed_passages([text], cancel=CancelToken())
        file = FileFacts(Path(f"/more/{number}.txt"), "File")
        store.put(file, text, [ChunkSpan(0, len(text), 1)], [b"k"], vectors, embedder.model_id)


def test_a_date_is_found_however_it_is_written(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    put(store, embedder, [f"The bell rang on 2027-{month:02}-09, and August was quiet in 2027." for month in range(1, 13)])

    found = HybridRetriever(store, embedder).search("When in August, on August 9, 2027, did the bell ring?", k=1, cancel=cancel)

    assert "2027-08-09" in found[0].chunk.text


def test_a_code_of_the_query_outweighs_a_vector_that_takes_it_for_another(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"The flow of pump Q-{number} at the mill is high and it is pumped all day." for number in range(11, 30)]
    put(store, embedder, texts)
    misleading = embedder.embed_query(texts[0], cancel=cancel)
    monkeypatch.setattr(embedder, "embed_query", lambda text, cancel: misleading)

    found = HybridRetriever(store, embedder).search("What is the flow of pump Q-17 at the mill, is it high?", k=1, cancel=cancel)

    assert "Q-17" in found[0].chunk.text


@pytest.mark.parametrize("query", ["herring", "阿诺", "AB-1029"])
def test_a_short_query_begins_with_a_passage_that_has_its_words(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    misleading = embedder.embed_query(PASSAGES[0], cancel=cancel)
    monkeypatch.setattr(embedder, "embed_query", lambda text, cancel: misleading)

    assert query in HybridRetriever(store, embedder).search(query, k=1, cancel=cancel)[0].chunk.text.lower().replace("ab", "AB")


@pytest.mark.parametrize("mode", ["hybrid", "words", "vectors"])
def test_within_a_scope_nothing_else_is_found(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken, mode: Mode) -> None:
    retriever = HybridRetriever(store, embedder, mode=mode).within(Scope((Path("/docs/0.txt"), Path("/docs/3.txt"))))

    found = retriever.search_all(("herring in the bay", "the lamp", "AB-1029", "“swim in the bay”"), k=10, cancel=cancel).passages

    assert {passage.chunk.text for passage in found} == {PASSAGES[0], PASSAGES[3]}


def test_leads_stay_within_the_scope(store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken) -> None:
    retriever = HybridRetriever(store, embedder).within(Scope((Path("/docs/0.txt"), Path("/docs/2.txt"))))
    found = retriever.search("the lamp", k=1, cancel=cancel)

    leads = follow_leads("the lamp", found, lambda query, k: retriever.search_with_notes(query, k=k, cancel=cancel), most=3)

    assert [passage.chunk.text for passage in (*found, *leads.passages)] == [PASSAGES[0], PASSAGES[2]]


def test_a_path_that_is_not_in_the_library_is_named(store: IndexStore, embedder: FakeEmbedder) -> None:
    with pytest.raises(NotFound, match=r"lost\.txt is not in the library"):
        HybridRetriever(store, embedder).within(Scope((Path("/docs/0.txt"), Path("/docs/lost.txt"))))


def test_a_scope_without_anything_to_search_is_no_search_of_everything(store: IndexStore, embedder: FakeEmbedder) -> None:
    with pytest.raises(InvalidRequest) as caught:
        HybridRetriever(store, embedder).within(Scope((Path("/docs/0.txt"),), since=date(2026, 1, 1)))

    assert caught.value.code == "scope_empty"


def test_files_that_are_removed_while_they_are_asked_leave_nothing_to_find(
    store: IndexStore, embedder: FakeEmbedder, cancel: CancelToken
) -> None:
    retriever = HybridRetriever(store, embedder).within(Scope((Path("/docs/0.txt"),)))
    store.remove([Path("/docs/0.txt")])

    assert retriever.search("herring in the bay", k=10, cancel=cancel) == []
