"""Which embedding model's vectors answer, and how another one takes over from it.

There are two vector tables. While the model that the person chose fills one, the other still answers, complete: a file keeps the vectors of both.
When the new model has every file, it answers from then on and the other's vectors go, in one transaction.
"""

from __future__ import annotations

import apsw

from core.store.codes import drop_codes
from core.store.connection import fetch_all, fetch_one
from core.store.index_schema import VECTORS

_ANSWERS = "answering_embedder"


def answering_embedder(connection: apsw.Connection) -> str:
    """The id of the model whose vectors answer; "" while there are no vectors at all."""
    row = fetch_one(connection, "SELECT model_id FROM embedders JOIN facts ON value = model_id WHERE name = ?", (_ANSWERS,))
    # An index in which it was never written down: the model that most files are embedded by.
    row = row or fetch_one(
        connection,
        "SELECT model_id FROM embedders LEFT JOIN documents USING (slot) GROUP BY slot ORDER BY count(documents.id) DESC, slot LIMIT 1",
    )
    return str(row[0]) if row else ""


def answer_with(connection: apsw.Connection, embedder_id: str) -> None:
    """Let the vectors of this model answer from now on."""
    connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (_ANSWERS, embedder_id))


def free_slot(connection: apsw.Connection) -> int:
    """The vector table that a further model gets: one that is not used, else the one that does not answer."""
    used = dict(fetch_all(connection, "SELECT slot, model_id FROM embedders"))
    unused = [slot for slot in range(len(VECTORS)) if slot not in used]
    if unused:
        return unused[0]
    answering = answering_embedder(connection)
    return next(int(slot) for slot, model_id in used.items() if model_id != answering)


def may_take_over(connection: apsw.Connection, embedder_id: str) -> bool:
    """Whether this model has the vectors of every file, and something of another one is still there."""
    row = fetch_one(connection, "SELECT slot FROM embedders WHERE model_id = ?", (embedder_id,))
    if row is None:
        return False
    others = connection.execute("SELECT EXISTS (SELECT 1 FROM embedders WHERE slot <> ?)", row).get
    left = connection.execute("SELECT EXISTS (SELECT 1 FROM documents WHERE chunk_count > 0 AND (state <> 'ready' OR slot <> ?))", row).get
    return bool(others) and not left


def take_over(connection: apsw.Connection, embedder_id: str) -> None:
    """Let this model answer and delete the vectors of every other one. Only after `may_take_over` in the same transaction."""
    answer_with(connection, embedder_id)
    for slot, model_id in fetch_all(connection, "SELECT slot, model_id FROM embedders WHERE model_id <> ?", (embedder_id,)):
        connection.execute(VECTORS[slot].drop)
        drop_codes(connection, slot)
        connection.execute("DELETE FROM embedders WHERE slot = ?", (slot,))
        connection.execute("DELETE FROM facts WHERE name = ?", (_place(model_id),))


def remember_place(connection: apsw.Connection, embedder_id: str, place: str) -> None:
    """Write down where a model lies, for the time when it is not the chosen one any more."""
    connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (_place(embedder_id), place))


def place_of(connection: apsw.Connection, embedder_id: str) -> str:
    """Where a model lay when it was used last; "" if nobody said."""
    row = fetch_one(connection, "SELECT value FROM facts WHERE name = ?", (_place(embedder_id),))
    return str(row[0]) if row else ""


def _place(embedder_id: str) -> str:
    return f"place of {embedder_id}"
