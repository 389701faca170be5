"""Bringing the index to where the disk is: read what is new, store it, embed it, forget what is gone.

A run has two parts. First every file that is new or changed is read and stored with its words, and with the vectors that are known
already: that is quick, and from then on the file is found by its words. Then the vectors that are missing are made, batch by batch. So
what was saved a moment ago never waits behind an hour of encoding, and a run that is ended at any point goes on from what is stored.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from core.cancel import CancelToken
from core.documents import DocumentState, IndexedFile, IndexReport
from core.errors import DocumentUnreadable, ModelUnusable
from core.events import FileFinished, FileProgress, FileSearchable, FileStarted, IndexEvent, IndexFinished, IndexStarted
from core.lease import ComputeLease
from core.library.chunking import chunk
from core.library.document_reader import DocumentReader
from core.library.extraction import READER_VERSION, ExtractedText, extract
from core.library.file_kinds import is_document, is_unsupported
from core.library.reading import MAX_FILE_BYTES, read_file
from core.library.scanning import FoundFile, Scan
from core.protocols import Embedder
from core.store.index_store import IndexStore, StoredDocument
from core.store.records import FileFacts, MadeVector, MissingVector, embedding_key, embedding_text
from core.store.storable import storable
from core.store.unit_vectors import unit

BATCH_CHUNKS = 256
"""The most chunks in one call of the embedder and in one transaction: enough to find texts of like length among them."""

FIRST_BATCH_CHUNKS = 32
"""So many before it is known how fast this machine is, and at least."""

BATCH_SECONDS = 10.0
"""A batch takes about this long where 256 chunks would take longer: a crash or a cancel loses one, and the bar stands still for it."""

READ_WHILE_ASKED = 64
"""So many files of a run are read even while a question is being answered: what was saved a moment ago is few files."""

DURABLE_TOGETHER = 64
"""The disk is waited for once for so many files that are ready as soon as they are read: once for each would be slow on a plain disk."""

# A file that was changed within this time before it was read may have been changed again with the same stamp.
_STAMP_DOUBT_NS = 2_000_000_000
_SKIPPED = frozenset(
    {"empty", "binary", "too_large", "unsupported", "not_a_file", "no_text", "no_text_layer", "needs_password", "unpacks_too_large"}
)
# What a file did to its parser it will do again: it is not tried at every start, only when it has changed or somebody asks for it.
_POISON = frozenset({"timed_out", "reader_crashed", "too_much_memory", "damaged"})


@dataclass(slots=True, eq=False)
class _Waiting:
    """A file whose text and words are stored, and which lacks vectors."""

    facts: FileFacts
    document_id: int
    chunks: int
    seconds: float = 0.0
    embedded_before: bool = False  # by another model, whose vectors go when it has all of this one
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
        retry_poison: bool = False,
        max_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        """`named` are the paths the person linked themselves: only there a symbolic link is followed.

        `retry_poison` tries files again that broke their parser before, though they have not changed.
        """
        self._store = index_store
        self._embedder = embedder
        self._reader = reader
        self._lease = lease
        self._cancel = cancel
        self._named = named
        self._retry_poison = retry_poison
        self._max_bytes = max_bytes
        self._results: list[IndexedFile] = []
        self._total = 0
        self._embedded_chunks = 0
        self._embedding_seconds = 0.0
        self._deleted = False  # something was taken out of the index whose bytes may still be in its files

    def events(self, scan: Scan, known: Sequence[StoredDocument], gone: Sequence[Path]) -> Iterator[IndexEvent]:
        """Index the files of `scan`, forget those that are `gone`; the last event is the report.

        A file that is said to be ready is in the index, and on the disk, when its event is yielded: neither a crash nor a cut of the power
        takes it away. One that is said to be skipped or failed may have to be looked at again after a cut. Raises `Cancelled`, `NotEnoughDisk`, `IndexDamaged`,
        `StoreLocked` or the embedder's errors; trouble with one file is a row with a reason and nothing more.
        """
        started = time.monotonic()
        self._total = len(scan.files)
        yield IndexStarted(self._total)
        # What an earlier run stored and never made durable, as it was killed, will be called unchanged.
        self._store.make_durable()
        self._store.renew_words()
        stored = {item.document.path: item for item in known}
        # What may only have been moved is forgotten last: its vectors are wanted for the new place.
        moved = _maybe_moved(scan, stored, gone)
        self._forget([path for path in gone if path not in moved])
        self._store.add_waiting(_waiting(found) for found in scan.files if found.path not in stored)
        waiting: list[_Waiting] = []
        at_once: list[IndexedFile] = []
        read = 0
        for found in scan.files:
            self._cancel.check()
            before = stored.get(found.path)
            outcome = self._as_before(found, before)
            if outcome is None:
                read += 1
                if read > READ_WHILE_ASKED:
                    self._lease.wait_until_free(self._cancel)
                self._deleted = self._deleted or bool(before and before.document.chunk_count)
                yield FileStarted(found.path, len(self._results), self._total)
                outcome = self._read(found, before)
            if isinstance(outcome, _Waiting):
                waiting.append(outcome)
                yield FileSearchable(_row(outcome, "waiting"), len(self._results), self._total)
            elif outcome.state == "ready" and not outcome.unchanged:
                at_once.append(outcome)
            else:
                yield self._finished(outcome)
            if len(at_once) >= DURABLE_TOGETHER:
                yield from self._made_durable(at_once)
                at_once = []
        yield from self._made_durable(at_once)
        self._forget(sorted(moved))
        self._erase()
        # What has been known longest first: a copy waits for the vectors of the file it is a copy of.
        for batch in self._batches(sorted(waiting, key=lambda item: item.document_id)):
            yield from self._embed(batch)
        self._erase()
        self._store.make_durable()
        seconds = time.monotonic() - started
        rate = self._embedded_chunks / self._embedding_seconds if self._embedding_seconds else 0.0
        yield IndexFinished(IndexReport(tuple(sorted(self._results, key=lambda file: file.path)), round(rate, 2), seconds))

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
        if document.state == "skipped" or poisoned:
            return _result(stored)
        return self._with_text(stored) if document.chunk_count else None

    def _with_text(self, stored: StoredDocument) -> IndexedFile | _Waiting:
        """For a file whose text is in the index as it is: whether it lacks vectors."""
        if stored.document.state == "ready" and stored.embedder_id == self._embedder.model_id:
            return _result(stored)
        document = stored.document
        return _Waiting(_facts(stored), document.id, document.chunk_count, embedded_before=document.state == "ready")

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
        return self._reader.read(path, data, self._cancel) if is_document(path) else extract(path, data)

    def _put(self, facts: FileFacts, extracted: ExtractedText, started: float) -> IndexedFile | _Waiting:
        """Cut a text and store it with its words, and with the vectors that are known already."""
        text = storable(extracted.text)
        spans = chunk(text, extracted.kind, self._count_tokens)
        if not spans:
            raise DocumentUnreadable(f"{facts.path} has no text in it.", code="empty")
        model_id = self._embedder.model_id
        # A moved or renamed file, or a copy, is the same text under another title: its vectors stay what they were, or will be.
        same = self._store.vectors_by_content(facts.sha256, model_id)
        if [(item.start, item.end) for item in same] == [(span.start, span.end) for span in spans]:
            keys, vectors = [item.embedding_key for item in same], [item.vector for item in same]
        else:
            keys = [embedding_key(embedding_text(facts.title, storable(span.heading_path), text[span.start : span.end])) for span in spans]
            vectors = [None] * len(spans)
        if None in vectors:
            known = self._store.vectors_by_key(keys, model_id)
            vectors = [known.get(key) for key in keys]
        document_id = self._store.put_text(facts, text, spans, keys, vectors, model_id, self._embedder.dimension, self._cancel)
        seconds = time.monotonic() - started
        put = _Waiting(facts, document_id, len(spans), seconds)
        return put if None in vectors else _row(put, "ready")

    def _count_tokens(self, texts: Sequence[str]) -> list[int]:
        self._cancel.check()
        return self._embedder.count_tokens(texts)

    def _batches(self, waiting: Sequence[_Waiting]) -> Iterator[_Batch]:
        """Chunks that lack vectors, in the order of the files, so that small files share the encoder's batches."""
        batch, size = _Batch([], []), self._batch_size()
        for item in waiting:
            after, more = -1, True
            while more:
                room = size - len(batch.chunks)
                found = self._store.missing(item.document_id, self._embedder.model_id, after=after, limit=room)
                batch.chunks += [(item, lack) for lack in found]
                more = len(found) == room
                if not more:
                    batch.whole.append(item)
                else:
                    after = found[-1].ordinal
                    yield batch
                    batch, size = _Batch([], []), self._batch_size()
        if batch.whole:
            yield batch

    def _batch_size(self) -> int:
        """How many chunks the next batch has, from how fast they were embedded so far."""
        if not self._embedding_seconds:
            return min(FIRST_BATCH_CHUNKS, BATCH_CHUNKS)
        in_time = int(BATCH_SECONDS * self._embedded_chunks / self._embedding_seconds)
        return min(max(in_time, FIRST_BATCH_CHUNKS), BATCH_CHUNKS)

    def _embed(self, batch: _Batch) -> Iterator[IndexEvent]:
        """Make the vectors of a batch, store them in one transaction, and report the files that have all of theirs now."""
        started = time.monotonic()
        made = self._made(batch.chunks)
        whole = [item.document_id for item in batch.whole if not item.spoilt]
        ready = self._store.add_vectors(made, whole, self._embedder.model_id, self._embedder.dimension, self._cancel)
        files = {item for item, _ in batch.chunks}
        for item in files:
            item.seconds += (time.monotonic() - started) / len(files)
        for item in batch.whole:
            self._deleted = self._deleted or item.spoilt or item.embedded_before
            if item.spoilt:
                yield self._finished(self._without_text(item.facts, "embedding_failed", item.seconds))
            else:
                # What is not ready now was changed by another program meanwhile; its run, or the next one, does the rest.
                yield self._finished(_row(item, "ready" if item.document_id in ready else "waiting"))
        if batch.chunks:
            current, last = batch.chunks[-1]
            if current.chunks > FIRST_BATCH_CHUNKS and last.ordinal + 1 < current.chunks:
                yield FileProgress(current.facts.path, last.ordinal + 1, current.chunks)

    def _made(self, chunks: Sequence[tuple[_Waiting, MissingVector]]) -> list[MadeVector]:
        """A vector for each of these chunks. A text is embedded once, in however many of them it stands."""
        vectors = self._store.vectors_by_key([lack.key for _, lack in chunks], self._embedder.model_id)
        keys = {lack.chunk_id: embedding_key(lack.text) for _, lack in chunks}
        texts = {lack.key: lack.text for _, lack in chunks if keys[lack.chunk_id] == lack.key and lack.key not in vectors}
        for _, lack in chunks:
            if lack.key in vectors or lack.key in texts:
                keys[lack.chunk_id] = lack.key
            else:  # it waited for the vector of a copy that is gone
                texts[keys[lack.chunk_id]] = lack.text
        vectors |= self._encoded(texts)
        for item, lack in chunks:
            item.spoilt = item.spoilt or keys[lack.chunk_id] not in vectors
        return [MadeVector(lack.chunk_id, keys[lack.chunk_id], vectors[keys[lack.chunk_id]]) for item, lack in chunks if not item.spoilt]

    def _encoded(self, texts: Mapping[bytes, str]) -> dict[bytes, bytes]:
        """The vectors of texts, by their keys; one that means nothing is left out."""
        if not texts:
            return {}
        self._lease.wait_until_free(self._cancel)
        started = time.monotonic()
        vectors = self._embedder.embed_passages(list(texts.values()), cancel=self._cancel)
        self._embedding_seconds += time.monotonic() - started
        self._embedded_chunks += len(texts)
        found: dict[bytes, bytes] = {}
        for key, vector in zip(texts, vectors, strict=True):
            with suppress(ModelUnusable):
                found[key] = unit(vector)
        return found

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
        self._results.append(result)
        return FileFinished(result, len(self._results), self._total)


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
