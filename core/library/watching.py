"""Notices what changes under the linked files and folders while somebody wants to know. It reads no file and indexes nothing.

The system's events are hints only: they say where to look again, and a look at the disk says what is true. So where events are lost or
cannot be had, the place is looked through again: at once, or every two minutes.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from core.cancel import CancelToken
from core.library.changes import Pace, PendingChanges
from core.library.scanning import is_left_out
from core.library.system_watches import Place, SystemWatches

PATIENCE_SECONDS = 5.0
"""How long `SourceWatcher.watch` waits for the system: a folder of many folders, or a drive that sleeps, takes a while."""


class SourceWatcher:
    """Watches sources in threads of its own and says which paths changed, in batches. `watch` and `stop` may be called from any thread.

    `on_change` is called in the watcher's thread with absolute paths, named as the sources are, sorted. They are files or folders that
    came, changed or went; what lies below a folder may have changed, too. `on_unwatched` is called with the sources that can only be
    looked through now and then, whenever these are others. Neither may raise or wait.
    """

    def __init__(
        self,
        on_change: Callable[[tuple[Path, ...]], None],
        *,
        on_unwatched: Callable[[tuple[Path, ...]], None] = lambda sources: None,
        ignored: Iterable[Path] = (),
        pace: Pace | None = None,
        make_watches: Callable[[Callable[[Path], None], Callable[[], None]], SystemWatches] = SystemWatches,
    ) -> None:
        """`ignored` are folders in which nothing is noticed, such as the home: what the app writes must not wake it."""
        self._on_change = on_change
        self._on_unwatched = on_unwatched
        self._ignored = frozenset(Path(os.path.realpath(path)) for path in ignored)
        self._pace = pace or Pace()
        self._thread: threading.Thread | None = None
        self._condition = threading.Condition()
        # What threads share; under the condition.
        self._pending = PendingChanges(self._pace)
        self._names: dict[Path, list[Path]] = {}
        self._wanted: tuple[Path, ...] = ()
        self._wish = self._granted = self._gave_up = 0
        self._lost = self._stopped = False
        # The watcher's thread alone.
        self._watches = make_watches(self._note_path, self._note_loss)
        self._present: frozenset[Path] = frozenset()
        self._unwatched: tuple[Path, ...] = ()
        self._is_full = False

    def watch(self, sources: Iterable[Path], cancel: CancelToken, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        """Watch these sources and no others. Returns when they are watched: whatever changes from then on is noticed.

        A source that is not there, or takes longer than `patience_seconds`, is reported as changed as soon as it is watched.
        Raises `Cancelled`.
        """
        forget = cancel.on_cancel(self._wake)
        try:
            with self._condition:
                if self._stopped:
                    return
                self._wanted = tuple(dict.fromkeys(sources))
                self._wish = wish = self._wish + 1
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="watching", daemon=True)
                    self._thread.start()
                self._condition.notify_all()
                if not self._condition.wait_for(lambda: self._granted >= wish or self._stopped or cancel.cancelled, patience_seconds):
                    self._gave_up = wish
        finally:
            forget()
        cancel.check()

    def stop(self, seconds: float) -> bool:
        """Watch nothing any more and end all threads, waiting at most `seconds`. Returns whether they ended. Safe to call twice."""
        with self._condition:
            self._stopped = True
            self._condition.notify_all()
            thread = self._thread
        if thread is None:
            return True
        thread.join(seconds)
        return not thread.is_alive()

    def _wake(self) -> None:
        with self._condition:
            self._condition.notify_all()

    # The watcher's thread

    def _work(self) -> None:
        check_at = 0.0
        rescan_at = time.monotonic() + self._pace.rescan
        try:
            while True:
                with self._condition:
                    now = time.monotonic()
                    due_in = self._pending.due_in(now)
                    waits = [check_at - now] if due_in is None else [check_at - now, due_in]
                    if not self._stopped and self._granted == self._wish and min(waits) > 0:
                        self._condition.wait(min(waits))
                        continue
                    if self._stopped:
                        return
                    batch = self._pending.take(now)
                    sources, wish = self._wanted, self._wish
                if batch:
                    self._on_change(batch)
                if wish > self._granted or now >= check_at:
                    self._check(sources, wish, rescan=now >= rescan_at)
                    check_at = time.monotonic() + self._pace.check
                    rescan_at = time.monotonic() + self._pace.rescan if now >= rescan_at else rescan_at
        finally:
            self._watches.close()

    def _check(self, sources: tuple[Path, ...], wish: int, *, rescan: bool) -> None:
        """Make the watches what they should be, and report what nobody could notice meanwhile."""
        names = _real_names(sources)
        place_of = {source: place for real, found in names.items() if (place := _place(real)) for source in found}
        places = frozenset(place_of.values())
        with self._condition:
            self._names = names
            self._pending.keep(sources)
        fresh = self._watches.stand_at(places, again=rescan and self._is_full and self._watches.has_room())
        if rescan or fresh:
            self._is_full = not self._watches.has_room()
        unwatched = tuple(
            source for source, place in place_of.items() if not self._watches.stands_at(place) or (self._is_full and place.below_too)
        )
        present = frozenset(place_of)
        unsure = {source for source, place in place_of.items() if place in fresh} | (self._present ^ present)
        self._present = present
        with self._condition:
            is_told = wish > self._granted and self._gave_up < wish
            self._note_sources(() if is_told else unsure.intersection(sources))
            if rescan:
                self._note_sources(sources if self._lost else unwatched)
                self._lost = False
            self._granted = wish
            self._condition.notify_all()
        if unwatched != self._unwatched:
            self._unwatched = unwatched
            self._on_unwatched(unwatched)

    # What is noticed

    def _note_path(self, path: Path) -> None:
        """In a thread of watchdog's: something happened at a real path."""
        if not self._ignored.isdisjoint((path, *path.parents)):
            return
        now = time.monotonic()
        with self._condition:
            was_quiet = not self._pending
            for above in (path, *path.parents):
                for source in self._names.get(above, ()):
                    below = path.relative_to(above)
                    if path == above or not is_left_out(below):
                        self._pending.add(source / below, source, now)
            if was_quiet and self._pending:
                self._condition.notify_all()

    def _note_sources(self, sources: Iterable[Path]) -> None:
        for source in sources:
            self._pending.add(source, source, time.monotonic())

    def _note_loss(self) -> None:
        """In a thread of watchdog's: it lost events. Watches may be missing for a moment, too: later everything is looked at once more."""
        with self._condition:
            if self._stopped:
                return
            self._lost = True
            self._note_sources(self._wanted)
            self._condition.notify_all()


def _real_names(sources: Iterable[Path]) -> dict[Path, list[Path]]:
    """The sources by what their names lead to: events come with real paths."""
    names: dict[Path, list[Path]] = {}
    for source in sources:
        names.setdefault(Path(os.path.realpath(source)), []).append(source)
    return names


def _place(real: Path) -> Place | None:
    """Where to watch for a source, for a file in its folder, as editors replace files; None while it is not there."""
    if os.path.isdir(real):
        return Place(True, real)
    return Place(False, real.parent) if os.path.exists(real) else None
