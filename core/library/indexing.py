"""Bringing the index to where the disk is: read what is new, embed it, store it, forget what is gone."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.cancel import CancelToken
from core.documents import DocumentState, IndexedFile, IndexReport
from core.errors import DocumentUnreadable, ModelUnusable
from core.events import FileFinished, FileProgress, FileStarted, IndexEvent, IndexFinished, IndexStarted
from core.lease import ComputeLease
from core.library.chunking import chunk
from core.library.document_reader import DocumentReader
from core.library.extraction import READER_VERSION, ExtractedText, extract
from core.library.file_kinds import is_document, is_unsupported
from core.library.reading import MAX_FILE_BYTES, read_file
from core.library.scanning import FoundFile, Scan
from core.protocols import Embedder
from core.store.index_store import IndexStore, StoredDocument
from core.store.records import ChunkSpan, FileFacts, embedding_key, embedding_text

BATCH_CHUNKS = 32
"""Chunks in one call of the encoder: a cancel or a question waits for one call at most."""

GROUP_CHUNKS = 64
"""Small files are read on until they fill this many chunks, so that the encoder gets full batches."""

GROUP_FILES = 64
"""No more files than this are held in memory at once."""

# A file that was changed within this time before it was read may have been changed again with the same stamp.
_STAMP_DOUBT_NS = 2_000_000_000
_SKIPPED = frozenset(
    {"empty", "binary", "too_large", "unsupported", "not_a_file", "no_text", "no_text_layer", "needs_password", "unpacks_too_large"}
)
# What a file did to its parser it will do again: it is not tried at every start, only when it has changed or somebody asks for it.
_POISON = frozenset({"timed_out", "reader_crashed", "too_much_memory", "damaged"})


@dataclass(slots=True)
class _Prepared:
    """A file that is read and cut, with the vectors that are known already; the others are still to be made."""

    facts: FileFacts
    text: ExtractedText
    spans: list[ChunkSpan]
    keys: list[bytes]
    vectors: list[bytes | None]
    seconds: float

    def inputs(self) -> list[tuple[int, str]]:
        """Index and embedding text of every chunk that has no vector yet."""
        return [
            (index, embedding_text(self.facts.title, span.heading_path, self.text.text[span.start : span.end]))
            for index, span in enumerate(self.spans)
            if self.vectors[index] is None
        ]


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
        self._replaced = False

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
        stored = {item.document.path: item for item in known}
        # What may only have been moved is forgotten last: its vectors are wanted for the new place.
        moved = _maybe_moved(scan, stored, gone)
        self._forget([path for path in gone if path not in moved])
        self._store.add_waiting(_waiting(found) for found in scan.files if found.path not in stored)
        group: list[_Prepared] = []
        for found in scan.files:
            self._cancel.check()
            before = stored.get(found.path)
            result = self._unchanged(found, before)
            if result is None:
                self._replaced = self._replaced or bool(before and before.document.chunk_count)
                yield FileStarted(found.path, len(self._results), self._total)
                result_or_prepared = self._prepare(found, before)
                if isinstance(result_or_prepared, _Prepared):
                    group.append(result_or_prepared)
                    if (
                        len(group) >= GROUP_FILES
                        or sum(vector is None for prepared in group for vector in prepared.vectors) >= GROUP_CHUNKS
                    ):
                        yield from self._finish_group(group)
                        group = []
                    continue
                result = result_or_prepared
            yield self._finished(result)
        yield from self._finish_group(group)
        self._forget(sorted(moved))
        if self._replaced:
            self._store.erase_deleted()
        self._store.make_durable()
        seconds = time.monotonic() - started
        rate = self._embedded_chunks / self._embedding_seconds if self._embedding_seconds else 0.0
        yield IndexFinished(IndexReport(tuple(sorted(self._results, key=lambda file: file.path)), round(rate, 2), seconds))

    def _forget(self, paths: Sequence[Path]) -> None:
        if paths:
            self._store.remove(paths, self._cancel)
            self._store.erase_deleted()

    def _unchanged(self, found: FoundFile, stored: StoredDocument | None) -> IndexedFile | None:
        """The result for a file that need not even be opened, or None."""
        if stored is None or found.reason or stored.reader_version != READER_VERSION:
            return None
        document = stored.document
        same_stamps = document.size_bytes == found.size_bytes and document.modified_ns == found.modified_ns
        if not same_stamps or stored.checked_ns - document.modified_ns < _STAMP_DOUBT_NS:
            return None
        if (document.state == "ready" and stored.embedder_id == self._embedder.model_id) or document.state == "skipped":
            return _result(stored, unchanged=True)
        if document.state == "failed" and document.reason in _POISON and not self._retry_poison:
            return _result(stored, unchanged=True)
        return None

    def _prepare(self, found: FoundFile, stored: StoredDocument | None) -> IndexedFile | _Prepared:
        """Read and cut one file. Whatever is wrong with it becomes its result."""
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
            if stored and self._same_content(stored, sha256):
                self._store.touch(facts.path, size_bytes=facts.size_bytes, modified_ns=facts.modified_ns, checked_ns=facts.checked_ns)
                return _result(stored, unchanged=True)
            text = self._text(found.path, content.data)
            return self._cut(replace(facts, title=text.title, encoding=text.encoding), text, started)
        except DocumentUnreadable as error:
            return self._without_text(facts, error.code, time.monotonic() - started)
        except (MemoryError, RecursionError):
            return self._without_text(facts, "reader_crashed", time.monotonic() - started)

    def _text(self, path: Path, data: bytes) -> ExtractedText:
        return self._reader.read(path, data, self._cancel) if is_document(path) else extract(path, data)

    def _same_content(self, stored: StoredDocument, sha256: str) -> bool:
        is_current = stored.embedder_id == self._embedder.model_id and stored.reader_version == READER_VERSION
        return is_current and stored.document.state == "ready" and stored.document.sha256 == sha256

    def _cut(self, facts: FileFacts, text: ExtractedText, started: float) -> _Prepared:
        spans = chunk(text.text, text.kind, self._count_tokens)
        if not spans:
            raise DocumentUnreadable(f"{facts.path} has no text in it.", code="empty")
        keys = [embedding_key(embedding_text(facts.title, span.heading_path, text.text[span.start : span.end])) for span in spans]
        vectors: list[bytes | None] = [None] * len(spans)
        # A moved or renamed file is the same text under another title: its vectors stay what they were.
        same = self._store.vectors_by_content(facts.sha256, self._embedder.model_id)
        if [(item.start, item.end) for item in same] == [(span.start, span.end) for span in spans]:
            keys, vectors = [item.embedding_key for item in same], [item.vector for item in same]
        else:
            known = self._store.vectors_by_key(keys, self._embedder.model_id)
            vectors = [known.get(key) for key in keys]
        return _Prepared(facts, text, spans, keys, vectors, time.monotonic() - started)

    def _count_tokens(self, texts: Sequence[str]) -> list[int]:
        self._cancel.check()
        return self._embedder.count_tokens(texts)

    def _finish_group(self, group: list[_Prepared]) -> Iterator[IndexEvent]:
        """Embed what the files of a group still need, and store each file in one transaction as soon as it is whole."""
        todo = [(prepared, index, text) for prepared in group for index, text in prepared.inputs()]
        unfinished = list(group)
        position = 0
        while unfinished:
            batch = todo[position : position + BATCH_CHUNKS]
            position += len(batch)
            started = time.monotonic()
            if batch:
                self._embed(batch)
            share = (time.monotonic() - started) / max(1, len({id(prepared) for prepared, _, _ in batch}))
            for prepared in {id(prepared): prepared for prepared, _, _ in batch}.values():
                prepared.seconds += share
            whole: list[_Prepared] = []
            while unfinished and None not in unfinished[0].vectors:
                whole.append(unfinished.pop(0))
            # The disk is waited for once for all of them: see 0024 for what once for each file would cost.
            results = [self._put(prepared, durable=prepared is whole[-1]) for prepared in whole]
            for result in results:
                yield self._finished(result)
            if unfinished and len(unfinished[0].spans) > BATCH_CHUNKS:
                current = unfinished[0]
                yield FileProgress(current.facts.path, sum(vector is not None for vector in current.vectors), len(current.spans))

    def _embed(self, batch: list[tuple[_Prepared, int, str]]) -> None:
        self._lease.wait_until_free(self._cancel)
        self._cancel.check()
        started = time.monotonic()
        vectors = self._embedder.embed_passages([text for _, _, text in batch], cancel=self._cancel)
        self._embedding_seconds += time.monotonic() - started
        self._embedded_chunks += len(batch)
        for (prepared, index, _), vector in zip(batch, vectors, strict=True):
            prepared.vectors[index] = np.ascontiguousarray(vector, dtype=np.float32).tobytes()

    def _put(self, prepared: _Prepared, *, durable: bool) -> IndexedFile:
        facts = prepared.facts
        started = time.monotonic()
        rows = [np.frombuffer(vector, dtype=np.float32) for vector in prepared.vectors if vector is not None]
        try:
            self._store.put(
                facts,
                prepared.text.text,
                prepared.spans,
                prepared.keys,
                np.stack(rows),
                self._embedder.model_id,
                self._cancel,
                durable=durable,
            )
        except ModelUnusable:
            return self._without_text(facts, "embedding_failed", prepared.seconds, durable=durable)
        seconds = prepared.seconds + time.monotonic() - started
        return IndexedFile(facts.path, "ready", "", facts.encoding, len(prepared.spans), round(seconds, 3))

    def _without_text(self, facts: FileFacts, reason: str, seconds: float, *, durable: bool = False) -> IndexedFile:
        state: DocumentState = "skipped" if reason in _SKIPPED else "failed"
        self._store.put_without_text(facts, state, reason, durable=durable)
        return IndexedFile(facts.path, state, reason, facts.encoding, 0, round(seconds, 3))

    def _finished(self, result: IndexedFile) -> FileFinished:
        self._results.append(result)
        return FileFinished(result, len(self._results), self._total)


def _maybe_moved(scan: Scan, stored: Mapping[Path, StoredDocument], gone: Sequence[Path]) -> frozenset[Path]:
    """Files that are gone while a new one of the same size has come."""
    new_sizes = {found.size_bytes for found in scan.files if found.path not in stored and not found.reason}
    return frozenset(path for path in gone if stored[path].document.chunk_count and stored[path].document.size_bytes in new_sizes)


def _waiting(found: FoundFile) -> FileFacts:
    return FileFacts(found.path, found.path.stem, size_bytes=found.size_bytes, modified_ns=found.modified_ns)


def _result(stored: StoredDocument, *, unchanged: bool) -> IndexedFile:
    document = stored.document
    return IndexedFile(document.path, document.state, document.reason, document.encoding, document.chunk_count, 0.0, unchanged)
