"""Codes of vectors: two bits for each dimension, by which the nearest of very many vectors are found without reading them all.

The first bit says on which side of the usual vector (the centre of all) a vector lies. Without the centre most of these bits would be the same for every
text: the vectors of today's models point into nearly one direction. The second bit adds whether it lies far from the centre there; it is written so that both
kinds of bits are signs, and a dimension is about `_NEAR_LEVEL` of the one and `_FAR_LEVEL` of the other. Three numbers go with a code (its scales): how far the vector goes the way
of its first signs, how far that of both, and its product with the centre. With them its product with any other vector can be estimated, as
RaBitQ does (Gao and Long 2024, arXiv 2405.12497). Codes lie in blocks by chunk id, so a block is found without looking, and one that changed is told by its
version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import apsw
import numpy as np
import numpy.typing as npt

from core.cancel import CancelToken
from core.protocols import Vectors
from core.store.connection import fetch_all, fetch_one
from core.store.index_schema import VECTORS

BLOCK = 1024
"""Chunk ids in a block."""

CODED_FROM = 20_000
"""So many vectors are searched one by one in some 15 ms; from here on they have codes."""

# The levels of the best quantizer of two bits for normally distributed numbers (Max 1960), in standard deviations.
_NEAR_LEVEL, _FAR_LEVEL, _FAR_FROM = 0.4528, 1.510, 0.9816

FIRST_SHARE, SECOND_SHARE = (_NEAR_LEVEL + _FAR_LEVEL) / 2, (_FAR_LEVEL - _NEAR_LEVEL) / 2
"""What the first and the second sign of a dimension say of it."""

SCALES = 3
"""Numbers that go with a code."""

_SAMPLE = 4096
_WORD_BITS = 64
_TOGETHER = 4096

Words = npt.NDArray[np.uint64]
Scales = npt.NDArray[np.float32]


def words_per_code(dimension: int) -> int:
    """64-bit words for one sign of each dimension."""
    return -(-dimension // _WORD_BITS)


def code(vectors: Vectors, centre: Vectors) -> Words:
    """The codes of some vectors (n, dimension), as (n, 2 * words): first signs, then second ones.

    Dimension i is bit i % 8 of byte i // 8, little-endian throughout.
    """
    first, second = _signs(vectors - centre)
    width = words_per_code(vectors.shape[1]) * _WORD_BITS
    bits = np.zeros((len(vectors), 2, width), dtype=np.bool_)
    bits[:, 0, : vectors.shape[1]], bits[:, 1, : vectors.shape[1]] = first, second
    return np.packbits(bits.reshape(len(vectors), -1), axis=1, bitorder="little").view("<u8")


def scales(vectors: Vectors, centre: Vectors) -> Scales:
    """The scales of some vectors (n, dimension), as (n, 3)."""
    away = vectors - centre
    first, second = (2.0 * signs - 1.0 for signs in _signs(away))
    squares = (away * away).sum(axis=1)
    told = ((away * first).sum(axis=1), (away * (FIRST_SHARE * first + SECOND_SHARE * second)).sum(axis=1))
    factors = (squares / np.maximum(way, 1e-12) for way in told)
    return np.stack([*factors, vectors @ centre], axis=1).astype("<f4")


def _signs(away: Vectors) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Both signs of every dimension: the first is its own, the second is the same where it lies far from the centre and else the opposite."""
    own = away > 0
    usual = np.sqrt((away * away).mean(axis=1, keepdims=True))
    return own, own == (np.abs(away) > _FAR_FROM * usual)


def centre_of(connection: apsw.Connection, slot: int) -> Vectors | None:
    """The centre of a slot's codes, or None if it has none."""
    row = fetch_one(connection, "SELECT centre FROM embedders WHERE slot = ?", (slot,))
    return np.frombuffer(row[0], dtype="<f4") if row and row[0] is not None else None


def write_codes(connection: apsw.Connection, slot: int, made: Mapping[int, bytes]) -> None:
    """Add the codes of vectors (float32 bytes, by chunk id) that were just written, where the slot has codes."""
    centre = centre_of(connection, slot) if made else None
    if centre is None:
        return
    ids = np.fromiter(made, dtype=np.int64, count=len(made))
    vectors = np.frombuffer(b"".join(made.values()), dtype="<f4").reshape(len(made), -1)
    _change(connection, slot, ids, code(vectors, centre), scales(vectors, centre))


def erase_codes(connection: apsw.Connection, slot: int, chunk_ids: Sequence[int]) -> None:
    """Take the codes of chunks away, those that there are; nothing of them stays."""
    if chunk_ids and fetch_one(connection, "SELECT 1 FROM codes WHERE slot = ? LIMIT 1", (slot,)):
        _change(connection, slot, np.fromiter(chunk_ids, dtype=np.int64, count=len(chunk_ids)), None, None)


def drop_codes(connection: apsw.Connection, slot: int) -> None:
    """Take all codes of a slot away."""
    connection.execute("DELETE FROM codes WHERE slot = ?", (slot,))


def learn_codes(connection: apsw.Connection, slot: int, cancel: CancelToken) -> bool:
    """Find the centre of a slot's vectors and make the code of each, if there are `CODED_FROM` and no codes yet. Returns whether it did.

    Seconds for a hundred thousand vectors, once in the life of an index. Raises `Cancelled`.
    """
    if centre_of(connection, slot) is not None:
        return False
    count = int(connection.execute(VECTORS[slot].count).get)
    if count < CODED_FROM:
        return False
    sample = fetch_all(connection, VECTORS[slot].sample, (max(1, count // _SAMPLE), _SAMPLE))
    centre = np.frombuffer(b"".join(row[0] for row in sample), dtype="<f4").reshape(len(sample), -1).mean(axis=0)
    connection.execute("UPDATE embedders SET centre = ? WHERE slot = ?", (centre.astype("<f4").tobytes(), slot))
    for made in _in_parts(connection.execute(VECTORS[slot].all)):
        cancel.check()
        write_codes(connection, slot, made)
    return True


def count_codes(connection: apsw.Connection, slot: int) -> int:
    """How many chunks have a code in a slot."""
    rows = connection.execute("SELECT held FROM codes WHERE slot = ?", (slot,))
    return sum(int(np.bitwise_count(np.frombuffer(row[0], dtype=np.uint8)).sum()) for row in rows)


def unpacked(held: bytes) -> npt.NDArray[np.bool_]:
    """Which places of a block hold a code."""
    if not held:
        return np.zeros(BLOCK, dtype=np.bool_)
    return np.unpackbits(np.frombuffer(held, dtype=np.uint8), bitorder="little").astype(np.bool_)


def _change(connection: apsw.Connection, slot: int, ids: npt.NDArray[np.int64], words: Words | None, measures: Scales | None) -> None:
    """Write these codes, or with None erase those of the ids, block by block."""
    version = int(connection.execute("SELECT coalesce(max(version), 0) + 1 FROM codes WHERE slot = ?", (slot,)).get)
    for block in np.unique(ids // BLOCK):
        ours = ids // BLOCK == block
        places = ids[ours] % BLOCK
        row = fetch_one(connection, "SELECT held, words, scales FROM codes WHERE slot = ? AND block = ?", (slot, int(block)))
        if words is None and row is None:
            continue
        held = unpacked(row[0] if row else b"")
        width = words.shape[1] if words is not None else len(row[1]) // 8 // BLOCK if row else 0
        # Word by word, not code by code: the search reads all first words of a block, then all second ones.
        kept_words, kept_scales = np.zeros((width, BLOCK), dtype="<u8"), np.zeros((BLOCK, SCALES), dtype="<f4")
        if row and row[1]:
            kept_words[:] = np.frombuffer(row[1], dtype="<u8").reshape(width, BLOCK)
            kept_scales[:] = np.frombuffer(row[2], dtype="<f4").reshape(BLOCK, SCALES)
        held[places] = words is not None
        kept_words[:, places] = words[ours].T if words is not None else 0
        kept_scales[places] = measures[ours] if measures is not None else 0
        whole = (
            (np.packbits(held, bitorder="little").tobytes(), kept_words.tobytes(), kept_scales.tobytes()) if held.any() else (b"", b"", b"")
        )
        connection.execute(
            "INSERT INTO codes (slot, block, version, held, words, scales) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (slot, block) DO UPDATE"
            " SET version = excluded.version, held = excluded.held, words = excluded.words, scales = excluded.scales",
            (slot, int(block), version, *whole),
        )


def _in_parts(rows: Iterable[tuple[int, bytes]]) -> Iterable[dict[int, bytes]]:
    part: dict[int, bytes] = {}
    for chunk_id, vector in rows:
        part[chunk_id] = vector
        if len(part) == _TOGETHER:
            yield part
            part = {}
    if part:
        yield part
