"""From the bytes of a text file to its text, its title and its kind. Files that need a parser: `document_reader.py`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.documents import PageStart
from core.library.decoding import decode
from core.library.encoded_data import without_encoded_data
from core.library.encodings import declared_encoding
from core.library.file_kinds import Kind, is_document, kind_of
from core.library.sections import first_heading

READER_VERSION = 7
"""Raised when files would be read, decoded or cut otherwise than before: then unchanged files are looked at again, too."""

_BEGINS_WITHIN = 4096


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """What is indexed of a file. `kind` says how `text` is laid out: an HTML page has become Markdown. `pages` says where its pages begin."""

    text: str
    title: str
    encoding: str
    kind: Kind
    pages: tuple[PageStart, ...] = ()


def needs_parser(path: Path, data: bytes) -> bool:
    """Whether the text has to be taken out of the file by a parser, in a process of its own: a document, or a web page of whatever name."""
    return is_document(path) or (kind_of(path) == "other" and begins_like_a_page(data))


def extract(path: Path, data: bytes, *, encoding: str = "") -> ExtractedText:
    """Decode a text file, from `encoding` if the person has chosen one. Raises `DocumentUnreadable` (binary, empty, wrong_encoding)."""
    kind = kind_of(path)
    decoded = decode(data, declared=declared_encoding(data) if kind in ("code", "other") else "", chosen=encoding)
    text = without_encoded_data(decoded.text)
    return ExtractedText(text, first_heading(text, kind) or path.stem, decoded.encoding, kind)


def begins_like_a_page(data: bytes) -> bool:
    """Whether a file is a web page, whatever its name."""
    # Without its zero bytes, and the mark before it, UTF-16 begins like any other page.
    start = data[:_BEGINS_WITHIN].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\f").lower()
    return start.startswith((b"<!doctype html", b"<html"))
