"""What a parser gives back, and how it says why it cannot."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import DocumentUnreadable
from core.library.file_kinds import Kind


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The text of a document. `title` is what the document says it is called, or empty; `kind` is how `text` is laid out."""

    text: str
    title: str = ""
    kind: Kind = "markdown"


def damaged(what: str) -> DocumentUnreadable:
    """The file is not what its name says, or only a part of it. `what` ends the sentence "The file cannot be read: "."""
    return DocumentUnreadable(f"The file cannot be read: {what}.", code="damaged")


def needs_password() -> DocumentUnreadable:
    """The file is encrypted."""
    return DocumentUnreadable("The file is protected by a password.", code="needs_password")
