"""Reads `E5S1`, the 4-bit file of multilingual-e5-small: a tokenizer and a BERT encoder whose matrices are rounded in blocks of 32."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import InstallFailed

_MAGIC = b"E5S1"
_VERSION = 1
_QUANTISED = 1
_BLOCK_BYTES = 18
_BLOCK_WEIGHTS = 32


@dataclass(frozen=True, slots=True)
class Shape:
    """The encoder's sizes, in the order of the file."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    max_positions: int
    token_types: int


@dataclass(frozen=True, slots=True)
class Entry:
    """Where one tensor lies in the file."""

    kind: int
    elements: int
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class E5File:
    """A parsed file: pieces with scores (natural logarithms), normalisation map, and the tensors still in their bytes."""

    shape: Shape
    epsilon: float
    pieces: tuple[str, ...]
    scores: npt.NDArray[np.float32]
    beginning: int
    end: int
    padding: int
    unknown: int
    normalisation: Mapping[str, str]
    entries: Mapping[str, Entry]
    data: npt.NDArray[np.uint8]

    def tensor(self, name: str) -> npt.NDArray[np.float32]:
        """One tensor as a flat float32 array."""
        entry = self.entries[name]
        raw = self.data[entry.start : entry.start + entry.length]
        values = dequantise(raw) if entry.kind == _QUANTISED else raw.view("<f4").astype(np.float32)
        if values.size != entry.elements:
            raise InstallFailed(
                f"The embedding model's file is damaged: {name} has {values.size} numbers instead of {entry.elements}. Install it again."
            )
        return values


def dequantise(raw: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Values of Q4_0 blocks: a half-precision scale, then 16 bytes; byte j holds weight j (low nibble) and weight j + 16 (high nibble)."""
    blocks = raw.reshape(-1, _BLOCK_BYTES)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    nibbles = np.concatenate([packed & 0x0F, packed >> 4], axis=1).astype(np.float32)
    values: npt.NDArray[np.float32] = ((nibbles - 8.0) * scales).reshape(-1)
    return values


class _Cursor:
    """Reads the little-endian fields one after another."""

    def __init__(self, data: npt.NDArray[np.uint8]) -> None:
        self._data = data
        self._at = 0

    def take(self, form: str) -> tuple[Any, ...]:
        size = struct.calcsize("<" + form)
        return struct.unpack("<" + form, self.raw(size))

    def raw(self, size: int) -> bytes:
        if size < 0 or self._at + size > self._data.size:
            raise InstallFailed("The embedding model's file ends too early. Install it again.")
        self._at += size
        return self._data[self._at - size : self._at].tobytes()


def read_e5(path: Path) -> E5File:
    """Parse an `E5S1` file. Raises `InstallFailed` if it is something else or damaged."""
    data = np.memmap(path, dtype=np.uint8, mode="r")
    cursor = _Cursor(data)
    if cursor.raw(4) != _MAGIC or cursor.take("I") != (_VERSION,):
        raise InstallFailed(f"{path.name} is not an E5S1 file of version {_VERSION}. Install the embedding model again.")
    shape = Shape(*cursor.take("7i"))
    epsilon, block = cursor.take("fi")
    if block != _BLOCK_WEIGHTS:
        raise InstallFailed(f"{path.name} has blocks of {block} weights; {_BLOCK_WEIGHTS} are supported.")
    count, beginning, end, padding, unknown = cursor.take("5i")
    (text_length,) = cursor.take("Q")
    offsets = np.frombuffer(cursor.raw(4 * (count + 1)), "<u4")
    scores = np.frombuffer(cursor.raw(4 * count), "<f4")
    text = cursor.raw(text_length)
    pieces = tuple(text[start:stop].decode("utf-8") for start, stop in itertools.pairwise(offsets))
    normalisation = dict(_read_normalisation(cursor))
    entries = dict(_read_directory(cursor))
    return E5File(shape, epsilon, pieces, scores, beginning, end, padding, unknown, normalisation, entries, data)


def _read_normalisation(cursor: _Cursor) -> Iterator[tuple[str, str]]:
    entries, _length = cursor.take("iI")
    for _ in range(entries):
        source, count = cursor.take("IB")
        yield chr(source), "".join(map(chr, cursor.take(f"{count}I")))


def _read_directory(cursor: _Cursor) -> Iterator[tuple[str, Entry]]:
    (entries,) = cursor.take("i")
    for _ in range(entries):
        (name_length,) = cursor.take("H")
        name = cursor.raw(name_length).decode("utf-8")
        kind, elements, start, length = cursor.take("BIQQ")
        yield name, Entry(kind, elements, start, length)
