"""One file into the index: looked at, read, cut, and stored with its words."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from core.cancel import CancelToken, until_cancelled
from core.documents import DocumentState, IndexedFile
from core.errors import DocumentUnreadable
from core.library.chunking import chunk
from core.library.document_reader import DocumentReader
from core.library.extraction import READER_VERSION, ExtractedText, extract, needs_parser
from core.library.file_kinds import is_unsupported, may_choose_encoding
from core.library.reading import read_file
from core.library.scanning import FoundFile
from core.library.vector_queue import WaitingFile
from core.protocols import Embedder
from core.store.index_store import IndexStore, StoredDocument
from core.store.records import FileFacts, embedding_key, embedding_text
from core.store.storable import storable

T = TypeVar("T")

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


class FileIntake:
    """Takes files in by the rules of one run. What becomes of a file is a row of the report, or a file that waits for its vectors."""

    def __init__(
        self,
        index_store: IndexStore,
        embedder: Embedder,
        reader: DocumentReader,
        cancel: CancelToken,
        *,
        named: frozenset[Path],
        encodings: Callable[[], Mapping[Path, str]],
        retry_poison: bool,
        max_bytes: int,
    ) -> None:
        """As `IndexingRun`."""
        self._store = index_store
        self._embedder = embedder
        self._reader = reader
        self._cancel = cancel
        self._named = named
        self._encodings = encodings
        self._retry_poison = retry_poison
        self._max_bytes = max_bytes

    def unopened(self, found: FoundFile, stored: StoredDocument | None) -> IndexedFile | WaitingFile | None:
        """What becomes of a file that need not even be opened, as it is stored as it is; None for one that must be."""
        if stored is None or found.reason or stored.reader_version != READER_VERSION:
            return None
        document = stored.document
        same_stamps = document.size_bytes == found.size_bytes and document.modified_ns == found.modified_ns
        if not same_stamps or stored.checked_ns - document.modified_ns < _STAMP_DOUBT_NS:
            return None
        poisoned = document.state == "failed" and document.reason in _POISON and not self._retry_poison
        asked = self._retry_poison and found.path in self._named
        if (document.state == "skipped" and not asked) or poisoned:
            return _unchanged(stored)
        return self.stored(stored) if document.chunk_count else None

    def stored(self, stored: StoredDocument) -> IndexedFile | WaitingFile:
        """What becomes of a file whose text is in the index as it is: it may lack vectors."""
        if stored.document.state == "ready" and stored.embedder_id == self._embedder.model_id:
            return _unchanged(stored)
        return WaitingFile(_facts_of(stored), stored.document.id, stored.document.chunk_count)

    def read(self, found: FoundFile, stored: StoredDocument | None) -> IndexedFile | WaitingFile:
        """Read, cut and store one file, in one transaction. Whatever is wrong with it becomes its result.

        Raises `Cancelled`, `NotEnoughDisk`, `IndexDamaged`, `StoreLocked` or the embedder's errors.
        """
        started = time.monotonic()
        facts = replace(facts_of_found(found), checked_ns=time.time_ns(), reader_version=READER_VERSION, encoding=self._chosen(found.path))
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
                return self.stored(stored)
            text = self._text(found.path, content.data)
            return self._put(replace(facts, title=storable(text.title), encoding=text.encoding), text, started)
        except DocumentUnreadable as error:
            return self.without_text(facts, error.code, time.monotonic() - started)
        except (MemoryError, RecursionError):
            return self.without_text(facts, "reader_crashed", time.monotonic() - started)

    def without_text(self, facts: FileFacts, reason: str, seconds: float) -> IndexedFile:
        """Store why there is nothing of a file to be found, and take out what there was."""
        state: DocumentState = "skipped" if reason in _SKIPPED else "failed"
        self._store.put_without_text(facts, state, reason)
        return IndexedFile(facts.path, state, reason, facts.encoding, 0, round(seconds, 3))

    def _chosen(self, path: Path) -> str:
        return self._encodings().get(path, "")

    def _text(self, path: Path, data: bytes) -> ExtractedText:
        encoding = self._chosen(path) if may_choose_encoding(path) else ""
        if needs_parser(path, data):
            return self._reader.read(path, data, self._cancel, encoding=encoding)
        return self._obeying(len(data), lambda: extract(path, data, encoding=encoding))

    def _obeying(self, size: int, work: Callable[[], T]) -> T:
        """Do work that takes seconds for a large file, so that a cancel need not wait for it."""
        return until_cancelled(work, self._cancel) if size >= LARGE else work()

    def _put(self, facts: FileFacts, extracted: ExtractedText, started: float) -> IndexedFile | WaitingFile:
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
        put = WaitingFile(facts, document_id, len(spans), time.monotonic() - started)
        return put if None in vectors else put.row("ready")

    def _count_tokens(self, texts: Sequence[str]) -> list[int]:
        self._cancel.check()
        return self._embedder.count_tokens(texts)


def facts_of_found(found: FoundFile) -> FileFacts:
    """What is known of a file before it is read."""
    return FileFacts(found.path, found.path.stem, size_bytes=found.size_bytes, modified_ns=found.modified_ns)


def _facts_of(stored: StoredDocument) -> FileFacts:
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


def _unchanged(stored: StoredDocument) -> IndexedFile:
    """The row of a file that is as it was."""
    document = stored.document
    return IndexedFile(document.path, document.state, document.reason, document.encoding, document.chunk_count, 0.0, unchanged=True)
