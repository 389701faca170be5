"""How fast indexing goes and how long it will take: plain arithmetic over events, without a window."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.events import FileFinished, FileProgress, FileStarted, IndexEvent, IndexFinished, IndexStarted

_SETTLED_SECONDS = 2.0


class IndexPace:
    """Follows one indexing run. Time spent in a pause does not count. `clock` gives seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begin(0)

    def _begin(self, total: int) -> None:
        self._started = self._clock()
        self._paused_since: float | None = None
        self._paused_seconds = 0.0
        self._part = 0.0
        self.done = 0
        self.total = total
        self.name = ""

    def follow(self, event: IndexEvent) -> None:
        """Take in what happened; a new run starts all counts afresh."""
        match event:
            case IndexStarted(total):
                self._begin(total)
            case FileStarted(path, done, total):
                self.done, self.total, self._part, self.name = done, total, 0.0, path.name
            case FileProgress(path, done, total):
                self._part, self.name = (done / total if total else 0.0), path.name
            case FileFinished(file, done, total):
                self.done, self.total, self._part, self.name = done, total, 0.0, file.path.name
            case IndexFinished():
                self.done, self._part, self.name = self.total, 0.0, ""

    def pause(self) -> None:
        """Stop the watch."""
        if self._paused_since is None:
            self._paused_since = self._clock()

    def resume(self) -> None:
        """Let the watch run again."""
        if self._paused_since is not None:
            self._paused_seconds += self._clock() - self._paused_since
            self._paused_since = None

    @property
    def fraction(self) -> float:
        """How much is done, 0 to 1, with the part of the current file counted in."""
        return min(1.0, (self.done + self._part) / self.total) if self.total else 0.0

    @property
    def seconds(self) -> float:
        """Working time of this run so far."""
        now = self._clock() if self._paused_since is None else self._paused_since
        return now - self._started - self._paused_seconds

    @property
    def files_per_second(self) -> float | None:
        """Mean speed of this run; None as long as it would only be a guess."""
        return self.done / self.seconds if self.done and self.seconds >= _SETTLED_SECONDS else None

    @property
    def seconds_left(self) -> float | None:
        """Estimated time to the end; None as long as it would only be a guess."""
        if self.files_per_second is None or not self.total:
            return None
        return (self.total - self.done - self._part) * self.seconds / (self.done + self._part)
