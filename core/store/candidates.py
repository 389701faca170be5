"""The codes of a slot in memory, and which vectors they say are worth reading."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

import apsw
import numpy as np
import numpy.typing as npt

from core.cancel import Aside
from core.protocols import Vectors
from core.store.codes import BLOCK, FIRST_SHARE, SCALES, SECOND_SHARE, Scales, Words, code, unpacked, words_per_code
from core.store.connection import fetch_all

NEAR = 20_000
"""About so many go from the first look, which counts the first signs that differ from the query's, to the second, which weighs all signs by the query."""

READ = 256
"""So many vectors are read and compared themselves."""

_BLOCKS_TOGETHER = 32
_SAMPLE = 65_536
_WEIGHED_TWICE = 16  # times as many as are read: their second signs are weighed, too
_BYTE_SIGNS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.float32) * 2 - 1


class Candidates:
    """Implements the coarse half of a search. Holds 108 bytes for each vector of 384 dimensions; safe to use from several threads.

    It is brought up to date at every search by the blocks that changed since the last, which it tells by their versions.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._centre = b""
        self._version = 0
        self._row_of: dict[int, int] = {}
        self._blocks = np.zeros(0, dtype=np.int64)
        self._words: Words = np.zeros((0, 0, BLOCK), dtype=np.uint64)
        self._factors: Scales = np.zeros((0, BLOCK), dtype=np.float32)
        self._fine_factors: Scales = np.zeros((0, BLOCK), dtype=np.float32)
        self._levels: Scales = np.zeros((0, BLOCK), dtype=np.float32)  # minus infinity where there is no vector

    def nearest(
        self,
        connection: apsw.Connection,
        slot: int,
        queries: Sequence[Vectors],
        centre: Vectors,
        k: int,
        allowed: npt.NDArray[np.int64] | None = None,
    ) -> list[list[int]]:
        """For each query the ids of chunks among which the `k` nearest to it almost surely are, sorted: `READ` of them, or 4 times `k` if that is more.

        `centre` is that of the slot's codes; `allowed` are the only ids that may come (all if None).
        """
        with self._lock:
            self._renew(connection, slot, centre)
            away = [query - centre for query in queries]
            looks = self._estimates(away)
            if allowed is not None:
                looks[:, ~self._among(allowed)] = -np.inf
            # Numpy lets others run meanwhile, so two queries take little longer than one where two cores are free.
            others = [Aside(partial(self._weighed, query, look, k)) for query, look in zip(away[1:], looks[1:], strict=True)]
            return [self._weighed(away[0], looks[0], k), *(other.waited() for other in others)]

    def _weighed(self, query: Vectors, estimates: npt.NDArray[np.float32], k: int) -> list[int]:
        """The second look, which weighs the signs by the query: at the first ones, then at both."""
        wanted = max(READ, 4 * k)
        flat = estimates.ravel()
        rows, places = np.divmod(np.flatnonzero(flat > _limit(flat, max(NEAR, 4 * wanted))), BLOCK)
        width = words_per_code(len(query))
        way = _along(self._columns(rows, places, range(width)), query)
        best = _best(self._factors[rows, places] * way + self._levels[rows, places], _WEIGHED_TWICE * wanted)
        rows, places = rows[best], places[best]
        way = FIRST_SHARE * way[best] + SECOND_SHARE * _along(self._columns(rows, places, range(width, 2 * width)), query)
        best = _best(self._fine_factors[rows, places] * way + self._levels[rows, places], wanted)
        return [int(item) for item in np.sort(self._blocks[rows[best]] * BLOCK + places[best])]

    def _columns(self, rows: npt.NDArray[np.intp], places: npt.NDArray[np.intp], numbers: range) -> list[Words]:
        """These words of the codes at some places, each (n,). One after the other from the flat array: three times as fast as by several indexes."""
        first = rows * self._words.shape[1] * BLOCK + places
        flat = self._words.reshape(-1)
        return [flat.take(first + number * BLOCK) for number in numbers]

    def _estimates(self, queries: Sequence[Vectors]) -> npt.NDArray[np.float32]:
        """The first look: how near every vector is to each query if each of its dimensions counts the same, (queries, blocks, BLOCK).

        Minus infinity where there is no vector.
        """
        dimension = len(queries[0])
        wanted = code(np.stack(queries), np.zeros_like(queries[0]))[:, : words_per_code(dimension)]
        usual = [np.float32(np.abs(query).mean()) for query in queries]
        estimates = np.empty((len(queries), *self._levels.shape), dtype=np.float32)

        def estimate(blocks: range) -> None:
            # A few blocks at a time stay in the processor's cache.
            for first in blocks:
                part = slice(first, first + _BLOCKS_TOGETHER)
                for number, signs in enumerate(wanted):
                    differing = np.zeros(self._levels[part].shape, dtype=np.int16)
                    for place, word in enumerate(signs):
                        differing += np.bitwise_count(self._words[part, place] ^ word)
                    np.multiply(dimension - 2 * differing, usual[number] * self._factors[part], out=estimates[number, part])
                    estimates[number, part] += self._levels[part]

        middle = estimates.shape[1] // 2 // _BLOCKS_TOGETHER * _BLOCKS_TOGETHER
        other = Aside(lambda: estimate(range(middle, estimates.shape[1], _BLOCKS_TOGETHER)))
        estimate(range(0, middle, _BLOCKS_TOGETHER))
        other.waited()
        return estimates

    def _among(self, allowed: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        among = np.zeros(self._levels.shape, dtype=np.bool_)
        known = np.isin(allowed // BLOCK, self._blocks)
        ids = allowed[known]
        order = np.argsort(self._blocks)
        among[order[np.searchsorted(self._blocks, ids // BLOCK, sorter=order)], ids % BLOCK] = True
        return among

    def _renew(self, connection: apsw.Connection, slot: int, centre: Vectors) -> None:
        if centre.tobytes() != self._centre:
            self._start(centre.tobytes(), 2 * words_per_code(len(centre)))
        changed = fetch_all(
            connection,
            "SELECT block, version, held, words, scales FROM codes WHERE slot = ? AND version > ? ORDER BY block",
            (slot, self._version),
        )
        self._make_room([block for block, *_ in changed if block not in self._row_of])
        for block, version, held, words, scales in changed:
            row = self._row_of[block]
            if words:
                self._words[row] = np.frombuffer(words, dtype="<u8").reshape(-1, BLOCK)
                self._factors[row], self._fine_factors[row], self._levels[row] = np.frombuffer(scales, dtype="<f4").reshape(BLOCK, SCALES).T
            self._levels[row, ~unpacked(held)] = -np.inf
            self._version = max(self._version, version)

    def _start(self, centre: bytes, width: int) -> None:
        """Forget everything: no two slots have the same centre."""
        self._centre, self._version, self._row_of = centre, 0, {}
        self._blocks = self._blocks[:0]
        self._factors, self._fine_factors, self._levels = self._factors[:0], self._fine_factors[:0], self._levels[:0]
        self._words = np.zeros((0, width, BLOCK), dtype=np.uint64)

    def _make_room(self, blocks: Sequence[int]) -> None:
        if not blocks:
            return
        before, width = len(self._blocks), self._words.shape[1]
        self._row_of.update((block, before + place) for place, block in enumerate(blocks))
        self._blocks = np.concatenate([self._blocks, np.array(blocks, dtype=np.int64)])
        self._words = np.concatenate([self._words, np.zeros((len(blocks), width, BLOCK), dtype=np.uint64)])
        room = np.zeros((len(blocks), BLOCK), dtype=np.float32)
        self._factors, self._levels = np.concatenate([self._factors, room]), np.concatenate([self._levels, room - np.inf])
        self._fine_factors = np.concatenate([self._fine_factors, room])


def _limit(estimates: npt.NDArray[np.float32], most: int) -> float:
    """Above what about `most` estimates lie, by a sample: sorting a million takes longer than making them. Minus infinity where there are no more."""
    sample = estimates[:: max(1, len(estimates) // _SAMPLE)]
    place = len(sample) * most // max(1, len(estimates))
    return float(np.partition(sample, -place)[-place]) if 0 < place < len(sample) else -np.inf


def _best(scores: npt.NDArray[np.float32], most: int) -> npt.NDArray[np.intp]:
    """Where the `most` highest scores are, in no order."""
    return np.argpartition(-scores, most)[:most] if len(scores) > most else np.arange(len(scores))


def _along(columns: Sequence[Words], query: Vectors) -> npt.NDArray[np.float32]:
    """How far each code points the way of the query: the sum of the query's dimensions, each with the code's sign. `columns` are the words of the codes, each (n,)."""
    signs = np.zeros(len(columns) * 64, dtype=np.float32)
    signs[: len(query)] = query
    by_byte = iter(signs.reshape(-1, 8) @ _BYTE_SIGNS.T)
    scores = np.zeros(len(columns[0]), dtype=np.float32)
    for column in columns:
        octets = np.ascontiguousarray(column, dtype="<u8").view(np.uint8).reshape(-1, 8)
        for place in range(8):
            scores += next(by_byte).take(octets[:, place])
    return scores
