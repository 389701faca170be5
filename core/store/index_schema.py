"""How index.db is laid out. A migration is never changed once it has been released; a new one is added at the end."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from core.store.connection import Migration, fetch_all

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
COUNT_WORDS = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
NEWEST_WORDS = "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
CHUNKS_WITHIN = "SELECT id FROM chunks WHERE document_id IN (SELECT value FROM json_each(?))"
BEGINNINGS = (
    'SELECT chunks.id, substr(text, chunks.start % ? + 1, min(?, "end" - chunks.start)) FROM json_each(?) AS wanted JOIN chunks ON chunks.id = wanted.value'
    " JOIN texts ON texts.document_id = chunks.document_id AND texts.start = chunks.start - chunks.start % ?"
)
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
    count: str
    sample: str
    all: str
    search: str
    search_within: str
    of_key: str
    has: str
    missing: str
    count_missing: str
    none_missing: str


def _statements(slot: str) -> VectorStatements:
    def named(statement: str) -> str:
        return statement.replace("VECTORS", f"vectors_{slot}")

    return VectorStatements(
        # Eight vectors to a block: SQLite walks a large blob page by page, and with the usual 1,024 a vector that is not in its page cache
        # takes five times as long to read (100,000 vectors).
        create=named("CREATE VIRTUAL TABLE VECTORS USING vec0 (chunk_id INTEGER PRIMARY KEY, embedding float[DIMENSION], chunk_size=8)"),
        drop=named("DROP TABLE IF EXISTS VECTORS"),
        insert=named("INSERT INTO VECTORS (chunk_id, embedding) VALUES (?, ?)"),
        delete=named("DELETE FROM VECTORS WHERE chunk_id = ?"),
        select=named("SELECT embedding FROM VECTORS WHERE chunk_id = ?"),
        rows=named("SELECT rowid FROM VECTORS_rowids"),
        count=named("SELECT count(*) FROM VECTORS_rowids"),
        # Neighbours by id are neighbours in a file, so a sample is taken from all over.
        sample=named("SELECT embedding FROM VECTORS WHERE chunk_id IN (SELECT rowid FROM VECTORS_rowids WHERE rowid % ? = 0 LIMIT ?)"),
        all=named("SELECT chunk_id, embedding FROM VECTORS"),
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
        count_missing=named(
            "SELECT count(*) FROM chunks WHERE document_id = ?"
            " AND NOT EXISTS (SELECT 1 FROM VECTORS_rowids AS made WHERE made.rowid = chunks.id)"
        ),
        none_missing=named(
            "SELECT count(*) > 0 AND count(*) = count(made.rowid) FROM chunks LEFT JOIN VECTORS_rowids AS made ON made.rowid = chunks.id"
            " WHERE document_id = ?"
        ),
    )


VECTORS = (_statements("0"), _statements("1"))


def _create(connection: apsw.Connection) -> None:
    connection.execute(_FIRST)


_SECOND = """
ALTER TABLE embedders ADD COLUMN centre BLOB;  -- float32, what is taken from a vector before its code is made; NULL: there are no codes
CREATE TABLE codes (
    slot INTEGER NOT NULL,
    block INTEGER NOT NULL,         -- of chunk ids, see core.store.codes
    version INTEGER NOT NULL,       -- grows with every change in the slot
    held BLOB NOT NULL,             -- which chunks of the block have a code; empty: none
    words BLOB NOT NULL,
    scales BLOB NOT NULL,
    UNIQUE (slot, block)
) STRICT;
CREATE INDEX codes_by_version ON codes (slot, version);
"""


def _add_codes(connection: apsw.Connection) -> None:
    """Room for codes, and vectors in small blocks."""
    connection.execute(_SECOND)
    for slot, dimension in fetch_all(connection, "SELECT slot, dimension FROM embedders"):
        # vec0 tables cannot be renamed.
        connection.execute(f"CREATE TABLE moved AS {VECTORS[slot].all}")
        connection.execute(VECTORS[slot].drop)
        connection.execute(VECTORS[slot].create.replace("DIMENSION", str(int(dimension))))
        connection.execute(VECTORS[slot].insert.replace("VALUES (?, ?)", "SELECT chunk_id, embedding FROM moved"))
        connection.execute("DROP TABLE moved")


def _keep_pages(connection: apsw.Connection) -> None:
    # Where each page of a document begins in its text; a document without pages has no rows here.
    connection.execute(
        "CREATE TABLE pages (document_id INTEGER NOT NULL REFERENCES documents (id), start INTEGER NOT NULL, page INTEGER NOT NULL,"
        " PRIMARY KEY (document_id, start)) STRICT, WITHOUT ROWID"
    )


MIGRATIONS: tuple[Migration, ...] = (_create, _add_codes, _keep_pages)
