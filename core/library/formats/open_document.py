"""OpenDocument texts (.odt): headings, lists, tables and footnotes, without what was deleted or hidden."""

from __future__ import annotations

from core.library.formats.markdown import MarkdownText
from core.library.formats.open_document_numbering import ListNumbering
from core.library.formats.open_package import OpenPackage, Words
from core.library.formats.parsed import ParsedDocument
from core.library.formats.xml_tree import Element, attribute, descendants, integer, name_of, parse


def read_open_document(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unpacks_too_large, too_large."""
    package = OpenPackage(data, "text")
    styles = package.archive.read_if_there("styles.xml")
    numbering = ListNumbering([parse(styles), package.content] if styles is not None else [package.content])
    document = _Document(Words(package.content), numbering)
    document.blocks(package.body)
    return ParsedDocument(document.finished())


class _Document:
    def __init__(self, words: Words, numbering: ListNumbering) -> None:
        self._markdown = MarkdownText()
        self._words = words
        self._numbering = numbering

    def finished(self) -> str:
        """The whole text, its notes at the end."""
        for number, note in enumerate(self._words.notes, start=1):
            self._markdown.item(note, mark=f"[^{number}]:")
        return self._markdown.text()

    def blocks(self, parent: Element, *, depth: int = -1, mark: str = "") -> None:
        """Write what stands in `parent`; `depth` is how deep in lists it lies, `mark` what stands before the first paragraph of an item."""
        for block in parent:
            if self._words.is_unseen(block):
                continue
            match name_of(block):
                case "h":
                    self._heading(block, mark)
                    mark = ""
                case "p":
                    self._paragraph(block, depth, mark)
                    mark = ""
                case "list":
                    self._list(block, depth + 1)
                case "table":
                    self._markdown.table(self._words.table(block))
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
        level, text = integer(attribute(heading, "outline-level"), 1), self._words.text(heading)
        if text.strip():
            number = self._numbering.heading_mark(heading, level) if mark in ("", "-") else mark
            self._markdown.heading(level, f"{number} {text}")
        self._boxes(heading)

    def _paragraph(self, paragraph: Element, depth: int, mark: str) -> None:
        text = self._words.text(paragraph)
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
