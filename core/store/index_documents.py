"""A document in index.db: its row, its chunks with their words and vectors, put, replaced and removed together and in step."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

import apsw

from core.cancel import CancelToken
from core.documents import DocumentState, PageStart
from core.scope import Scope
from core.store.codes import erase_codes
from core.store.connection import fetch_all, fetch_one
from core.store.index_texts import delete_text, text_slice, write_text
from core.store.index_vectors import delete_vectors, has_vector, insert_vectors, slots_in_use
from core.store.index_words import Words, count_deleted, delete_words, insert_words, words_of
from core.store.records import ChunkSpan, FileFacts
from core.store.storable import storable

PIECE_CHUNKS = 300
"""So many chunks of files that are forgotten go in one transaction: others may write, or stop the work, in between."""


def replace_text(
    connection: apsw.Connection,
    slot: int,
    file: FileFacts,
    text: str,
    spans: Sequence[ChunkSpan],
    keys: Sequence[bytes],
    known: Sequence[bytes | None],
    pages: Sequence[PageStart],
    cancel: CancelToken,
) -> int:
    """Replace a file by its new text, its words and the vectors that are `known` already; returns its id. It waits.

    `keys` and `known` belong to `spans`. Raises `Cancelled`.
    """
    kept = _keep_chunks(connection, file, text, spans, cancel)
    document_id = _write_row(connection, file, "waiting", "", len(spans), slot)
    write_text(connection, document_id, text, pages)
    title = storable(file.title)
    vectors: dict[int, bytes] = {}
    for ordinal, span in enumerate(spans):
        cancel.check()
        chunk_id, vector = kept.get(ordinal), known[ordinal]
        if chunk_id is not None:
            connection.execute(
                'UPDATE chunks SET ordinal = ?, start = ?, "end" = ?, line = ? WHERE id = ?',
                (ordinal, span.start, span.end, span.line, chunk_id),
            )
            if vector is None or has_vector(connection, slot, chunk_id):
                continue
            connection.execute("UPDATE chunks SET embedding_key = ? WHERE id = ?", (keys[ordinal], chunk_id))
        else:
            heading_path = storable(span.heading_path)
            connection.execute(
                'INSERT INTO chunks (document_id, ordinal, start, "end", line, heading_path, embedding_key) VALUES (?, ?, ?, ?, ?, ?, ?)',
                (document_id, ordinal, span.start, span.end, span.line, heading_path, keys[ordinal]),
            )
            chunk_id = connection.last_insert_rowid()
            insert_words(connection, chunk_id, words_of(title, heading_path, text[span.start : span.end]))
        if vector is not None:
            vectors[chunk_id] = vector
    insert_vectors(connection, slot, vectors, cancel)
    return document_id


def put_without_text(connection: apsw.Connection, file: FileFacts, state: DocumentState, reason: str) -> None:
    """Write the row of a file of which there is nothing to be found, and delete whatever was indexed of it before."""
    row = fetch_one(connection, "SELECT id FROM documents WHERE path = ?", (os.fsencode(file.path),))
    if row:
        _delete_other_chunks(connection, row[0], {}, CancelToken())
    _write_row(connection, file, state, reason, 0, None)


def _write_row(connection: apsw.Connection, file: FileFacts, state: DocumentState, reason: str, chunk_count: int, slot: int | None) -> int:
    """Write the row of a file and return its id."""
    path = os.fsencode(file.path)
    row = fetch_one(connection, "SELECT id FROM documents WHERE path = ?", (path,))
    connection.execute(
        "INSERT INTO documents (path, title, state, reason, encoding, sha256, size_bytes, modified_ns, checked_ns, reader_version,"
        " chunk_count, slot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET title = excluded.title, state = excluded.state,"
        " reason = excluded.reason, encoding = excluded.encoding, sha256 = excluded.sha256, size_bytes = excluded.size_bytes,"
        " modified_ns = excluded.modified_ns, checked_ns = excluded.checked_ns, reader_version = excluded.reader_version, chunk_count = excluded.chunk_count, slot = excluded.slot",
        (
            path,
            storable(file.title),
            state,
            reason,
            file.encoding,
            file.sha256,
            file.size_bytes,
            file.modified_ns,
            file.checked_ns,
            file.reader_version,
            chunk_count,
            slot,
        ),
    )
    return int(row[0]) if row else connection.last_insert_rowid()


def _keep_chunks(
    connection: apsw.Connection, file: FileFacts, text: str, spans: Sequence[ChunkSpan], cancel: CancelToken
) -> dict[int, int]:
    """Ids of the file's chunks that stay as they are, by their new ordinals; all others are deleted.

    A chunk that an edit left alone keeps its words and its vectors: taking a vector out of the index costs more than anything else.
    """
    row = fetch_one(connection, "SELECT id, title FROM documents WHERE path = ?", (os.fsencode(file.path),))
    if row is None:
        return {}
    document_id, title = row
    wanted: dict[tuple[str, str], list[int]] = {}
    if title == storable(file.title):
        for ordinal, span in enumerate(spans):
            wanted.setdefault((storable(span.heading_path), text[span.start : span.end]), []).append(ordinal)
    return _delete_other_chunks(connection, document_id, wanted, cancel)


def _delete_other_chunks(
    connection: apsw.Connection, document_id: int, wanted: Mapping[tuple[str, str], Sequence[int]], cancel: CancelToken
) -> dict[int, int]:
    """Delete the text of a document, and its chunks with their words and vectors, except those that say what is wanted.

    `wanted` has heading path and text of the chunks that will be, and their ordinals. Returns the ids of those that are there
    already, by these ordinals; the ordinals in their rows are free to be written.
    """
    document = fetch_one(connection, "SELECT title FROM documents WHERE id = ?", (document_id,))
    title = document[0] if document else ""
    chunks = fetch_all(
        connection, 'SELECT id, heading_path, start, "end" FROM chunks WHERE document_id = ? ORDER BY ordinal', (document_id,)
    )
    slots = slots_in_use(connection)
    open_places = {said: deque(ordinals) for said, ordinals in wanted.items()}
    kept: dict[int, int] = {}
    gone: list[int] = []
    for chunk_id, heading_path, start, end in chunks:
        cancel.check()
        text = text_slice(connection, document_id, start, end)
        if places := open_places.get((heading_path, text)):
            kept[places.popleft()] = chunk_id
            continue
        _delete_chunk(connection, chunk_id, words_of(title, heading_path, text), slots)
        gone.append(chunk_id)
    _erase_traces(connection, gone, slots)
    connection.execute("UPDATE chunks SET ordinal = -1 - ordinal WHERE document_id = ?", (document_id,))
    delete_text(connection, document_id)
    return kept


def _delete_chunk(connection: apsw.Connection, chunk_id: int, words: Words, slots: Sequence[int]) -> None:
    delete_words(connection, chunk_id, words)
    delete_vectors(connection, slots, chunk_id)
    connection.execute("DELETE FROM chunks WHERE id = ?", (chunk_id,))


def _erase_traces(connection: apsw.Connection, chunk_ids: Sequence[int], slots: Sequence[int]) -> None:
    """What is done once for many deleted chunks."""
    for slot in slots:
        erase_codes(connection, slot, chunk_ids)
    count_deleted(connection, len(chunk_ids))


def begin_removal(connection: apsw.Connection, path: Path) -> bool:
    """Let nothing of a file be shown or found any more; returns whether it was known. `remove_piece` deletes it, now or after the next start."""
    connection.execute(
        "UPDATE documents SET state = 'waiting', reason = 'going', chunk_count = 0, slot = NULL WHERE path = ?", (os.fsencode(path),)
    )
    return connection.changes() > 0


def remove_piece(connection: apsw.Connection) -> bool:
    """Delete some chunks of the files whose removal has begun, and files of which no chunk is left. Returns whether that was all."""
    slots = slots_in_use(connection)
    chunks = fetch_all(
        connection,
        'SELECT chunks.id, document_id, title, heading_path, start, "end" FROM documents JOIN chunks ON document_id = documents.id'
        " WHERE reason = 'going' LIMIT ?",
        (PIECE_CHUNKS,),
    )
    for chunk_id, document_id, title, heading_path, start, end in chunks:
        words = words_of(title, heading_path, text_slice(connection, document_id, start, end))
        _delete_chunk(connection, chunk_id, words, slots)
    _erase_traces(connection, [int(chunk_id) for chunk_id, *_ in chunks], slots)
    empty = fetch_all(
        connection, "SELECT id FROM documents WHERE reason = 'going' AND NOT EXISTS (SELECT 1 FROM chunks WHERE document_id = documents.id)"
    )
    for document in empty:
        delete_text(connection, document[0])
        connection.execute("DELETE FROM documents WHERE id = ?", document)
    return len(chunks) < PIECE_CHUNKS


def documents_within(connection: apsw.Connection, scope: Scope) -> list[int]:
    """The ids of documents with anything to search that `scope` includes."""
    first, after = scope.modified_between()
    if not scope.paths:
        rows = fetch_all(
            connection, "SELECT id FROM documents WHERE chunk_count > 0 AND modified_ns >= ? AND modified_ns < ?", (first, after)
        )
        return [int(row[0]) for row in rows]
    found: set[int] = set()
    for path in scope.paths:
        rows = fetch_all(
            connection,
            "SELECT id FROM documents WHERE (path = ? OR (path >= ? AND path < ?)) AND chunk_count > 0 AND modified_ns >= ? AND modified_ns < ?",
            (*_path_range(path), first, after),
        )
        found.update(int(row[0]) for row in rows)
    return sorted(found)


def knows_path(connection: apsw.Connection, path: Path) -> bool:
    """Whether a file is known, in whatever state, or any file inside a folder."""
    row = fetch_one(
        connection,
        "SELECT EXISTS (SELECT 1 FROM documents WHERE (path = ? OR (path >= ? AND path < ?)) AND reason <> 'going')",
        _path_range(path),
    )
    return bool(row and row[0])


def _path_range(path: Path) -> tuple[bytes, bytes, bytes]:
    """A path as it is stored, and between which two bytes everything inside it lies: names are compared byte by byte."""
    whole, separator = os.fsencode(path), os.fsencode(os.sep)
    inside = whole.rstrip(separator) + separator
    return whole, inside, inside[:-1] + bytes([inside[-1] + 1])
