"""How user.db is laid out. A migration is never changed once it has been released; a new one is added at the end."""

from __future__ import annotations

import apsw

from core.store.connection import Migration

_FIRST = """
CREATE TABLE sources (
    path BLOB PRIMARY KEY,          -- os.fsencode of an absolute path: names need not be Unicode
    added_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE excluded (
    path BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    updated_at REAL NOT NULL
) STRICT;
CREATE TABLE turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    question TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed', 'interrupted')),
    text TEXT NOT NULL DEFAULT '',
    answer TEXT,
    error_code TEXT NOT NULL DEFAULT '',
    error_message TEXT NOT NULL DEFAULT '',
    asked_at REAL NOT NULL,
    CHECK (state <> 'done' OR answer IS NOT NULL)
) STRICT;
CREATE INDEX turns_of_conversation ON turns (conversation_id, id);
CREATE TABLE drafts (
    conversation_id INTEGER PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;
"""


def _create(connection: apsw.Connection) -> None:
    connection.execute(_FIRST)


def _restrict_questions(connection: apsw.Connection) -> None:
    # JSON of what a question is restricted to; '' is the whole library.
    connection.execute("ALTER TABLE turns ADD COLUMN scope TEXT NOT NULL DEFAULT ''")


def _choose_encodings(connection: apsw.Connection) -> None:
    # What a person says a file is in, where the program took it for something else.
    connection.execute("CREATE TABLE encodings (path BLOB PRIMARY KEY, encoding TEXT NOT NULL) STRICT, WITHOUT ROWID")


MIGRATIONS: tuple[Migration, ...] = (_create, _restrict_questions, _choose_encodings)
