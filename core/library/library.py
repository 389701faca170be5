"""The person's files: what is linked, what is indexed, and whether it is all true."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from core.cancel import CancelToken
from core.documents import Document
from core.errors import Cancelled, InvalidRequest, ModelMissing, ModelUnusable, NotFound
from core.events import IndexEvent
from core.lease import ComputeLease
from core.library.changed_paths import ChangedPaths
from core.library.document_reader import DocumentReader
from core.library.drives import is_unplugged
from core.library.encodings import AUTO, known_encoding
from core.library.file_kinds import may_choose_encoding
from core.library.indexing import IndexingRun, Look
from core.library.scanning import Scan, scan, scan_changed, without_second_names
from core.protocols import Embedder
from core.store.index_check import IndexCounts
from core.store.index_store import IndexStore, StoredDocument
from core.store.user_store import UserStore


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Whether the library holds what it says: nothing in `problems` means it does."""

    counts: IndexCounts
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


class Library:
    """Links files and folders and keeps the index in step with them. The files themselves are never written.

    Cheap to make: nothing is opened before the first call. Only one thread at a time may run `index`, `update` or `remove`. It has a reader for
    documents of its own unless it is given one; `close` ends that.
    """

    def __init__(
        self,
        user_store: UserStore,
        index_store: IndexStore,
        embedder: Embedder,
        lease: ComputeLease,
        *,
        reader: DocumentReader | None = None,
        place: Callable[[], str] = lambda: "",
    ) -> None:
        """`place` says where the embedder lies: it is remembered for the time when another one is chosen."""
        self._user_store = user_store
        self._index_store = index_store
        self._embedder = embedder
        self._lease = lease
        self._reader = reader or DocumentReader()
        self._place = place

    def add(self, paths: Iterable[Path]) -> list[Path]:
        """Link files and folders and return their absolute paths. Raises `NotFound` for a path that is not there, linking none."""
        wanted = [_absolute(path) for path in paths]
        for path in wanted:
            if not os.path.lexists(path):
                raise NotFound(f"{path} does not exist.", path=str(path))
        for path in wanted:
            self._user_store.add_source(path)
        return wanted

    def sources(self) -> list[Path]:
        """Linked files and folders."""
        return self._user_store.sources()

    def index(
        self, cancel: CancelToken, paths: Iterable[Path] | None = None, *, changed: ChangedPaths | None = None
    ) -> Iterator[IndexEvent]:
        """Bring the index in step with the linked files, or with `paths` only. The last event is the report.

        What is handed in as `changed` meanwhile is taken up by this run: its words at once, its vectors before all others.
        A file's text and words are stored together or not at all, before any vectors are made; these follow in batches. Stopping or
        crashing loses the file being read or the batch being embedded, and no more.
        Raises `Cancelled`, `NotEnoughDisk`, `IndexDamaged`, `StoreLocked` or the embedder's errors.
        """
        sources = self._user_store.sources()
        roots = sources if paths is None else [_absolute(path) for path in paths]
        excluded = self._user_store.excluded()
        # A file named by itself is wanted even if it was taken out of its folder before.
        excluded = [path for path in excluded if path not in roots]
        found = without_second_names(scan(roots, excluded=excluded, cancel=cancel), sources, excluded=excluded)
        known = self._index_store.documents()
        unseen = [*found.unseen, *filter(is_unplugged, roots)]
        gone = _gone(found, unseen, known, within=None if paths is None else roots)
        run = self._run(cancel, frozenset(roots), changed, retry_poison=paths is not None)
        try:
            yield from run.events(Look(found, known, gone), _kept(found, known, gone) if paths is None else ())
        finally:
            self._reader.unload()
        if paths is None and roots and not unseen and all(os.path.lexists(root) for root in roots):
            self._index_store.delete_damaged_copy()  # the new index holds all that it held

    def update(self, cancel: CancelToken, paths: Iterable[Path], *, changed: ChangedPaths | None = None) -> Iterator[IndexEvent]:
        """Bring the index in step at the paths that a watcher saw change, and below them. The last event is the report.

        Nobody named these paths: what is left out of the sources stays out, and a file that broke its parser is tried again only if it
        has changed. `changed` is for what changes meanwhile. Raises what `index` raises.
        """
        run = self._run(cancel, frozenset(self._user_store.sources()), changed)
        try:
            yield from run.events(self._look(paths, cancel))
        finally:
            self._reader.unload()

    def _run(self, cancel: CancelToken, named: frozenset[Path], changed: ChangedPaths | None, *, retry_poison: bool = False) -> IndexingRun:
        return IndexingRun(
            self._index_store,
            self._embedder,
            self._reader,
            self._lease,
            cancel,
            named=named,
            encodings=self._user_store.encodings,
            retry_poison=retry_poison,
            place=self._place,
            changed=changed,
            look=lambda paths: self._look(paths, cancel),
        )

    def _look(self, paths: Iterable[Path], cancel: CancelToken) -> Look:
        """Look at the disk at these paths and below them, by the rules of a whole run."""
        sources = self._user_store.sources()
        excluded = [path for path in self._user_store.excluded() if path not in sources]
        absolute = [_absolute(path) for path in paths]
        found = scan_changed(sources, absolute, excluded=excluded, cancel=cancel)
        known = self._index_store.documents()
        unseen = [*found.unseen, *filter(is_unplugged, sources)]
        return Look(found, known, _gone(found, unseen, known, within=absolute))

    def documents(self) -> list[Document]:
        """Every known file and how far it has come, sorted by path.

        A file embedded by another model is waiting, for the reason `other_model` as long as that model may still answer.
        """
        current, answering, chosen = self._embedder_id(), self._index_store.answering_embedder(), self._user_store.encodings()
        return [_seen(item, current, answering, chosen) for item in self._index_store.documents()]

    def has_documents(self) -> bool:
        """Whether there is anything to search."""
        return self._index_store.has_documents()

    def text(self, path: Path) -> str:
        """The decoded text of a file as it was indexed: what offsets of chunks and citations count in. Raises `NotFound`."""
        return self._index_store.text(_absolute(path))

    def choose_encoding(self, path: Path, encoding: str) -> str:
        """Have a text file of the library read in `encoding`, or as the program finds it (`auto`), by the next run; returns Python's name for it.

        The choice belongs to the path. It lasts over edits and rebuilt indexes until it is changed, or the file leaves the library; a
        file that is renamed or moved is looked at afresh. Raises `NotFound` for a path that is no file of the library, and `InvalidRequest`
        for an encoding that does not exist (encoding_unknown) or a file that says itself how it is to be read (encoding_fixed).
        """
        path = _absolute(path)
        name = "" if encoding.strip().lower() == AUTO else known_encoding(encoding)
        if not any(item.document.path == path for item in self._index_store.documents()):
            raise NotFound(f"{path} is not in the library.", path=str(path))
        if not may_choose_encoding(path):
            raise InvalidRequest(f"{path} says itself how it is to be read.", code="encoding_fixed", path=str(path))
        # In this order: were the choice stored first, a crash in between would leave a text that was read otherwise.
        self._index_store.read_again(path)
        self._user_store.choose_encoding(path, name)
        return name or AUTO

    def remove(self, path: Path, cancel: CancelToken | None = None) -> int:
        """Take a file or folder out of the library with everything made from it; returns how many files that were.

        Inside a linked folder it stays out until it is added again. If `cancel` stops it, nothing is found of it either: the next run deletes the
        rest. Raises `NotFound` if nothing of it is in the library.
        """
        removed = self.begin_removal(path)
        with suppress(Cancelled):
            self.finish_removals(cancel or CancelToken())
        return removed

    def begin_removal(self, path: Path) -> int:
        """The part of `remove` that takes no time: nothing of it is shown or found any more. `finish_removals` deletes it."""
        path = _absolute(path)
        was_linked = self._user_store.remove_source(path)
        others = self._user_store.sources()
        linked_inside = [source for source in others if source.is_relative_to(path)]
        doomed = [
            item.document.path
            for item in self._index_store.documents()
            if item.document.path.is_relative_to(path) and not any(item.document.path.is_relative_to(source) for source in linked_inside)
        ]
        if not (was_linked or doomed):
            raise NotFound(f"{path} is not in the library.", path=str(path))
        self._user_store.forget_encodings(path)
        if any(path.is_relative_to(source) for source in others):
            self._user_store.exclude(path)
        self._index_store.begin_removals(doomed)
        self._index_store.delete_damaged_copy()
        return len(doomed)

    def finish_removals(self, cancel: CancelToken) -> None:
        """Delete everything of what was removed, from all files of ours: seconds for a large file. Raises `Cancelled`; the next run does the rest."""
        if self._index_store.finish_removals(cancel):
            self._index_store.erase_deleted()

    def check(self) -> CheckReport:
        """Prove the invariants: every chunk has one word row, a ready file has chunks with one vector each, both databases are sound."""
        counts = self._index_store.check()
        problems = counts.problems + tuple(f"user.db: {line}" for line in self._user_store.integrity_problems())
        return CheckReport(counts, problems)

    def rebuild(self) -> Path | None:
        """Put a damaged index aside; the next `index` makes it again from the linked files and then deletes the old one.

        Returns where the old one is until then. Raises `ChatsDamaged` or `StoreLocked`, with the index where it was, while the list of
        linked files cannot be read: nothing could be made again without it.
        """
        self._user_store.sources()
        return self._index_store.rebuild()

    def close(self) -> None:
        """End the process that reads documents; a run that waits for it is cancelled. Safe to call twice and from any thread."""
        self._reader.close()

    def _embedder_id(self) -> str:
        try:
            return self._embedder.model_id
        except (ModelMissing, ModelUnusable):
            return ""


def _gone(found: Scan, unseen: Iterable[Path], known: list[StoredDocument], *, within: Iterable[Path] | None) -> list[Path]:
    """Known files that are no longer there; only those at or below the paths `within`, if given. What lies under `unseen` is kept."""
    present = {file.path for file in found.files}
    kept = frozenset(unseen)
    looked_at = None if within is None else frozenset(within)
    return [
        item.document.path
        for item in known
        if item.document.path not in present
        and (looked_at is None or _is_below(item.document.path, looked_at))
        and not _is_below(item.document.path, kept)
    ]


def _is_below(path: Path, folders: frozenset[Path]) -> bool:
    """Whether `path` is one of `folders` or lies in one; takes no longer for a thousand of them than for one."""
    return bool(folders) and (path in folders or not folders.isdisjoint(path.parents))


def _kept(found: Scan, known: Sequence[StoredDocument], gone: Iterable[Path]) -> list[StoredDocument]:
    """Known files with text that can neither be seen nor are known to be gone, such as those of a drive that is not plugged in."""
    accounted = {file.path for file in found.files} | set(gone)
    return [item for item in known if item.document.chunk_count and item.document.path not in accounted]


def _seen(item: StoredDocument, embedder_id: str, answering_id: str, chosen: Mapping[Path, str]) -> Document:
    document = item.document
    if document.path in chosen:
        document = replace(document, encoding_is_chosen=True)
    if document.state == "ready" and embedder_id and item.embedder_id != embedder_id:
        document = replace(document, state="waiting", reason="other_model" if item.embedder_id == answering_id else "")
    return document


def _absolute(path: Path) -> Path:
    """Absolute and without "..", but with its links kept: the person's own name for the file."""
    return Path(os.path.abspath(os.path.expanduser(path)))
