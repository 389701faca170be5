"""What .odt, .ods and .odp have in common: an archive with the content in one part, paragraphs, and tables."""

from __future__ import annotations

from collections.abc import Iterator

from core.library.formats.archive import Archive
from core.library.formats.markdown import one_line
from core.library.formats.parsed import damaged, needs_password
from core.library.formats.xml_tree import Element, attribute, child, descendants, integer, name_of, parse

_LEFT_OUT = frozenset(
    {"tracked-changes", "annotation", "annotation-end", "sequence-decls", "variable-decls", "user-field-decls", "forms", "note-citation"}
    | {"table-of-content", "illustration-index", "table-index", "alphabetical-index", "hidden-text", "desc", "title", "ruby-text", "script"}
)
_REPEATED = 64
"""Empty columns up to the edge of the table are stored as one that repeats; of a filled one so many are believed."""


class OpenPackage:
    """The parts of an OpenDocument file. `body` is what holds its text, its sheets or its slides; `content` all of the part around it."""

    def __init__(self, data: bytes, kind: str) -> None:
        """`kind` is the name of its body: "text", "spreadsheet" or "presentation". Raises `DocumentUnreadable`: damaged, needs_password, unpacks_too_large."""
        self.archive = Archive(data)
        manifest = self.archive.read_if_there("META-INF/manifest.xml")
        if manifest is not None and any(True for _ in descendants(parse(manifest), "encryption-data")):
            raise needs_password()
        self.content: Element = parse(self.archive.read("content.xml"))
        self.body: Element = child(self.content, "body", kind)
        if self.body is None:
            raise damaged(f"it is not an OpenDocument {kind}")


class Words:
    """The words of paragraphs and tables, without what was deleted or hidden. Footnotes met on the way are collected in `notes`."""

    def __init__(self, content: Element, *, left_out: frozenset[str] = frozenset()) -> None:
        """`left_out` names further elements of which nothing is wanted."""
        self.notes: list[str] = []
        self._left_out = _LEFT_OUT | left_out
        self._hidden_styles = frozenset(_hidden_styles(content))

    def is_unseen(self, item: Element) -> bool:
        """Whether nothing of an element is seen."""
        if name_of(item) in self._left_out or attribute(item, "style-name") in self._hidden_styles:
            return True
        return attribute(item, "display") == "none" or (name_of(item) == "hidden-paragraph" or attribute(item, "is-hidden") == "true")

    def paragraphs(self, node: Element) -> Iterator[str]:
        """The text of each paragraph and heading inside `node`, at any depth."""
        for item in node:
            if self.is_unseen(item):
                continue
            if name_of(item) in ("p", "h"):
                yield self.text(item)
            else:
                yield from self.paragraphs(item)

    def text(self, paragraph: Element) -> str:
        """The text of one paragraph, without that of boxes anchored in it."""
        found: list[str] = []
        self._collect(paragraph, found)
        return "".join(found)

    def table(self, table: Element) -> list[list[str]]:
        """The cells of a table by its rows; one that others are merged into has the text, those have none."""
        return [list(self._cells(row)) for row in rows(table)]

    def _cells(self, row: Element) -> Iterator[str]:
        for cell in row:
            if name_of(cell) not in ("table-cell", "covered-table-cell"):
                continue
            text = "" if name_of(cell) == "covered-table-cell" else " ".join(self.paragraphs(cell))
            for _ in range(min(integer(attribute(cell, "number-columns-repeated"), 1), _REPEATED)):
                yield text

    def _collect(self, node: Element, found: list[str]) -> None:
        found.append(_flowing(node.text))
        for item in node:
            match name_of(item):
                case "s":
                    found.append(" " * min(integer(attribute(item, "c"), 1), 100))
                case "tab":
                    found.append("\t")
                case "line-break":
                    found.append("\n")
                case "note":
                    self._note(item, found)
                case name if name != "text-box" and not self.is_unseen(item):
                    self._collect(item, found)
            found.append(_flowing(item.tail))

    def _note(self, note: Element, found: list[str]) -> None:
        body = child(note, "note-body")
        text = one_line(" ".join(self.paragraphs(body))) if body is not None else ""
        if text:
            self.notes.append(text)
            found.append(f"[^{len(self.notes)}]")


def rows(table: Element) -> Iterator[Element]:
    """Rows of a table, not those of tables inside it."""
    for item in table:
        if name_of(item) == "table-row":
            yield item
        elif name_of(item) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from rows(item)


def _hidden_styles(content: Element) -> Iterator[str]:
    for style in descendants(content, "style"):
        if any(attribute(item, "display") == "none" for item in style):
            yield attribute(style, "name")


def _flowing(text: str | None) -> str:
    """White space in the file means one space: real spaces and breaks are elements."""
    if not text:
        return ""
    words = " ".join(text.split())
    return f"{' ' if text[0].isspace() else ''}{words}{' ' if words and text[-1].isspace() else ''}"
