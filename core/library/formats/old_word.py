"""Word documents of 97 to 2003 (.doc, also as WPS Writer's .wps): the text after all changes are accepted, with headings, numbers, lists and tables.

Source: [MS-DOC] 2.4.1 Retrieving Text, 2.4.2 Determining Paragraph Boundaries, 2.4.3 Determining Cell Boundaries, 2.5.1 Fib, 2.8.25 PlcFld.
Text lies in pieces, anywhere in the file and in two encodings. A place in the text is the number of a UTF-16 unit, so pairs of them stay apart till the end.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate, compress, pairwise

from core.errors import DocumentUnreadable
from core.library.formats.markdown import MarkdownText
from core.library.formats.old_container import OldContainer
from core.library.formats.old_word_lists import numbering_in
from core.library.formats.old_word_pieces import decoded, pieces
from core.library.formats.old_word_properties import BODY_LEVEL, Layout, Runs, Styles, is_hidden, plc
from core.library.formats.parsed import ParsedDocument, damaged, needs_password

MAIN_STREAM = "WordDocument"

_WORD_97 = 0xC0
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_PARTS = 154
_DEEPEST_FIELD = 32
_MOST_COLUMNS, _SAME_EDGE = 64, 60

_FIELD_SIGN = re.compile("[\x13-\x15]")
_END_OF_PARAGRAPH = re.compile("[\x07\x0c\r]")
_SIGNS = {**dict.fromkeys(range(0x20)), 0x07: " ", 0x09: "\t", 0x0B: "\n", 0x0C: "\n", 0x0D: "\n", 0x0E: "\n", 0x1E: "-"}


class _Part(IntEnum):
    """Parts of the table stream. Where each lies is said in a list at `_PARTS` in the head of the file; this is its number there."""

    STYLES = 1
    NOTES = 2
    NOTE_TEXTS = 3
    LETTERS = 12
    PARAGRAPHS = 13
    PIECES = 33
    END_NOTES = 46
    END_NOTE_TEXTS = 47
    LISTS = 73
    LIST_USES = 74


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    mark: str
    layout: Layout


@dataclass(frozen=True, slots=True)
class _Row:
    """`edges` are those of its cells, from left to right, or none if they are not known."""

    cells: Sequence[Sequence[_Paragraph]]
    edges: Sequence[int]


class _Table:
    """The rows so far of a table that is being read."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._cells: list[list[_Paragraph]] = []
        self._cell: list[_Paragraph] = []

    def add(self, paragraph: _Paragraph, *, ends_cell: bool) -> None:
        """One more paragraph of a cell."""
        self._cell.append(paragraph)
        if ends_cell:
            self._cells.append(self._cell)
            self._cell = []

    def end_row(self, edges: Sequence[int] = ()) -> None:
        """The row is over, if one was begun."""
        cells = [*self._cells, self._cell] if self._cell else self._cells
        if cells:
            self.rows.append(_Row(cells, edges))
        self._cells, self._cell = [], []


def read_old_word(container: OldContainer) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unsupported (Word 6 and 95), too_large; and whatever a damaged file makes of its offsets."""
    head = container.read(MAIN_STREAM)
    _, version, flags = struct.unpack_from("<2H6xH", head)
    if version < _WORD_97:
        raise DocumentUnreadable("Documents of Word before 97 cannot be read.", code="unsupported")
    if flags & _ENCRYPTED:
        raise needs_password()
    document = _Document(head, container.read("1Table" if flags & _SECOND_TABLE else "0Table"), container)
    # Main text, footnotes, headers, macros, remarks, endnotes, text boxes: one behind the other.
    bounds = list(accumulate(struct.unpack_from("<7I", head, 76), initial=0))
    main, notes, _, _, _, end_notes, boxes = pairwise(bounds)
    noted = [
        *document.notes(notes, _Part.NOTES, _Part.NOTE_TEXTS, ""),
        *document.notes(end_notes, _Part.END_NOTES, _Part.END_NOTE_TEXTS, "e"),
    ]
    document.write(*main)
    document.write(*boxes)
    document.write_notes(noted)
    return ParsedDocument(document.text())


class _Document:
    """Walks through the text in order, because the numbers of a list count on."""

    def __init__(self, head: bytes, table: bytes, container: OldContainer) -> None:
        self._head, self._table = head, table
        self._pieces = pieces(self._part(_Part.PIECES))
        self._starts = [piece.start for piece in self._pieces]
        self._text = "".join(decoded(head, piece) for piece in self._pieces)
        self._shown = bytearray(b"\1") * len(self._text)
        self._hide_letters(Runs(head, self._part(_Part.LETTERS), of_paragraphs=False))
        self._layouts = Runs(head, self._part(_Part.PARAGRAPHS), of_paragraphs=True)
        self._styles = Styles(self._part(_Part.STYLES), container.read("Data") if "Data" in container else b"")
        self._numbering = numbering_in(self._part(_Part.LISTS, to_the_end=True), self._part(_Part.LIST_USES))
        self._notes: dict[int, str] = {}
        self._noted: list[int] = []
        self._markdown = MarkdownText()

    def text(self) -> str:
        """All that was written."""
        return self._markdown.text().encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def notes(self, story: tuple[int, int], places: _Part, texts: _Part, kind: str) -> list[tuple[int, str]]:
        """The notes of one kind as their places in the main text and their words ([MS-DOC] 2.8.17 PlcffndRef, 2.8.18 PlcffndTxt)."""
        self._hide_instructions(*story)
        in_text, borders = plc(self._part(places), 2)[0][:-1], plc(self._part(texts), 0)[0]
        found = []
        for number, (place, bounds) in enumerate(zip(in_text, pairwise(borders), strict=False), start=1):
            start, end = (min(story[0] + bound, story[1]) for bound in bounds)
            found.append((place, self._words(start, end)))
            self._notes[place] = f"[^{kind}{number}]"
        self._noted = sorted(self._notes)
        return found

    def write_notes(self, notes: Iterable[tuple[int, str]]) -> None:
        """Those that the text shows, at its end."""
        for place, text in notes:
            if place < len(self._shown) and self._shown[place]:
                self._markdown.item(text, mark=f"{self._notes[place]}:")

    def write(self, start: int, end: int) -> None:
        """A part of the text as blocks."""
        if end > len(self._text):
            raise damaged("a part of its text is missing")
        self._hide_instructions(start, end)
        table = _Table()
        for paragraph, ends_cell in self._paragraphs(start, end):
            if paragraph.layout.ends_row:
                table.end_row(paragraph.layout.edges)
            elif paragraph.layout.in_table or ends_cell:
                table.add(paragraph, ends_cell=ends_cell)
            else:
                self._write_table(table)
                table = _Table()
                self._write_paragraph(paragraph)
        self._write_table(table)

    def _write_paragraph(self, paragraph: _Paragraph) -> None:
        text, mark, layout = paragraph.text, paragraph.mark, paragraph.layout
        if layout.is_contents or not text.strip():
            return
        if layout.outline < BODY_LEVEL:
            self._markdown.heading(layout.outline + 1, f"{'' if mark == '-' else mark} {text}")
        elif mark:
            self._markdown.item(text, mark=mark, depth=layout.list_level)
        else:
            self._markdown.paragraph(text)

    def _write_table(self, table: _Table) -> None:
        table.end_row()
        if all(len(row.cells) <= 1 for row in table.rows):
            # A frame around text, not a table: what stands in it keeps its headings.
            for row in table.rows:
                for cell in row.cells:
                    for paragraph in cell:
                        self._write_paragraph(paragraph)
            return
        self._markdown.table(_aligned(table.rows))

    def _paragraphs(self, start: int, end: int) -> Iterator[tuple[_Paragraph, bool]]:
        """The paragraphs of a range, and whether each ends a cell (or row) of a table."""
        for sign in _END_OF_PARAGRAPH.finditer(self._text, start, end):
            text, layout = self._words(start, sign.start()), self._layout(sign.start())
            mark = self._numbering.mark(str(layout.list_id), layout.list_level) if layout.list_id and text.strip() else ""
            yield _Paragraph(text, mark, layout), sign[0] == "\x07"
            start = sign.end()
        if start < end:
            yield _Paragraph(self._words(start, end), "", Layout()), False

    def _words(self, start: int, end: int) -> str:
        """What is seen of a range, with the marks of its notes."""
        found = []
        for place in self._noted[bisect_left(self._noted, start) : bisect_left(self._noted, end)]:
            if self._shown[place]:
                found += [self._seen(start, place), self._notes[place]]
                start = place
        return "".join([*found, self._seen(start, end)])

    def _seen(self, start: int, end: int) -> str:
        text, shown = self._text[start:end], self._shown[start:end]
        return (text if 0 not in shown else "".join(compress(text, shown))).translate(_SIGNS)

    def _layout(self, place: int) -> Layout:
        piece = self._pieces[bisect_right(self._starts, place) - 1]
        return self._styles.paragraph(self._layouts.at(piece.place + (place - piece.start) * piece.width), piece.changes)

    def _hide_letters(self, runs: Runs) -> None:
        known: dict[bytes, bool] = {}
        for piece in self._pieces:
            if is_hidden(piece.changes):
                self._hide(piece.start, piece.end)
            for start, end, changes in runs.within(piece.place, piece.place + (piece.end - piece.start) * piece.width):
                if changes not in known:
                    known[changes] = is_hidden(changes)
                if known[changes]:
                    self._hide(piece.start + (start - piece.place) // piece.width, piece.start + (end - piece.place) // piece.width)

    def _hide_instructions(self, start: int, end: int) -> None:
        """Of a field only its result is seen. One that is not ended is none."""
        fields: list[tuple[int, bool]] = []
        for sign in _FIELD_SIGN.finditer(self._text, start, end):
            if sign[0] == "\x13":
                # More than anybody nests; hiding as deep as a file likes would take for ever.
                fields = [*fields[-_DEEPEST_FIELD:], (sign.start(), True)]
            elif fields:
                begin, is_instruction = fields.pop()
                if is_instruction:
                    self._hide(begin, sign.end())
                if sign[0] == "\x14":
                    fields.append((begin, False))

    def _hide(self, start: int, end: int) -> None:
        self._shown[start:end] = bytes(end - start)

    def _part(self, number: _Part, *, to_the_end: bool = False) -> bytes:
        """A part of the table stream; its length is not always said in full."""
        if len(self._head) < _PARTS + number * 8 + 8:
            return b""
        start, length = struct.unpack_from("<2I", self._head, _PARTS + number * 8)
        return self._table[start : None if to_the_end and length else start + length]


def _aligned(rows: Sequence[_Row]) -> list[list[str]]:
    """The cells as text, each in the column where it begins: one that reaches over two leaves the second empty."""
    texts = [[" ".join(_in_cell(cell)) for cell in row.cells] for row in rows]
    if len(set(map(len, texts))) == 1 or any(len(row.edges) <= len(row.cells) for row in rows):
        return texts
    edges = sorted({edge for row in rows for edge in row.edges[: len(row.cells)]})
    columns = dict(zip(edges, accumulate(after - before > _SAME_EDGE for before, after in pairwise([edges[0], *edges])), strict=True))
    if columns[edges[-1]] >= _MOST_COLUMNS:
        return texts
    lines = []
    for row, cells in zip(rows, texts, strict=True):
        line: list[str] = []
        for edge, text in zip(row.edges, cells, strict=False):
            line += [*[""] * (columns[edge] - len(line)), text]
        lines.append(line)
    return lines


def _in_cell(cell: Iterable[_Paragraph]) -> Iterator[str]:
    for paragraph in cell:
        if paragraph.text.strip():
            yield f"{paragraph.mark} {paragraph.text}" if paragraph.mark not in ("", "-") else paragraph.text
