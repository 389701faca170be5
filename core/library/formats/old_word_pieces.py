"""The text of an old Word document: in pieces, anywhere in the file, in two encodings ([MS-DOC] 2.4.1 Retrieving Text).

A place in the text is the number of a UTF-16 unit, so the two halves of a rare character stay apart until the end.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from itertools import pairwise

from core.errors import DocumentUnreadable
from core.library.formats.markdown import MAX_CHARACTERS
from core.library.formats.old_word_properties import piece_changes, plc
from core.library.formats.parsed import damaged

_COMPRESSED = 0x4000_0000
_PAIR = re.compile("[\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """Text from `start` to `end` lies from byte `place` on, `width` bytes for a unit. `changes` hold for all of it."""

    start: int
    end: int
    place: int
    width: int
    changes: bytes


def pieces(part: bytes) -> list[Piece]:
    """The pieces of a document in order, from its part of that name ([MS-DOC] 2.9.38 Clx: groups of changes, then 2.8.35 PlcPcd).

    Raises `DocumentUnreadable`: damaged, too_large.
    """
    groups: list[bytes] = []
    place = 0
    while part[place : place + 1] == b"\1":
        size = int.from_bytes(part[place + 1 : place + 3], "little")
        groups.append(part[place + 3 : place + 3 + size])
        place += 3 + size
    if part[place : place + 1] != b"\2":
        raise damaged("it does not say where its text lies")
    (size,) = struct.unpack_from("<I", part, place + 1)
    bounds, where = plc(part[place + 5 : place + 5 + size], 8)
    found = []
    for number, (start, end) in enumerate(pairwise(bounds)):
        if end < start or bounds[0]:
            raise damaged("its text is out of order")
        place, modifier = struct.unpack_from("<IH", where, 8 * number + 2)
        is_compressed = bool(place & _COMPRESSED)
        place &= _COMPRESSED - 1
        found.append(Piece(start, end, place // 2 if is_compressed else place, 1 if is_compressed else 2, piece_changes(modifier, groups)))
    if found and found[-1].end > MAX_CHARACTERS:
        raise DocumentUnreadable(f"The document has more than {MAX_CHARACTERS:,} characters.", code="too_large")
    return [piece for piece in found if piece.end > piece.start]


def decoded(stream: bytes, piece: Piece) -> str:
    """The text of a piece, a character for each UTF-16 unit. Raises `DocumentUnreadable` (damaged)."""
    length = piece.end - piece.start
    data = stream[piece.place : piece.place + length * piece.width]
    if len(data) < length * piece.width:
        raise damaged("a part of its text is missing")
    if piece.width == 1:
        return data.decode("cp1252", "replace")
    return _PAIR.sub(_apart, data.decode("utf-16-le", "surrogatepass"))


def _apart(pair: re.Match[str]) -> str:
    number = ord(pair[0]) - 0x10000
    return chr(0xD800 + (number >> 10)) + chr(0xDC00 + (number & 0x3FF))
