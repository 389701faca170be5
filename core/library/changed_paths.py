"""What changes on the disk while a run of indexing goes on: handed in by one thread, taken up by the run between two batches."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path


class ChangedPaths:
    """Paths of files and folders, for one run. Safe to use from any thread; never waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: set[Path] = set()
        self._taken: set[Path] = set()

    def add(self, paths: Iterable[Path]) -> None:
        """These have come, changed or gone."""
        with self._lock:
            self._waiting.update(paths)

    def take(self) -> tuple[Path, ...]:
        """All that came since the last call, sorted."""
        with self._lock:
            taken, self._waiting = self._waiting, set()
            self._taken |= taken
        return tuple(sorted(taken))

    @property
    def left(self) -> frozenset[Path]:
        """What the run has not taken up."""
        with self._lock:
            return frozenset(self._waiting)

    @property
    def taken(self) -> frozenset[Path]:
        """What the run has taken up: to be looked at again if the run fails."""
        with self._lock:
            return frozenset(self._taken)
