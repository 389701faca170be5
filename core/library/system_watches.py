"""Asks the system, through `watchdog`, to say what happens in folders. The one module that knows watchdog, and what it leaves unsaid."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import (
    DirAttribEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

MAX_PLACES = 100
"""Each place costs a thread; more of them are not watched."""

# Opening and reading a file changes nothing, and what is not asked for cannot fill the system's queue.
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileClosedEvent,
    FileAttribEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    DirAttribEvent,  # it may be readable now, or no longer
]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A real folder to be watched, alone or with all folders below."""

    below_too: bool
    folder: Path


@dataclass(frozen=True, slots=True)
class _Standing:
    """A watch that stands. Another folder may come to the same path: it is known by its device and number."""

    watch: ObservedWatch
    identity: tuple[int, int]


class SystemWatches:
    """The watches that stand. For one thread; `on_path` (with a real path) and `on_loss` (events were lost) are called in others."""

    def __init__(self, on_path: Callable[[Path], None], on_loss: Callable[[], None], make_observer: Callable[[], BaseObserver] = Observer):
        self._on_path = on_path
        self._listener = _Listener(on_loss)
        self._make_observer = make_observer
        self._observer: BaseObserver | None = None
        self._observer_threads: list[threading.Thread] = []
        self._standing: dict[Place, _Standing] = {}

    def stand_at(self, places: frozenset[Place], *, again: bool = False) -> frozenset[Place]:
        """Let a watch stand at each place that can have one, and nowhere else. Returns where one is new; `again` makes all anew."""
        if not all(thread.is_alive() for thread in self._observer_threads):
            self.close()
        alive = {emitter.watch for emitter in self._observer.emitters if emitter.is_alive()} if self._observer else set()
        identities = {place: identity(place.folder) for place in sorted(places, reverse=True)[:MAX_PLACES]}
        for place, standing in list(self._standing.items()):
            if again or standing.watch not in alive or identities.get(place) != standing.identity:
                self._fall(place)
        fresh: set[Place] = set()
        for place, found in identities.items():
            if place in self._standing or found is None:
                continue
            with contextlib.suppress(OSError, RuntimeError):  # the system's limit on watches, its limit on threads, a folder that went
                handler = _Handler(self._on_path)
                watch = self._opened_observer().schedule(handler, str(place.folder), recursive=place.below_too, event_filter=_EVENTS)
                self._standing[place] = _Standing(watch, found)
                fresh.add(place)
        return frozenset(fresh)

    def stands_at(self, place: Place) -> bool:
        """Whether there is a watch. With `has_room` it is one for the folders below, too."""
        return place in self._standing

    def has_room(self) -> bool:
        """Whether the system would give one more watch. If not, some folders below have none: watchdog does not say so."""
        folders = [place.folder for place in self._standing if place.below_too]
        if not folders or not sys.platform.startswith("linux"):
            return True
        try:
            probe = self._make_observer()
        except OSError:
            return False
        try:
            probe.start()
            probe.schedule(FileSystemEventHandler(), str(folders[0]), event_filter=_EVENTS)
        except (OSError, RuntimeError):
            return identity(folders[0]) is None  # it is not the limit if the folder went
        finally:
            probe.stop()
            probe.join()
        return True

    def close(self) -> None:
        """Let no watch stand and end all threads."""
        observer, self._observer, self._observer_threads = self._observer, None, []
        self._standing.clear()
        logging.getLogger("watchdog").removeHandler(self._listener)
        if observer is not None:
            with contextlib.suppress(OSError):
                observer.stop()
                observer.unschedule_all()  # where it had died before, its stop ends nothing any more
            observer.join()

    def _fall(self, place: Place) -> None:
        standing = self._standing.pop(place)
        if self._observer is not None:
            with contextlib.suppress(KeyError, OSError):  # the folder went, and the watch with it
                self._observer.unschedule(standing.watch)

    def _opened_observer(self) -> BaseObserver:
        if self._observer is None:
            before = set(threading.enumerate())
            observer = self._make_observer()
            observer.start()
            self._observer = observer
            # Some systems' observers have a reading thread, too; if it died, nothing would be noticed and nobody told.
            self._observer_threads = [thread for thread in threading.enumerate() if thread not in before and _is_watchdog(thread)]
            logging.getLogger("watchdog").addHandler(self._listener)
        return self._observer


class _Handler(FileSystemEventHandler):
    def __init__(self, on_path: Callable[[Path], None]) -> None:
        self._on_path = on_path

    def dispatch(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path:
                self._on_path(Path(os.fsdecode(path)))


class _Listener(logging.Handler):
    """Watchdog says only in its log that events were lost. Its other errors are about watches that were just taken away."""

    def __init__(self, on_loss: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._on_loss = on_loss

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno == logging.WARNING or record.exc_info:
            self._on_loss()


def identity(folder: Path) -> tuple[int, int] | None:
    """Device and number of a folder; None unless it can be listed."""
    try:
        found = os.stat(folder)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if os.access(folder, os.R_OK) else None


def _is_watchdog(thread: threading.Thread) -> bool:
    return type(thread).__module__.startswith("watchdog.")
