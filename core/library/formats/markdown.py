"""Blocks of a document, written as Markdown: headings, paragraphs, list items, tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.documents import PageStart
from core.errors import DocumentUnreadable

MAX_CHARACTERS = 20_000_000
"""More text than this in one document is refused; the longest novels have five million."""

_DEEPEST = 6
_MANY_BLANK_LINES = re.compile(r"\n{3,}")


class MarkdownText:
    """Blocks in order. Blank lines between them, except inside a list."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._after_item = False
        self._characters = 0
        self._pages: list[PageStart] = []
        self._new_page: int | None = None

    @property
    def pages(self) -> tuple[PageStart, ...]:
        """Where the pages begin that were begun and have anything on them."""
        return tuple(self._pages)

    def begin_page(self, number: int) -> None:
        """What is written from now on stands on this page (a slide, a sheet, a part of a book)."""
        self._new_page = number

    def heading(self, level: int, title: str) -> None:
        """A heading of level 1 to 6; deeper ones become level 6. Without a title there is none."""
        if words := one_line(title):
            self._add(f"{'#' * max(1, min(level, _DEEPEST))} {words}")

    def paragraph(self, text: str) -> None:
        """A paragraph, or several with blank lines between them. Line breaks stay."""
        self._add(_trimmed(text))

    def item(self, text: str, *, mark: str = "-", depth: int = 0) -> None:
        """An item of a list; `mark` is "-" or the item's number, `depth` how deep the list lies in others."""
        if words := one_line(text):
            self._add(f"{'  ' * min(depth, _DEEPEST)}{mark} {words}", item=True)

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """A table whose first row names the columns. Empty rows and columns are left out; a single row becomes a line."""
        self._add(table(rows))

    def text(self) -> str:
        """All blocks as one text."""
        return "".join(self._parts)

    def _add(self, block: str, *, item: bool = False) -> None:
        if not block:
            return
        if self._parts:
            joint = "\n" if item and self._after_item else "\n\n"
            self._parts.append(joint)
            self._characters += len(joint)
        if self._new_page is not None:
            self._pages.append(PageStart(self._characters, self._new_page))
            self._new_page = None
        self._parts.append(block)
        self._after_item = item
        self._characters += len(block)
        if self._characters > MAX_CHARACTERS:
            raise DocumentUnreadable(f"The document has more than {MAX_CHARACTERS:,} characters.", code="too_large")


def table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, or a line if there is only one row or column with anything in it. Empty if there is nothing in it."""
    filled = [[_cell(cell) for cell in row] for row in rows if any(cell.strip() for cell in row)]
    columns = sorted({place for row in filled for place, cell in enumerate(row) if cell})
    if not columns:
        return ""
    lines = [[row[place] if place < len(row) else "" for place in columns] for row in filled]
    if len(columns) == 1:
        return "\n".join(line[0] for line in lines)
    if len(lines) == 1:
        return " | ".join(cell for cell in lines[0] if cell)
    head, *body = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([head, "|" + " --- |" * len(columns), *body])


def one_line(text: str) -> str:
    """The text with all its white space as single spaces."""
    return " ".join(text.split())


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")


def _trimmed(text: str) -> str:
    return _MANY_BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in text.split("\n"))).strip("\n")
