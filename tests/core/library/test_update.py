"""A library brought in step at the paths that changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.documents import IndexReport
from core.events import IndexFinished
from core.lease import ComputeLease
from core.library.library import Library
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder


class Shelf:
    """A library of one folder."""

    def __init__(self, home: Path, docs: Path) -> None:
        self.docs = docs
        self.user_store, self.index_store = UserStore(home / "user.db"), IndexStore(home / "index.db")
        self.embedder = FakeEmbedder()
        self.library = Library(self.user_store, self.index_store, self.embedder, ComputeLease())
        self.library.add([docs])

    def write(self, name: str, content: str) -> Path:
        path = self.docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    def index(self) -> None:
        list(self.library.index(CancelToken()))

    def update(self, *changed: Path) -> IndexReport:
        """What a run after these changes says."""
        *_, finished = self.library.update(CancelToken(), changed)
        assert isinstance(finished, IndexFinished)
        assert self.library.check().problems == ()
        return finished.report

    def states(self) -> dict[str, str]:
        return {document.path.name: document.state for document in self.library.documents()}


@pytest.fixture
def shelf(home: Path, tmp_path: Path) -> Iterator[Shelf]:
    docs = tmp_path / "docs"
    docs.mkdir()
    made = Shelf(home, docs)
    yield made
    made.library.close()
    made.index_store.close()
    made.user_store.close()


def test_what_changed_is_read_and_what_went_is_forgotten_and_nothing_else_is_looked_at(shelf: Shelf) -> None:
    changed, gone, other = shelf.write("changed.txt", "old"), shelf.write("gone.txt", "gone"), shelf.write("other.txt", "other")
    shelf.index()

    shelf.write("changed.txt", "newer")
    new = shelf.write("new.txt", "new")
    gone.unlink()
    other.unlink()
    report = shelf.update(changed, new, gone)

    assert [(file.path.name, file.state) for file in report.files] == [("changed.txt", "ready"), ("new.txt", "ready")]
    assert shelf.library.text(changed) == "newer"
    assert shelf.states() == {"changed.txt": "ready", "new.txt": "ready", "other.txt": "ready"}


def test_after_a_move_a_folder_is_found_at_its_new_place_and_nothing_is_embedded(shelf: Shelf) -> None:
    shelf.write("here/a.txt", "a text about lamps")
    shelf.write("here/sub/b.txt", "a text about oil")
    shelf.index()
    embedded = len(shelf.embedder.embedded)

    os.rename(shelf.docs / "here", shelf.docs / "there")
    shelf.update(shelf.docs / "here", shelf.docs / "there")

    assert {document.path.relative_to(shelf.docs).as_posix() for document in shelf.library.documents()} == {
        "there/a.txt",
        "there/sub/b.txt",
    }
    assert len(shelf.embedder.embedded) == embedded


def test_a_deleted_folder_takes_its_files_along_though_only_they_were_named(shelf: Shelf) -> None:
    file = shelf.write("sub/deep/a.txt", "a")
    shelf.write("b.txt", "b")
    shelf.index()

    shutil.rmtree(shelf.docs / "sub")
    shelf.update(file)

    assert shelf.states() == {"b.txt": "ready"}


def test_what_nobody_linked_or_what_was_taken_out_stays_out_when_it_changes(shelf: Shelf, tmp_path: Path) -> None:
    taken_out, hidden = shelf.write("a.txt", "a"), shelf.write(".hidden/b.txt", "b")
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("c", encoding="utf-8")
    shelf.index()
    shelf.library.remove(taken_out)

    assert shelf.update(taken_out, hidden, foreign).files == ()
    assert shelf.states() == {}


def test_changes_on_a_drive_that_was_just_unplugged_forget_nothing(shelf: Shelf, tmp_path: Path) -> None:
    stick = tmp_path / "drive" / "stick"
    stick.mkdir(parents=True)
    (stick / "a.txt").write_text("on the stick", encoding="utf-8")
    shelf.library.add([stick])
    shelf.index()

    (tmp_path / "drive").rename(tmp_path / "elsewhere")
    shelf.update(stick, stick / "a.txt")

    assert shelf.states() == {"a.txt": "ready"}


def test_a_folder_that_is_linked_again_through_a_link_is_in_the_library_once_whatever_run_looks_at_it(shelf: Shelf, tmp_path: Path) -> None:
    once = shelf.write("a.txt", "The otter lives in the harbour.")
    alias = tmp_path / "alias"
    alias.symlink_to(shelf.docs)
    shelf.library.add([alias])

    shelf.index()
    list(shelf.library.index(CancelToken(), [alias]))
    shelf.write("a.txt", "The walrus lives in the harbour.")
    shelf.update(once, alias / "a.txt")

    assert [document.path for document in shelf.library.documents()] == [once]
