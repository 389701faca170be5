"""Word documents (.docx): the text as it stands after all changes are accepted, with its headings, numbers, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.library.formats.markdown import MarkdownText, one_line
from core.library.formats.office_package import OfficePackage
from core.library.formats.parsed import ParsedDocument, damaged
from core.library.formats.word_numbering import Numbering, numbering_in
from core.library.formats.xml_tree import Element, attribute, child, children, descendants, integer, name_of, parse

# Deleted and moved-away text, instructions of fields, comments, properties, and the older twin of a drawing.
_LEFT_OUT = frozenset(
    {
        "del",
        "moveFrom",
        "delText",
        "instrText",
        "delInstrText",
        "rPr",
        "pPr",
        "sectPr",
        "tblPr",
        "trPr",
        "tcPr",
        "tblGrid",
        "sdtPr",
        "sdtEndPr",
    }
    | {"Fallback", "commentReference", "annotationRef", "annotation"}
)
_WRAPPERS = frozenset({"ins", "moveTo", "sdt", "sdtContent", "customXml", "smartTag"})
_BREAKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_OFF = frozenset({"0", "false", "off", "none"})
_HEADING = re.compile(r"heading ([1-9])$")
_BODY_LEVEL = 9
_MARK = {"footnoteReference": "", "endnoteReference": "e"}


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str
    outline: int
    list_id: str
    list_level: int


@dataclass(frozen=True, slots=True)
class _Place:
    """What a paragraph is: `outline` 0 to 8 is a heading, 9 is body text."""

    outline: int
    list_id: str
    list_level: int
    is_contents: bool


def read_word(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unsupported, unpacks_too_large, too_large."""
    package = OfficePackage(data, "word/document.xml")
    main = package.main_part
    body = child(package.tree(main), "body")
    if body is None:
        raise damaged("it is not a Word document")
    parts = {kind: package.related(main, kind) for kind in ("styles", "numbering", "footnotes", "endnotes")}
    trees = {kind: parse(package.archive.read(part)) for kind, part in parts.items() if part}
    document = _Document(_styles(trees.get("styles")), numbering_in(trees.get("numbering")))
    document.blocks(body)
    document.notes({"": trees.get("footnotes"), "e": trees.get("endnotes")})
    return ParsedDocument(document.markdown.text())


class _Document:
    """Walks through the body in order, because the numbers of a list count on."""

    def __init__(self, styles: Mapping[str, _Style], numbering: Numbering) -> None:
        self.markdown = MarkdownText()
        self._styles = styles
        self._numbering = numbering
        self._noted: list[tuple[str, str]] = []

    def blocks(self, parent: Element) -> None:
        for block in _unwrapped(parent):
            match name_of(block):
                case "p":
                    self._paragraph(block)
                case "tbl":
                    self._table(block)

    def notes(self, trees: Mapping[str, Element | None]) -> None:
        """The footnotes that the text refers to, at its end."""
        texts = {
            (mark, attribute(note, "id")): one_line(" ".join(self._text(paragraph) for paragraph in descendants(note, "p")))
            for mark, tree in trees.items()
            if tree is not None
            for note in tree
        }
        for mark, number in list(self._noted):
            if text := texts.get((mark, number)):
                self.markdown.item(text, mark=f"[^{mark}{number}]:")

    def _paragraph(self, paragraph: Element) -> None:
        text, place = self._text(paragraph), self._place(paragraph)
        boxes = [box for box in descendants(paragraph, "txbxContent") if _is_shown(box)]
        mark = self._numbering.mark(place.list_id, place.list_level) if place.list_id and (text.strip() or boxes) else ""
        if place.is_contents or not text.strip():
            pass
        elif place.outline < _BODY_LEVEL:
            self.markdown.heading(place.outline + 1, f"{'' if mark == '-' else mark} {text}")
        elif mark:
            self.markdown.item(text, mark=mark, depth=place.list_level)
        else:
            self.markdown.paragraph(text)
        for box in boxes:
            self.blocks(box)

    def _table(self, table: Element) -> None:
        rows = [row for row in _unwrapped(table) if name_of(row) == "tr" and not _is_deleted(row)]
        cells = [[cell for cell in _unwrapped(row) if name_of(cell) == "tc"] for row in rows]
        if all(len(row) <= 1 for row in cells):
            # A frame around text, not a table: what stands in it keeps its headings.
            for row in cells:
                for cell in row:
                    self.blocks(cell)
            return
        self.markdown.table([[text for cell in row for text in self._cell(cell)] for row in cells])

    def _cell(self, cell: Element) -> Iterator[str]:
        properties = child(cell, "tcPr")
        span = child(properties, "gridSpan") if properties is not None else None
        merge = child(properties, "vMerge") if properties is not None else None
        goes_on = merge is not None and attribute(merge, "val", "continue") == "continue"
        yield "" if goes_on else " ".join(self._cell_texts(cell))
        for _ in range(min(integer(attribute(span, "val"), 1), 64) - 1 if span is not None else 0):
            yield ""

    def _cell_texts(self, cell: Element) -> Iterator[str]:
        for paragraph in descendants(cell, "p"):
            if any(name_of(above) in _LEFT_OUT for above in paragraph.iterancestors()):
                continue
            place, text = self._place(paragraph), self._text(paragraph)
            mark = self._numbering.mark(place.list_id, place.list_level) if place.list_id and text.strip() else ""
            yield f"{mark} {text}" if mark not in ("", "-") else text

    def _text(self, node: Element) -> str:
        found: list[str] = []
        self._collect(node, found)
        return "".join(found)

    def _collect(self, node: Element, found: list[str]) -> None:
        for item in node:
            name = name_of(item)
            if name in _LEFT_OUT or name == "txbxContent" or (name == "r" and _is_hidden(item)):
                continue
            if name == "t":
                found.append(item.text or "")
            elif name in _BREAKS:
                found.append("\n\n" if attribute(item, "type") in ("page", "column") else _BREAKS[name])
            elif name == "sym":
                found.append(_symbol(attribute(item, "char")))
            elif name in _MARK:
                number = attribute(item, "id")
                self._noted.append((_MARK[name], number))
                found.append(f"[^{_MARK[name]}{number}]")
            else:
                self._collect(item, found)

    def _place(self, paragraph: Element) -> _Place:
        properties = child(paragraph, "pPr")
        style_id = _value(properties, "pStyle")
        chain = list(_chain(self._styles, style_id or _DEFAULT))
        outline = integer(_value(properties, "outlineLvl"), -1)
        if outline < 0:
            outline = next((style.outline for style in chain if style.outline >= 0), _BODY_LEVEL)
        numbers = child(properties, "numPr") if properties is not None else None
        list_id, level = _value(numbers, "numId"), integer(_value(numbers, "ilvl"), -1)
        if not list_id:
            list_id = next((style.list_id for style in chain if style.list_id), "")
        if level < 0:
            level = next((style.list_level for style in chain if style.list_level >= 0), 0)
        is_contents = any(style.name.startswith("toc ") or style.name == "table of figures" for style in chain)
        return _Place(min(outline, _BODY_LEVEL), "" if list_id == "0" else list_id, level, is_contents)


_DEFAULT = ""


def _unwrapped(parent: Element) -> Iterator[Element]:
    """The children of an element, those in insertions and content controls among them; what was deleted is left out."""
    for item in parent:
        name = name_of(item)
        if name in _WRAPPERS:
            yield from _unwrapped(item)
        elif name not in _LEFT_OUT:
            yield item


def _styles(tree: Element | None) -> dict[str, _Style]:
    styles: dict[str, _Style] = {}
    for style in children(tree, "style") if tree is not None else []:
        if attribute(style, "type") != "paragraph":
            continue
        name = _value(style, "name").lower()
        properties = child(style, "pPr")
        numbers = child(properties, "numPr") if properties is not None else None
        heading = _HEADING.match(name)
        outline = int(heading[1]) - 1 if heading else 0 if name == "title" else integer(_value(properties, "outlineLvl"), -1)
        found = _Style(name, _value(style, "basedOn"), outline, _value(numbers, "numId"), integer(_value(numbers, "ilvl"), -1))
        styles[attribute(style, "styleId")] = found
        if attribute(style, "default") in ("1", "true"):
            styles[_DEFAULT] = found
    return styles


def _chain(styles: Mapping[str, _Style], style_id: str) -> Iterator[_Style]:
    """A style and those it is based on."""
    seen: set[str] = set()
    while style_id not in seen and (style := styles.get(style_id)):
        seen.add(style_id)
        yield style
        style_id = style.based_on or "\0"


def _value(parent: Element | None, name: str) -> str:
    found = child(parent, name) if parent is not None else None
    return attribute(found, "val") if found is not None else ""


def _is_hidden(run: Element) -> bool:
    properties = child(run, "rPr")
    mark = child(properties, "vanish") if properties is not None else None
    return mark is not None and attribute(mark, "val", "1") not in _OFF


def _is_deleted(row: Element) -> bool:
    properties = child(row, "trPr")
    return properties is not None and child(properties, "del") is not None


def _is_shown(box: Element) -> bool:
    return not any(name_of(above) in _LEFT_OUT or name_of(above) == "txbxContent" for above in box.iterancestors())


def _symbol(code: str) -> str:
    """A character of a symbol font; those from the private area mean nothing without it."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return chr(number) if 0x20 <= number < 0xD800 else ""
