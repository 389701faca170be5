"""Bringing the index to where the disk is: read what is new, store it, embed it, forget what is gone.

A run has two parts. First every file that is new or changed is read and stored with its words, and with the vectors that are known
already: that is quick, and from then on the file is found by its words. Then the vectors that are missing are made, batch by batch. So
what was saved a moment ago never waits behind an hour of encoding, and a run that is ended at any point goes on from what is stored.

What changes while the run goes on is read between two files, or while the encoder works on a batch, and gets its vectors before all others.
"""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from core.cancel import Aside, CancelToken, until_cancelled
from core.documents import DocumentState, IndexedFile, IndexReport
from core.errors import DocumentUnreadable, ModelUnusable
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
from core.library.changed_paths import ChangedPaths
from core.library.chunking import chunk
from core.library.document_reader import DocumentReader
from core.library.extraction import READER_VERSION, ExtractedText, extract, needs_parser
from core.library.file_kinds import is_unsupported, may_choose_encoding
from core.library.reading import MAX_FILE_BYTES, read_file
from core.library.scanning import FoundFile, Scan
from core.protocols import Embedder, Vectors
from core.store.index_store import IndexStore, StoredDocument
from core.store.records import FileFacts, MadeVector, MissingVector, embedding_key, embedding_text
from core.store.storable import storable
from core.store.unit_vectors import unit

T = TypeVar("T")

BATCH_CHUNKS = 256
"""The most chunks in one call of the embedder and in one transaction: enough to find texts of like length among them."""

FIRST_BATCH_CHUNKS = 32
"""So many before it is known how fast this machine is."""

LEAST_BATCH_CHUNKS = 8
"""No fewer on the slowest machine: in so many there are still some of like length."""

BATCH_SECONDS = 2.0
"""A batch takes about this long where 256 chunks would take longer: a crash or a cancel loses one, the bar stands still for it, a file that was saved waits for it before it is found by meaning, and a question shares the cores with it."""

READ_WHILE_ASKED = 64
"""So many files of a run are read even while a question is being answered: what was saved a moment ago is few files."""

DURABLE_TOGETHER = 64
"""The disk is waited for once for so many files that are ready as soon as they are read: once for each would be slow on a plain disk."""

LOOK_SECONDS = 0.25
"""How often a run that waits for a question or for the encoder looks whether a file has changed meanwhile."""

_PATIENCE_SECONDS = 2.0

LARGE = 500_000
"""From so many bytes or characters on, decoding and cutting takes so long that somebody who wants to stop would notice."""

# A file that was changed within this time before it was read may have been changed again with the same stamp.
_STAMP_DOUBT_NS = 2_000_000_000
_SKIPPED = frozenset(
    {
        "empty",
        "binary",
        "wrong_encoding",
        "too_large",
        "unsupported",
        "not_a_file",
        "no_text",
        "no_text_layer",
        "needs_password",
        "unpacks_too_large",
    }
)
# What a file did to its parser it will do again: it is not tried at every start, only when it has changed or somebody asks for it.
_POISON = frozenset({"timed_out", "reader_crashed", "too_much_memory", "damaged"})


@dataclass(frozen=True, slots=True)
class Look:
    """What a look at the disk found: the files that are there, all that the index knows, and what of that is gone."""

    scan: Scan
    known: Sequence[StoredDocument]
    gone: Sequence[Path]


@dataclass(slots=True, eq=False)
class _Waiting:
    """A file whose text and words are stored, and which lacks vectors."""

    facts: FileFacts
    document_id: int
    chunks: int
    seconds: float = 0.0
    heard: int = 0  # 0: it was there when the run began; else the later, the higher
    after: int = -1  # the ordinal of the last chunk that was given to a batch
    left: int = 0  # chunks that lack a vector
    spoilt: bool = False


@dataclass(slots=True)
class _Batch:
    """Chunks to embed together, and the files that lack nothing after it."""

    chunks: list[tuple[_Waiting, MissingVector]]
    whole: list[_Waiting]


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
        self._reader = reader
        self._lease = lease
        self._cancel = cancel
        self._named = named
        self._encodings = encodings
        self._retry_poison = retry_poison
        self._max_bytes = max_bytes
        self._place = place
        self._changed = changed or ChangedPaths()
        self._look = look
        self._files: set[Path] = set()  # all that the run is about
        self._read_files: set[Path] = set()  # those that were looked at
        self._results: dict[Path, IndexedFile] = {}
        self._waiting: dict[Path, _Waiting] = {}
        self._queue: deque[_Waiting] = deque()
        self._heard = 0
        self._heard_paths: set[Path] = set()
        self._chunks_done = 0
        self._chunks_left = 0  # of all that wait; summing them up for every file would take for ever among many
        self._embedded_chunks = 0
        self._embedding_seconds = 0.0
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
        if self._waiting:
            self._remember_place()
        yield self._progress()
        while True:
            # Before a batch is put together: what changed must not be in it as it was.
            yield from self._read_changed()
            yield from self._wait_for_question()
            batch = self._next_batch()
            if batch is None:
                break
            yield from self._embed(batch)
            yield self._progress()
        if any(result.state == "ready" for result in self._results.values()):
            self._remember_place()
            self._deleted = self._store.take_over(self._embedder.model_id) or self._deleted
        self._deleted = self._store.tidy_words(self._cancel) or self._deleted
        self._erase()
        self._store.make_durable()
        seconds = time.monotonic() - started
        rate = self._embedded_chunks / self._embedding_seconds if self._embedding_seconds else 0.0
        results = sorted(self._results.values(), key=lambda file: file.path)
        yield IndexFinished(IndexReport(tuple(results), round(rate, 2), seconds))

    def _read_all(self, look: Look, *, may_pause: bool = True) -> Iterator[IndexEvent]:
        """The first part of a run: afterwards everything of `look` is found by its words, and what is gone is forgotten.

        With `may_pause` what changes meanwhile is read in between.
        """
        files = look.scan.files
        stored = {item.document.path: item for item in look.known}
        # What may only have been moved is forgotten last: its vectors are wanted for the new place.
        moved = _maybe_moved(look.scan, stored, look.gone)
        self._forget([path for path in look.gone if path not in moved])
        self._store.add_waiting(_waiting(found) for found in files if found.path not in stored)
        at_once: list[IndexedFile] = []
        read = 0
        for found in files:
            self._cancel.check()
            if may_pause:
                yield from self._read_changed()
                if found.path in self._heard_paths:
                    continue  # it was read as it is now
            before = stored.get(found.path)
            outcome = self._as_before(found, before)
            if outcome is None:
                read += 1
                if read > READ_WHILE_ASKED:
                    yield from self._wait_for_question(may_read=may_pause)
                self._deleted = self._deleted or bool(before and before.document.chunk_count)
                self._results.pop(found.path, None)
                yield FileStarted(found.path, len(self._results), len(self._files))
                outcome = self._read(found, before)
            self._read_files.add(found.path)
            self._drop_waiting(found.path)
            if isinstance(outcome, _Waiting):
                self._add_waiting(outcome)
                yield FileSearchable(_row(outcome, "waiting"), len(self._results), len(self._files))
            elif outcome.state == "ready" and not outcome.unchanged:
                at_once.append(outcome)
            else:
                yield self._finished(outcome)
            if not (isinstance(outcome, IndexedFile) and outcome.unchanged):
                yield self._progress()
            if len(at_once) >= DURABLE_TOGETHER:
                yield from self._made_durable(at_once)
                at_once = []
        yield from self._made_durable(at_once)
        self._forget(sorted(moved))
        self._erase()

    def _read_changed(self) -> Iterator[IndexEvent]:
        """Read what has changed since the run began: it is found by its words at once, and its vectors are the next to be made."""
        paths = self._changed.take()
        if not paths or self._look is None:
            return
        look = self._look(paths)
        self._heard += 1
        for path in look.gone:
            self._drop_waiting(path)
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

    def _take_kept(self, kept: Iterable[StoredDocument]) -> None:
        for item in kept:
            outcome = self._with_text(item)
            if isinstance(outcome, _Waiting) and item.document.path not in self._files:
                self._files.add(item.document.path)
                self._read_files.add(item.document.path)
                self._add_waiting(outcome)

    def _add_waiting(self, item: _Waiting) -> None:
        item.heard = self._heard
        item.left = self._store.count_missing(item.document_id, self._embedder.model_id)
        self._waiting[item.facts.path] = item
        self._chunks_left += item.left
        self._queue.clear()  # to be ordered anew

    def _drop_waiting(self, path: Path) -> None:
        if dropped := self._waiting.pop(path, None):
            self._chunks_left -= dropped.left
            self._queue.clear()

    def _progress(self) -> IndexProgress:
        return IndexProgress(len(self._read_files), len(self._files), self._chunks_done, self._chunks_done + self._chunks_left)

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

    def _as_before(self, found: FoundFile, stored: StoredDocument | None) -> IndexedFile | _Waiting | None:
        """What there is to do for a file that need not even be opened; None for one that must be."""
        if stored is None or found.reason or stored.reader_version != READER_VERSION:
            return None
        document = stored.document
        same_stamps = document.size_bytes == found.size_bytes and document.modified_ns == found.modified_ns
        if not same_stamps or stored.checked_ns - document.modified_ns < _STAMP_DOUBT_NS:
            return None
        poisoned = document.state == "failed" and document.reason in _POISON and not self._retry_poison
        asked = self._retry_poison and found.path in self._named
        if (document.state == "skipped" and not asked) or poisoned:
            return _result(stored)
        return self._with_text(stored) if document.chunk_count else None

    def _with_text(self, stored: StoredDocument) -> IndexedFile | _Waiting:
        """For a file whose text is in the index as it is: whether it lacks vectors."""
        if stored.document.state == "ready" and stored.embedder_id == self._embedder.model_id:
            return _result(stored)
        return _Waiting(_facts(stored), stored.document.id, stored.document.chunk_count)

    def _read(self, found: FoundFile, stored: StoredDocument | None) -> IndexedFile | _Waiting:
        """Read, cut and store one file. Whatever is wrong with it becomes its result."""
        started = time.monotonic()
        facts = FileFacts(
            found.path,
            found.path.stem,
            size_bytes=found.size_bytes,
            modified_ns=found.modified_ns,
            checked_ns=time.time_ns(),
            reader_version=READER_VERSION,
            encoding=self._encodings().get(found.path, ""),
        )
        try:
            if found.reason:
                raise DocumentUnreadable(f"{found.path} cannot be read.", code=found.reason)
            if is_unsupported(found.path):
                raise DocumentUnreadable(f"{found.path} is of a kind that cannot be read yet.", code="unsupported")
            content = read_file(found.path, follow_link=found.path in self._named, max_bytes=self._max_bytes)
            sha256 = hashlib.sha256(content.data).hexdigest()
            facts = replace(facts, sha256=sha256, size_bytes=len(content.data), modified_ns=content.modified_ns)
            if stored and stored.document.chunk_count and stored.document.sha256 == sha256 and stored.reader_version == READER_VERSION:
                self._store.touch(facts.path, size_bytes=facts.size_bytes, modified_ns=facts.modified_ns, checked_ns=facts.checked_ns)
                return self._with_text(stored)
            text = self._text(found.path, content.data)
            return self._put(replace(facts, title=storable(text.title), encoding=text.encoding), text, started)
        except DocumentUnreadable as error:
            return self._without_text(facts, error.code, time.monotonic() - started)
        except (MemoryError, RecursionError):
            return self._without_text(facts, "reader_crashed", time.monotonic() - started)

    def _text(self, path: Path, data: bytes) -> ExtractedText:
        encoding = self._encodings().get(path, "") if may_choose_encoding(path) else ""
        if needs_parser(path, data):
            return self._reader.read(path, data, self._cancel, encoding=encoding)
        return self._obeying(len(data), lambda: extract(path, data, encoding=encoding))

    def _obeying(self, size: int, work: Callable[[], T]) -> T:
        """Do work that takes seconds for a large file, so that a cancel need not wait for it."""
        return until_cancelled(work, self._cancel) if size >= LARGE else work()

    def _put(self, facts: FileFacts, extracted: ExtractedText, started: float) -> IndexedFile | _Waiting:
        """Cut a text and store it with its words, and with the vectors that are known already."""
        text = storable(extracted.text)
        spans = self._obeying(len(text), lambda: chunk(text, extracted.kind, self._count_tokens))
        if not spans:
            raise DocumentUnreadable(f"{facts.path} has no text in it.", code="empty")
        model_id = self._embedder.model_id
        # A moved or renamed file, or a copy, is the same text under another title: its vectors stay what they were, or will be.
        same = self._store.vectors_by_content(facts.sha256, facts.encoding, model_id)
        if [(item.start, item.end) for item in same] == [(span.start, span.end) for span in spans]:
            keys, vectors = [item.embedding_key for item in same], [item.vector for item in same]
        else:
            keys = [embedding_key(embedding_text(facts.title, storable(span.heading_path), text[span.start : span.end])) for span in spans]
            vectors = [None] * len(spans)
        if None in vectors:
            known = self._store.vectors_by_key(keys, model_id)
            vectors = [known.get(key) for key in keys]
        document_id = self._store.put_text(
            facts, text, spans, keys, vectors, model_id, self._embedder.dimension, self._cancel, pages=extracted.pages
        )
        seconds = time.monotonic() - started
        put = _Waiting(facts, document_id, len(spans), seconds)
        return put if None in vectors else _row(put, "ready")

    def _count_tokens(self, texts: Sequence[str]) -> list[int]:
        self._cancel.check()
        return self._embedder.count_tokens(texts)

    def _next_batch(self) -> _Batch | None:
        """The next chunks that lack vectors, in the order of the files, so that small files share the encoder's batches; None at the end."""
        if not self._queue:
            self._queue.extend(_in_order(self._waiting.values()))
        batch, size = _Batch([], []), self._batch_size()
        while self._queue and (room := size - len(batch.chunks)):
            item = self._queue[0]
            found = self._store.missing(item.document_id, self._embedder.model_id, after=item.after, limit=room)
            batch.chunks += [(item, lack) for lack in found]
            if len(found) < room:
                batch.whole.append(self._queue.popleft())
            else:
                item.after = found[-1].ordinal
        return batch if batch.chunks or batch.whole else None

    def _batch_size(self) -> int:
        """How many chunks the next batch has, from how fast they were embedded so far."""
        if not self._embedding_seconds:
            return min(FIRST_BATCH_CHUNKS, BATCH_CHUNKS)
        in_time = int(BATCH_SECONDS * self._embedded_chunks / self._embedding_seconds)
        return min(max(in_time, LEAST_BATCH_CHUNKS), BATCH_CHUNKS)

    def _embed(self, batch: _Batch) -> Iterator[IndexEvent]:
        """Make the vectors of a batch, store them in one transaction, and report the files that have all of theirs now."""
        started = time.monotonic()
        made = yield from self._made(batch.chunks)
        # What changed while the batch was being encoded is in the queue anew, as it is now.
        batch.whole = [item for item in batch.whole if self._waiting.get(item.facts.path) is item]
        whole = [item.document_id for item in batch.whole if not item.spoilt]
        ready = self._store.add_vectors(made, whole, self._embedder.model_id, self._embedder.dimension, self._cancel)
        files = {item for item, _ in batch.chunks}
        for item in files:
            item.seconds += (time.monotonic() - started) / len(files)
        for item, _ in batch.chunks:
            if item.left and self._waiting.get(item.facts.path) is item:
                item.left -= 1
                self._chunks_left -= 1
        self._chunks_done += len(batch.chunks)
        for item in batch.whole:
            self._chunks_left -= self._waiting.pop(item.facts.path).left
            self._deleted = self._deleted or item.spoilt
            if item.spoilt:
                yield self._finished(self._without_text(item.facts, "embedding_failed", item.seconds))
            else:
                # What is not ready now was changed by another program meanwhile; its run, or the next one, does the rest.
                yield self._finished(_row(item, "ready" if item.document_id in ready else "waiting"))
        if batch.chunks:
            current, last = batch.chunks[-1]
            if current.chunks > FIRST_BATCH_CHUNKS and last.ordinal + 1 < current.chunks:
                yield FileProgress(current.facts.path, last.ordinal + 1, current.chunks)

    def _made(self, chunks: Sequence[tuple[_Waiting, MissingVector]]) -> Generator[IndexEvent, None, list[MadeVector]]:
        """A vector for each of these chunks. A text is embedded once, in however many of them it stands."""
        vectors = self._store.vectors_by_key([lack.key for _, lack in chunks], self._embedder.model_id)
        keys = {lack.chunk_id: embedding_key(lack.text) for _, lack in chunks}
        texts = {lack.key: lack.text for _, lack in chunks if keys[lack.chunk_id] == lack.key and lack.key not in vectors}
        for _, lack in chunks:
            if lack.key in vectors or lack.key in texts:
                keys[lack.chunk_id] = lack.key
            else:  # it waited for the vector of a copy that is gone
                texts[keys[lack.chunk_id]] = lack.text
        vectors |= yield from self._encoded(texts)
        for item, lack in chunks:
            item.spoilt = item.spoilt or keys[lack.chunk_id] not in vectors
        return [MadeVector(lack.chunk_id, keys[lack.chunk_id], vectors[keys[lack.chunk_id]]) for item, lack in chunks if not item.spoilt]

    def _encoded(self, texts: Mapping[bytes, str]) -> Generator[IndexEvent, None, dict[bytes, bytes]]:
        """The vectors of texts, by their keys; one that means nothing is left out. What changes while the encoder works is read meanwhile."""
        if not texts:
            return {}
        started = time.monotonic()
        aside = Aside(lambda: self._embedder.embed_passages(list(texts.values()), cancel=self._cancel))
        held = yield from self._read_until_over(aside)
        vectors = aside.result()
        self._embedding_seconds += max(0.0, time.monotonic() - started - held)
        self._embedded_chunks += len(texts)
        found: dict[bytes, bytes] = {}
        for key, vector in zip(texts, vectors, strict=True):
            with suppress(ModelUnusable):
                found[key] = unit(vector)
        return found

    def _read_until_over(self, aside: Aside[Vectors]) -> Generator[IndexEvent, None, float]:
        """Read what changes until the encoder is done; returns for how many seconds it gave way to a question, which is said."""
        held, is_held, last = 0.0, False, time.monotonic()
        try:
            while not aside.wait(LOOK_SECONDS):
                now = time.monotonic()
                held, last = held + (now - last if is_held else 0.0), now
                if self._lease.busy != is_held:
                    is_held = not is_held
                    yield IndexHeld() if is_held else IndexGoesOn()
                yield from self._read_changed()
        except BaseException:
            aside.wait(_PATIENCE_SECONDS)  # nobody else should find the encoder at work still
            raise
        if is_held:
            yield IndexGoesOn()
        return held

    def _without_text(self, facts: FileFacts, reason: str, seconds: float) -> IndexedFile:
        state: DocumentState = "skipped" if reason in _SKIPPED else "failed"
        self._store.put_without_text(facts, state, reason)
        return IndexedFile(facts.path, state, reason, facts.encoding, 0, round(seconds, 3))

    def _made_durable(self, results: Sequence[IndexedFile]) -> Iterator[FileFinished]:
        """Report files that were ready as soon as they were read (copies, moved files, edits that only take away), once the disk holds them."""
        if results:
            self._store.make_durable()
        for result in results:
            yield self._finished(result)

    def _finished(self, result: IndexedFile) -> FileFinished:
        self._results[result.path] = result
        return FileFinished(result, len(self._results), len(self._files))


def _in_order(waiting: Iterable[_Waiting]) -> list[_Waiting]:
    """What was heard of last first, then what was changed last. Files of the same content stay together, the one known longest first.

    A copy waits for the vectors of the file it is a copy of: that one comes forward with it.
    """
    items = list(waiting)
    newest: dict[str, tuple[int, int]] = {}
    for item in items:
        sha256 = item.facts.sha256
        newest[sha256] = max(newest.get(sha256, (0, 0)), (item.heard, item.facts.modified_ns))
    return sorted(items, key=lambda item: (newest[item.facts.sha256], item.facts.sha256, -item.document_id), reverse=True)


def _maybe_moved(scan: Scan, stored: Mapping[Path, StoredDocument], gone: Sequence[Path]) -> frozenset[Path]:
    """Files that are gone while a new one of the same size has come."""
    new_sizes = {found.size_bytes for found in scan.files if found.path not in stored and not found.reason}
    return frozenset(path for path in gone if stored[path].document.chunk_count and stored[path].document.size_bytes in new_sizes)


def _waiting(found: FoundFile) -> FileFacts:
    return FileFacts(found.path, found.path.stem, size_bytes=found.size_bytes, modified_ns=found.modified_ns)


def _result(stored: StoredDocument) -> IndexedFile:
    """The row of a file that is as it was."""
    document = stored.document
    return IndexedFile(document.path, document.state, document.reason, document.encoding, document.chunk_count, 0.0, unchanged=True)


def _row(item: _Waiting, state: DocumentState) -> IndexedFile:
    return IndexedFile(item.facts.path, state, "", item.facts.encoding, item.chunks, round(item.seconds, 3))


def _facts(stored: StoredDocument) -> FileFacts:
    document = stored.document
    return FileFacts(
        document.path,
        document.title,
        document.encoding,
        document.sha256,
        document.size_bytes,
        document.modified_ns,
        stored.checked_ns,
        stored.reader_version,
    )
