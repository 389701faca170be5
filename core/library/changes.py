"""Many events become few batches: an editor's save is one change, and so is a checkout of thousands of files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to wait, in seconds."""

    quiet: float = 0.8
    """No event for this long: what changed is passed on. Longer than watchdog holds back one half of a move (0.5)."""

    patience: float = 4.0
    """Where events never end, what is quiet by itself is passed on after this."""

    steady: float = 60.0
    """A path that is never quiet (a log, a download) is passed on after this, half-written as it may be."""

    check: float = 5.0
    """How often to look whether the sources are still what is watched."""

    rescan: float = 120.0
    """How often to look through what cannot be watched."""


@dataclass(slots=True)
class _Times:
    first: float
    last: float


class PendingChanges:
    """Paths that changed, until they are quiet. Not for several threads; `now` is of any clock that never goes back."""

    def __init__(self, pace: Pace, *, max_paths: int = 1000) -> None:
        """More than `max_paths` under one source become the innermost folder they share: looking it through costs no more than they do."""
        self._pace = pace
        self._max_paths = max_paths
        self._paths: dict[Path, dict[Path, _Times]] = {}
        self._folders: dict[Path, Path] = {}
        self._last = 0.0

    def __bool__(self) -> bool:
        return bool(self._paths)

    def add(self, path: Path, source: Path, now: float) -> None:
        """`path`, which is `source` or lies in it, changed."""
        folder = self._folders.get(source)
        if folder is not None and path.is_relative_to(folder):
            path = folder
        self._last = now
        paths = self._paths.setdefault(source, {})
        paths.setdefault(path, _Times(now, now)).last = now
        if len(paths) > self._max_paths:
            folder = Path(os.path.commonpath(paths))
            self._folders[source] = folder
            self._paths[source] = {folder: _Times(min(times.first for times in paths.values()), now)}

    def due_in(self, now: float) -> float | None:
        """Seconds until `take` should be called; None while nothing changed."""
        every = [times for paths in self._paths.values() for times in paths.values()]
        if not every:
            return None
        first_quiet = min(min(times.last + self._pace.quiet, times.first + self._pace.steady) for times in every)
        restless = max(min(times.first for times in every) + self._pace.patience, first_quiet)
        return max(0.0, min(self._last + self._pace.quiet, restless) - now)

    def take(self, now: float) -> tuple[Path, ...]:
        """The paths that are due, sorted; they are forgotten here."""
        every = [times for paths in self._paths.values() for times in paths.values()]
        if not every:
            return ()
        all_quiet = now - self._last >= self._pace.quiet
        if not all_quiet and now - min(times.first for times in every) < self._pace.patience:
            return ()
        taken: set[Path] = set()
        for source, paths in list(self._paths.items()):
            due = {
                path
                for path, times in paths.items()
                if all_quiet or now - times.last >= self._pace.quiet or now - times.first >= self._pace.steady
            }
            taken |= due
            self._paths[source] = {path: times for path, times in paths.items() if path not in due}
            if not self._paths[source]:
                del self._paths[source]
            if self._folders.get(source) in due:
                del self._folders[source]
        return tuple(sorted(taken))

    def keep(self, sources: Iterable[Path]) -> None:
        """Forget all that is of other sources."""
        kept = frozenset(sources)
        self._paths = {source: paths for source, paths in self._paths.items() if source in kept}
        self._folders = {source: folder for source, folder in self._folders.items() if source in kept}
