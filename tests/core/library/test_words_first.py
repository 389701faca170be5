"""A file is found by its words before its vectors are made, and nothing that was made is made twice."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, ChildCrashed
from core.events import FileFinished, FileSearchable, FileStarted
from core.library.indexing import READ_WHILE_ASKED
from core.retrieval.hybrid import HybridRetriever
from tests.core.library.shelf import SMALL_BATCH, Shelf, long_text
from tests.fakes.hash_embedder import FakeEmbedder


def found(shelf: Shelf, query: str) -> list[str]:
    """Names of the files that a search brings, best first."""
    return [
        passage.chunk.path.name for passage in HybridRetriever(shelf.index_store, shelf.embedder).search(query, k=5, cancel=CancelToken())
    ]


def break_off(shelf: Shelf, *, after_batches: int = 0) -> None:
    """Index until the encoder has done so many batches and then crashes, as when the power fails."""
    left = iter(range(after_batches))

    def crash() -> None:
        if next(left, None) is None:
            raise ChildCrashed("The embedding process ended.")

    shelf.embedder.before_batch = crash
    with pytest.raises(ChildCrashed):
        shelf.events()
    shelf.embedder.before_batch = lambda: None


def test_all_files_are_found_by_their_words_before_the_first_is_encoded(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(90))
    shelf.write("b.txt", "The zanzibar clause is on page nine.")

    break_off(shelf)

    assert found(shelf, "zanzibar clause")[0] == "b.txt"
    assert shelf.states() == {"a.txt": "waiting", "b.txt": "waiting"}
    report = shelf.library.check()
    assert report.problems == ()
    assert (report.counts.words_only, report.counts.ready, report.counts.vectors) == (2, 0, 0)
    assert shelf.library.text(shelf.docs / "b.txt") == "The zanzibar clause is on page nine."


def test_a_file_saved_while_a_question_is_answered_is_found_by_its_words(shelf: Shelf) -> None:
    shelf.write("b.txt", "The zanzibar clause is on page nine.")
    cancel = CancelToken()

    with shelf.lease.asking():
        for event in shelf.library.index(cancel):
            if isinstance(event, FileSearchable):
                assert found(shelf, "zanzibar clause") == ["b.txt"]
                cancel.cancel()
                break

    assert shelf.embedder.embedded == []


def test_of_many_files_only_the_first_are_read_while_a_question_is_answered(shelf: Shelf) -> None:
    for number in range(READ_WHILE_ASKED + 9):
        shelf.write(f"{number:03}.txt", f"file {number}")
    cancel, read = CancelToken(), []

    with shelf.lease.asking(), pytest.raises(Cancelled):
        for event in shelf.library.index(cancel):
            read += [event.path] if isinstance(event, FileStarted) else []
            if len(read) == READ_WHILE_ASKED and isinstance(event, FileSearchable):
                cancel.cancel()

    assert len(read) == READ_WHILE_ASKED


def test_a_second_start_finishes_the_rest_without_reading_or_encoding_anything_twice(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.write("a.txt", long_text(90))
    shelf.write("b.txt", "words")
    break_off(shelf, after_batches=2)
    encoded = list(shelf.embedder.embedded)
    monkeypatch.setattr("core.library.file_intake.read_file", lambda *arguments, **options: pytest.fail("a stored file was read again"))

    report = shelf.index()

    assert len(encoded) == 2 * SMALL_BATCH
    assert len(shelf.embedder.embedded) == len(set(shelf.embedder.embedded)) == sum(file.chunks for file in report.files)
    assert shelf.states() == {"a.txt": "ready", "b.txt": "ready"}


def test_an_edited_file_is_never_half_old_and_half_new(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(90))
    shelf.index()
    changed = long_text(90).replace("lamp", "bell")
    path = shelf.write("a.txt", changed)

    break_off(shelf, after_batches=1)

    assert shelf.library.check().ok
    chunks = shelf.index_store.chunks_of(path)
    assert all(chunk.text == changed[chunk.start : chunk.end] for chunk in chunks)
    assert found(shelf, "lamp") == ["a.txt"] * 5  # by their vectors, whose text is the new one
    query = shelf.embedder.embed_query("lamp", cancel=CancelToken())
    near = shelf.index_store.search_vectors(query, 1000, shelf.embedder.model_id)
    assert len(near) == SMALL_BATCH
    assert all("bell" in chunk.text for chunk in shelf.index_store.chunks([chunk_id for chunk_id, _ in near]))


def test_what_an_edit_left_alone_keeps_its_vectors_even_if_the_run_is_broken_off(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(90))
    shelf.index()
    before = len(shelf.embedder.embedded)
    shelf.write("a.txt", long_text(90) + "\n\nOne passage more, about herring. " * 3)

    break_off(shelf)
    shelf.index()

    assert 0 < len(shelf.embedder.embedded) - before <= 20
    assert shelf.library.check().counts.words_only == 0


def test_an_edited_copy_encodes_only_what_was_edited(shelf: Shelf) -> None:
    first = shelf.write("a.txt", long_text(40))
    shutil.copy2(first, shelf.docs / "b.txt")
    shelf.index()
    before = len(shelf.embedder.embedded)

    shelf.write("b.txt", "Something else first.\n\n" + long_text(40))
    shelf.index()

    assert 0 < len(shelf.embedder.embedded) - before <= 20
    assert shelf.states() == {"a.txt": "ready", "b.txt": "ready"}


def test_a_file_that_is_changed_again_before_it_was_embedded_is_read_again(shelf: Shelf) -> None:
    shelf.write("a.txt", "the first version")
    break_off(shelf)
    shelf.write("a.txt", "the second version, of zanzibar")

    shelf.index()

    assert shelf.embedder.embedded == ["a\nthe second version, of zanzibar"]
    assert found(shelf, "first") == ["a.txt"]
    assert shelf.library.text(shelf.docs / "a.txt") == "the second version, of zanzibar"


def test_a_file_that_goes_before_it_was_embedded_leaves_nothing(shelf: Shelf) -> None:
    path = shelf.write("a.txt", "zanzibarcanary")
    shelf.write("b.txt", long_text(40))
    break_off(shelf)

    path.unlink()
    shelf.index()

    assert shelf.states() == {"b.txt": "ready"}
    assert all(b"zanzibarcanary" not in file.read_bytes() for file in shelf.home.glob("index.db*"))


@pytest.mark.parametrize("names", [("a.txt", "b.txt", "c.txt"), ("c.txt", "b.txt", "a.txt")])
def test_copies_that_come_together_are_encoded_once(shelf: Shelf, names: Sequence[str]) -> None:
    first = shelf.write(names[0], long_text(40))
    for name in names[1:]:
        shutil.copy2(first, shelf.docs / name)

    report = shelf.index()

    (chunks,) = {file.chunks for file in report.files}
    assert len(shelf.embedder.embedded) == chunks
    assert set(shelf.states().values()) == {"ready"}


@pytest.mark.parametrize("names", [("a.txt", "b.txt"), ("b.txt", "a.txt")])
def test_a_copy_that_comes_while_the_first_waits_is_encoded_once(shelf: Shelf, names: Sequence[str]) -> None:
    first = shelf.write(names[0], long_text(80))
    break_off(shelf, after_batches=1)
    shutil.copy2(first, shelf.docs / names[1])

    report = shelf.index()

    assert len(shelf.embedder.embedded) == len(set(shelf.embedder.embedded)) == report.files[0].chunks


def test_a_copy_whose_original_is_gone_before_either_was_encoded_is_encoded_as_itself(shelf: Shelf) -> None:
    first = shelf.write("a.txt", "the one and only text")
    shutil.copy2(first, shelf.docs / "b.txt")
    break_off(shelf)

    first.unlink()
    shelf.index()

    assert shelf.embedder.embedded == ["b\nthe one and only text"]
    shelf.write("c.txt", "another text")
    shelf.index()
    assert shelf.library.check().ok


def test_a_file_that_is_moved_while_it_waits_keeps_the_vectors_it_has(shelf: Shelf) -> None:
    path = shelf.write("a.txt", long_text(80))
    break_off(shelf, after_batches=1)

    path.rename(shelf.docs / "moved.txt")
    report = shelf.index()

    assert [(file.path.name, file.state) for file in report.files] == [("moved.txt", "ready")]
    assert len(shelf.embedder.embedded) == report.files[0].chunks


def test_while_another_model_takes_over_files_stay_found_and_a_step_back_costs_nothing(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.txt", "b.txt"):
        shelf.write(name, f"{name} {long_text(40)}")
    shelf.index()
    other = shelf.restarted(FakeEmbedder("fake-2", 16))
    monkeypatch.setattr("core.library.file_intake.read_file", lambda *arguments, **options: pytest.fail("an unchanged file was read"))

    break_off(other, after_batches=1)

    assert other.library.check().ok
    assert other.states() == {"a.txt": "waiting", "b.txt": "waiting"}
    assert found(other, "a.txt sea lamp")
    assert shelf.states() == {"a.txt": "ready", "b.txt": "ready"}
    count = len(shelf.embedder.embedded)
    assert all(file.unchanged for file in shelf.index().files)
    assert len(shelf.embedder.embedded) == count

    other.embedder.embedded.clear()
    report = other.index()

    assert set(other.states().values()) == {"ready"}
    assert len(other.embedder.embedded) == len(set(other.embedder.embedded)) == sum(file.chunks for file in report.files)
    assert shelf.states() == {"a.txt": "waiting", "b.txt": "waiting"}


def test_what_another_program_replaces_meanwhile_is_not_called_ready(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(3))

    def replace() -> None:
        shelf.embedder.before_batch = lambda: None
        shelf.write("a.txt", long_text(4).replace("lamp", "bell"))
        other = shelf.restarted(FakeEmbedder())
        other.embedder.before_batch = lambda: (_ for _ in ()).throw(ChildCrashed("The embedding process ended."))
        with pytest.raises(ChildCrashed):
            other.events()

    shelf.embedder.before_batch = replace

    (finished,) = [event for event in shelf.events() if isinstance(event, FileFinished)]

    assert finished.file.state == "waiting"
    assert shelf.library.check().ok
    assert shelf.rows() == {"a.txt": ("ready", "")}
