"""The two searches in index.db, each with its bound: what a search costs must not grow with the library for ever."""

from __future__ import annotations

from collections.abc import Sequence

import apsw
import numpy as np
import numpy.typing as npt

from core.protocols import Vectors
from core.store.connection import fetch_all, fetch_one
from core.store.index_schema import CHUNKS_WITHIN, COUNT_WORDS, NEWEST_WORDS, SEARCH_WORDS, SEARCH_WORDS_WITHIN, VECTORS
from core.store.words import terms_of

SCORED = 20_000
"""Chunks that a search by words scores at most, more or less. SQLite takes 1.2 µs for each, and everything that has a word of the query is scored."""


def ranked_by_words(connection: apsw.Connection, match: str, k: int, within: str | None) -> list[tuple[int, float]]:
    """Chunk ids and BM25 ranks (lower is better), the best k first; `within` are the only documents to search, as a JSON list.

    In a library of more than `SCORED` chunks, words that a great many chunks have do not take part if the query has rarer ones. If it has not, the newest
    chunks with its rarest word are scored.
    """
    if within is not None:
        return fetch_all(connection, SEARCH_WORDS_WITHIN, (match, within, k))
    newest = connection.execute("SELECT max(id) FROM chunks").get
    if newest is None or newest <= SCORED:
        return fetch_all(connection, SEARCH_WORDS, (match, k))
    terms = terms_of(match)
    # A single one need not be counted first: all chunks that have it are among the newest so many, or it is common.
    rare = _rare_terms(connection, terms) if len(terms) > 1 else []
    if rare:
        return fetch_all(connection, SEARCH_WORDS, (" OR ".join(rare), k))
    rows = fetch_all(connection, NEWEST_WORDS, (match, SCORED))
    return sorted(rows, key=lambda row: row[1])[:k]


def _rare_terms(connection: apsw.Connection, terms: Sequence[str]) -> list[str]:
    """The rarest terms that `SCORED` chunks have together; none if each is in more."""
    counted = sorted((int(connection.execute(COUNT_WORDS, (term, SCORED + 1)).get), term) for term in terms)
    rare: list[str] = []
    scored = 0
    for chunks, term in counted:
        # What is nowhere (another spelling, a slip of the pen) must not keep the words out that are somewhere.
        if not chunks:
            continue
        scored += chunks
        if scored > SCORED:
            break
        rare.append(term)
    return rare


def nearest_of_all(connection: apsw.Connection, slot: int, wanted: bytes, k: int, within: str | None) -> list[tuple[int, float]]:
    """Chunk ids and cosines, the best k first, by comparing every vector of a slot, or every one `within` some documents."""
    if within is None:
        rows = fetch_all(connection, VECTORS[slot].search, (wanted, k))
    else:
        rows = fetch_all(connection, VECTORS[slot].search_within, (wanted, k, within))
    # The vectors have length 1, so the squared distance is 2 - 2 cos.
    return [(int(chunk_id), 1.0 - float(distance) ** 2 / 2.0) for chunk_id, distance in rows if distance is not None]


def similarities_of(connection: apsw.Connection, slot: int, query: Vectors, chunk_ids: Sequence[int]) -> dict[int, float]:
    """Cosines of chunks to a query of length 1; those without a vector are left out."""
    rows = [(chunk_id, fetch_one(connection, VECTORS[slot].select, (chunk_id,))) for chunk_id in chunk_ids]
    held = [(chunk_id, row[0]) for chunk_id, row in rows if row]
    if not held:
        return {}
    cosines = np.frombuffer(b"".join(vector for _, vector in held), dtype="<f4").reshape(len(held), -1) @ query
    return {chunk_id: float(cosine) for (chunk_id, _), cosine in zip(held, cosines, strict=True)}


def chunk_ids_of(connection: apsw.Connection, within: str) -> npt.NDArray[np.int64]:
    """The ids of all chunks of some documents, which come as a JSON list."""
    return np.array([row[0] for row in connection.execute(CHUNKS_WITHIN, (within,))], dtype=np.int64)
