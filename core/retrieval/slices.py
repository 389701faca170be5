"""Slices of documents around what was found."""

from __future__ import annotations

from collections.abc import Callable

from core.documents import Chunk
from core.errors import LamplightError

ReadText = Callable[[int, int, int], str]
"""(document id, start, end) -> that slice of the document's text, shorter where the document ends; see `Retriever.text_of`."""


def overlaps(chunk: Chunk, document_id: int, start: int, end: int) -> bool:
    """Whether the chunk shows any of these characters of that document."""
    return chunk.document_id == document_id and chunk.start < end and start < chunk.end


def read_slice(read: ReadText, document_id: int, start: int, end: int) -> str | None:
    """A slice, or None if it cannot be read: the passages are good enough without it."""
    if end <= start:
        return ""
    try:
        return read(document_id, start, end)
    except LamplightError:
        return None
