"""Documents as a library may hold them, the hostile names among them."""

from __future__ import annotations

from pathlib import Path

from core.documents import Document, DocumentState

HOSTILE_NAMES = (
    "<b>x</b>.txt",
    "<img src=file:///etc/hosts>.md",
    "水" * 84 + ".txt",
    "two\nlines.txt",
    "invoice\u202etxt.exe.txt",
    "a & b.csv",
    "\u2066isolate\u2069.txt",
    "tab\there.txt",
    "broken\udcff.txt",
    "👩‍👩‍👧.txt",
)


def document(path: str | Path, state: DocumentState = "ready", *, reason: str = "", encoding: str = "utf-8", chunks: int = 14) -> Document:
    """A document at `path`; all else as after reading a small file."""
    place = Path(path)
    return Document(0, place, place.stem, state, reason, encoding, "", 100, 0, chunks if state == "ready" else 0)
