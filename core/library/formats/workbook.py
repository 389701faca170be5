"""Workbooks (.xlsx): each sheet under its name, each block of cells as a table whose rows keep their column names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.errors import DocumentUnreadable
from core.library.formats.cell_values import NumberFormat, number_format, shown
from core.library.formats.markdown import MAX_CHARACTERS, MarkdownText
from core.library.formats.office_package import OfficePackage
from core.library.formats.parsed import ParsedDocument, damaged
from core.library.formats.xml_tree import Element, attribute, child, children, children_as_read, descendants, integer, name_of, parse

_COLUMNS = 16_384
_GENERAL = NumberFormat()
_SPARSE = 20
"""A block is written as a table as long as at least one of so many places in it is filled."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """`is_value`: a number or a date, which are what a table is about; `may_name` says that it could also name a column, as years do."""

    text: str
    is_value: bool = False
    may_name: bool = True


@dataclass(slots=True)
class _Sheet:
    """The cells of a sheet that have a value, by row and column (from 0)."""

    rows: list[tuple[int, dict[int, _Cell]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Book:
    package: OfficePackage
    strings: Sequence[str]
    formats: Sequence[NumberFormat]
    since_1904: bool


def read_workbook(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unsupported, unpacks_too_large, too_large."""
    package = OfficePackage(data, "xl/workbook.xml")
    main = package.main_part
    tree = package.tree(main)
    sheets = child(tree, "sheets")
    if sheets is None:
        raise damaged("it is not a workbook")
    settings = child(tree, "workbookPr")
    since_1904 = settings is not None and attribute(settings, "date1904") in ("1", "true")
    book = _Book(package, _shared_strings(package, main), _formats(package, main), since_1904)
    parts = {relation.id: relation.part for relation in package.relations(main) if relation.kind == "worksheet"}
    text = MarkdownText()
    has_words = False
    for sheet in children(sheets, "sheet"):
        # Sheets of charts are no worksheets; hidden sheets are not seen by who opens the file.
        part = parts.get(attribute(sheet, "id"))
        if part is None or attribute(sheet, "state", "visible") != "visible":
            continue
        blocks = list(_blocks(_cells(book, part)))
        text.heading(2, attribute(sheet, "name"))
        head: tuple[_Cell, ...] = ()
        columns: tuple[int, ...] = ()
        for block in blocks:
            head, columns = _write(block, head, columns, text)
            has_words = True
    return ParsedDocument(text.text() if has_words else "")


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
        names, rows = tuple(_Cell(_letters(column)) for column in used), block
    text.table([[cell.text for cell in names], *([row[column].text if column in row else "" for column in used] for row in rows)])
    return names, used


def _names_columns(block: list[dict[int, _Cell]], used: tuple[int, ...]) -> bool:
    """Whether the first row names the columns: most of them, with words, or with years or dates where no other row has such."""
    first, rest = block[0], block[1:]
    if not rest or len(first) * 2 <= len(used) or all(cell.is_value for cell in first.values()):
        return False
    values = [column for column, cell in first.items() if cell.is_value]
    return all(first[column].may_name and not any(row[column].may_name for row in rest if column in row) for column in values)


def _blocks(sheet: _Sheet) -> Iterator[list[dict[int, _Cell]]]:
    """Runs of rows without an empty row between them."""
    block: list[dict[int, _Cell]] = []
    last = -1
    for number, row in sorted(sheet.rows, key=lambda item: item[0]):
        if block and number > last + 1:
            yield block
            block = []
        block.append(row)
        last = number
    if block:
        yield block


def _cells(book: _Book, part: str) -> _Sheet:
    sheet = _Sheet()
    characters = 0
    for count, row in enumerate(children_as_read(book.package.archive.read(part), "row")):
        cells: dict[int, _Cell] = {}
        for place, cell in enumerate(row.iterchildren("{*}c")):
            # Most cells of a formatted sheet are empty.
            if len(cell) and (value := _value(book, cell)).text.strip():
                cells[_column(cell.get("r", ""), place)] = value
                characters += len(value.text)
        if cells:
            sheet.rows.append((integer(attribute(row, "r"), count + 1), cells))
        if characters > MAX_CHARACTERS:
            raise DocumentUnreadable("The workbook holds more text than can be read.", code="too_large")
    return sheet


def _value(book: _Book, cell: Element) -> _Cell:
    kind, value = cell.get("t", "n"), child(cell, "v")
    if kind == "inlineStr":
        return _Cell(_rich_text(child(cell, "is")))
    if value is None or not value.text:
        formula = child(cell, "f")
        return _Cell(f"={formula.text}" if formula is not None and formula.text else "")
    raw = str(value.text)
    match kind:
        case "s":
            index = integer(raw, -1)
            return _Cell(book.strings[index] if 0 <= index < len(book.strings) else "")
        case "b":
            return _Cell("TRUE" if raw == "1" else "FALSE")
        case "n":
            index = integer(cell.get("s", ""))
            form = book.formats[index] if 0 <= index < len(book.formats) else _GENERAL
            is_name = form.is_date or (len(raw) == 4 and raw.isdecimal() and raw[:2] in ("19", "20", "21"))
            return _Cell(shown(raw, form, since_1904=book.since_1904), is_value=True, may_name=is_name)
        case "d":
            return _Cell(raw.replace("T", " ").removesuffix(" 00:00:00"), is_value=True)
        case _:
            return _Cell(raw)


def _shared_strings(package: OfficePackage, main: str) -> list[str]:
    part = package.related(main, "sharedStrings")
    return [_rich_text(item) for item in children_as_read(package.archive.read(part), "si")] if part else []


def _rich_text(item: Element | None) -> str:
    """The words of a text without the reading aids that Japanese texts carry beside them."""
    if item is None:
        return ""
    return "".join(found.text or "" for found in descendants(item, "t") if name_of(found.getparent()) != "rPh")


def _formats(package: OfficePackage, main: str) -> list[NumberFormat]:
    """The number format of every cell style, in the order in which cells count them."""
    part = package.related(main, "styles")
    if not part:
        return []
    tree = parse(package.archive.read(part))
    codes = {integer(attribute(item, "numFmtId")): attribute(item, "formatCode") for item in descendants(tree, "numFmt")}
    styles = child(tree, "cellXfs")
    ids = [integer(attribute(item, "numFmtId")) for item in children(styles, "xf")] if styles is not None else []
    known = {found: number_format(found, codes.get(found, "")) for found in ids}
    return [known[found] for found in ids]


def _column(reference: str, place: int) -> int:
    """The column of "AB12", from 0; `place` is its place in the row, which holds where a file leaves references out."""
    column = 0
    for letter in reference:
        if not "A" <= letter <= "Z":
            break
        column = column * 26 + ord(letter) - ord("A") + 1
    return min(column, _COLUMNS) - 1 if column else place


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
