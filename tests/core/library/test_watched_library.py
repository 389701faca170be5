"""A library that is kept in step by a watcher, with real files and the system's own events."""

from __future__ import annotations

import os
import queue
import shutil
from collections.abc import Iterator, Set
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.lease import ComputeLease
from core.library.changes import Pace
from core.library.library import Library
from core.library.watching import SourceWatcher
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder

WAIT_SECONDS = 60


class Kept:
    """A library of one folder; `follow` brings it in step with what the watcher says, until the names are what they should be."""

    def __init__(self, home: Path, docs: Path) -> None:
        self.user_store, self.index_store = UserStore(home / "user.db"), IndexStore(home / "index.db")
        self.embedder = FakeEmbedder()
        self.library = Library(self.user_store, self.index_store, self.embedder, ComputeLease())
        self.docs = docs
        self.changes: queue.SimpleQueue[tuple[Path, ...]] = queue.SimpleQueue()
        self.watcher = SourceWatcher(self.changes.put, pace=Pace(quiet=1.0, check=0.2))

    def begin(self) -> None:
        self.library.add([self.docs])
        self.watcher.watch(self.library.sources(), CancelToken())
        for _ in self.library.index(CancelToken()):
            pass
        self.embedder.embedded.clear()

    def names(self) -> set[str]:
        return {document.path.relative_to(self.docs).as_posix() for document in self.library.documents() if document.state == "ready"}

    def follow(self, wanted: Set[str]) -> None:
        while self.names() != wanted:
            for _ in self.library.update(CancelToken(), self.changes.get(timeout=WAIT_SECONDS)):
                pass
        assert self.library.check().problems == ()


@pytest.fixture
def kept(home: Path, tmp_path: Path) -> Iterator[Kept]:
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "lamp.txt").write_text("The lamp burns oil.", encoding="utf-8")
    (docs / "sub" / "sea.txt").write_text("The sea is wide.", encoding="utf-8")
    made = Kept(home, docs)
    made.begin()
    yield made
    assert made.watcher.stop(WAIT_SECONDS)
    made.library.close()
    made.index_store.close()
    made.user_store.close()


def test_a_moved_and_a_renamed_file_and_folder_embed_nothing(kept: Kept) -> None:
    os.rename(kept.docs / "lamp.txt", kept.docs / "sub" / "light.txt")
    os.rename(kept.docs / "sub", kept.docs / "below")

    kept.follow({"below/light.txt", "below/sea.txt"})

    assert kept.embedder.embedded == []


def test_a_save_by_way_of_another_file_embeds_the_file_once(kept: Kept) -> None:
    (kept.docs / "lamp.txt.tmp").write_text("The lamp burns gas.", encoding="utf-8")
    os.replace(kept.docs / "lamp.txt.tmp", kept.docs / "lamp.txt")
    (kept.docs / "end.txt").write_text("The end.", encoding="utf-8")

    kept.follow({"lamp.txt", "sub/sea.txt", "end.txt"})

    assert sorted(kept.embedder.embedded) == ["end\nThe end.", "lamp\nThe lamp burns gas."]


def test_a_deleted_file_and_folder_are_forgotten(kept: Kept) -> None:
    shutil.rmtree(kept.docs / "sub")
    kept.follow({"lamp.txt"})

    shutil.rmtree(kept.docs)
    kept.follow(set())


def test_a_folder_that_comes_with_its_files_is_read(kept: Kept, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for number in range(50):
        (other / f"{number}.txt").write_text(f"Text number {number}.", encoding="utf-8")

    shutil.copytree(other, kept.docs / "copied")
    shutil.move(other, kept.docs / "moved")

    names = {"lamp.txt", "sub/sea.txt"} | {f"{folder}/{number}.txt" for folder in ("copied", "moved") for number in range(50)}
    kept.follow(names)
