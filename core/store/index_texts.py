"""The texts of documents, in blocks, with the pages that begin in them: written, and read where a passage lies."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import apsw

from core.documents import Chunk, PageStart
from core.store.connection import fetch_all, fetch_one

BLOCK_CHARACTERS = 4096
"""Texts are kept in blocks of this many characters, so that a chunk is read without its whole document."""


def write_text(connection: apsw.Connection, document_id: int, text: str, pages: Sequence[PageStart]) -> None:
    """Store the text of a document, and where its pages begin. Of several that begin at one place, as pages without text do, the last one counts."""
    for start in range(0, len(text), BLOCK_CHARACTERS):
        connection.execute("INSERT INTO texts VALUES (?, ?, ?)", (document_id, start, text[start : start + BLOCK_CHARACTERS]))
    for known in pages:
        connection.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", (document_id, known.start, known.page))


def delete_text(connection: apsw.Connection, document_id: int) -> None:
    """Delete the text and the pages of a document."""
    connection.execute("DELETE FROM texts WHERE document_id = ?", (document_id,))
    connection.execute("DELETE FROM pages WHERE document_id = ?", (document_id,))


def text_slice(connection: apsw.Connection, document_id: int, start: int, end: int) -> str:
    """Characters `start` to `end` of a document, read from the blocks they lie in."""
    first = start - start % BLOCK_CHARACTERS
    rows = connection.execute(
        "SELECT text FROM texts WHERE document_id = ? AND start >= ? AND start < ? ORDER BY start", (document_id, first, end)
    )
    return "".join(row[0] for row in rows)[start - first : end - first]


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


def read_chunks(connection: apsw.Connection, chunk_ids: Sequence[int]) -> list[Chunk]:
    """The chunks with these ids, in the order given; those that are gone, or going, are left out."""
    found = []
    for chunk_id in chunk_ids:
        row = fetch_one(
            connection,
            'SELECT document_id, path, title, heading_path, start, "end", line FROM chunks JOIN documents ON documents.id = document_id'
            " WHERE chunks.id = ? AND reason <> 'going'",
            (chunk_id,),
        )
        if row:
            document_id, path, title, heading_path, start, end, line = row
            text = text_slice(connection, document_id, start, end)
            pages = pages_around(connection, document_id, start, end)
            found.append(Chunk(chunk_id, document_id, Path(os.fsdecode(path)), title, heading_path, start, end, line, text, pages))
    return found


def text_samples(connection: apsw.Connection, most: int, characters: int) -> list[str]:
    """The beginnings of at most `most` blocks, evenly spread over the library."""
    last = int(connection.execute("SELECT coalesce(max(rowid), 0) FROM texts").get)
    found: dict[int, str] = {}
    for place in range(min(most, last)):
        row = fetch_one(
            connection,
            "SELECT rowid, substr(text, 1, ?) FROM texts WHERE rowid >= ? ORDER BY rowid LIMIT 1",
            (characters, 1 + place * last // min(most, last)),
        )
        if row:
            found[int(row[0])] = str(row[1])
    return list(found.values())
