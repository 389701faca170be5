"""The lists of an old Word document, for what counts their numbers.

Source: [MS-DOC] 2.9.188 PlfLfo, 2.9.189 PlfLst, 2.9.150 LVL, 2.9.147 LSTF; the numbers of formats are those of [MS-OSHARED] 2.2.1.3 MSONFC.
"""

from __future__ import annotations

import struct

from core.library.formats.word_numbering import CountedList, Level, Numbering

_LIST_BYTES, _REFERENCE_BYTES, _LEVEL_BYTES = 28, 16, 28
_LEVELS = 9
_NOT_A_LIST = "none"
_FORMATS = {
    1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 10: "ideographDigital", 11: "japaneseCounting", 22: "decimalZero", 23: "bullet",
    33: "taiwaneseCounting", 35: "taiwaneseCountingThousand", 37: "chineseCounting", 39: "chineseCountingThousand", 255: _NOT_A_LIST,
}  # fmt: skip


def numbering_in(lists: bytes, references: bytes) -> Numbering:
    """`lists` begins where the table of lists does and goes on to the end of its stream; `references` are what paragraphs count into, from 1 on."""
    shared = _lists(lists) if lists else {}
    found: dict[str, CountedList] = {}
    count = int.from_bytes(references[:4], "little")
    place = 4 + count * _REFERENCE_BYTES
    for number in range(min(count, len(references) // _REFERENCE_BYTES)):
        id, overrides = struct.unpack_from("<I8xB", references, 4 + number * _REFERENCE_BYTES)
        place += 4
        levels = dict(shared[id].levels) if id in shared else {}
        for _ in range(min(overrides, _LEVELS)):
            start, flags = struct.unpack_from("<2I", references, place)
            place += 8
            level = flags & 0xF
            if flags & 0x20:
                levels[level], place = _level(references, place)
            elif flags & 0x10:
                old = levels.get(level, Level())
                levels[level] = Level(start, old.format, old.text)
        if overrides:
            found[str(number + 1)] = CountedList(levels)
        elif id in shared:
            found[str(number + 1)] = shared[id]
    return Numbering(found)


def _lists(data: bytes) -> dict[int, CountedList]:
    count = int.from_bytes(data[:2], "little")
    place = 2 + count * _LIST_BYTES
    found = {}
    for number in range(count):
        (id,) = struct.unpack_from("<I", data, 2 + number * _LIST_BYTES)
        is_simple = data[2 + number * _LIST_BYTES + 26] & 1
        levels = {}
        for level in range(1 if is_simple else _LEVELS):
            levels[level], place = _level(data, place)
        found[id] = CountedList(levels)
    return found


def _level(data: bytes, place: int) -> tuple[Level, int]:
    """A level, and where the next one begins. In its text the numbers of levels stand as characters below 9."""
    start, form, letters, paragraphs = struct.unpack_from("<IB19xBB", data, place)
    place += _LEVEL_BYTES + letters + paragraphs
    (size,) = struct.unpack_from("<H", data, place)
    text = data[place + 2 : place + 2 + 2 * size].decode("utf-16-le", "replace")
    shown = "".join(f"%{ord(letter) + 1}" if ord(letter) < _LEVELS else letter for letter in text)
    return Level(start, _FORMATS.get(form, "decimal"), shown), place + 2 + 2 * size
