"""Workbooks (.xlsx): each sheet under its name, each block of cells as a table whose rows keep their column names. openpyxl reads the cells."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta
from io import BytesIO
from typing import Any

from lxml import etree  # type: ignore[import-untyped]
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from core.errors import DocumentUnreadable
from core.library.formats.archive import Archive
from core.library.formats.cell_values import shown
from core.library.formats.markdown import MAX_CHARACTERS, MarkdownText
from core.library.formats.office_package import office_archive
from core.library.formats.parsed import ParsedDocument, damaged
from core.library.formats.xml_tree import descendants, name_of, parse, refuse_entities

_SPARSE = 20
"""A block is written as a table as long as at least one of so many places in it is filled."""

# What holds no cells: openpyxl would refuse the whole file for a filter, a date of printing or a colour that it does not expect.
_WITHOUT_CELLS = (
    "docProps/",
    "customXml/",
    "xl/theme/",
    "xl/chartsheets/",
    "xl/charts/",
    "xl/drawings/",
    "xl/pivotCache/",
    "xl/externalLinks/",
)
_STYLES = "xl/styles.xml"
_BEHIND_THE_CELLS = re.compile(rb"(</(\w+:)?sheetData>|<(\w+:)?sheetData\s*/>).*", re.DOTALL)
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")


@dataclass(frozen=True, slots=True)
class _Cell:
    """`is_value`: a number or a date, which are what a table is about; `may_name` says that it could also name a column, as years do."""

    text: str
    is_value: bool = False
    may_name: bool = True


def read_workbook(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unsupported, unpacks_too_large, too_large; and whatever openpyxl raises for a damaged file."""
    archive = office_archive(data)
    text = MarkdownText()
    has_words = False
    with warnings.catch_warnings():
        # It warns of what it leaves out.
        warnings.simplefilter("ignore")
        book = load_workbook(_for_openpyxl(archive), read_only=True, data_only=True, keep_links=False)
        if not book.worksheets:
            raise damaged("it is not a workbook")
        # Hidden sheets are not seen by who opens the file.
        sheets = (sheet for sheet in book.worksheets if sheet.sheet_state == "visible")
        for number, sheet in enumerate(sheets, start=1):
            text.begin_page(number)
            text.heading(2, sheet.title)
            head: tuple[_Cell, ...] = ()
            columns: tuple[int, ...] = ()
            for block in _blocks(_rows(sheet)):
                head, columns = _write(block, head, columns, text)
                has_words = True
    return ParsedDocument(text.text(), pages=text.pages) if has_words else ParsedDocument("")


def _for_openpyxl(archive: Archive) -> BytesIO:
    names = [name for name in archive.names if name.endswith((".xml", ".rels")) and not name.startswith(_WITHOUT_CELLS)]
    return archive.repacked(names, _prepared)


def _prepared(name: str, content: bytes) -> bytes:
    refuse_entities(content)
    # The strict form of the format has other names for the same things; openpyxl knows the usual ones.
    content = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)
    if name == _STYLES:
        return _number_formats_only(content)
    return _BEHIND_THE_CELLS.sub(rb"\1</\2\3worksheet>", content, count=1)


def _number_formats_only(styles: bytes) -> bytes:
    """A table of styles without fonts, colours and borders."""
    tree = parse(styles)
    for item in list(tree):
        if name_of(item) not in ("numFmts", "cellXfs"):
            tree.remove(item)
    for style in descendants(tree, "xf"):
        del style[:]
    return bytes(etree.tostring(tree))


def _write(
    block: list[dict[int, _Cell]], head: tuple[_Cell, ...], columns: tuple[int, ...], text: MarkdownText
) -> tuple[tuple[_Cell, ...], tuple[int, ...]]:
    """Write one block, and return the column names that hold for what follows below it, with their columns."""
    used = tuple(sorted({column for row in block for column in row}))
    filled = sum(map(len, block))
    if len(used) == 1:
        text.paragraph("\n".join(cell.text for row in block for cell in row.values()))
        return head, columns
    if len(block) * len(used) > filled * _SPARSE:
        text.paragraph("\n".join(" | ".join(cell.text for _, cell in sorted(row.items())) for row in block))
        return head, columns
    if _names_columns(block, used):
        names, rows = tuple(block[0].get(column, _Cell("")) for column in used), block[1:]
    elif head and set(used) <= set(columns):
        # Rows below a gap: they belong to the columns named above.
        used, names, rows = columns, head, block
    else:
        names, rows = tuple(_Cell(get_column_letter(column + 1)) for column in used), block
    text.table([[cell.text for cell in names], *([row[column].text if column in row else "" for column in used] for row in rows)])
    return names, used


def _names_columns(block: list[dict[int, _Cell]], used: tuple[int, ...]) -> bool:
    """Whether the first row names the columns: most of them, with words, or with years or dates where no other row has such."""
    first, rest = block[0], block[1:]
    if not rest or len(first) * 2 <= len(used) or all(cell.is_value for cell in first.values()):
        return False
    values = [column for column, cell in first.items() if cell.is_value]
    return all(first[column].may_name and not any(row[column].may_name for row in rest if column in row) for column in values)


def _blocks(rows: Iterable[tuple[int, dict[int, _Cell]]]) -> Iterator[list[dict[int, _Cell]]]:
    """Runs of rows without an empty row between them."""
    block: list[dict[int, _Cell]] = []
    last = -1
    for number, row in rows:
        if block and number > last + 1:
            yield block
            block = []
        block.append(row)
        last = number
    if block:
        yield block


def _rows(sheet: Any) -> Iterator[tuple[int, dict[int, _Cell]]]:
    """The rows with something in them, and the cells with something in them, by their places."""
    # What a file says about its size is often wrong.
    sheet.reset_dimensions()
    characters = 0
    for number, row in enumerate(sheet.iter_rows()):
        filled = ((column, _cell(found)) for column, found in enumerate(row) if found.value is not None)
        cells = {column: cell for column, cell in filled if cell.text.strip()}
        characters += sum(len(cell.text) for cell in cells.values())
        if characters > MAX_CHARACTERS:
            raise DocumentUnreadable("The workbook holds more text than can be read.", code="too_large")
        if cells:
            yield number, cells


def _cell(found: Any) -> _Cell:
    value = found.value
    if isinstance(value, str | bool):
        return _Cell(shown(value))
    if isinstance(value, date | time | timedelta):
        return _Cell(shown(value), is_value=True)
    return _Cell(shown(value, found.number_format), is_value=True, may_name=isinstance(value, int) and 1900 <= value < 2200)
