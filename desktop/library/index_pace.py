"""How fast indexing goes and how long it will take: plain arithmetic over events, without a window."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from core.events import (
    EmbedderLoading,
    EmbedderReady,
    FileFinished,
    FileProgress,
    FileSearchable,
    FileStarted,
    IndexEvent,
    IndexFinished,
    IndexGoesOn,
    IndexHeld,
    IndexProgress,
    IndexStarted,
)

_SETTLED_SECONDS = 2.0
_WINDOW_SECONDS = 30.0


class _Rate:
    """Something a second, over the last half minute of work; nothing before two seconds were measured."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def add(self, seconds: float, amount: int) -> None:
        self._samples.append((seconds, amount))
        while len(self._samples) > 2 and seconds - self._samples[1][0] >= _WINDOW_SECONDS:
            self._samples.popleft()

    @property
    def per_second(self) -> float | None:
        if not self._samples:
            return None
        (first, least), (last, most) = self._samples[0], self._samples[-1]
        return (most - least) / (last - first) if most > least and last - first >= _SETTLED_SECONDS else None


class IndexPace:
    """Follows indexing runs. One that goes on where the one before was broken off (by a pause, by files that were added) goes on counting passages there.

    Time spent in a pause, while a question is answered or while the embedder is loaded does not count. `clock` gives seconds and never goes back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._embedded_before = 0
        self._begin(0)

    def _begin(self, files: int) -> None:
        self._started = self._clock()
        self._standing_since: float | None = None
        self._standing_seconds = 0.0
        self._paused = False
        self._read_rate, self._chunk_rate = _Rate(), _Rate()
        self._read_rate.add(0.0, 0)
        self.read = self.embedded = self.chunks = 0
        self._all_read = self._is_over = False
        self.files = files
        self.name = ""
        self.held = self.loading = False

    def follow(self, event: IndexEvent) -> None:
        """Take in what happened; a run after one that came to its end starts all counts afresh."""
        match event:
            case IndexStarted(total):
                self._embedded_before = 0 if self._is_over else max(self._embedded_before, self.embedded)
                self._begin(total)
            case FileStarted(path, _, total) | FileProgress(path, _, total):
                self.name = path.name
                self.files = max(self.files, total) if isinstance(event, FileStarted) else self.files
            case FileSearchable(file) | FileFinished(file):
                self.name, self.files = file.path.name, event.total
                # Files that are as they were bring no other news.
                self.read = max(self.read, event.done)
            case IndexProgress(read, files, embedded, chunks):
                self.read, self.files = read, files
                self.embedded, self.chunks = self._embedded_before + embedded, self._embedded_before + chunks if chunks else 0
                # A file that is saved later is read between two batches: the count does not go back to files for it.
                self._all_read = self._all_read or (read >= files and chunks > 0)
                if self.is_reading:
                    self._read_rate.add(self.seconds, read)
                elif embedded:
                    # Measured from the end of the first batch: before it, the model is loaded.
                    self._chunk_rate.add(self.seconds, embedded)
            case IndexHeld():
                self.held = True
            case IndexGoesOn():
                self.held = False
            case EmbedderLoading():
                self.loading = True
            case EmbedderReady():
                self.loading = False
            case IndexFinished():
                self.read, self.embedded, self.name = self.files, self.chunks, ""
                self._is_over = True
        self._stand(self._is_idle)

    def end(self) -> None:
        """No run goes on where this one was broken off."""
        self._is_over = True

    def pause(self) -> None:
        """Stop the watch."""
        self._paused = True
        self._stand(True)

    def resume(self) -> None:
        """Let the watch run again."""
        self._paused = False
        self._stand(self._is_idle)

    @property
    def _is_idle(self) -> bool:
        return self._paused or self.held or self.loading

    def _stand(self, still: bool) -> None:
        now = self._clock()
        if still and self._standing_since is None:
            self._standing_since = now
        elif not still and self._standing_since is not None:
            self._standing_seconds += now - self._standing_since
            self._standing_since = None

    @property
    def is_reading(self) -> bool:
        """Whether the run is in its first part, in which files are read: until its end nobody knows how many vectors are to be made."""
        return self.read < self.files and not self._all_read

    @property
    def counts_passages(self) -> bool:
        """Whether the run is in its second part, in which the vectors of passages are made; else it counts files."""
        return self.chunks > 0 and not self.is_reading

    @property
    def done(self) -> int:
        """How many files are read, or how many passages have their vectors."""
        return self.embedded if self.counts_passages else self.read

    @property
    def total(self) -> int:
        """Of how many files or passages."""
        return self.chunks if self.counts_passages else self.files

    @property
    def fraction(self) -> float:
        """`done` of `total`, 0 to 1: what a person can work out from the two. It falls when more work comes, and when passages are counted instead of files."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    @property
    def seconds(self) -> float:
        """Working time of this run so far."""
        now = self._clock() if self._standing_since is None else self._standing_since
        return now - self._started - self._standing_seconds

    @property
    def files_per_second(self) -> float | None:
        """How fast files are read now; None as long as it would only be a guess, and once all are read."""
        return self._read_rate.per_second if self.is_reading else None

    @property
    def chunks_per_second(self) -> float | None:
        """How fast vectors are made now; None as long as it would only be a guess, and while files are read."""
        return None if self.is_reading else self._chunk_rate.per_second

    @property
    def seconds_left(self) -> float | None:
        """Estimated time to the end, from the measured speed of the vectors; None as long as it would only be a guess."""
        speed = self.chunks_per_second
        return None if not speed else (self.chunks - self.embedded) / speed
