"""index.db: documents, their text, chunks, words and vectors. Everything in it can be made again from the person's files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from core.cancel import CancelToken
from core.documents import Chunk, Document, DocumentState
from core.errors import IndexDamaged, ModelUnusable, NotFound
from core.protocols import Vectors
from core.store.connection import Database, damaged_copy, fetch_all, fetch_one
from core.store.index_rows import (
    BLOCK_CHARACTERS,
    INSERT_WORDS,
    delete_content,
    ensure_words_version,
    slot_for_writing,
    slot_of,
    slots_in_use,
    text_slice,
    words_of,
    write_document,
)
from core.store.index_schema import MIGRATIONS, VECTORS
from core.store.records import ChunkSpan, FileFacts, KnownVector
from core.store.storable import storable

MAX_RESULTS = 4096
"""sqlite-vec answers no more than this many neighbours at once."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document, which model its vectors come from ("" if it has none), when its content was last compared, and by which rules it was read."""

    document: Document
    embedder_id: str
    checked_ns: int
    reader_version: int


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """Rows in the index, for `library check`. `problems` says in plain words what does not agree."""

    documents: int
    ready: int
    chunks: int
    word_rows: int
    vectors: int
    problems: tuple[str, ...]


class IndexStore:
    """index.db. One thread writes, any number read at the same time; nothing is opened before the first call.

    Every call may raise `IndexDamaged`, `StoreLocked` or `NotEnoughDisk`. After `IndexDamaged`, `rebuild` starts an empty index.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database = Database(
            path, name="The index of your files", migrations=MIGRATIONS, damaged=IndexDamaged, synchronous="normal", with_vectors=True
        )

    def close(self) -> None:
        """Close the file. The next call opens it again."""
        self._database.close()

    def rebuild(self) -> Path | None:
        """Put the file aside and start an empty index. Returns where the old file is now, if there was one."""
        return self._database.move_aside()

    def delete_damaged_copy(self) -> None:
        """Delete the index that `rebuild` put aside, with all the text in it. One that is in use elsewhere stays for the next time."""
        with suppress(OSError):
            damaged_copy(self._path).unlink(missing_ok=True)

    # -- documents

    def has_documents(self) -> bool:
        """Whether there is anything to search. Does not create the file."""
        if not self._path.exists():
            return False
        with self._database.reading() as connection:
            return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM chunks)").get)

    def documents(self) -> list[StoredDocument]:
        """Every file that is known, sorted by path."""
        with self._database.reading() as connection:
            rows = fetch_all(
                connection,
                "SELECT id, path, title, state, reason, encoding, sha256, size_bytes, modified_ns, chunk_count, coalesce(model_id, ''),"
                " checked_ns, reader_version"
                " FROM documents LEFT JOIN embedders USING (slot) ORDER BY path",
            )
        return [StoredDocument(_document(row[:10]), row[10], row[11], row[12]) for row in rows]

    def text(self, path: Path) -> str:
        """The decoded text of a file, exactly as it was indexed. Raises `NotFound` for a file without text."""
        with self._database.reading() as connection:
            rows = fetch_all(
                connection,
                "SELECT text FROM texts WHERE document_id = (SELECT id FROM documents WHERE path = ?) ORDER BY start",
                (os.fsencode(path),),
            )
        if not rows:
            raise NotFound(f"There is no text of {path} in the library.", path=str(path))
        return "".join(row[0] for row in rows)

    def text_of(self, document_id: int, start: int, end: int) -> str:
        """Characters `start` to `end` of a document, fewer where it ends; "" for a document that is gone."""
        if start < 0 or end <= start:
            return ""
        with self._database.reading() as connection:
            return text_slice(connection, document_id, start, end)

    # -- writing

    def add_waiting(self, files: Iterable[FileFacts]) -> None:
        """Remember files that are still to be read. A file that is known already is left as it is."""
        with self._database.writing() as connection:
            for file in files:
                connection.execute(
                    "INSERT INTO documents (path, title, state, reason, encoding, sha256, size_bytes, modified_ns, checked_ns, reader_version, chunk_count)"
                    " VALUES (?, ?, 'waiting', '', '', '', ?, ?, 0, 0, 0) ON CONFLICT (path) DO NOTHING",
                    (os.fsencode(file.path), storable(file.title), file.size_bytes, file.modified_ns),
                )

    def put(
        self,
        file: FileFacts,
        text: str,
        spans: Sequence[ChunkSpan],
        keys: Sequence[bytes],
        vectors: Vectors,
        embedder_id: str,
        cancel: CancelToken | None = None,
        *,
        durable: bool = False,
    ) -> None:
        """Replace everything of one file, in one transaction: it is ready afterwards, or nothing has changed.

        With `durable` this and everything written before it survive a cut of the power; otherwise the last files may be lost by one.

        `keys` and the rows of `vectors` belong to `spans`. Raises `ModelUnusable` for a vector that is not finite or has no length,
        and `Cancelled`.
        """
        cancel = cancel or CancelToken()
        text = storable(text)
        if not spans:
            raise ValueError("a ready document has at least one chunk")
        unit = _unit_rows(vectors, len(spans))
        with self._database.writing(durable=durable) as connection:
            ensure_words_version(connection)
            slot = slot_for_writing(connection, embedder_id, unit.shape[1])
            document_id = write_document(connection, file, "ready", "", len(spans), slot, cancel)
            title = storable(file.title)
            for start in range(0, len(text), BLOCK_CHARACTERS):
                connection.execute("INSERT INTO texts VALUES (?, ?, ?)", (document_id, start, text[start : start + BLOCK_CHARACTERS]))
            for ordinal, span in enumerate(spans):
                cancel.check()
                heading_path = storable(span.heading_path)
                connection.execute(
                    'INSERT INTO chunks (document_id, ordinal, start, "end", line, heading_path, embedding_key) VALUES (?, ?, ?, ?, ?, ?, ?)',
                    (document_id, ordinal, span.start, span.end, span.line, heading_path, keys[ordinal]),
                )
                chunk_id = connection.last_insert_rowid()
                connection.execute(INSERT_WORDS, (chunk_id, *words_of(title, heading_path, text[span.start : span.end])))
                connection.execute(VECTORS[slot].insert, (chunk_id, unit[ordinal].tobytes()))

    def put_without_text(self, file: FileFacts, state: DocumentState, reason: str, *, durable: bool = False) -> None:
        """Record why a file is not in the library. What was indexed of it before is removed. `durable` as for `put`."""
        with self._database.writing(durable=durable) as connection:
            ensure_words_version(connection)
            write_document(connection, file, state, reason, 0, None, CancelToken())

    def touch(self, path: Path, *, size_bytes: int, modified_ns: int, checked_ns: int) -> None:
        """The content was compared and is the same as before; only its stamps are new."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE documents SET size_bytes = ?, modified_ns = ?, checked_ns = ? WHERE path = ?",
                (size_bytes, modified_ns, checked_ns, os.fsencode(path)),
            )

    def remove(self, paths: Iterable[Path], cancel: CancelToken | None = None) -> int:
        """Forget files and everything made from them; returns how many were known. One transaction for each file.

        Raises `Cancelled` between two chunks; the file being forgotten is then still there.
        """
        cancel = cancel or CancelToken()
        removed = 0
        for path in paths:
            with self._database.writing() as connection:
                ensure_words_version(connection)
                row = fetch_one(connection, "SELECT id FROM documents WHERE path = ?", (os.fsencode(path),))
                if row:
                    delete_content(connection, row[0], cancel)
                    connection.execute("DELETE FROM documents WHERE id = ?", (row[0],))
                    removed += 1
        return removed

    def make_durable(self) -> None:
        """Wait until the disk holds everything that was written: a cut of the power takes nothing of it away."""
        self._database.make_durable()

    def erase_deleted(self) -> None:
        """Give freed pages back and empty the log, so that nothing of removed files stays in any file of ours."""
        self._database.erase_free_pages()

    # -- vectors that need not be made again

    def vectors_by_key(self, keys: Sequence[bytes], embedder_id: str) -> dict[bytes, bytes]:
        """Vectors (float32 bytes) that `embedder_id` has made already from the texts with these keys."""
        found: dict[bytes, bytes] = {}
        with self._database.reading() as connection:
            slot = slot_of(connection, embedder_id)
            if slot is None:
                return found
            for key in set(keys):
                row = fetch_one(
                    connection,
                    "SELECT chunks.id FROM chunks JOIN documents ON documents.id = document_id WHERE embedding_key = ? AND slot = ? LIMIT 1",
                    (key, slot),
                )
                vector = fetch_one(connection, VECTORS[slot].select, row) if row else None
                if vector:
                    found[key] = vector[0]
        return found

    def vectors_by_content(self, sha256: str, embedder_id: str) -> list[KnownVector]:
        """Vectors of a file with the very same content, in order; empty if there is none."""
        with self._database.reading() as connection:
            slot = slot_of(connection, embedder_id)
            if slot is None:
                return []
            document = fetch_one(
                connection, "SELECT id FROM documents WHERE sha256 = ? AND slot = ? AND state = 'ready' LIMIT 1", (sha256, slot)
            )
            if document is None:
                return []
            rows = fetch_all(
                connection, 'SELECT id, start, "end", embedding_key FROM chunks WHERE document_id = ? ORDER BY ordinal', document
            )
            known = []
            for chunk_id, start, end, key in rows:
                vector = fetch_one(connection, VECTORS[slot].select, (chunk_id,))
                if vector:
                    known.append(KnownVector(start, end, key, vector[0]))
        return known

    # -- searching

    def search_words(self, match: str, k: int) -> list[tuple[int, float]]:
        """Chunk ids and BM25 scores (higher is better), best first. `match` comes from `core.store.words.match_query`."""
        if not match or k < 1:
            return []
        with self._database.reading() as connection:
            return [
                (int(row[0]), -float(row[1]))
                for row in connection.execute(
                    "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (match, min(k, MAX_RESULTS))
                )
            ]

    def search_vectors(self, vector: Vectors, k: int, embedder_id: str) -> list[tuple[int, float]]:
        """Chunk ids and cosine similarities, best first, among vectors of the same model only."""
        if k < 1:
            return []
        unit = _unit_rows(vector.reshape(1, -1), 1)
        with self._database.reading() as connection:
            slot = slot_of(connection, embedder_id)
            if slot is None:
                return []
            rows = fetch_all(connection, VECTORS[slot].search, (unit[0].tobytes(), min(k, MAX_RESULTS)))
        # The vectors have length 1, so the squared distance is 2 - 2 cos.
        return [(int(chunk_id), 1.0 - float(distance) ** 2 / 2.0) for chunk_id, distance in rows if distance is not None]

    def similarities(self, vector: Vectors, chunk_ids: Sequence[int], embedder_id: str) -> dict[int, float]:
        """Cosine similarities of these chunks; those that have no vector of this model are left out."""
        found: dict[int, float] = {}
        if not chunk_ids:
            return found
        unit = _unit_rows(vector.reshape(1, -1), 1)[0]
        with self._database.reading() as connection:
            slot = slot_of(connection, embedder_id)
            if slot is None:
                return found
            for chunk_id in chunk_ids:
                row = fetch_one(connection, VECTORS[slot].select, (chunk_id,))
                if row:
                    found[chunk_id] = float(np.frombuffer(row[0], dtype="<f4") @ unit)
        return found

    def chunks(self, chunk_ids: Sequence[int]) -> list[Chunk]:
        """The chunks with these ids, in the order given; ids that are gone are left out."""
        found = []
        with self._database.reading() as connection:
            for chunk_id in chunk_ids:
                row = fetch_one(
                    connection,
                    'SELECT document_id, path, title, heading_path, start, "end", line FROM chunks JOIN documents ON documents.id = document_id'
                    " WHERE chunks.id = ?",
                    (chunk_id,),
                )
                if row:
                    document_id, path, title, heading_path, start, end, line = row
                    text = text_slice(connection, document_id, start, end)
                    found.append(Chunk(chunk_id, document_id, Path(os.fsdecode(path)), title, heading_path, start, end, line, text))
        return found

    def chunks_of(self, path: Path) -> list[Chunk]:
        """All chunks of a file in order."""
        with self._database.reading() as connection:
            rows = fetch_all(
                connection,
                "SELECT chunks.id FROM chunks JOIN documents ON documents.id = document_id WHERE path = ? ORDER BY ordinal",
                (os.fsencode(path),),
            )
        return self.chunks([row[0] for row in rows])

    # -- checking

    def check(self) -> IndexCounts:
        """Count what should agree: for every ready file chunks > 0, and every chunk has one vector and one word row."""
        problems = [f"index.db: {line}" for line in self._database.integrity_problems()]
        with self._database.reading() as connection:
            documents, ready = fetch_one(connection, "SELECT count(*), coalesce(sum(state = 'ready'), 0) FROM documents") or (0, 0)
            chunk_slots: dict[int, int] = dict(
                fetch_all(connection, "SELECT chunks.id, slot FROM chunks JOIN documents ON documents.id = document_id")
            )
            words = {row[0] for row in connection.execute("SELECT id FROM words_docsize")}
            vectors = {(row[0], slot) for slot in slots_in_use(connection) for row in connection.execute(VECTORS[slot].rows)}
            for path, expected, actual in connection.execute(
                "SELECT path, chunk_count, count(chunks.id) FROM documents LEFT JOIN chunks ON document_id = documents.id"
                " GROUP BY documents.id HAVING chunk_count <> count(chunks.id)"
            ):
                problems.append(f"{os.fsdecode(path)}: {expected} chunks expected, {actual} found")
            orphans = connection.execute("SELECT count(*) FROM texts WHERE document_id NOT IN (SELECT id FROM documents)").get
        if set(chunk_slots) != words:
            problems.append(f"{len(set(chunk_slots) ^ words)} chunks and word rows do not belong together")
        if set(chunk_slots.items()) != vectors:
            problems.append(f"{len(set(chunk_slots.items()) ^ vectors)} chunks and vectors do not belong together")
        if orphans:
            problems.append(f"{orphans} pieces of text belong to no file")
        return IndexCounts(documents, ready, len(chunk_slots), len(words), len(vectors), tuple(problems))


def _document(row: Sequence[object]) -> Document:
    document_id, path, title, state, reason, encoding, sha256, size_bytes, modified_ns, chunk_count = cast(
        "tuple[int, bytes, str, DocumentState, str, str, str, int, int, int]", tuple(row)
    )
    return Document(document_id, Path(os.fsdecode(path)), title, state, reason, encoding, sha256, size_bytes, modified_ns, chunk_count)


def _unit_rows(vectors: Vectors, rows: int) -> Vectors:
    """Rows of length 1. sqlite-vec takes NaN and zero vectors without a word and then ranks them first, so they end here."""
    if vectors.ndim != 2 or vectors.shape[0] != rows:
        raise ModelUnusable(f"The embedding model returned vectors of shape {vectors.shape}, {rows} rows were expected.")
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths < 1e-6).any():
        raise ModelUnusable("The embedding model returned a vector that is not a number or has no length.")
    return np.ascontiguousarray(vectors / lengths, dtype=np.float32)
