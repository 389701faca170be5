"""Between the library panel and the library: one indexing run at a time, for what the person wants and for what changed on the disk."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from core.cancel import CancelToken
from core.documents import Document
from core.errors import Cancelled, LamplightError, NotFound
from core.events import FileFinished, FileSearchable, IndexEvent
from core.library.changed_paths import ChangedPaths
from desktop.library.library_panel import LibraryPanel
from desktop.spoken_errors import spoken
from desktop.worker import Worker


class LibraryWork(Protocol):
    """The part of `core.library.Library` that the window needs."""

    def add(self, paths: Sequence[Path]) -> Any: ...

    def begin_removal(self, path: Path) -> Any: ...

    def finish_removals(self, cancel: CancelToken) -> Any: ...

    def index(
        self, cancel: CancelToken, paths: Sequence[Path] | None = None, *, changed: ChangedPaths | None = None
    ) -> Iterator[IndexEvent]: ...

    def documents(self) -> Sequence[Document]: ...

    def sources(self) -> Sequence[Path]: ...

    def choose_encoding(self, path: Path, encoding: str) -> Any: ...

    def rebuild(self) -> Any: ...

    def update(self, cancel: CancelToken, paths: Sequence[Path], *, changed: ChangedPaths | None = None) -> Iterator[IndexEvent]: ...


class SourceWatch(Protocol):
    """The part of `core.library.watching.SourceWatcher` that the window needs."""

    def watch(self, sources: Sequence[Path], cancel: CancelToken) -> None: ...

    def stop(self, seconds: float) -> bool: ...


Hears = Callable[[tuple[Path, ...]], None]
MakeWatch = Callable[[Hears, Hears], SourceWatch]
"""Makes a watch; it tells the first which paths changed, the second which sources it can only look through now and then."""

REPORT_MS = 200

SHORT_RUN_SECONDS = 1.0
"""A run after a save shows its progress only if it takes longer than this: a strip that comes and goes with every save disturbs."""


@dataclass(frozen=True, slots=True)
class LibraryListed:
    """What the library holds now."""

    documents: tuple[Document, ...]
    sources: tuple[Path, ...]
    missing: frozenset[Path] = frozenset()
    """Sources that are not there now: renamed, deleted, or on a drive that is not plugged in."""


@dataclass(frozen=True, slots=True)
class WishDone:
    """One wish of the person is carried out (the first of those that wait)."""


Wish = Callable[[LibraryWork, CancelToken], Iterator[IndexEvent]]


def add(paths: Sequence[Path]) -> Wish:
    """Link files and folders; those that are there are linked even if others are not."""

    def carry_out(library: LibraryWork, cancel: CancelToken) -> Iterator[IndexEvent]:
        missing: NotFound | None = None
        for path in paths:
            try:
                library.add([path])
            except NotFound as error:
                missing = missing or error
        if missing is not None:
            raise missing
        yield from ()

    return carry_out


def remove(path: Path) -> Wish:
    """Take a file or folder out of the library."""

    def carry_out(library: LibraryWork, cancel: CancelToken) -> Iterator[IndexEvent]:
        library.begin_removal(path)
        yield from ()

    return carry_out


def retry(path: Path) -> Wish:
    """Read one file anew."""

    def carry_out(library: LibraryWork, cancel: CancelToken) -> Iterator[IndexEvent]:
        yield from library.index(cancel, paths=[path])

    return carry_out


def choose_encoding(path: Path, encoding: str) -> Wish:
    """Read one file anew in the encoding that the person says it is in; "auto" leaves it to the program."""

    def carry_out(library: LibraryWork, cancel: CancelToken) -> Iterator[IndexEvent]:
        library.choose_encoding(path, encoding)
        yield from library.index(cancel, paths=[path])

    return carry_out


def rebuild(library: LibraryWork, cancel: CancelToken) -> Iterator[IndexEvent]:
    """Put the index aside; the run after it reads everything anew."""
    library.rebuild()
    yield from ()


def library_job(
    library: LibraryWork, wishes: Sequence[Wish], index: bool, watch: SourceWatch | None, changed: ChangedPaths, cancel: CancelToken
) -> Iterator[LibraryListed | WishDone | IndexEvent]:
    """Carry out the wishes in order, then bring the index up to date with the disk (unless paused)."""
    for wish in wishes:
        yield from wish(library, cancel)
        yield WishDone()
    listed = _listed(library)
    yield listed
    library.finish_removals(cancel)
    if watch is not None:
        watch.watch(listed.sources, cancel)  # before the disk is looked at: what changes after that must not be missed
    if index:
        yield from library.index(cancel, changed=changed)
        yield _listed(library)


def changes_job(
    library: LibraryWork, paths: Sequence[Path], changed: ChangedPaths, cancel: CancelToken
) -> Iterator[LibraryListed | IndexEvent]:
    """Bring the index up to date with these paths only, and with what changes meanwhile."""
    yield from library.update(cancel, paths, changed=changed)
    yield _listed(library)


def _listed(library: LibraryWork) -> LibraryListed:
    sources = tuple(library.sources())
    return LibraryListed(tuple(library.documents()), sources, frozenset(source for source in sources if not os.path.exists(source)))


class LibraryController(QObject):
    """Adding and removing interrupts a run, is done at once, and the run goes on: unchanged files cost nothing.

    What a watch notices is handed to the run that goes on, which reads it at once; else it gets a short run of its own. When such a run fails,
    the panel says so; `failed` says it once, however often the person saves.
    """

    failed = Signal(object)  # LamplightError
    changed = Signal(int, object)  # number of files that can be asked about, titles of some of them
    unwatched = Signal(int)  # number of sources whose changes are not noticed at once

    _noticed = Signal(object)
    _not_watched = Signal(object)

    def __init__(self, panel: LibraryPanel, parent: QObject | None = None, *, make_watch: MakeWatch | None = None) -> None:
        super().__init__(parent)
        self._make_watch = make_watch
        self._watch: SourceWatch | None = None
        self._changes: set[Path] = set()
        self._changes_left: set[Path] = set()
        self._changes_in_work: frozenset[Path] = frozenset()
        self._changes_problem = ""
        self._meanwhile = ChangedPaths()  # for the run that goes on
        self._panel = panel
        self.worker = Worker("indexing", self)
        self._library: LibraryWork | None = None
        self._wishes: deque[Wish] = deque()
        self._paused = False
        self._again = False
        self._open_wishes = 0
        self._searchable: set[Path] = set()
        self._titles: dict[Path, str] = {}
        self._report_due = QTimer(self)
        self._report_due.setSingleShot(True)
        self._report_due.setInterval(REPORT_MS)
        self._report_due.timeout.connect(self._report)
        panel.remove_requested.connect(lambda path: self._want(remove(path)))
        panel.retry_requested.connect(lambda path: self._want(retry(path)))
        panel.encoding_chosen.connect(lambda path, encoding: self._want(choose_encoding(path, encoding)))
        panel.pause_requested.connect(self.pause)
        panel.resume_requested.connect(self.resume)
        self._noticed.connect(self._notice, Qt.ConnectionType.QueuedConnection)
        self._not_watched.connect(self._say_unwatched, Qt.ConnectionType.QueuedConnection)
        self.worker.reported.connect(self._heard)
        self.worker.ended.connect(self._ended)

    @property
    def busy(self) -> bool:
        """Whether the library is being changed or read."""
        return self.worker.busy

    def use(self, library: LibraryWork) -> None:
        """Work with this library from now on, bring it up to date and keep it so."""
        self._library = library
        if self._watch is None and self._make_watch is not None:
            self._watch = self._make_watch(lambda paths: _tell(self._noticed, paths), lambda sources: _tell(self._not_watched, sources))
        self._begin()

    def release(self) -> None:
        """The library is about to close; wishes that wait are kept for the next one."""
        self._library = None
        self._again = False
        self.worker.cancel()

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Add files and folders and index them; what is not there becomes a row that says so."""
        if paths:
            self._want(add(paths))

    def rebuild_index(self) -> None:
        """Begin an empty index and fill it again."""
        self._want(rebuild)

    def stop(self, seconds: float) -> bool:
        """End the watching and the indexing, waiting at most `seconds`. Returns whether every thread ended."""
        watching_ended = self._watch is None or self._watch.stop(seconds / 2)
        return self.worker.stop(seconds / 2) and watching_ended

    def pause(self) -> None:
        """Stop indexing until `resume`, which goes on with what is missing."""
        self._paused = True
        self._again = False
        self.worker.cancel()

    def resume(self) -> None:
        """Go on indexing."""
        self._paused = False
        self._begin()

    def _want(self, wish: Wish) -> None:
        self._wishes.append(wish)
        self._show_problem(None)
        if self.worker.busy:
            self._again = True
            self.worker.cancel()
        else:
            self._begin()

    def _begin(self) -> None:
        if self._library is None:
            return
        if self.worker.busy:
            self._again = True
            return
        self._open_wishes = len(self._wishes)
        self._changes.clear()  # everything is looked at now, or after the pause
        self._changes_left.clear()
        self._changes_in_work = frozenset()
        library, wishes, index, watch = self._library, tuple(self._wishes), not self._paused, self._watch
        self._meanwhile = meanwhile = ChangedPaths()
        self.worker.start(lambda cancel: library_job(library, wishes, index, watch, meanwhile, cancel))

    @Slot(object)
    def _notice(self, paths: tuple[Path, ...]) -> None:
        if self._library is None or self._paused:
            return  # everything is looked at when it goes on
        if self.worker.busy:
            self._meanwhile.add(paths)
        else:
            self._changes.update(paths)
            self._begin_changes(self._library)

    def _begin_changes(self, library: LibraryWork) -> None:
        changed = tuple(sorted(self._changes | self._changes_left))
        self._changes_in_work = frozenset(changed)
        self._changes.clear()
        self._meanwhile = meanwhile = ChangedPaths()
        self.worker.start(lambda cancel: changes_job(library, changed, meanwhile, cancel))

    @Slot(object)
    def _say_unwatched(self, sources: tuple[Path, ...]) -> None:
        self._panel.show_unwatched(bool(sources))
        self.unwatched.emit(len(sources))

    def _heard(self, _ticket: int, event: object) -> None:
        if isinstance(event, WishDone):
            self._wishes.popleft()
            self._open_wishes -= 1
        elif isinstance(event, LibraryListed):
            found = [document for document in event.documents if document.chunk_count]
            self._titles = {document.path: document.title or document.path.name for document in found}
            self._searchable = set(self._titles)
            self._panel.show_documents(event.documents, event.sources, event.missing)
            self._report()
        else:
            self._panel.show_event(event, after_seconds=SHORT_RUN_SECONDS if self._changes_in_work else 0.0)  # type: ignore[arg-type]
            if isinstance(event, FileSearchable | FileFinished):
                self._count(event)

    def _show_problem(self, error: LamplightError | None) -> None:
        words = spoken(error) if error is not None else None
        self._panel.show_problem(words.title if words else "", words.what_to_do if words else "")

    def _count(self, event: FileSearchable | FileFinished) -> None:
        before = len(self._searchable)
        if event.file.chunks:
            self._searchable.add(event.file.path)
            self._titles.setdefault(event.file.path, event.file.path.stem)
        else:
            self._searchable.discard(event.file.path)
            self._titles.pop(event.file.path, None)
        if len(self._searchable) != before and not self._report_due.isActive():
            self._report_due.start()

    def _report(self) -> None:
        titles = list(dict.fromkeys(self._titles.values()))[:3]
        self.changed.emit(len(self._searchable), tuple(titles))

    def _ended(self, _ticket: int, error: LamplightError | None) -> None:
        again, self._again = self._again, False
        changes, self._changes_in_work = self._changes_in_work, frozenset()
        meanwhile, self._meanwhile = self._meanwhile, ChangedPaths()
        self._changes |= meanwhile.left
        if changes:
            self._changes_ended(changes | meanwhile.taken, error)
        elif error is not None and not isinstance(error, Cancelled):
            self._changes |= meanwhile.taken
            if self._open_wishes:
                self._wishes.popleft()  # it would fail again and block the others
                again = True
            self._show_problem(error)
            self.failed.emit(error)
        if again and self._library is not None:
            self._begin()
        elif self._changes and self._library is not None and not self._paused:
            self._begin_changes(self._library)
        else:
            self._panel.show_idle()

    def _changes_ended(self, changes: frozenset[Path], error: LamplightError | None) -> None:
        if error is None:
            self._changes_left.clear()
            if self._changes_problem:
                self._changes_problem = ""
                self._show_problem(None)
        elif not isinstance(error, Cancelled):
            self._changes_left |= changes  # with the next change: until then it would only fail again
            self._show_problem(error)
            if error.code != self._changes_problem:
                self.failed.emit(error)
            self._changes_problem = error.code


def _tell(signal: Any, paths: tuple[Path, ...]) -> None:
    """Emit from the watch's thread, in which the window may be gone already."""
    with contextlib.suppress(RuntimeError):
        signal.emit(paths)
