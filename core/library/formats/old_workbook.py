"""Workbooks of Excel 5 to 2003 (.xls, also as WPS Spreadsheets' .et). xlrd reads the cells; `sheets.py` writes them down."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import xlrd
from xlrd.xldate import XLDateError, xldate_as_datetime

from core.library.formats.old_container import OldContainer
from core.library.formats.parsed import ParsedDocument, damaged, needs_password
from core.library.formats.sheets import Cell, Rows, cell, written

MAIN_STREAMS = ("Workbook", "Book")


def read_old_workbook(container: OldContainer) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, too_large; and whatever xlrd raises for a damaged file."""
    stream = container.read(next(name for name in MAIN_STREAMS if name in container))
    try:
        # It takes the stream alone, too, and what it has to say must not go to where this process answers.
        book = xlrd.open_workbook(file_contents=stream, logfile=StringIO(), formatting_info=True, ragged_rows=True)
    except xlrd.XLRDError as error:
        raise needs_password() if "encrypted" in str(error) else damaged("it is not a whole workbook") from error
    # Hidden sheets are not seen by who opens the file.
    return written((sheet.name, _rows(book, sheet)) for sheet in book.sheets() if not sheet.visibility)


def _rows(book: Any, sheet: Any) -> Rows:
    for number in range(sheet.nrows):
        yield number, dict(_cells(book, sheet, number))


def _cells(book: Any, sheet: Any, row: int) -> Iterator[tuple[int, Cell]]:
    for column in range(sheet.row_len(row)):
        kind, value = sheet.cell_type(row, column), sheet.cell_value(row, column)
        match kind:
            case xlrd.XL_CELL_EMPTY | xlrd.XL_CELL_BLANK:
                continue
            case xlrd.XL_CELL_BOOLEAN:
                yield column, cell(bool(value))
            case xlrd.XL_CELL_ERROR:
                yield column, cell(xlrd.error_text_from_code.get(value, "#ERROR"))
            case xlrd.XL_CELL_TEXT:
                yield column, cell(value)
            case _:
                code = _format(book, sheet, row, column)
                found = _moment(value, code, book.datemode) if kind == xlrd.XL_CELL_DATE else value
                yield column, cell(int(found) if isinstance(found, float) and found.is_integer() else found, code)


def _format(book: Any, sheet: Any, row: int, column: int) -> str:
    style = book.xf_list[sheet.cell_xf_index(row, column)]
    found = book.format_map.get(style.format_key)
    return (found and found.format_str) or "General"


def _moment(value: float, code: str, calendar: int) -> object:
    """What a number says that is shown as a day, a time or a length of time."""
    if "[h" in code.lower() or "[m" in code.lower() or "[s" in code.lower():
        return timedelta(days=value)
    if value < 0:
        return value
    try:
        moment = xldate_as_datetime(value, calendar)
    except (XLDateError, ValueError, OverflowError):
        return value
    return moment.time() if value < 1 else moment
