"""A library with everything it is made of, over a folder that a test fills."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.cancel import CancelToken
from core.documents import IndexReport
from core.events import IndexEvent, IndexFinished
from core.lease import ComputeLease
from core.library.library import Library
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder

SMALL_BATCH = 32
"""Chunks in a batch here: a run of several batches, and a file longer than one, need not be long for it."""


@dataclass
class Shelf:
    """A library with everything it is made of, and a folder of files that is linked to it."""

    library: Library
    index_store: IndexStore
    user_store: UserStore
    embedder: FakeEmbedder
    lease: ComputeLease
    docs: Path
    home: Path

    def write(self, name: str, content: str | bytes, *, age_seconds: int = 60) -> Path:
        """Write a file that was last changed a while ago: what is fresh is compared by its content."""
        path = self.docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        then = path.stat().st_mtime_ns - age_seconds * 1_000_000_000
        os.utime(path, ns=(then, then))
        return path

    def events(self, *paths: Path, cancel: CancelToken | None = None) -> list[IndexEvent]:
        return list(self.library.index(cancel or CancelToken(), paths or None))

    def index(self, *paths: Path) -> IndexReport:
        finished = self.events(*paths)[-1]
        assert isinstance(finished, IndexFinished)
        assert self.library.check().problems == ()
        return finished.report

    def rows(self, *paths: Path) -> dict[str, tuple[str, str]]:
        return {file.path.name: (file.state, file.reason) for file in self.index(*paths).files}

    def states(self) -> dict[str, str]:
        return {document.path.name: document.state for document in self.library.documents()}

    def restarted(self, embedder: FakeEmbedder) -> Shelf:
        library = Library(self.user_store, self.index_store, embedder, self.lease)
        return Shelf(library, self.index_store, self.user_store, embedder, self.lease, self.docs, self.home)


def long_text(passages: int) -> str:
    return "\n\n".join(f"Passage {number} of many. " + "It says something about the sea and the lamp. " * 20 for number in range(passages))
