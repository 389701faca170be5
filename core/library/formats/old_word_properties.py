"""How the paragraphs and letters of an old Word document are formatted: what is said about places in the file, and by styles.

Source: [MS-DOC], the sections named at each function. Formatting is a list of changes (`Prl`), each an opcode (`Sprm`) and its operand.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise

BODY_LEVEL = 9

_PAGE_BYTES, _PAGE_NUMBER = 512, 0x3FFFFF
_BEHIND_ALL = 1 << 32
_OPERAND_BYTES = (1, 1, 2, 4, 2, 2, 0, 3)
_LAST_LIST = 0x7FE
_HEADINGS, _TITLE, _CONTENTS = range(1, 10), 62, frozenset({*range(19, 28), 35})
_PARAGRAPH_STYLE, _NO_STYLE = 1, 0xFFF
_ON = frozenset({0x01, 0x81})


class _Code(IntEnum):
    """The opcodes that matter here ([MS-DOC] 2.6.1 to 2.6.3)."""

    STYLE = 0x4600
    LIST = 0x460B
    LIST_LEVEL = 0x260A
    OUTLINE = 0x2640
    IN_TABLE = 0x2416
    ENDS_ROW = 0x2417
    TABLE_DEFINITION = 0xD608
    TAB_STOPS = 0xC615
    ELSEWHERE_BEFORE = 0x6645
    ELSEWHERE = 0x6646
    DELETED = 0x0800
    HIDDEN = 0x083C
    SYMBOL = 0x6A09


# The few changes of a fast save that a piece of text carries itself have shorter names.
_SHORT_NAMES = {0x18: _Code.IN_TABLE, 0x19: _Code.ENDS_ROW, 0x41: _Code.DELETED, 0x5C: _Code.HIDDEN}


@dataclass(frozen=True, slots=True)
class Layout:
    """What a paragraph is. `outline` 0 to 8 is a heading, 9 is body text; `list_id` counts from 1, 0 is no list; `edges` are those of the cells
    of the row that it ends, in twentieths of a point."""

    outline: int = BODY_LEVEL
    list_id: int = 0
    list_level: int = 0
    in_table: bool = False
    ends_row: bool = False
    is_contents: bool = False
    edges: tuple[int, ...] = ()


def plc(part: bytes, item_bytes: int) -> tuple[tuple[int, ...], bytes]:
    """Places, and behind them an item for each stretch between two of them ([MS-DOC] 2.2.2 PLC)."""
    count = (len(part) - 4) // (4 + item_bytes)
    if count < 0:
        return (), b""
    return struct.unpack_from(f"<{count + 1}I", part), part[4 * (count + 1) :][: count * item_bytes]


class Runs:
    """Changes by the place in the file of the text they hold for ([MS-DOC] 2.8.5 PlcBteChpx, 2.8.6 PlcBtePapx)."""

    def __init__(self, document: bytes, bins: bytes, *, of_paragraphs: bool) -> None:
        pages = dict.fromkeys(page for (page,) in struct.iter_unpack("<I", plc(bins, 4)[1]))
        read = _paragraph_changes if of_paragraphs else _letter_changes
        found = {run[0]: run for page in pages for run in read(document[(page & _PAGE_NUMBER) * _PAGE_BYTES :][:_PAGE_BYTES])}
        self._starts = sorted(found)
        # In a whole file no two overlap.
        ends = [min(found[start][1], after) for start, after in pairwise([*self._starts, _BEHIND_ALL])]
        self._found = [(start, end, found[start][2]) for start, end in zip(self._starts, ends, strict=True)]

    def at(self, place: int) -> bytes:
        """What holds for the text at this byte."""
        number = bisect_right(self._starts, place) - 1
        return self._found[number][2] if number >= 0 and place < self._found[number][1] else b""

    def within(self, start: int, end: int) -> Iterator[tuple[int, int, bytes]]:
        """The parts of a range of bytes about which something is said, in order: start, end, changes."""
        for number in range(max(0, bisect_right(self._starts, start) - 1), bisect_left(self._starts, end)):
            first, behind, changes = self._found[number]
            if changes and behind > start:
                yield max(first, start), min(behind, end), changes


def _letter_changes(page: bytes) -> Iterator[tuple[int, int, bytes]]:
    """[MS-DOC] 2.9.33 ChpxFkp."""
    count = page[-1] if len(page) == _PAGE_BYTES else 0
    places = struct.unpack_from(f"<{count + 1}I", page) if count and count * 5 + 5 < _PAGE_BYTES else ()
    for number, (start, end) in enumerate(pairwise(places)):
        offset = page[4 * len(places) + number] * 2
        yield start, end, page[offset + 1 : offset + 1 + page[offset]] if offset else b""


def _paragraph_changes(page: bytes) -> Iterator[tuple[int, int, bytes]]:
    """[MS-DOC] 2.9.175 PapxFkp; the changes begin with the paragraph's style."""
    count = page[-1] if len(page) == _PAGE_BYTES else 0
    places = struct.unpack_from(f"<{count + 1}I", page) if count and count * 17 + 5 < _PAGE_BYTES else ()
    for number, (start, end) in enumerate(pairwise(places)):
        offset = page[4 * len(places) + 13 * number] * 2
        size = page[offset]
        begin, length = (offset + 1, size * 2 - 1) if size else (offset + 2, page[offset + 1] * 2)
        yield start, end, page[begin : begin + length] if offset else b""


def changes_in(group: bytes) -> Iterator[tuple[int, bytes]]:
    """The opcodes and operands of a group ([MS-DOC] 2.2.5.1 Sprm, 2.2.5.2 Prl)."""
    place = 0
    while place + 3 <= len(group):
        code, size = int.from_bytes(group[place : place + 2], "little"), _OPERAND_BYTES[group[place + 1] >> 5]
        place += 2
        if code == _Code.TABLE_DEFINITION:
            size = int.from_bytes(group[place : place + 2], "little") + 1
        elif code == _Code.TAB_STOPS and group[place] == 0xFF:
            return  # so many tab stops that their length has to be counted; hardly ever, and nearly at the end of the group
        elif not size:
            size = group[place] + 1
        yield code, group[place : place + size]
        place += size


def piece_changes(modifier: int, groups: Sequence[bytes]) -> bytes:
    """What a piece of text says about itself after a fast save ([MS-DOC] 2.9.215 Prm)."""
    if modifier & 1:
        return groups[modifier >> 1] if modifier >> 1 < len(groups) else b""
    name = _SHORT_NAMES.get(modifier >> 1 & 0x7F)
    return struct.pack("<HB", name, modifier >> 8) if name else b""


def is_hidden(changes: bytes) -> bool:
    """Whether letters are hidden, deleted but still shown as such, or a picture from a font of symbols."""
    return any(
        code == _Code.SYMBOL or (code in (_Code.DELETED, _Code.HIDDEN) and operand[0] in _ON) for code, operand in changes_in(changes)
    )


@dataclass(frozen=True, slots=True)
class _Style:
    """`kind` is the number of a style that every document has, such as "heading 1" (1)."""

    kind: int
    based_on: int
    changes: bytes


class Styles:
    """What paragraphs are by their styles and by what is said about themselves ([MS-DOC] 2.4.6.1 Direct Paragraph Formatting)."""

    def __init__(self, sheet: bytes, data: bytes) -> None:
        """`sheet` is the table of styles; `data` the stream of that name, where those changes lie that are too long for their place."""
        self._styles = list(_styles(sheet))
        self._data = data
        self._layouts: dict[int, Layout] = {}
        self._seen: dict[tuple[bytes, bytes], Layout] = {}

    def paragraph(self, changes: bytes, piece: bytes) -> Layout:
        """What a paragraph is: `changes` begin with the number of its style, those of its piece of text come on top."""
        key = (changes, piece)
        if key not in self._seen:
            layout = self._by_style(int.from_bytes(changes[:2], "little"))
            self._seen[key] = self._changed(self._changed(layout, changes[2:]), piece)
        return self._seen[key]

    def _by_style(self, number: int) -> Layout:
        if number not in self._layouts:
            self._layouts[number] = Layout()  # for a style that is based on itself
            if number < len(self._styles):
                style = self._styles[number]
                layout = self._changed(self._by_style(style.based_on), style.changes)
                if style.kind in _HEADINGS or style.kind == _TITLE:
                    layout = replace(layout, outline=style.kind - 1 if style.kind in _HEADINGS else 0)
                self._layouts[number] = replace(layout, is_contents=layout.is_contents or style.kind in _CONTENTS)
        return self._layouts[number]

    def _changed(self, layout: Layout, changes: bytes, *, may_follow: bool = True) -> Layout:
        for code, operand in changes_in(changes):
            match code:
                case _Code.STYLE:
                    layout = self._by_style(int.from_bytes(operand, "little"))
                case _Code.OUTLINE:
                    layout = replace(layout, outline=min(operand[0], BODY_LEVEL))
                case _Code.LIST:
                    number = int.from_bytes(operand, "little")
                    layout = replace(layout, list_id=number if number <= _LAST_LIST else 0)
                case _Code.LIST_LEVEL:
                    layout = replace(layout, list_level=operand[0])
                case _Code.IN_TABLE:
                    layout = replace(layout, in_table=operand[0] == 1)
                case _Code.ENDS_ROW:
                    layout = replace(layout, ends_row=operand[0] == 1)
                case _Code.TABLE_DEFINITION:
                    layout = replace(layout, edges=struct.unpack_from(f"<{operand[2] + 1}h", operand, 3))
                case _Code.ELSEWHERE | _Code.ELSEWHERE_BEFORE if may_follow:
                    place = int.from_bytes(operand, "little")
                    size = int.from_bytes(self._data[place : place + 2], "little")
                    layout = self._changed(layout, self._data[place + 2 : place + 2 + size], may_follow=False)
        return layout


def _styles(sheet: bytes) -> Iterator[_Style]:
    """[MS-DOC] 2.9.271 STSH, 2.9.260 STD, 2.9.340 UpxPapx."""
    if len(sheet) < 6:
        return
    header, count, base = struct.unpack_from("<3H", sheet)
    place = 2 + header
    for _ in range(count):
        size = int.from_bytes(sheet[place : place + 2], "little")
        style = sheet[place + 2 : place + 2 + size]
        place += 2 + size + size % 2
        if len(style) < base + 2 or base < 6:
            yield _Style(0, _NO_STYLE, b"")
            continue
        kind, kind_and_base = struct.unpack_from("<2H", style)
        is_paragraph = kind_and_base & 0xF == _PARAGRAPH_STYLE
        behind_name = base + 2 * int.from_bytes(style[base : base + 2], "little") + 4
        length = int.from_bytes(style[behind_name : behind_name + 2], "little")
        changes = style[behind_name + 4 : behind_name + 2 + length] if is_paragraph else b""
        yield _Style(kind & 0xFFF if is_paragraph else 0, kind_and_base >> 4, changes)
