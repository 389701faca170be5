"""The codes of a slot in memory, and which vectors they say are worth reading."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import apsw
import numpy as np
import numpy.typing as npt

from core.protocols import Vectors
from core.store.codes import BLOCK, Scales, Words, code, unpacked, words_per_code
from core.store.connection import fetch_all

NEAR = 20_000
"""So many go from the first look, which counts the bits that differ from the query's, to the second, which weighs the bits by the query."""

READ = 640
"""So many vectors are read and compared themselves."""

_BLOCKS_TOGETHER = 32
_FAR = np.iinfo(np.uint16).max
_BYTE_SIGNS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.float32) * 2 - 1


class Candidates:
    """Implements the coarse half of a search. Holds 57 bytes for each vector of 384 dimensions; safe to use from several threads.

    It is brought up to date at every search by the blocks that changed since the last, which it tells by their versions.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._centre = b""
        self._version = 0
        self._row_of: dict[int, int] = {}
        self._blocks = np.zeros(0, dtype=np.int64)
        self._words: Words = np.zeros((0, 0, BLOCK), dtype=np.uint64)
        self._scales: Scales = np.zeros((0, BLOCK, 2), dtype=np.float32)
        self._held = np.zeros((0, BLOCK), dtype=np.bool_)

    def nearest(
        self, connection: apsw.Connection, slot: int, query: Vectors, centre: Vectors, k: int, allowed: npt.NDArray[np.int64] | None = None
    ) -> list[int]:
        """Ids of chunks among which the `k` nearest to `query` almost surely are, sorted: about `READ`, or 4 times `k` if that is more.

        `centre` is that of the slot's codes; `allowed` are the only ids that may come (all if None).
        """
        with self._lock:
            self._renew(connection, slot, centre)
            return self._nearest(query - centre, k, allowed)

    def _nearest(self, query: Vectors, k: int, allowed: npt.NDArray[np.int64] | None) -> list[int]:
        distances = self._distances(code(query[None, :], np.zeros_like(query))[0])
        distances[~self._held] = _FAR
        if allowed is not None:
            distances[~self._among(allowed)] = _FAR
        wanted = max(READ, 4 * k)
        flat = distances.ravel()
        counts = np.cumsum(np.bincount(flat[flat != _FAR], minlength=1))
        limit = int(np.searchsorted(counts, max(NEAR, 4 * wanted)))
        rows, places = np.divmod(np.flatnonzero((flat <= limit) & (flat != _FAR)), BLOCK)
        ids: npt.NDArray[np.int64] = self._blocks[rows] * BLOCK + places
        if len(ids) > wanted:
            factors, levels = self._scales[rows, places].T
            scores = factors * _along(self._words[rows, :, places], query) + levels
            ids = ids[np.argpartition(-scores, wanted)[:wanted]]
        return [int(item) for item in np.sort(ids)]

    def _distances(self, wanted: Words) -> npt.NDArray[np.uint16]:
        """Differing bits of every code, (blocks, BLOCK). A few blocks at a time, which stay in the processor's cache."""
        distances = np.zeros(self._held.shape, dtype=np.uint16)
        for first in range(0, len(distances), _BLOCKS_TOGETHER):
            part = slice(first, first + _BLOCKS_TOGETHER)
            for place, word in enumerate(wanted):
                distances[part] += np.bitwise_count(self._words[part, place] ^ word)
        return distances

    def _among(self, allowed: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        among = np.zeros(self._held.shape, dtype=np.bool_)
        known = np.isin(allowed // BLOCK, self._blocks)
        ids = allowed[known]
        order = np.argsort(self._blocks)
        among[order[np.searchsorted(self._blocks, ids // BLOCK, sorter=order)], ids % BLOCK] = True
        return among

    def _renew(self, connection: apsw.Connection, slot: int, centre: Vectors) -> None:
        if centre.tobytes() != self._centre:
            self._start(centre.tobytes(), words_per_code(len(centre)))
        changed = fetch_all(
            connection,
            "SELECT block, version, held, words, scales FROM codes WHERE slot = ? AND version > ? ORDER BY block",
            (slot, self._version),
        )
        self._make_room([block for block, *_ in changed if block not in self._row_of])
        for block, version, held, words, scales in changed:
            row = self._row_of[block]
            self._held[row] = unpacked(held)
            if words:
                self._words[row] = np.frombuffer(words, dtype="<u8").reshape(-1, BLOCK)
                self._scales[row] = np.frombuffer(scales, dtype="<f4").reshape(BLOCK, 2)
            self._version = max(self._version, version)

    def _start(self, centre: bytes, width: int) -> None:
        """Forget everything: no two slots have the same centre."""
        self._centre, self._version, self._row_of = centre, 0, {}
        self._blocks, self._scales, self._held = self._blocks[:0], self._scales[:0], self._held[:0]
        self._words = np.zeros((0, width, BLOCK), dtype=np.uint64)

    def _make_room(self, blocks: Sequence[int]) -> None:
        if not blocks:
            return
        before, width = len(self._blocks), self._words.shape[1]
        self._row_of.update((block, before + place) for place, block in enumerate(blocks))
        self._blocks = np.concatenate([self._blocks, np.array(blocks, dtype=np.int64)])
        self._words = np.concatenate([self._words, np.zeros((len(blocks), width, BLOCK), dtype=np.uint64)])
        self._scales = np.concatenate([self._scales, np.zeros((len(blocks), BLOCK, 2), dtype=np.float32)])
        self._held = np.concatenate([self._held, np.zeros((len(blocks), BLOCK), dtype=np.bool_)])


def _along(codes: Words, query: Vectors) -> npt.NDArray[np.float32]:
    """How far each code (n, words) points the way of the query: the sum of the query's dimensions, each with the code's sign."""
    signs = np.zeros(codes.shape[1] * 64, dtype=np.float32)
    signs[: len(query)] = query
    by_byte = signs.reshape(-1, 8) @ _BYTE_SIGNS.T
    octets = np.ascontiguousarray(codes, dtype="<u8").view(np.uint8)
    scores = np.zeros(len(octets), dtype=np.float32)
    for place, sums in enumerate(by_byte):
        scores += sums[octets[:, place]]
    return scores
