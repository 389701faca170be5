"""The vectors of each model: in which table they lie, which are known already, and which chunks lack theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

from core.cancel import CancelToken
from core.store.codes import drop_codes, learn_codes, write_codes
from core.store.connection import fetch_all, fetch_one
from core.store.index_schema import VECTORS
from core.store.index_texts import text_slice
from core.store.records import KnownVector, MadeVector, MissingVector, embedding_text
from core.store.takeover import answer_with, answering_embedder, free_slot

_ALL_MISSING = 'SELECT id, ordinal, embedding_key, heading_path, start, "end" FROM chunks WHERE document_id = ? AND ordinal > ? ORDER BY ordinal LIMIT ?'


def slot_of(connection: apsw.Connection, embedder_id: str) -> int | None:
    """The vector table of a model, or None if it has none."""
    row = fetch_one(connection, "SELECT slot FROM embedders WHERE model_id = ?", (embedder_id,))
    return int(row[0]) if row else None


def slots_in_use(connection: apsw.Connection) -> list[int]:
    """The vector tables that exist."""
    return [int(row[0]) for row in fetch_all(connection, "SELECT slot FROM embedders")]


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


def has_vector(connection: apsw.Connection, slot: int, chunk_id: int) -> bool:
    """Whether a chunk has its vector in a slot."""
    return bool(connection.execute(VECTORS[slot].has, (chunk_id,)).get)


def insert_vectors(connection: apsw.Connection, slot: int, made: Mapping[int, bytes], cancel: CancelToken) -> None:
    """Add vectors (float32 bytes, by the ids of chunks that have none) and their codes. Raises `Cancelled`."""
    for chunk_id, vector in made.items():
        cancel.check()
        connection.execute(VECTORS[slot].insert, (chunk_id, vector))
    if not learn_codes(connection, slot, cancel):
        write_codes(connection, slot, made)


def insert_missing(connection: apsw.Connection, slot: int, made: Sequence[MadeVector], cancel: CancelToken) -> None:
    """Add the vectors of those chunks that are there and lack theirs. Raises `Cancelled`."""
    wanted: dict[int, bytes] = {}
    for item in made:
        row = fetch_one(connection, "SELECT embedding_key FROM chunks WHERE id = ?", (item.chunk_id,))
        if row is None or has_vector(connection, slot, item.chunk_id):
            continue
        if row[0] != item.key:
            connection.execute("UPDATE chunks SET embedding_key = ? WHERE id = ?", (item.key, item.chunk_id))
        wanted[item.chunk_id] = item.vector
    insert_vectors(connection, slot, wanted, cancel)


def delete_vectors(connection: apsw.Connection, slots: Sequence[int], chunk_id: int) -> None:
    """Delete the vectors of a chunk, of both models: those of the next one may be there before the document is wholly in its hands.

    `erase_codes` takes their codes away, of many chunks at once.
    """
    for slot in slots:
        # By explicit rowid: a correlated delete on a vec0 table takes minutes.
        if has_vector(connection, slot, chunk_id):
            connection.execute(VECTORS[slot].delete, (chunk_id,))


def finish(connection: apsw.Connection, document_id: int, slot: int) -> bool:
    """Make a document ready if every chunk of it has its vector in `slot`. Returns whether it is.

    Vectors that it has of the model before stay: they answer until the new one has every file.
    """
    if not connection.execute(VECTORS[slot].none_missing, (document_id,)).get:
        return False
    connection.execute("UPDATE documents SET state = 'ready', slot = ? WHERE id = ?", (slot, document_id))
    return True


def count_missing(connection: apsw.Connection, slot: int | None, document_id: int) -> int:
    """How many chunks of a document have no vector in a slot; all of them where there is no slot."""
    if slot is None:
        return int(connection.execute("SELECT count(*) FROM chunks WHERE document_id = ?", (document_id,)).get)
    return int(connection.execute(VECTORS[slot].count_missing, (document_id,)).get)


def missing_vectors(connection: apsw.Connection, slot: int | None, document_id: int, after: int, limit: int) -> list[MissingVector]:
    """At most `limit` of these chunks, in order, from behind ordinal `after`, with the texts to embed."""
    title = connection.execute("SELECT title FROM documents WHERE id = ?", (document_id,)).get
    rows = fetch_all(connection, _ALL_MISSING if slot is None else VECTORS[slot].missing, (document_id, after, limit))
    return [
        MissingVector(chunk_id, ordinal, key, embedding_text(str(title), heading_path, text_slice(connection, document_id, start, end)))
        for chunk_id, ordinal, key, heading_path, start, end in rows
    ]


def vectors_by_key(connection: apsw.Connection, slot: int, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """The vectors in a slot that were made from the texts with these keys."""
    found: dict[bytes, bytes] = {}
    for key in set(keys):
        row = fetch_one(connection, VECTORS[slot].of_key, (key,))
        vector = fetch_one(connection, VECTORS[slot].select, row) if row else None
        if vector:
            found[key] = vector[0]
    return found


def vectors_by_content(connection: apsw.Connection, slot: int | None, sha256: str, encoding: str) -> list[KnownVector]:
    """What a slot has of a document with this content read in this encoding, in order; one that has all its vectors goes first."""
    document = fetch_one(
        connection,
        "SELECT id FROM documents WHERE sha256 = ? AND encoding = ? AND chunk_count > 0 ORDER BY slot IS ? AND state = 'ready' DESC, id LIMIT 1",
        (sha256, encoding, slot),
    )
    if document is None:
        return []
    rows = fetch_all(connection, 'SELECT id, start, "end", embedding_key FROM chunks WHERE document_id = ? ORDER BY ordinal', document)
    known = []
    for chunk_id, start, end, key in rows:
        vector = fetch_one(connection, VECTORS[slot].select, (chunk_id,)) if slot is not None else None
        known.append(KnownVector(start, end, key, vector[0] if vector else None))
    return known
