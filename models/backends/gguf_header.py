"""Looks at a GGUF file before native code does: is it whole, does it say sensible things, how much memory will it take.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3, little-endian).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.errors import ModelMissing, ModelUnusable

Value = int | float | bool | str | None
"""A metadata value; arrays are checked and kept as None."""

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MAX_TENSORS = 100_000
_MAX_PAIRS = 10_000
_MAX_KEY_BYTES = 65_535
_MAX_STRING_BYTES = 16 * 1024 * 1024
_MAX_ARRAY_ITEMS = 16_000_000
_MAX_DIMENSIONS = 4
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
# ggml type: (weights in a block, bytes of a block), https://github.com/ggml-org/ggml/blob/master/src/ggml.c
_BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36), 10: (256, 84)} | {
    **{11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98)},
    **{19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8)},
    **{28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17)},
}

WHAT_TO_DO = "Choose another GGUF file, or install the model again."


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What the head of a model file says. `tensor_bytes` is the size of all weights."""

    architecture: str
    name: str
    context_length: int
    metadata: Mapping[str, Value]
    tensor_bytes: int

    def kv_bytes(self, context_tokens: int) -> int:
        """Memory of a 16-bit KV cache for so many tokens."""
        layers = self._number("block_count")
        width = self._number("embedding_length")
        heads = self._number("attention.head_count") or 1
        kv_heads = self._number("attention.head_count_kv") or heads
        key = self._number("attention.key_length") or width // heads
        value = self._number("attention.value_length") or width // heads
        return layers * context_tokens * kv_heads * (key + value) * 2

    def _number(self, key: str) -> int:
        value = self.metadata.get(f"{self.architecture}.{key}")
        return int(value) if isinstance(value, int) and not isinstance(value, bool) else 0


def read_header(path: Path) -> GgufHeader:
    """The checked header of a model file. Raises `ModelMissing` or `ModelUnusable` with the reason and what to do."""
    try:
        with path.open("rb") as file:
            return _Reader(file, path, os.fstat(file.fileno()).st_size).header()
    except FileNotFoundError as error:
        raise ModelMissing(f"The model file {path} is not there. {WHAT_TO_DO}", path=str(path)) from error
    except OSError as error:
        raise ModelUnusable(f"The model file {path} cannot be read: {error.strerror}. {WHAT_TO_DO}", path=str(path)) from error


def read_context_length(path: Path) -> int | None:
    """The context length a model was trained for, read without looking at the rest of the file; None if it does not say."""
    try:
        with path.open("rb") as file:
            return _Reader(file, path, os.fstat(file.fileno()).st_size).context_length()
    except (OSError, ModelUnusable):
        return None


class _Reader:
    """Reads one file front to back and never trusts a number before it was compared with the file's size."""

    def __init__(self, file: BinaryIO, path: Path, size: int) -> None:
        self._file = file
        self._path = path
        self._size = size

    def header(self) -> GgufHeader:
        tensors, pairs = self._counts()
        metadata: dict[str, Value] = {}
        for _ in range(pairs):
            key = self._string(_MAX_KEY_BYTES, "a key")
            if key in metadata:
                raise self._unusable(f"the key {key[:60]!r} occurs twice")
            metadata[key] = self._value(self._scalar(4))
        architecture = metadata.get("general.architecture")
        if not isinstance(architecture, str) or not architecture:
            raise self._unusable("it does not say which architecture it has")
        tensor_bytes = self._tensors(tensors, metadata)
        name = metadata.get("general.name")
        context = metadata.get(f"{architecture}.context_length")
        if not isinstance(context, int) or context <= 0:
            raise self._unusable("it does not say how long its context is, so it is not a text model")
        return GgufHeader(architecture, name if isinstance(name, str) else "", context, metadata, tensor_bytes)

    def context_length(self) -> int | None:
        _tensors, pairs = self._counts()
        for _ in range(pairs):
            key = self._string(_MAX_KEY_BYTES, "a key")
            value = self._value(self._scalar(4))
            if key.endswith(".context_length") and key.count(".") == 1 and isinstance(value, int):
                return value
        return None

    def _counts(self) -> tuple[int, int]:
        magic = self._file.read(4)
        if magic != _MAGIC:
            raise self._unusable("it is empty" if not magic else "it is not a GGUF file")
        version = self._scalar(4)
        if version not in _VERSIONS:
            raise self._unusable(f"it has version {version}, and only versions 2 and 3 can be read")
        tensors, pairs = self._scalar(10), self._scalar(10)
        if not 0 < tensors <= _MAX_TENSORS or not 0 < pairs <= _MAX_PAIRS:
            raise self._unusable(f"it says it has {tensors} tensors and {pairs} metadata entries, which cannot be")
        return int(tensors), int(pairs)

    def _tensors(self, count: int, metadata: Mapping[str, Value]) -> int:
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 8 <= alignment <= 65_536 or alignment & (alignment - 1):
            raise self._unusable("its alignment is not a power of two")
        names: set[str] = set()
        extents: list[tuple[str, int, int]] = []
        for _ in range(count):
            name = self._string(_MAX_KEY_BYTES, "a tensor's name")
            if name in names:
                raise self._unusable(f"the tensor {name[:60]!r} occurs twice")
            names.add(name)
            extents.append((name, *self._extent(name, alignment)))
        start = -(-self._file.tell() // alignment) * alignment
        for name, offset, length in extents:
            if start + offset + length > self._size:
                raise self._unusable(f"the tensor {name[:60]!r} ends outside the file, so the file is cut off or damaged")
        return sum(length for _name, _offset, length in extents)

    def _extent(self, name: str, alignment: int) -> tuple[int, int]:
        dimensions = self._scalar(4)
        if not 0 < dimensions <= _MAX_DIMENSIONS:
            raise self._unusable(f"the tensor {name[:60]!r} has {dimensions} dimensions")
        sizes = [int(self._scalar(10)) for _ in range(int(dimensions))]
        kind, offset = int(self._scalar(4)), int(self._scalar(10))
        weights = 1
        for size in sizes:
            weights *= size
        if 0 in sizes or weights > 2**48:
            raise self._unusable(f"the tensor {name[:60]!r} has an impossible size")
        if offset % alignment:
            raise self._unusable(f"the tensor {name[:60]!r} does not begin where it should")
        if kind not in _BLOCKS:
            raise self._unusable(f"the tensor {name[:60]!r} has the unknown type {kind}")
        block, block_bytes = _BLOCKS[kind]
        if sizes[0] % block:
            raise self._unusable(f"the tensor {name[:60]!r} does not fill its blocks")
        return offset, weights // block * block_bytes

    def _value(self, kind: float | int, *, nested: bool = False) -> Value:
        if kind == _STRING:
            return self._string(_MAX_STRING_BYTES, "a text")
        if kind != _ARRAY:
            return self._scalar(int(kind))
        if nested:
            raise self._unusable("it has a list of lists")
        item, length = int(self._scalar(4)), int(self._scalar(10))
        if length > _MAX_ARRAY_ITEMS:
            raise self._unusable(f"it has a list of {length} items")
        if item == _STRING:
            for _ in range(length):
                self._skip(int(self._scalar(10)))
        elif item in _SCALARS:
            self._skip(length * struct.calcsize(_SCALARS[item]))
        else:
            raise self._unusable(f"it has a list of the unknown type {item}")
        return None

    def _scalar(self, kind: int) -> int | float | bool:
        if kind not in _SCALARS:
            raise self._unusable(f"it has a value of the unknown type {kind}")
        layout = _SCALARS[kind]
        data = self._file.read(struct.calcsize(layout))
        if len(data) < struct.calcsize(layout):
            raise self._unusable("it is cut off in its header")
        value: int | float | bool = struct.unpack(layout, data)[0]
        return value

    def _string(self, limit: int, what: str) -> str:
        length = int(self._scalar(10))
        if length > limit or self._file.tell() + length > self._size:
            raise self._unusable(f"{what} in it is {length} bytes long, which cannot be")
        return self._file.read(length).decode("utf-8", errors="replace")

    def _skip(self, length: int) -> None:
        if length > _MAX_STRING_BYTES * 8 or self._file.tell() + length > self._size:
            raise self._unusable("it is cut off in its header, or a list in it is longer than the file")
        self._file.seek(length, os.SEEK_CUR)

    def _unusable(self, reason: str) -> ModelUnusable:
        return ModelUnusable(f"The model file {self._path} cannot be used: {reason}. {WHAT_TO_DO}", path=str(self._path), reason=reason)
