"""The word index: what a chunk is given there, by which rules it was made, and the holes that deleted chunks leave in it."""

from __future__ import annotations

import apsw

from core.store.connection import fetch_all
from core.store.index_texts import text_slice
from core.store.words import indexed_form, words_version

HOLES_MATTER_FROM = 500
"""Deleted chunks; fewer leave no holes worth the work."""

HOLES_SHARE = 0.25
"""Of the chunks that are there: so many deleted ones leave holes worth it."""

MERGED_PAGES = 1000
"""Pages of the word index that are written anew in one transaction: some tenths of a second."""

Words = tuple[str, str]


def words_of(title: str, heading_path: str, text: str) -> Words:
    """What the word index is given for a chunk: its context and its text."""
    return indexed_form(f"{title} > {heading_path}" if heading_path else title), indexed_form(text)


def insert_words(connection: apsw.Connection, chunk_id: int, words: Words) -> None:
    """Let a chunk be found by these words."""
    connection.execute("INSERT INTO words (rowid, context, body) VALUES (?, ?, ?)", (chunk_id, *words))


def delete_words(connection: apsw.Connection, chunk_id: int, words: Words) -> None:
    """Take a chunk out, with the very words that it was given. `count_deleted` is told of it afterwards."""
    connection.execute("INSERT INTO words (words, rowid, context, body) VALUES ('delete', ?, ?, ?)", (chunk_id, *words))


def count_deleted(connection: apsw.Connection, chunks: int) -> None:
    """So many chunks were taken out: each leaves a hole."""
    if chunks:
        connection.execute(
            "INSERT INTO facts (name, value) VALUES ('words_deleted', ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            (str(chunks),),
        )


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
        insert_words(connection, chunk_id, words_of(title, heading_path, text_slice(connection, document_id, start, end)))
    connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES ('words_version', ?)", (words_version(),))


def has_todays_words(connection: apsw.Connection) -> bool:
    """Whether the word index was made by today's rules."""
    return bool(connection.execute("SELECT value FROM facts WHERE name = 'words_version'").get == words_version())


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
