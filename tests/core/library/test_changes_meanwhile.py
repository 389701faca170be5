"""What changes while a run goes on is read by that run at once, and its vectors are the next to be made."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.documents import IndexReport
from core.events import FileFinished, FileSearchable, FileStarted, IndexEvent, IndexFinished, IndexGoesOn, IndexHeld, IndexProgress
from core.library.batch_embedding import BATCH_CHUNKS
from core.library.changed_paths import ChangedPaths
from core.library.indexing import READ_WHILE_ASKED
from core.retrieval.hybrid import HybridRetriever
from core.store.records import embedding_key, embedding_text
from tests.core.library.shelf import Shelf, long_text

LONG = BATCH_CHUNKS * 3


def found(shelf: Shelf, query: str) -> str:
    """The name of the file that the words of a query bring first."""
    hits = HybridRetriever(shelf.index_store, shelf.embedder, mode="words").search(query, k=1, cancel=CancelToken())
    return hits[0].chunk.path.name if hits else ""


def run(shelf: Shelf, change: Callable[[ChangedPaths, int], None]) -> tuple[list[IndexEvent], IndexReport]:
    """A run in which `change` may change files before each batch, whose number it is given, and say so."""
    changed, events, batch = ChangedPaths(), [], 0

    def before_batch() -> None:
        nonlocal batch
        batch += 1
        change(changed, batch)

    shelf.embedder.before_batch = before_batch
    for event in shelf.library.index(CancelToken(), changed=changed):
        events.append(event)
    shelf.embedder.before_batch = lambda: None
    assert isinstance(events[-1], IndexFinished)
    assert shelf.library.check().problems == ()
    # However files came and went meanwhile, in the end nothing is left to be done.
    last = [event for event in events if isinstance(event, IndexProgress)][-1]
    assert (last.read, last.embedded) == (last.files, last.chunks)
    return events, events[-1].report


def finished(events: list[IndexEvent]) -> list[str]:
    return [event.file.path.name for event in events if isinstance(event, FileFinished) and event.file.state == "ready"]


def test_a_file_saved_during_a_long_run_is_found_by_its_words_after_one_batch_and_is_the_next_to_be_ready(shelf: Shelf) -> None:
    for name in ("a.txt", "b.txt"):
        shelf.write(name, f"{name} {long_text(LONG)}")
    found_after: list[tuple[int, str]] = []

    def save(changed: ChangedPaths, batch: int) -> None:
        found_after.append((batch, found(shelf, "zanzibar")))
        if batch == 2:
            changed.add([shelf.write("new.txt", "The zanzibar clause.", age_seconds=9999)])

    events, report = run(shelf, save)

    assert found_after[:3] == [(1, ""), (2, ""), (3, "new.txt")]
    assert finished(events)[0] == "new.txt"
    assert shelf.states() == {"a.txt": "ready", "b.txt": "ready", "new.txt": "ready"}
    assert [file.path.name for file in report.files] == ["a.txt", "b.txt", "new.txt"]
    assert len(shelf.embedder.embedded) == len(set(shelf.embedder.embedded)) == sum(file.chunks for file in report.files)


def test_a_file_saved_while_the_encoder_works_is_found_before_it_is_done(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(3))
    changed, saved, may_end = ChangedPaths(), threading.Event(), threading.Event()

    def hold() -> None:
        if not saved.is_set():
            changed.add([shelf.write("new.txt", "The zanzibar clause.")])
            saved.set()
            assert may_end.wait(20)

    shelf.embedder.before_batch = hold
    for event in shelf.library.index(CancelToken(), changed=changed):
        if isinstance(event, FileSearchable) and event.file.path.name == "new.txt":
            assert (found(shelf, "zanzibar"), shelf.embedder.embedded) == ("new.txt", [])
            may_end.set()

    assert shelf.states() == {"a.txt": "ready", "new.txt": "ready"}


@pytest.mark.parametrize("kept", [0, 30])
def test_a_file_that_changes_or_goes_while_the_encoder_works_on_it_is_never_half_old(shelf: Shelf, kept: int) -> None:
    path, gone = shelf.write("a.txt", long_text(30)), shelf.write("b.txt", "b, and about amber")
    changed, saved, may_end = ChangedPaths(), threading.Event(), threading.Event()
    text = "\n\n".join([*filter(None, [long_text(kept)]), "The zanzibar clause. " * 60])

    def hold() -> None:
        if not saved.is_set():
            shelf.write("a.txt", text)
            gone.unlink()
            changed.add([path, gone])
            saved.set()
            assert may_end.wait(20)

    shelf.embedder.before_batch = hold
    events = []
    for event in shelf.library.index(CancelToken(), changed=changed):
        events.append(event)
        if isinstance(event, FileSearchable) and saved.is_set():
            may_end.set()

    assert shelf.library.check().problems == ()
    assert shelf.library.text(path) == text
    assert shelf.states() == {"a.txt": "ready"}
    assert finished(events) == ["a.txt"]
    chunks = shelf.index_store.chunks_of(path)
    vectors = shelf.index_store.vectors_by_key([embedding_key(embedding_text("a", "", chunk.text)) for chunk in chunks], "fake-1")
    assert len(vectors) == len({chunk.text for chunk in chunks})


def test_a_file_that_is_half_embedded_and_changes_is_never_half_old(shelf: Shelf) -> None:
    path = shelf.write("a.txt", long_text(LONG))
    shelf.write("b.txt", f"b {long_text(LONG)}", age_seconds=999)

    def save(changed: ChangedPaths, batch: int) -> None:
        if batch == 2:
            shelf.write("a.txt", "All of it is about zanzibar now.")
            changed.add([path])

    events, report = run(shelf, save)

    assert shelf.library.text(path) == "All of it is about zanzibar now."
    assert finished(events) == ["a.txt", "b.txt"]
    assert [(file.path.name, file.state, file.chunks > 1) for file in report.files] == [("a.txt", "ready", False), ("b.txt", "ready", True)]


def test_a_ready_file_that_changes_again_is_counted_once(shelf: Shelf) -> None:
    shelf.write("a.txt", "short")
    shelf.write("b.txt", long_text(LONG), age_seconds=999)

    def save(changed: ChangedPaths, batch: int) -> None:
        if batch == 2:
            changed.add([shelf.write("a.txt", "short, and about zanzibar")])

    events, report = run(shelf, save)

    assert len(report.files) == 2
    assert max(event.done for event in events if isinstance(event, FileFinished)) == 2
    assert found(shelf, "zanzibar") == "a.txt"


def test_a_file_that_goes_or_moves_meanwhile_is_not_embedded_for_nothing(shelf: Shelf) -> None:
    gone = shelf.write("gone.txt", f"gone {long_text(LONG)}", age_seconds=300)
    moved = shelf.write("moved.txt", f"moved {long_text(LONG)}", age_seconds=200)
    shelf.write("first.txt", long_text(LONG), age_seconds=100)

    def change(changed: ChangedPaths, batch: int) -> None:
        if batch == 1:
            gone.unlink()
            moved.rename(shelf.docs / "there.txt")
            changed.add([gone, moved, shelf.docs / "there.txt"])

    _, report = run(shelf, change)

    assert {file.path.name: file.state for file in report.files} == {"first.txt": "ready", "there.txt": "ready"}
    assert shelf.states() == {"first.txt": "ready", "there.txt": "ready"}
    assert not any("gone" in text for text in shelf.embedder.embedded)


def test_a_copy_that_comes_meanwhile_brings_its_original_forward_and_is_encoded_once(shelf: Shelf) -> None:
    first = shelf.write("original.txt", f"the original {long_text(40)}", age_seconds=999)
    shelf.write("other.txt", long_text(LONG))

    def copy(changed: ChangedPaths, batch: int) -> None:
        if batch == 1:
            shutil.copy2(first, shelf.docs / "copy.txt")
            changed.add([shelf.docs / "copy.txt"])

    events, report = run(shelf, copy)

    assert finished(events) == ["original.txt", "copy.txt", "other.txt"]
    by_name = {file.path.name: file.chunks for file in report.files}
    assert len(shelf.embedder.embedded) == by_name["original.txt"] + by_name["other.txt"]


def test_a_file_saved_while_many_are_read_is_read_before_the_rest(shelf: Shelf) -> None:
    for number in range(30):
        shelf.write(f"{number:02}.txt", f"file {number}")
    late, changed, order = shelf.docs / "zanzibar.txt", ChangedPaths(), []

    for event in shelf.library.index(CancelToken(), changed=changed):
        if isinstance(event, FileStarted):
            order.append(event.path.name)
            if len(order) == 3:
                changed.add([shelf.write(late.name, "The zanzibar clause.")])

    assert order[3] == late.name and order.count(late.name) == 1 and len(order) == 31
    assert set(shelf.states().values()) == {"ready"}


def test_a_file_saved_while_a_question_holds_the_run_up_is_found_by_its_words(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(3))
    changed, seen, cancel = ChangedPaths(), [], CancelToken()
    asking = shelf.lease.asking()
    asking.__enter__()

    for event in shelf.library.index(cancel, changed=changed):
        seen.append(type(event))
        if isinstance(event, IndexHeld):
            changed.add([shelf.write("new.txt", "The zanzibar clause.")])
        if isinstance(event, FileSearchable) and event.file.path.name == "new.txt":
            assert found(shelf, "zanzibar") == "new.txt"
            assert shelf.embedder.embedded == []
            asking.__exit__(None, None, None)

    assert seen.index(IndexHeld) < seen.index(IndexGoesOn)
    assert shelf.states() == {"a.txt": "ready", "new.txt": "ready"}


def test_a_question_that_comes_while_the_encoder_works_is_said_to_hold_the_run_up(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(3))
    asking, may_end, seen = shelf.lease.asking(), threading.Event(), []

    def hold() -> None:
        asking.__enter__()
        assert may_end.wait(20)

    shelf.embedder.before_batch = hold
    for event in shelf.library.index(CancelToken()):
        seen.append(type(event))
        if isinstance(event, IndexHeld):
            asking.__exit__(None, None, None)
            may_end.set()

    assert seen.index(IndexHeld) < seen.index(IndexGoesOn)
    assert seen.count(IndexHeld) == seen.count(IndexGoesOn) == 1
    assert shelf.states() == {"a.txt": "ready"}


def test_many_files_that_come_during_a_question_are_read_in_part(shelf: Shelf) -> None:
    shelf.write("a.txt", "a")
    changed, started = ChangedPaths(), []
    asking = shelf.lease.asking()
    asking.__enter__()

    for event in shelf.library.index(CancelToken(), changed=changed):
        if isinstance(event, IndexHeld) and len(started) == 1:
            changed.add([shelf.write(f"new/{number:03}.txt", f"number {number}") for number in range(READ_WHILE_ASKED + 5)])
        elif isinstance(event, IndexHeld):
            assert len([path for path in started if path.parent.name == "new"]) == READ_WHILE_ASKED
            asking.__exit__(None, None, None)
        started += [event.path] if isinstance(event, FileStarted) else []

    assert len(shelf.states()) == READ_WHILE_ASKED + 6


def test_what_nobody_linked_stays_out_though_it_is_said_to_have_changed(shelf: Shelf, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("zanzibar", encoding="utf-8")
    shelf.write("a.txt", long_text(LONG))

    run(shelf, lambda changed, batch: changed.add([foreign, shelf.write(".hidden/b.txt", "zanzibar")]))

    assert shelf.states() == {"a.txt": "ready"}


def test_progress_counts_files_that_are_read_and_vectors_that_are_made(shelf: Shelf) -> None:
    shelf.write("a.txt", f"a {long_text(LONG)}")
    shelf.write("b.txt", "b")
    (shelf.docs / "c.txt").touch()

    events, report = run(shelf, lambda changed, batch: None)

    progress = [event for event in events if isinstance(event, IndexProgress)]
    chunks = sum(file.chunks for file in report.files)
    assert [event.read for event in progress] == sorted(event.read for event in progress)
    assert [event.embedded for event in progress] == sorted(event.embedded for event in progress)
    assert (progress[0].read, progress[0].files, progress[0].embedded) == (1, 3, 0)
    assert progress[-1] == IndexProgress(3, 3, chunks, chunks)
    assert {event.chunks for event in progress if event.read == 3} == {chunks}


def test_a_file_that_goes_while_a_question_holds_up_the_reading_of_many_is_forgotten(shelf: Shelf) -> None:
    names = [f"{number:03}.txt" for number in range(READ_WHILE_ASKED + 2)]
    for name in names:
        shelf.write(name, f"this is {name}")
    changed, started = ChangedPaths(), []
    asking = shelf.lease.asking()
    asking.__enter__()

    for event in shelf.library.index(CancelToken(), changed=changed):
        if isinstance(event, IndexHeld) and len(started) == READ_WHILE_ASKED:
            (shelf.docs / names[-2]).unlink()
            changed.add([shelf.docs / names[-2], shelf.write(names[-1], "The zanzibar clause.")])
        if isinstance(event, FileSearchable) and event.file.path.name == names[-1]:
            asking.__exit__(None, None, None)
        started += [event.path.name] if isinstance(event, FileStarted) else []

    assert isinstance(event, IndexFinished)
    assert {file.path.name for file in event.report.files} == set(shelf.states()) == set(names) - {names[-2]}
    assert started.count(names[-1]) == 1


def test_a_file_that_comes_back_while_others_are_read_stays(shelf: Shelf) -> None:
    back = shelf.write("back.txt", "The zanzibar clause.")
    shelf.index()
    back.unlink()
    for number in range(3):
        shelf.write(f"{number}.txt", f"The other clause, {number}.")
    changed = ChangedPaths()

    for event in shelf.library.index(CancelToken(), changed=changed):
        if isinstance(event, FileStarted) and event.path.name == "0.txt":
            changed.add([shelf.write(back.name, "The zanzibar clause. It is back.")])

    assert isinstance(event, IndexFinished)
    assert {file.path.name: file.state for file in event.report.files} == shelf.states()
    assert shelf.states() == {"0.txt": "ready", "1.txt": "ready", "2.txt": "ready", "back.txt": "ready"}
    assert found(shelf, "zanzibar") == back.name


@pytest.mark.parametrize("goes", [True, False])
def test_a_copy_that_goes_or_changes_before_it_is_said_to_be_ready_is_not_said_to_be(shelf: Shelf, goes: bool) -> None:
    copy = shelf.docs / "b.txt"
    shutil.copy2(shelf.write("a.txt", "a"), shelf.docs.parent / "aside.txt")
    shelf.index()
    (shelf.docs.parent / "aside.txt").rename(copy)
    shelf.write("c.txt", "c")
    shelf.write("d.txt", "d")
    changed, events = ChangedPaths(), []

    for event in shelf.library.index(CancelToken(), changed=changed):
        events.append(event)
        if isinstance(event, FileStarted) and event.path.name == "c.txt":
            copy.unlink()
            changed.add([copy if goes else shelf.write(copy.name, "The zanzibar clause.")])

    states = [event.file.state for event in events if isinstance(event, FileFinished | FileSearchable) and event.file.path == copy]
    assert isinstance(event, IndexFinished)
    assert states == ([] if goes else ["waiting", "ready"])
    assert {file.path.name: file.state for file in event.report.files} == shelf.states()
