"""Another embedding model takes over: until it has every file, the one before answers, complete; then it goes in one step."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator

import pytest

from core.cancel import CancelToken
from core.documents import SearchOutcome
from core.errors import ChildCrashed, ModelMissing
from core.events import FileFinished, FileSearchable, IndexFinished
from core.library.changed_paths import ChangedPaths
from core.protocols import Embedder
from core.retrieval.takeover import INCOMPLETE, AnsweringEmbedder, TakeoverRetriever
from core.scope import Scope
from tests.core.library.shelf import Shelf, long_text
from tests.fakes.hash_embedder import FakeEmbedder

QUESTION = "the zanzibar clause"


class Taking:
    """A library that one model has embedded and another one is taking over, and a retriever that may ask both."""

    def __init__(self, before: Shelf) -> None:
        self.before = before
        self.after = before.restarted(FakeEmbedder("fake-2", 16))
        self.findable: dict[str, Embedder] = {before.embedder.model_id: before.embedder}
        self.forgotten: list[Embedder] = []
        self.answering = AnsweringEmbedder(
            before.index_store, self.after.embedder, lambda name: self.findable.get(name), self.forgotten.append
        )
        self.retriever = TakeoverRetriever(before.index_store, self.answering, mode="vectors")
        self.asked: list[str] = []
        for shelf in (before, self.after):
            shelf.embedder.before_query = lambda shelf=shelf: self.asked.append(shelf.embedder.model_id)  # type: ignore[misc]

    def search(self) -> SearchOutcome:
        self.asked.clear()
        return self.retriever.search_with_notes(QUESTION, k=1000, cancel=CancelToken())

    def found(self) -> set[str]:
        return {passage.chunk.path.name for passage in self.search().passages}


@pytest.fixture
def taking(shelf: Shelf) -> Iterator[Taking]:
    for number in range(4):
        shelf.write(f"{number}.txt", f"{number} {long_text(20)}")
    shelf.index()
    made = Taking(shelf)
    yield made
    made.answering.release()


EVERY_FILE = {"0.txt", "1.txt", "2.txt", "3.txt"}


def test_the_model_before_answers_with_all_its_vectors_until_the_new_one_has_every_file(taking: Taking) -> None:
    asked = []
    for event in taking.after.library.index(CancelToken()):
        if isinstance(event, FileFinished):
            assert taking.found() == EVERY_FILE
            asked += taking.asked
            assert taking.before.library.check().problems == ()

    assert asked == ["fake-1"] * 4
    assert taking.search().notes == ()
    assert (taking.found(), taking.asked) == (EVERY_FILE, ["fake-2"])


def test_when_the_new_model_has_every_file_nothing_is_left_of_the_one_before(taking: Taking) -> None:
    vector = taking.before.embedder.embed_query(QUESTION, cancel=CancelToken())
    taking.found()

    taking.after.index()

    store = taking.before.index_store
    assert store.search_vectors(vector, 10, "fake-1") == []
    counts = store.check()
    assert (counts.vectors, counts.problems) == (counts.chunks, ())
    assert set(taking.after.states().values()) == {"ready"}
    taking.found()
    assert taking.forgotten == [taking.before.embedder]


def test_a_take_over_that_is_broken_off_goes_on_at_the_next_start(taking: Taking) -> None:
    left = iter(range(1))

    def crash() -> None:
        if next(left, None) is None:
            raise ChildCrashed("The embedding process ended.")

    taking.after.embedder.before_batch = crash
    with pytest.raises(ChildCrashed):
        taking.after.events()
    assert (taking.found(), taking.asked) == (EVERY_FILE, ["fake-1"])

    taking.after.embedder.before_batch = lambda: None
    taking.after.index()

    assert len(taking.after.embedder.embedded) == len(set(taking.after.embedder.embedded))
    assert (taking.found(), taking.asked) == (EVERY_FILE, ["fake-2"])


def test_if_the_model_before_is_nowhere_the_new_one_answers_with_what_it_has_and_says_so(taking: Taking) -> None:
    taking.findable.clear()
    assert (taking.found(), taking.search().notes) == (set(), (INCOMPLETE,))

    for event in taking.after.library.index(CancelToken()):
        if isinstance(event, FileFinished):
            outcome = taking.search()
            assert outcome.notes == ((INCOMPLETE,) if event.done < 5 else ())
            assert event.file.path.name in taking.found()
            assert set(taking.asked) == {"fake-2"}

    assert taking.search().notes == ()


def test_if_the_new_model_cannot_be_used_the_one_before_goes_on_answering(taking: Taking) -> None:
    class Missing(FakeEmbedder):
        @property
        def model_id(self) -> str:  # type: ignore[override]
            raise ModelMissing("There is no embedding model.")

        @model_id.setter
        def model_id(self, value: str) -> None: ...

    answering = AnsweringEmbedder(taking.before.index_store, Missing(), lambda name: taking.findable.get(name))
    retriever = TakeoverRetriever(taking.before.index_store, answering)
    outcome = retriever.search_with_notes(QUESTION, k=5, cancel=CancelToken())
    assert len(outcome.passages) == 5 and outcome.notes == ()

    answering.release()
    taking.findable.clear()
    assert retriever.search_with_notes("sea lamp", k=5, cancel=CancelToken()).notes == ("vectors_failed",)
    answering.release()


def test_a_search_in_whose_middle_the_other_model_takes_over_is_made_again_with_that_one(taking: Taking) -> None:
    def take_over() -> None:
        taking.asked.append("fake-1")
        taking.before.embedder.before_query = lambda: None
        taking.after.index()

    taking.before.embedder.before_query = take_over

    assert taking.found() == EVERY_FILE
    assert taking.asked == ["fake-1", "fake-2"]


def test_a_search_within_files_follows_the_take_over(taking: Taking) -> None:
    within = taking.retriever.within(Scope((taking.before.docs / "1.txt",)))
    assert {item.chunk.path.name for item in within.search(QUESTION, k=100, cancel=CancelToken())} == {"1.txt"}

    taking.after.index()

    assert {item.chunk.path.name for item in within.search(QUESTION, k=100, cancel=CancelToken())} == {"1.txt"}
    assert taking.asked == ["fake-1", "fake-2"]


def test_what_is_edited_meanwhile_keeps_the_vectors_of_both_models_where_it_says_the_same(taking: Taking) -> None:
    left = iter(range(1))

    def crash() -> None:
        if next(left, None) is None:
            raise ChildCrashed("The embedding process ended.")

    taking.after.embedder.before_batch = crash
    taking.before.write("2.txt", f"2 {long_text(20)}\n\nOne more paragraph, about herring. It is quite long. " * 2)
    with pytest.raises(ChildCrashed):
        taking.after.events()

    assert taking.found() == EVERY_FILE and taking.asked == ["fake-1"]
    taking.after.embedder.before_batch = lambda: None
    taking.after.index()
    assert taking.found() == EVERY_FILE and taking.asked == ["fake-2"]


def test_files_of_a_drive_that_is_not_there_are_taken_over_from_their_stored_text(taking: Taking) -> None:
    drive = taking.before.docs.parent / "drive"
    stick = drive / "stick"
    stick.mkdir(parents=True)
    (stick / "a.txt").write_text("on the stick", encoding="utf-8")
    taking.before.library.add([stick])
    taking.before.index()

    drive.rename(drive.with_name("elsewhere"))
    taking.after.index()

    assert taking.found() == {*EVERY_FILE, "a.txt"} and taking.asked == ["fake-2"]


def test_a_run_over_a_part_of_the_files_does_not_take_over(taking: Taking) -> None:
    taking.after.index(taking.before.docs / "1.txt")
    assert (taking.found(), taking.asked) == (EVERY_FILE, ["fake-1"])

    shutil.rmtree(taking.before.docs)
    taking.before.docs.mkdir()
    taking.before.write("1.txt", f"1 {long_text(20)}")
    taking.after.index()
    assert (taking.found(), taking.asked) == ({"1.txt"}, ["fake-2"])


def test_the_model_before_is_put_out_of_memory_when_nobody_asks_it(shelf: Shelf) -> None:
    shelf.write("a.txt", "the zanzibar clause")
    shelf.index()
    other, forgotten = FakeEmbedder("fake-2", 16), threading.Event()
    answering = AnsweringEmbedder(
        shelf.index_store, other, lambda name: shelf.embedder, lambda embedder: forgotten.set(), idle_seconds=0.01
    )

    assert answering.now() == (shelf.embedder, True)

    assert forgotten.wait(20)
    assert answering.now() == (shelf.embedder, True)
    answering.release()


def test_files_that_wait_for_the_new_model_say_so(taking: Taking) -> None:
    assert {(document.state, document.reason) for document in taking.after.library.documents()} == {("waiting", "other_model")}

    taking.after.index()

    assert {(document.state, document.reason) for document in taking.after.library.documents()} == {("ready", "")}


def test_a_drive_that_comes_back_without_a_file_while_the_rest_is_taken_over_leaves_nothing_of_it(taking: Taking) -> None:
    drive = taking.before.docs.parent / "drive"
    stick = drive / "stick"
    stick.mkdir(parents=True)
    (stick / "a.txt").write_text("on the stick", encoding="utf-8")
    taking.before.library.add([stick])
    taking.before.index()
    drive.rename(drive.with_name("elsewhere"))
    changed = ChangedPaths()

    for event in taking.after.library.index(CancelToken(), changed=changed):
        if isinstance(event, FileSearchable) and not stick.exists():
            stick.mkdir(parents=True)
            changed.add([stick / "a.txt"])

    assert isinstance(event, IndexFinished)
    assert {file.path.name for file in event.report.files} == set(taking.after.states()) == EVERY_FILE
    assert taking.found() == EVERY_FILE and taking.asked == ["fake-2"]
