"""What indexing hands to the index store for one file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of a file without its text.

    `checked_ns` is when the content was read, in nanoseconds since the epoch: a file stamped shortly before that may have changed
    again without its time showing it. `reader_version` says by which rules it was read and cut.
    """

    path: Path
    title: str = ""
    encoding: str = ""
    sha256: str = ""
    size_bytes: int = 0
    modified_ns: int = 0
    checked_ns: int = 0
    reader_version: int = 0


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """Where a chunk lies in the decoded text, the line it begins on (from 1), and the headings above it."""

    start: int
    end: int
    line: int
    heading_path: str = ""


@dataclass(frozen=True, slots=True)
class KnownVector:
    """A vector that is in the index already, or None where it is still to be made: which slice it stands for, and the key of its text."""

    start: int
    end: int
    embedding_key: bytes
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class MissingVector:
    """A chunk that has no vector yet. `key` is that of the text it waits for: `text`, or the same passage in a copy of the file."""

    chunk_id: int
    ordinal: int
    key: bytes
    text: str


@dataclass(frozen=True, slots=True)
class MadeVector:
    """A vector for a chunk, of length 1 (float32 bytes), and the key of the text it was made from."""

    chunk_id: int
    key: bytes
    vector: bytes


def embedding_text(title: str, heading_path: str, text: str) -> str:
    """What is embedded for a chunk: where it stands, then what it says."""
    context = f"{title} > {heading_path}" if heading_path else title
    return f"{context}\n{text}" if context else text


def embedding_key(text: str) -> bytes:
    """Names an embedded text, so that the same text is never embedded twice by the same model."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[:16]
