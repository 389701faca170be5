"""The parts that transactions on index.db are made of: what belongs to a document, together and in step."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

import apsw

from core.cancel import CancelToken
from core.documents import DocumentState, PageStart
from core.scope import Scope
from core.store.codes import drop_codes, erase_codes
from core.store.connection import fetch_all, fetch_one
from core.store.index_schema import VECTORS
from core.store.records import FileFacts
from core.store.storable import storable
from core.store.takeover import answer_with, answering_embedder, free_slot
from core.store.words import indexed_form, words_version

PIECE_CHUNKS = 300
"""So many chunks of files that are forgotten go in one transaction: others may write, or stop the work, in between."""

HOLES_MATTER_FROM = 500
"""Deleted chunks; fewer leave no holes worth the work."""

HOLES_SHARE = 0.25
"""Of the chunks that are there: so many deleted ones leave holes worth it."""

MERGED_PAGES = 1000
"""Pages of the word index that are written anew in one transaction: some tenths of a second."""

BLOCK_CHARACTERS = 4096
"""Texts are kept in blocks of this many characters, so that a chunk is read without its whole document."""

INSERT_WORDS = "INSERT INTO words (rowid, context, body) VALUES (?, ?, ?)"
_DELETE_WORDS = "INSERT INTO words (words, rowid, context, body) VALUES ('delete', ?, ?, ?)"


def write_document(
    connection: apsw.Connection,
    file: FileFacts,
    state: DocumentState,
    reason: str,
    chunk_count: int,
    slot: int | None,
    cancel: CancelToken,
) -> int:
    """Write the row of a file, drop whatever was indexed of it before, and return its id."""
    row = fetch_one(connection, "SELECT id FROM documents WHERE path = ?", (os.fsencode(file.path),))
    if row:
        delete_content(connection, row[0], cancel)
    return write_row(connection, file, state, reason, chunk_count, slot)


def write_row(connection: apsw.Connection, file: FileFacts, state: DocumentState, reason: str, chunk_count: int, slot: int | None) -> int:
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


def delete_content(connection: apsw.Connection, document_id: int, cancel: CancelToken) -> None:
    """Delete the text, chunks, words and vectors of a document; its row stays, waiting."""
    keep_chunks(connection, document_id, {}, cancel)
    connection.execute("UPDATE documents SET state = 'waiting', reason = '', chunk_count = 0, slot = NULL WHERE id = ?", (document_id,))


def keep_chunks(
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
    for slot in slots:
        erase_codes(connection, slot, gone)
    _count_deleted_words(connection, len(gone))
    connection.execute("UPDATE chunks SET ordinal = -1 - ordinal WHERE document_id = ?", (document_id,))
    _delete_text(connection, document_id)
    return kept


def _count_deleted_words(connection: apsw.Connection, chunks: int) -> None:
    if chunks:
        connection.execute(
            "INSERT INTO facts (name, value) VALUES ('words_deleted', ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            (str(chunks),),
        )


def words_have_holes(connection: apsw.Connection) -> bool:
    """Whether so many chunks were deleted from the word index that much of it is empty: a word that is deleted leaves its room behind."""
    deleted = int(connection.execute("SELECT coalesce(max(value), 0) FROM facts WHERE name = 'words_deleted'").get)
    if deleted < HOLES_MATTER_FROM:
        return False
    return deleted > HOLES_SHARE * int(connection.execute("SELECT count(*) FROM chunks").get)


def close_holes(connection: apsw.Connection, *, begin: bool) -> bool:
    """Write a piece of the word index closely anew; returns whether there was nothing more to do. The first call says `begin`."""
    before = connection.total_changes()
    # Less than nothing: everything is to be merged, not only what FTS5 would merge by itself.
    connection.execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", (-MERGED_PAGES if begin else MERGED_PAGES,))
    is_done = connection.total_changes() - before < 2
    if is_done:
        connection.execute("DELETE FROM facts WHERE name = 'words_deleted'")
    return is_done


def _delete_text(connection: apsw.Connection, document_id: int) -> None:
    connection.execute("DELETE FROM texts WHERE document_id = ?", (document_id,))
    connection.execute("DELETE FROM pages WHERE document_id = ?", (document_id,))


def _delete_chunk(connection: apsw.Connection, chunk_id: int, words: tuple[str, str], slots: Sequence[int]) -> None:
    connection.execute(_DELETE_WORDS, (chunk_id, *words))
    # Of both models: vectors of the next one may be there before the document is wholly in its hands.
    for slot in slots:
        # By explicit rowid: a correlated delete on a vec0 table takes minutes.
        if connection.execute(VECTORS[slot].has, (chunk_id,)).get:
            connection.execute(VECTORS[slot].delete, (chunk_id,))
    connection.execute("DELETE FROM chunks WHERE id = ?", (chunk_id,))


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
    for slot in slots:
        erase_codes(connection, slot, [int(chunk_id) for chunk_id, *_ in chunks])
    _count_deleted_words(connection, len(chunks))
    empty = fetch_all(
        connection, "SELECT id FROM documents WHERE reason = 'going' AND NOT EXISTS (SELECT 1 FROM chunks WHERE document_id = documents.id)"
    )
    for document in empty:
        _delete_text(connection, document[0])
        connection.execute("DELETE FROM documents WHERE id = ?", document)
    return len(chunks) < PIECE_CHUNKS


def slot_for_writing(connection: apsw.Connection, embedder_id: str, dimension: int) -> int:
    """The vector table of a model, made if there is none. With both tables taken, the one that does not answer makes room.

    The files whose vectors go keep their text and their words, and wait for the vectors of the new model. The first model of an index answers.
    """
    row = fetch_one(connection, "SELECT slot, dimension FROM embedders WHERE model_id = ?", (embedder_id,))
    if row and row[1] == dimension:
        return int(row[0])
    is_first = not answering_embedder(connection)
    slot = int(row[0]) if row else free_slot(connection)
    connection.execute("UPDATE documents SET state = 'waiting' WHERE slot = ?", (slot,))
    connection.execute(VECTORS[slot].drop)
    drop_codes(connection, slot)
    connection.execute(VECTORS[slot].create.replace("DIMENSION", str(int(dimension))))
    connection.execute("INSERT OR REPLACE INTO embedders (slot, model_id, dimension) VALUES (?, ?, ?)", (slot, embedder_id, dimension))
    if is_first:
        answer_with(connection, embedder_id)
    return slot


def ensure_words_version(connection: apsw.Connection) -> None:
    """Write the word index anew if it was made by other rules than today's: its rows could not be deleted any more."""
    if has_todays_words(connection):
        return
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    rows = fetch_all(
        connection,
        'SELECT chunks.id, document_id, title, heading_path, start, "end" FROM chunks JOIN documents ON documents.id = document_id',
    )
    for chunk_id, document_id, title, heading_path, start, end in rows:
        connection.execute(INSERT_WORDS, (chunk_id, *words_of(title, heading_path, text_slice(connection, document_id, start, end))))
    connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES ('words_version', ?)", (words_version(),))


def has_todays_words(connection: apsw.Connection) -> bool:
    """Whether the word index was made by today's rules."""
    return bool(connection.execute("SELECT value FROM facts WHERE name = 'words_version'").get == words_version())


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


def finish(connection: apsw.Connection, document_id: int, slot: int) -> bool:
    """Make a document ready if every chunk of it has its vector in `slot`. Returns whether it is.

    Vectors that it has of the model before stay: they answer until the new one has every file.
    """
    if not connection.execute(VECTORS[slot].none_missing, (document_id,)).get:
        return False
    connection.execute("UPDATE documents SET state = 'ready', slot = ? WHERE id = ?", (slot, document_id))
    return True


def slot_of(connection: apsw.Connection, embedder_id: str) -> int | None:
    """The vector table of a model, or None if it has none."""
    row = fetch_one(connection, "SELECT slot FROM embedders WHERE model_id = ?", (embedder_id,))
    return int(row[0]) if row else None


def slots_in_use(connection: apsw.Connection) -> list[int]:
    """The vector tables that exist."""
    return [int(row[0]) for row in fetch_all(connection, "SELECT slot FROM embedders")]


def text_slice(connection: apsw.Connection, document_id: int, start: int, end: int) -> str:
    """Characters `start` to `end` of a document, read from the blocks they lie in."""
    first = start - start % BLOCK_CHARACTERS
    rows = connection.execute(
        "SELECT text FROM texts WHERE document_id = ? AND start >= ? AND start < ? ORDER BY start", (document_id, first, end)
    )
    return "".join(row[0] for row in rows)[start - first : end - first]


def write_pages(connection: apsw.Connection, document_id: int, pages: Sequence[PageStart]) -> None:
    """Store where the pages of a document begin. Of several that begin at one place, as pages without text do, the last one counts."""
    for known in pages:
        connection.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", (document_id, known.start, known.page))


def pages_around(connection: apsw.Connection, document_id: int, start: int, end: int) -> tuple[PageStart, ...]:
    """The page that characters `start` to `end` of a document begin on, the pages that begin in them, and one more on either side.

    These are there because a passage may grow by a sentence when it is shown.
    """
    before = fetch_all(
        connection, "SELECT start, page FROM pages WHERE document_id = ? AND start <= ? ORDER BY start DESC LIMIT 2", (document_id, start)
    )
    if not before:  # the first page begins where the text does
        return ()
    inside = fetch_all(
        connection,
        "SELECT start, page FROM pages WHERE document_id = ? AND start > ? AND start < ? ORDER BY start",
        (document_id, start, end),
    )
    after = fetch_all(
        connection,
        "SELECT start, page FROM pages WHERE document_id = ? AND start >= ? ORDER BY start LIMIT 1",
        (document_id, max(end, start + 1)),
    )
    return tuple(PageStart(*row) for row in (*reversed(before), *inside, *after))


def words_of(title: str, heading_path: str, text: str) -> tuple[str, str]:
    """What the word index is given for a chunk: its context and its text."""
    return indexed_form(f"{title} > {heading_path}" if heading_path else title), indexed_form(text)
