"""How index.db is laid out. A migration is never changed once it has been released; a new one is added at the end."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from core.store.connection import Migration

# The words table keeps no text of its own. It is not `contentless_delete`: FTS5 only marks such rows as gone and their words stay
# in the file, even after `optimize` (measured with SQLite 3.54). With the 'delete' command and secure-delete they really go.
_FIRST = """
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE embedders (
    slot INTEGER PRIMARY KEY CHECK (slot IN (0, 1)),
    model_id TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL
) STRICT;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path BLOB NOT NULL UNIQUE,      -- os.fsencode of an absolute path: names need not be Unicode
    title TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'ready', 'skipped', 'failed')),
    reason TEXT NOT NULL,
    encoding TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    checked_ns INTEGER NOT NULL,    -- when the content was last compared, on the clock that stamps files
    reader_version INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    slot INTEGER REFERENCES embedders (slot),
    CHECK (state <> 'ready' OR (chunk_count > 0 AND reason = '')),
    CHECK (state NOT IN ('skipped', 'failed') OR reason <> ''),
    CHECK ((chunk_count > 0) = (slot IS NOT NULL))
) STRICT;
CREATE INDEX documents_by_content ON documents (sha256);
CREATE TABLE texts (
    document_id INTEGER NOT NULL REFERENCES documents (id),
    start INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (document_id, start)
) STRICT;
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES documents (id),
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    line INTEGER NOT NULL,
    heading_path TEXT NOT NULL,
    embedding_key BLOB NOT NULL,    -- of the very text its vector was made from
    UNIQUE (document_id, ordinal),
    CHECK ("end" > start)
) STRICT;
CREATE INDEX chunks_by_embedding_key ON chunks (embedding_key);
CREATE VIRTUAL TABLE words USING fts5 (context, body, content = '', tokenize = "unicode61 remove_diacritics 2");
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
"""


# Where a search is restricted, to some documents, their ids come as one JSON list.
SEARCH_WORDS = "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
# Without the plus, FTS5 runs the whole query once for each id: 9 s instead of 0.3 s for 10,000 ids (SQLite 3.54).
SEARCH_WORDS_WITHIN = (
    "SELECT rowid, rank FROM words WHERE words MATCH ? AND +rowid IN"
    " (SELECT id FROM chunks WHERE document_id IN (SELECT value FROM json_each(?))) ORDER BY rank LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class VectorStatements:
    """The statements for one of the two vector tables.

    There are two so that a new embedding model can fill one while the other still answers. The names are constants: vec0 tables
    cannot be renamed, and no table name is ever put together from data.
    """

    create: str
    drop: str
    insert: str
    delete: str
    select: str
    rows: str
    search: str
    search_within: str
    of_key: str
    has: str
    missing: str
    none_missing: str


def _statements(slot: str) -> VectorStatements:
    def named(statement: str) -> str:
        return statement.replace("VECTORS", f"vectors_{slot}")

    return VectorStatements(
        create=named("CREATE VIRTUAL TABLE VECTORS USING vec0 (chunk_id INTEGER PRIMARY KEY, embedding float[DIMENSION])"),
        drop=named("DROP TABLE IF EXISTS VECTORS"),
        insert=named("INSERT INTO VECTORS (chunk_id, embedding) VALUES (?, ?)"),
        delete=named("DELETE FROM VECTORS WHERE chunk_id = ?"),
        select=named("SELECT embedding FROM VECTORS WHERE chunk_id = ?"),
        rows=named("SELECT rowid FROM VECTORS_rowids"),
        search=named("SELECT chunk_id, distance FROM VECTORS WHERE embedding MATCH ? AND k = ?"),
        # sqlite-vec takes the ids before it measures distances, so there are k answers if there are k such chunks.
        search_within=named(
            "SELECT chunk_id, distance FROM VECTORS WHERE embedding MATCH ? AND k = ? AND chunk_id IN"
            " (SELECT id FROM chunks WHERE document_id IN (SELECT value FROM json_each(?)))"
        ),
        of_key=named(
            "SELECT chunks.id FROM chunks WHERE embedding_key = ?"
            " AND EXISTS (SELECT 1 FROM VECTORS_rowids AS made WHERE made.rowid = chunks.id) LIMIT 1"
        ),
        has=named("SELECT 1 FROM VECTORS_rowids WHERE rowid = ?"),
        missing=named(
            'SELECT id, ordinal, embedding_key, heading_path, start, "end" FROM chunks WHERE document_id = ? AND ordinal > ?'
            " AND NOT EXISTS (SELECT 1 FROM VECTORS_rowids AS made WHERE made.rowid = chunks.id) ORDER BY ordinal LIMIT ?"
        ),
        none_missing=named(
            "SELECT count(*) > 0 AND count(*) = count(made.rowid) FROM chunks LEFT JOIN VECTORS_rowids AS made ON made.rowid = chunks.id"
            " WHERE document_id = ?"
        ),
    )


VECTORS = (_statements("0"), _statements("1"))


def _create(connection: apsw.Connection) -> None:
    connection.execute(_FIRST)


MIGRATIONS: tuple[Migration, ...] = (_create,)
