"""OpenDocument workbooks (.ods): the cells as the program that wrote the file showed them; `sheets.py` writes them down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from core.library.formats.open_package import OpenPackage, Words, rows
from core.library.formats.parsed import ParsedDocument
from core.library.formats.sheets import Cell, Rows, cell, written
from core.library.formats.xml_tree import Element, attribute, children, descendants, integer, name_of

_REPEATED = 366
"""What is the same from one cell or row to the next is stored once, with how often. Of what has text no more are believed than a year has days."""

_LENGTH = re.compile(r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


def read_open_workbook(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unpacks_too_large, too_large."""
    package = OpenPackage(data, "spreadsheet")
    words, hidden = Words(package.content), frozenset(_hidden_styles(package.content))
    # Hidden sheets are not seen by who opens the file, nor what is kept here of the sheets of other files.
    sheets = (sheet for sheet in children(package.body, "table") if attribute(sheet, "style-name") not in hidden)
    return written((attribute(sheet, "name"), _rows(sheet, words)) for sheet in sheets)


def _hidden_styles(content: Element) -> Iterator[str]:
    for style in descendants(content, "style"):
        if attribute(style, "family") == "table" and any(attribute(item, "display") == "false" for item in style):
            yield attribute(style, "name")


def _rows(sheet: Element, words: Words) -> Rows:
    number = 0
    for row in rows(sheet):
        cells, repeated = dict(_cells(row, words)), _repeated(row, "number-rows-repeated")
        if cells:
            yield from ((number + place, cells) for place in range(min(repeated, _REPEATED)))
        number += repeated


def _cells(row: Element, words: Words) -> Iterator[tuple[int, Cell]]:
    column = 0
    for node in row:
        name, repeated = name_of(node), _repeated(node, "number-columns-repeated")
        # What is left in cells that were merged into another is not seen.
        if name == "table-cell" and (found := _cell(node, words)).text:
            yield from ((column + place, found) for place in range(min(repeated, _REPEATED)))
        if name in ("table-cell", "covered-table-cell"):
            column += repeated


def _repeated(node: Element, name: str) -> int:
    return max(1, integer(attribute(node, name), 1))


def _cell(node: Element, words: Words) -> Cell:
    """A cell by the paragraphs in it, which are what was shown; where a program left them out, by its value. Remarks and drawings are no paragraphs of it."""
    try:
        found = cell(*_value(node))
    except (ValueError, OverflowError):
        found = Cell("")
    paragraphs = [words.text(item) for item in node if name_of(item) in ("p", "h")]
    return Cell("\n".join(paragraphs).strip(), found.is_value, found.may_name) if paragraphs else found


def _value(node: Element) -> tuple[object, str]:
    """What is in a cell, and a number format that says whether it is a percentage."""
    match attribute(node, "value-type"):
        case "float" | "currency":
            return _number(node), "General"
        case "percentage":
            return _number(node), "0%"
        case "date":
            return datetime.fromisoformat(attribute(node, "date-value")), "General"
        case "time":
            return _length(attribute(node, "time-value")), "General"
        case "boolean":
            return attribute(node, "boolean-value") == "true", "General"
        case _:
            return attribute(node, "string-value"), "General"


def _number(node: Element) -> float:
    value = float(attribute(node, "value"))
    return int(value) if value.is_integer() else value


def _length(text: str) -> timedelta:
    """A length of time as XML Schema writes it: "PT08H30M00S"."""
    found = _LENGTH.fullmatch(text)
    if found is None:
        raise ValueError(text)
    days, hours, minutes, seconds = (float(part or 0) for part in found.groups()[1:])
    length = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    return -length if found[1] else length
