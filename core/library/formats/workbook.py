"""Workbooks (.xlsx). openpyxl reads the cells; `sheets.py` writes them down."""

from __future__ import annotations

import re
import warnings
from io import BytesIO
from typing import Any

from lxml import etree  # type: ignore[import-untyped]
from openpyxl import load_workbook

from core.library.formats.archive import Archive
from core.library.formats.office_package import office_archive
from core.library.formats.parsed import ParsedDocument, damaged
from core.library.formats.sheets import Rows, cell, written
from core.library.formats.xml_tree import descendants, name_of, parse, refuse_entities

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


def read_workbook(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unsupported, unpacks_too_large, too_large; and whatever openpyxl raises for a damaged file."""
    archive = office_archive(data)
    with warnings.catch_warnings():
        # It warns of what it leaves out.
        warnings.simplefilter("ignore")
        book = load_workbook(_for_openpyxl(archive), read_only=True, data_only=True, keep_links=False)
        if not book.worksheets:
            raise damaged("it is not a workbook")
        # Hidden sheets are not seen by who opens the file.
        return written((sheet.title, _rows(sheet)) for sheet in book.worksheets if sheet.sheet_state == "visible")


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


def _rows(sheet: Any) -> Rows:
    # What a file says about its size is often wrong.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows()):
        yield number, {place: cell(found.value, found.number_format) for place, found in enumerate(row) if found.value is not None}
