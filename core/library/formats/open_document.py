"""OpenDocument texts (.odt): headings, lists, tables and footnotes, without what was deleted or hidden."""

from __future__ import annotations

from collections.abc import Iterator

from core.library.formats.archive import Archive
from core.library.formats.markdown import MarkdownText, one_line
from core.library.formats.open_document_numbering import ListNumbering
from core.library.formats.parsed import ParsedDocument, damaged, needs_password
from core.library.formats.xml_tree import Element, attribute, child, descendants, integer, name_of, parse

_LEFT_OUT = frozenset(
    {"tracked-changes", "annotation", "annotation-end", "sequence-decls", "variable-decls", "user-field-decls", "forms", "note-citation"}
    | {"table-of-content", "illustration-index", "table-index", "alphabetical-index", "hidden-text", "desc", "title", "ruby-text", "script"}
)
_REPEATED = 64
"""Empty columns up to the edge of the sheet are stored as one that repeats; of a filled one so many are believed."""


def read_open_document(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unpacks_too_large, too_large."""
    archive = Archive(data)
    manifest = archive.read_if_there("META-INF/manifest.xml")
    if manifest is not None and any(True for _ in descendants(parse(manifest), "encryption-data")):
        raise needs_password()
    content = parse(archive.read("content.xml"))
    body = child(content, "body", "text")
    if body is None:
        raise damaged("it is not an OpenDocument text")
    styles = archive.read_if_there("styles.xml")
    numbering = ListNumbering([parse(styles), content] if styles is not None else [content])
    document = _Document(frozenset(_hidden_styles(content)), numbering)
    document.blocks(body)
    return ParsedDocument(document.finished())


class _Document:
    def __init__(self, hidden_styles: frozenset[str], numbering: ListNumbering) -> None:
        self._markdown = MarkdownText()
        self._numbering = numbering
        self._hidden_styles = hidden_styles
        self._notes: list[str] = []

    def finished(self) -> str:
        """The whole text, its notes at the end."""
        for number, note in enumerate(self._notes, start=1):
            self._markdown.item(note, mark=f"[^{number}]:")
        return self._markdown.text()

    def blocks(self, parent: Element, *, depth: int = -1, mark: str = "") -> None:
        """Write what stands in `parent`; `depth` is how deep in lists it lies, `mark` what stands before the first paragraph of an item."""
        for block in parent:
            name = name_of(block)
            if name in _LEFT_OUT or self._is_hidden(block):
                continue
            match name:
                case "h":
                    self._heading(block, mark)
                    mark = ""
                case "p":
                    self._paragraph(block, depth, mark)
                    mark = ""
                case "list":
                    self._list(block, depth + 1)
                case "table":
                    self._table(block)
                case _:
                    self.blocks(block, depth=depth, mark=mark)

    def _list(self, node: Element, depth: int) -> None:
        self._numbering.begin_list(node)
        for item in node:
            # An item that only holds another list is there for the indent; it has no number of its own to show.
            is_numbered = name_of(item) == "list-item" and any(name_of(block) in ("p", "h") for block in item)
            self.blocks(item, depth=depth, mark=self._numbering.item_mark(item) if is_numbered else "")
        self._numbering.end_list()

    def _heading(self, heading: Element, mark: str) -> None:
        level, text = integer(attribute(heading, "outline-level"), 1), self._text(heading)
        if text.strip():
            number = self._numbering.heading_mark(heading, level) if mark in ("", "-") else mark
            self._markdown.heading(level, f"{number} {text}")
        self._boxes(heading)

    def _paragraph(self, paragraph: Element, depth: int, mark: str) -> None:
        text = self._text(paragraph)
        if mark:
            self._markdown.item(text, mark=mark, depth=depth)
        else:
            self._markdown.paragraph(text)
        self._boxes(paragraph)

    def _boxes(self, paragraph: Element) -> None:
        """Text boxes that are anchored in a paragraph; the frames of their own inner boxes come with them."""
        for box in descendants(paragraph, "text-box"):
            inner = next(above for above in box.iterancestors() if above is paragraph or name_of(above) == "text-box")
            if inner is paragraph:
                self.blocks(box)

    def _table(self, table: Element) -> None:
        rows = [list(self._cells(row)) for row in _rows(table)]
        self._markdown.table(rows)

    def _cells(self, row: Element) -> Iterator[str]:
        for cell in row:
            if name_of(cell) not in ("table-cell", "covered-table-cell"):
                continue
            text = "" if name_of(cell) == "covered-table-cell" else " ".join(self._words(cell))
            for _ in range(min(integer(attribute(cell, "number-columns-repeated"), 1), _REPEATED)):
                yield text

    def _words(self, node: Element) -> Iterator[str]:
        for item in node:
            if name_of(item) in _LEFT_OUT or self._is_hidden(item):
                continue
            if name_of(item) in ("p", "h"):
                yield self._text(item)
            else:
                yield from self._words(item)

    def _text(self, node: Element) -> str:
        found: list[str] = []
        self._collect(node, found)
        return "".join(found)

    def _collect(self, node: Element, found: list[str]) -> None:
        found.append(_flowing(node.text))
        for item in node:
            name = name_of(item)
            match name:
                case "s":
                    found.append(" " * min(integer(attribute(item, "c"), 1), 100))
                case "tab":
                    found.append("\t")
                case "line-break":
                    found.append("\n")
                case "note":
                    self._note(item, found)
                case _ if name not in _LEFT_OUT and name != "text-box" and not self._is_hidden(item):
                    self._collect(item, found)
            found.append(_flowing(item.tail))

    def _note(self, note: Element, found: list[str]) -> None:
        body = child(note, "note-body")
        text = one_line(" ".join(self._words(body))) if body is not None else ""
        if text:
            self._notes.append(text)
            found.append(f"[^{len(self._notes)}]")

    def _is_hidden(self, item: Element) -> bool:
        if attribute(item, "style-name") in self._hidden_styles:
            return True
        return attribute(item, "display") == "none" or (name_of(item) == "hidden-paragraph" or attribute(item, "is-hidden") == "true")


def _rows(table: Element) -> Iterator[Element]:
    """Rows of a table, not those of tables inside it."""
    for item in table:
        if name_of(item) == "table-row":
            yield item
        elif name_of(item) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(item)


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
