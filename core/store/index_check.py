"""Whether the rows of the index agree with each other: what `library check` counts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from core.store.codes import centre_of, count_codes
from core.store.connection import fetch_all, fetch_one
from core.store.index_schema import VECTORS
from core.store.index_vectors import slots_in_use


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """Rows in the index, for `library check`. `problems` says in plain words what does not agree.

    `words_only` counts the files that are found by their words while vectors of theirs are still to be made.
    """

    documents: int
    ready: int
    words_only: int
    chunks: int
    word_rows: int
    vectors: int
    problems: tuple[str, ...]


def count_index(connection: apsw.Connection, damage: Sequence[str]) -> IndexCounts:
    """Count what should agree: every file has as many chunks as it says, every chunk has one word row, and in a ready file one vector.

    `damage` are problems that are known already; they come first. A file whose removal broke off is not counted: the next run deletes its rest.
    """
    problems = [*damage]
    documents, ready, words_only = fetch_one(
        connection,
        "SELECT count(*), coalesce(sum(state = 'ready'), 0), coalesce(sum(state = 'waiting' AND chunk_count > 0), 0) FROM documents WHERE reason <> 'going'",
    ) or (0, 0, 0)
    chunks = {row[0] for row in connection.execute("SELECT id FROM chunks")}
    embedded = set(
        fetch_all(connection, "SELECT chunks.id, slot FROM chunks JOIN documents ON documents.id = document_id WHERE state = 'ready'")
    )
    words = {row[0] for row in connection.execute("SELECT id FROM words_docsize")}
    vectors = {(row[0], slot) for slot in slots_in_use(connection) for row in connection.execute(VECTORS[slot].rows)}
    for path, expected, actual in connection.execute(
        "SELECT path, chunk_count, count(chunks.id) FROM documents LEFT JOIN chunks ON document_id = documents.id"
        " WHERE reason <> 'going' GROUP BY documents.id HAVING chunk_count <> count(chunks.id)"
    ):
        problems.append(f"{os.fsdecode(path)}: {expected} chunks expected, {actual} found")
    orphans = connection.execute("SELECT count(*) FROM texts WHERE document_id NOT IN (SELECT id FROM documents)").get
    orphans += connection.execute(
        "SELECT count(*) FROM pages WHERE document_id NOT IN (SELECT id FROM documents WHERE chunk_count > 0 OR reason = 'going')"
    ).get
    if chunks != words:
        problems.append(f"{len(chunks ^ words)} chunks and word rows do not belong together")
    if lacking := embedded - vectors:
        problems.append(f"{len(lacking)} chunks of ready files have no vector")
    if strange := [chunk_id for chunk_id, _ in vectors if chunk_id not in chunks]:
        problems.append(f"{len(strange)} vectors belong to no chunk")
    for slot in slots_in_use(connection):
        coded, made = count_codes(connection, slot), sum(1 for _, at in vectors if at == slot)
        if centre_of(connection, slot) is not None and coded != made:
            problems.append(f"{made} vectors have {coded} codes")
    if orphans:
        problems.append(f"{orphans} pieces of text or pages belong to no file")
    return IndexCounts(documents, ready, words_only, len(chunks), len(words), len(vectors), tuple(problems))
