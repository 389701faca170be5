"""Sheets of a workbook as text: each under its name, each block of cells as a table whose rows keep their column names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta

from core.errors import DocumentUnreadable
from core.library.formats.cell_values import shown
from core.library.formats.markdown import MAX_CHARACTERS, MarkdownText
from core.library.formats.parsed import ParsedDocument

_SPARSE = 20
"""A block is written as a table as long as at least one of so many places in it is filled."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`is_value`: a number or a date, which are what a table is about; `may_name` says that it could also name a column, as years do."""

    text: str
    is_value: bool = False
    may_name: bool = True


Rows = Iterable[tuple[int, dict[int, Cell]]]
"""The rows of a sheet by their numbers, and their cells by their columns, both from 0 and in order. What has no text may be among them."""


def cell(value: object, number_format: str = "General") -> Cell:
    """A cell as it is shown."""
    if isinstance(value, str | bool):
        return Cell(shown(value))
    if isinstance(value, date | time | timedelta):
        return Cell(shown(value), is_value=True)
    return Cell(shown(value, number_format), is_value=True, may_name=isinstance(value, int) and 1900 <= value < 2200)


def written(sheets: Iterable[tuple[str, Rows]]) -> ParsedDocument:
    """The document that these sheets are, by their names; each is a page. Raises `DocumentUnreadable` (too_large)."""
    text = MarkdownText()
    has_words = False
    for number, (name, rows) in enumerate(sheets, start=1):
        text.begin_page(number)
        text.heading(2, name)
        head: tuple[Cell, ...] = ()
        columns: tuple[int, ...] = ()
        for block in _blocks(_filled(rows)):
            head, columns = _write(block, head, columns, text)
            has_words = True
    return ParsedDocument(text.text(), pages=text.pages) if has_words else ParsedDocument("")


def _write(
    block: list[dict[int, Cell]], head: tuple[Cell, ...], columns: tuple[int, ...], text: MarkdownText
) -> tuple[tuple[Cell, ...], tuple[int, ...]]:
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
        names, rows = tuple(block[0].get(column, Cell("")) for column in used), block[1:]
    elif head and set(used) <= set(columns):
        # Rows below a gap: they belong to the columns named above.
        used, names, rows = columns, head, block
    else:
        names, rows = tuple(Cell(_letters(column)) for column in used), block
    text.table([[cell.text for cell in names], *([row[column].text if column in row else "" for column in used] for row in rows)])
    return names, used


def _names_columns(block: list[dict[int, Cell]], used: tuple[int, ...]) -> bool:
    """Whether the first row names the columns: most of them, with words, or with years or dates where no other row has such."""
    first, rest = block[0], block[1:]
    if not rest or len(first) * 2 <= len(used) or all(cell.is_value for cell in first.values()):
        return False
    values = [column for column, cell in first.items() if cell.is_value]
    return all(first[column].may_name and not any(row[column].may_name for row in rest if column in row) for column in values)


def _blocks(rows: Rows) -> Iterator[list[dict[int, Cell]]]:
    """Runs of rows without an empty row between them."""
    block: list[dict[int, Cell]] = []
    last = -1
    for number, row in rows:
        if block and number > last + 1:
            yield block
            block = []
        block.append(row)
        last = number
    if block:
        yield block


def _filled(rows: Rows) -> Rows:
    """The rows with something in them, and the cells with something in them."""
    characters = 0
    for number, row in rows:
        cells = {column: found for column, found in row.items() if found.text.strip()}
        characters += sum(len(found.text) for found in cells.values())
        if characters > MAX_CHARACTERS:
            raise DocumentUnreadable("The workbook holds more text than can be read.", code="too_large")
        if cells:
            yield number, cells


def _letters(column: int) -> str:
    """The name of a column: A to Z, AA, AB and so on."""
    name = ""
    while column >= 0:
        name = chr(ord("A") + column % 26) + name
        column = column // 26 - 1
    return name
