"""Bringing the index to where the disk is: read what is new, store it, embed it, forget what is gone.

A run has two parts. First every file that is new or changed is read and stored with its words, and with the vectors that are known
already (`file_intake.py`): that is quick, and from then on the file is found by its words. Then the vectors that are missing are made, batch by
batch (`vector_queue.py`, `batch_embedding.py`). So what was saved a moment ago never waits behind an hour of encoding, and a run that is ended at
any point goes on from what is stored.

What changes while the run goes on is read between two files, or while the encoder works on a batch, and gets its vectors before all others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from core.cancel import CancelToken
from core.documents import IndexedFile, IndexReport
from core.events import (
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
from core.lease import ComputeLease
from core.library.batch_embedding import FIRST_BATCH_CHUNKS, LOOK_SECONDS, BatchEmbedding
from core.library.changed_paths import ChangedPaths
from core.library.document_reader import DocumentReader
from core.library.file_intake import FileIntake, facts_of_found
from core.library.reading import MAX_FILE_BYTES
from core.library.scanning import Scan
from core.library.vector_queue import Batch, VectorQueue, WaitingFile
from core.protocols import Embedder
from core.store.index_store import IndexStore, StoredDocument

READ_WHILE_ASKED = 64
"""So many files of a run are read even while a question is being answered: what was saved a moment ago is few files."""

DURABLE_TOGETHER = 64
"""The disk is waited for once for so many files that are ready as soon as they are read: once for each would be slow on a plain disk."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a look at the disk found: the files that are there, all that the index knows, and what of that is gone."""

    scan: Scan
    known: Sequence[StoredDocument]
    gone: Sequence[Path]

    def maybe_moved(self) -> frozenset[Path]:
        """Files that are gone while a new one of the same size has come."""
        stored = {item.document.path: item.document for item in self.known}
        new_sizes = {found.size_bytes for found in self.scan.files if found.path not in stored and not found.reason}
        return frozenset(path for path in self.gone if stored[path].chunk_count and stored[path].size_bytes in new_sizes)


class IndexingRun:
    """One run over the files of a scan. Use once: `events()` does the work while it is read."""

    def __init__(
        self,
        index_store: IndexStore,
        embedder: Embedder,
        reader: DocumentReader,
        lease: ComputeLease,
        cancel: CancelToken,
        *,
        named: frozenset[Path],
        encodings: Callable[[], Mapping[Path, str]] = dict,
        retry_poison: bool = False,
        max_bytes: int = MAX_FILE_BYTES,
        place: Callable[[], str] = lambda: "",
        changed: ChangedPaths | None = None,
        look: Callable[[Sequence[Path]], Look] | None = None,
    ) -> None:
        """`named` are the paths the person linked themselves: only there a symbolic link is followed.
        `encodings` says which the person has chosen for files, also while the run goes on.

        `retry_poison` tries files again that broke their parser before, though they have not changed. `place` says where the embedder lies.
        `changed` is what changes meanwhile, and `look` looks at the disk there.
        """
        self._store = index_store
        self._embedder = embedder
        self._lease = lease
        self._cancel = cancel
        self._place = place
        self._changed = changed or ChangedPaths()
        self._look = look
        self._intake = FileIntake(
            index_store, embedder, reader, cancel, named=named, encodings=encodings, retry_poison=retry_poison, max_bytes=max_bytes
        )
        self._queue = VectorQueue(index_store, embedder)
        self._embedding = BatchEmbedding(index_store, embedder, lease, cancel)
        self._files: set[Path] = set()  # all that the run is about
        self._read_files: set[Path] = set()  # those that were looked at
        self._results: dict[Path, IndexedFile] = {}
        self._times_heard = 0
        self._heard_paths: set[Path] = set()
        self._deleted = False  # something was taken out of the index whose bytes may still be in its files

    def events(self, look: Look, kept: Iterable[StoredDocument] = ()) -> Iterator[IndexEvent]:
        """Index the files of `look`, forget those that are gone; the last event is the report.

        `kept` are files that cannot be seen now (a drive that is not there): they get the vectors that they lack, from their stored text.

        A file that is said to be ready is in the index, and on the disk, when its event is yielded: neither a crash nor a cut of the power
        takes it away. One that is said to be skipped or failed may have to be looked at again after a cut. Raises `Cancelled`, `NotEnoughDisk`, `IndexDamaged`,
        `StoreLocked` or the embedder's errors; trouble with one file is a row with a reason and nothing more.
        """
        started = time.monotonic()
        self._files.update(found.path for found in look.scan.files)
        yield IndexStarted(len(self._files))
        # What an earlier run stored and never made durable, as it was killed, will be called unchanged.
        self._store.make_durable()
        self._store.renew_words()
        self._deleted = self._store.finish_removals(self._cancel)
        yield from self._read_all(look)
        self._take_kept(kept)
        yield from self._make_vectors()
        if any(result.state == "ready" for result in self._results.values()):
            self._remember_place()
            self._deleted = self._store.take_over(self._embedder.model_id) or self._deleted
        self._deleted = self._store.tidy_words(self._cancel) or self._deleted
        self._erase()
        self._store.make_durable()
        results = tuple(sorted(self._results.values(), key=lambda file: file.path))
        yield IndexFinished(IndexReport(results, round(self._embedding.chunks_per_second, 2), time.monotonic() - started))

    # -- the first part: reading

    def _read_all(self, look: Look, *, may_pause: bool = True) -> Iterator[IndexEvent]:
        """The first part of a run: afterwards everything of `look` is found by its words, and what is gone is forgotten.

        With `may_pause` what changes meanwhile is read in between.
        """
        # What is heard of meanwhile is read there and then, or forgotten: this look is too old for it.
        overtaken: Set[Path] = self._heard_paths if may_pause else frozenset()
        stored = {item.document.path: item for item in look.known}
        # What may only have been moved is forgotten last: its vectors are wanted for the new place.
        moved = look.maybe_moved()
        self._forget([path for path in look.gone if path not in moved])
        self._store.add_waiting(facts_of_found(found) for found in look.scan.files if found.path not in stored)
        at_once: list[IndexedFile] = []
        read = 0
        for found in look.scan.files:
            self._cancel.check()
            if may_pause:
                yield from self._read_changed()
            if found.path in overtaken:
                continue
            before = stored.get(found.path)
            outcome = self._intake.unopened(found, before)
            if outcome is None:
                read += 1
                if read > READ_WHILE_ASKED:
                    yield from self._wait_for_question(may_read=may_pause)
                    if found.path in overtaken:
                        continue
                self._deleted = self._deleted or bool(before and before.document.chunk_count)
                self._results.pop(found.path, None)
                yield FileStarted(found.path, len(self._results), len(self._files))
                outcome = self._intake.read(found, before)
            self._read_files.add(found.path)
            self._queue.drop(found.path)
            if isinstance(outcome, WaitingFile):
                self._queue.add(outcome, heard=self._times_heard)
                yield FileSearchable(outcome.row("waiting"), len(self._results), len(self._files))
            elif outcome.state == "ready" and not outcome.unchanged:
                at_once.append(outcome)
            else:
                yield self._finished(outcome)
            if not (isinstance(outcome, IndexedFile) and outcome.unchanged):
                yield self._progress()
            if len(at_once) >= DURABLE_TOGETHER:
                yield from self._made_durable(at_once, overtaken)
                at_once = []
        yield from self._made_durable(at_once, overtaken)
        self._forget(sorted(moved - overtaken))
        self._erase()

    def _made_durable(self, results: Sequence[IndexedFile], overtaken: Set[Path]) -> Iterator[FileFinished]:
        """Report files that were ready as soon as they were read (copies, moved files, edits that only take away), once the disk holds them."""
        if results:
            self._store.make_durable()
        for result in results:
            if result.path not in overtaken:
                yield self._finished(result)

    def _take_kept(self, kept: Iterable[StoredDocument]) -> None:
        for item in kept:
            outcome = self._intake.stored(item)
            if isinstance(outcome, WaitingFile) and item.document.path not in self._heard_paths:
                self._files.add(item.document.path)
                self._read_files.add(item.document.path)
                self._queue.add(outcome, heard=self._times_heard)

    # -- what happens meanwhile

    def _read_changed(self) -> Iterator[IndexEvent]:
        """Read what has changed since the run began: it is found by its words at once, and its vectors are the next to be made."""
        paths = self._changed.take()
        if not paths or self._look is None:
            return
        look = self._look(paths)
        self._times_heard += 1
        for path in look.gone:
            self._queue.drop(path)
            self._files.discard(path)
            self._read_files.discard(path)
            self._results.pop(path, None)
        self._heard_paths.update(look.gone, (found.path for found in look.scan.files))
        self._files.update(found.path for found in look.scan.files)
        yield from self._read_all(look, may_pause=False)

    def _wait_for_question(self, *, may_read: bool = True) -> Iterator[IndexEvent]:
        """While a question is being answered, do nothing but read what changes."""
        if self._lease.busy:
            yield IndexHeld()
            while not self._lease.wait_until_free(self._cancel, LOOK_SECONDS):
                if may_read:
                    yield from self._read_changed()
            yield IndexGoesOn()
        self._cancel.check()

    # -- the second part: vectors

    def _make_vectors(self) -> Iterator[IndexEvent]:
        """The second part of a run: afterwards no file lacks a vector."""
        if self._queue:
            self._remember_place()
        yield self._progress()
        while True:
            # Before a batch is put together: what changed must not be in it as it was.
            yield from self._read_changed()
            yield from self._wait_for_question()
            batch = self._queue.next_batch(self._embedding.batch_size)
            if batch is None:
                break
            yield from self._embed(batch)
            yield self._progress()

    def _embed(self, batch: Batch) -> Iterator[IndexEvent]:
        """Make the vectors of a batch, store them in one transaction, and report the files that have all of theirs now."""
        started = time.monotonic()
        made = yield from self._embedding.vectors(batch.chunks, self._read_changed)
        # What changed while the batch was being encoded is in the queue anew, as it is now.
        whole = [item for item in batch.whole if item in self._queue]
        finished = [item.document_id for item in whole if not item.spoilt]
        ready = self._store.add_vectors(made, finished, self._embedder.model_id, self._embedder.dimension, self._cancel)
        files = {item for item, _ in batch.chunks}
        for item in files:
            item.seconds += (time.monotonic() - started) / len(files)
        self._queue.count_done(batch.chunks)
        for item in whole:
            self._queue.finish(item)
            self._deleted = self._deleted or item.spoilt
            if item.spoilt:
                yield self._finished(self._intake.without_text(item.facts, "embedding_failed", item.seconds))
            else:
                # What is not ready now was changed by another program meanwhile; its run, or the next one, does the rest.
                yield self._finished(item.row("ready" if item.document_id in ready else "waiting"))
        if batch.chunks:
            current, last = batch.chunks[-1]
            if current.chunks > FIRST_BATCH_CHUNKS and last.ordinal + 1 < current.chunks:
                yield FileProgress(current.facts.path, last.ordinal + 1, current.chunks)

    # -- what both parts need

    def _finished(self, result: IndexedFile) -> FileFinished:
        self._results[result.path] = result
        return FileFinished(result, len(self._results), len(self._files))

    def _progress(self) -> IndexProgress:
        return IndexProgress(len(self._read_files), len(self._files), self._queue.done, self._queue.done + self._queue.left)

    def _remember_place(self) -> None:
        if place := self._place():
            self._store.remember_place(self._embedder.model_id, place)

    def _forget(self, paths: Sequence[Path]) -> None:
        if paths:
            self._store.remove(paths, self._cancel)
            self._store.erase_deleted()

    def _erase(self) -> None:
        if self._deleted:
            self._store.erase_deleted()
            self._deleted = False
