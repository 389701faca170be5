"""Small GGUF files written by hand, whole or broken in one way."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence


def text(value: str | bytes) -> bytes:
    data = value.encode("utf-8") if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def pair(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def tensor(name: str, sizes: Sequence[int], kind: int, offset: int) -> bytes:
    return text(name) + struct.pack("<I", len(sizes)) + struct.pack(f"<{len(sizes)}Q", *sizes) + struct.pack("<IQ", kind, offset)


PAIRS: Mapping[str, bytes] = {
    "general.architecture": pair("general.architecture", 8, text("llama")),
    "general.name": pair("general.name", 8, text("Tiny")),
    "llama.context_length": pair("llama.context_length", 4, struct.pack("<I", 2048)),
    "llama.block_count": pair("llama.block_count", 4, struct.pack("<I", 2)),
    "llama.embedding_length": pair("llama.embedding_length", 4, struct.pack("<I", 64)),
    "llama.attention.head_count": pair("llama.attention.head_count", 4, struct.pack("<I", 4)),
    "llama.attention.head_count_kv": pair("llama.attention.head_count_kv", 4, struct.pack("<I", 2)),
    "tokens": pair("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 3) + text("a") + text("b") + text("c")),
}


def gguf(
    *,
    magic: bytes = b"GGUF",
    version: int = 3,
    pairs: Sequence[bytes] = tuple(PAIRS.values()),
    tensors: Sequence[bytes] = (tensor("token_embd.weight", [64, 8], 0, 0),),
    pair_count: int | None = None,
    tensor_count: int | None = None,
    data: int = 64 * 8 * 4,
) -> bytes:
    counts = struct.pack("<QQ", len(tensors) if tensor_count is None else tensor_count, len(pairs) if pair_count is None else pair_count)
    head = magic + struct.pack("<I", version) + counts + b"".join(pairs) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + bytes(data)
