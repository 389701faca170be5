"""From the bytes of a text file to its text, its title and its kind. Documents that need a parser: `document_reader.py`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import DocumentUnreadable
from core.library.decoding import clean, decode
from core.library.file_kinds import Kind, kind_of
from core.library.headings import first_heading
from core.library.html_text import declared_encoding, html_to_text

READER_VERSION = 3
"""Raised when files would be read, decoded or cut otherwise than before: then unchanged files are looked at again, too."""

_TITLE_WITHIN = 500


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """What is indexed of a file. `kind` says how `text` is laid out: an HTML page has become Markdown."""

    text: str
    title: str
    encoding: str
    kind: Kind


def extract(path: Path, data: bytes) -> ExtractedText:
    """Decode a file and take the text out of it. Raises `DocumentUnreadable` (binary, empty, no_text)."""
    kind = kind_of(path)
    decoded = decode(data, declared=declared_encoding(data) if kind in ("html", "code", "other") else "")
    if kind == "other" and _looks_like_html(decoded.text):
        kind = "html"
    if kind != "html":
        return ExtractedText(decoded.text, first_heading(decoded.text, kind) or path.stem, decoded.encoding, kind)
    page = html_to_text(decoded.text)
    text, title = clean(page.text), clean(page.title)
    if text.strip() and title and title not in text[:_TITLE_WITHIN]:
        text = f"# {title}\n\n{text}"
    if not text.strip():
        raise DocumentUnreadable(f"{path} has no text that a reader would see.", code="no_text", path=str(path))
    return ExtractedText(text, first_heading(text, "markdown") or path.stem, decoded.encoding, "markdown")


def _looks_like_html(text: str) -> bool:
    start = text[:1000].lstrip().lower()
    return start.startswith(("<!doctype html", "<html"))
