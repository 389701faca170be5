"""What a parser gives back, and how it says why it cannot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from core.documents import PageStart
from core.errors import DocumentUnreadable
from core.library.decoding import clean
from core.library.file_kinds import Kind


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The text of a document. `title` is what the document says it is called, or empty; `kind` is how `text` is laid out.

    `pages` says where its pages, slides, sheets or parts begin in `text`, in order, where the format has such; `encoding` how the file
    was decoded, where it is text itself.
    """

    text: str
    title: str = ""
    kind: Kind = "markdown"
    pages: tuple[PageStart, ...] = ()
    encoding: str = ""

    def cleaned(self) -> ParsedDocument:
        """The same without characters that nobody can see; pages begin where they began."""
        borders = [0, *(page.start for page in self.pages), len(self.text)]
        parts = [clean(self.text[start:end]) for start, end in pairwise(borders)]
        starts = list(accumulate(map(len, parts)))
        pages = tuple(PageStart(start, page.page) for start, page in zip(starts, self.pages, strict=False))
        return replace(self, text="".join(parts), title=clean(self.title), pages=pages)


def damaged(what: str) -> DocumentUnreadable:
    """The file is not what its name says, or only a part of it. `what` ends the sentence "The file cannot be read: "."""
    return DocumentUnreadable(f"The file cannot be read: {what}.", code="damaged")


def needs_password() -> DocumentUnreadable:
    """The file is encrypted."""
    return DocumentUnreadable("The file is protected by a password.", code="needs_password")
