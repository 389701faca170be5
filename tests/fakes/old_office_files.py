"""Documents as Office before 2007 wrote them, small and made by hand: what matters for reading them and nothing else."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_SECTOR = 512
_SMALLEST_STREAM = 4096
_END, _FAT, _NONE = 0xFFFF_FFFE, 0xFFFF_FFFD, 0xFFFF_FFFF
_TEXT_PLACE = 1024

CELL, LINE, PARAGRAPH = "\x07", "\x0b", "\r"
FIELD, RESULT, FIELD_END = "\x13", "\x14", "\x15"
DELETED, HIDDEN = struct.pack("<HB", 0x0800, 1), struct.pack("<HB", 0x083C, 1)
IN_TABLE, ENDS_ROW = struct.pack("<HB", 0x2416, 1), struct.pack("<HBHB", 0x2416, 1, 0x2417, 1)


def container_file(streams: Mapping[str, bytes]) -> bytes:
    """An OLE container with these streams, each filled up with zeros to where small ones begin to be kept elsewhere."""
    contents = [content.ljust(_SMALLEST_STREAM, b"\0") for content in streams.values()]
    lengths = [-(-len(content) // _SECTOR) for content in contents]
    directory_length = -(-(len(streams) + 1) // 4)
    fat_length = next(n for n in range(1, 110) if n * 128 >= n + directory_length + sum(lengths))
    fat = [_FAT] * fat_length
    starts = []
    for length in [directory_length, *lengths]:
        starts.append(len(fat))
        fat += [*range(len(fat) + 1, len(fat) + length), _END]
    fat += [_NONE] * (fat_length * 128 - len(fat))
    entries = [_entry("Root Entry", 5, child=1 if streams else _NONE, start=_END)]
    for number, (name, content) in enumerate(zip(streams, contents, strict=True), start=1):
        after = number + 1 if number < len(streams) else _NONE
        entries.append(_entry(name, 2, after=after, start=starts[number], size=len(content)))
    head = struct.pack(
        "<8s16x5H6x9I",
        bytes.fromhex("d0cf11e0a1b11ae1"),
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        0,
        fat_length,
        starts[0],
        0,
        _SMALLEST_STREAM,
        _END,
        0,
        _END,
        0,
    )
    head += struct.pack("<109I", *range(fat_length), *[_NONE] * (109 - fat_length))
    return head + struct.pack(f"<{len(fat)}I", *fat) + b"".join(map(_sectors, [b"".join(entries), *contents]))


def _entry(name: str, kind: int, *, after: int = _NONE, child: int = _NONE, start: int, size: int = 0) -> bytes:
    letters = name.encode("utf-16-le")
    return struct.pack("<64sHBB3I36xII4x", letters, len(letters) + 2, kind, 1, _NONE, after, child, start, size)


def _sectors(content: bytes) -> bytes:
    return content.ljust(-(-len(content) // _SECTOR) * _SECTOR, b"\0")


# Word


@dataclass(frozen=True, slots=True)
class OldParagraph:
    """Text with its end (`PARAGRAPH` or `CELL`); the number of its style; its own changes; and parts of it with changes of their letters.

    A heading has the style of its level, 1 to 3.
    """

    text: str
    style: int = 0
    changes: bytes = b""
    letters: Sequence[tuple[str, bytes]] = ()


def outline(level: int) -> bytes:
    """The change that makes a heading of a paragraph; 0 is the highest level."""
    return struct.pack("<HB", 0x2640, level)


def in_list(number: int, level: int = 0) -> bytes:
    """The change that makes an item of a list of a paragraph."""
    return struct.pack("<HHHB", 0x460B, number, 0x260A, level)


def row(*cells: str, edges: Sequence[int] = ()) -> list[OldParagraph]:
    """A row of a table; `edges` are those of its cells."""
    definition = struct.pack(f"<B{len(edges)}h", len(edges) - 1, *edges) if edges else b""
    end = ENDS_ROW + (struct.pack("<HH", 0xD608, len(definition) + 1) + definition if edges else b"")
    return [*(OldParagraph(text + CELL, changes=IN_TABLE) for text in cells), OldParagraph(CELL, changes=end)]


def old_word_file(
    *paragraphs: OldParagraph,
    notes: Sequence[str] = (),
    end_notes: Sequence[str] = (),
    boxes: Sequence[OldParagraph] = (),
    styles: Sequence[tuple[int, int, bytes]] = (),
    lists: Sequence[Sequence[tuple[int, int, str]]] = (),
    list_uses: Sequence[tuple[int, Sequence[tuple[int, int]]]] = (),
    version: int = 0xC1,
    flags: int = 0,
    modifiers: Sequence[int] = (),
    parts: Mapping[int, bytes] | None = None,
    streams: Mapping[str, bytes] | None = None,
) -> bytes:
    """A .doc. A paragraph is a piece of its own, in one byte for a letter if it can be, else in two.

    `notes` are at the places of "\x02" in the text, in order, footnotes before endnotes. A style is its kind, the style it is based on and its changes; the
    first of these has number 4. A list is its levels: start, format and text. What counts in it is its number from 0 and the places where levels
    start otherwise. `modifiers` are for the pieces; `parts` are added to the table stream, or replace what is there.
    """
    stories = [list(paragraphs), [OldParagraph("\x02 " + text + PARAGRAPH) for text in notes]]
    stories += [[OldParagraph("\x02 " + text + PARAGRAPH) for text in end_notes], list(boxes)]
    main, footnote_story, end_note_story, box_story = (_length(story) for story in stories)
    everything = [paragraph for story in stories for paragraph in story]
    stream = bytearray(_TEXT_PLACE)
    starts, where, layouts, letters = [0], b"", [], []
    for number, paragraph in enumerate(everything):
        place = len(stream)
        is_narrow = _is_narrow(paragraph.text)
        stream += paragraph.text.encode("cp1252" if is_narrow else "utf-16-le")
        modifier = modifiers[number] if number < len(modifiers) else 0
        where += struct.pack("<HIH", 0, place * 2 | 0x4000_0000 if is_narrow else place, modifier)
        starts.append(starts[-1] + _length([paragraph]))
        layouts.append((place, len(stream), struct.pack("<H", paragraph.style) + paragraph.changes))
        for words, changes in paragraph.letters:
            first = place + paragraph.text.index(words) * (1 if is_narrow else 2)
            letters.append((first, first + len(words) * (1 if is_narrow else 2), changes))
        stream += bytes(len(stream) % 2)
    pieces = struct.pack(f"<{len(starts)}I", *starts) + where
    references = [place for place, sign in enumerate("".join(paragraph.text for paragraph in paragraphs)) if sign == "\x02"]
    found: dict[int, bytes] = {1: _style_sheet([(0, 0xFFF, b""), *((kind, 0, b"") for kind in (1, 2, 3)), *styles])}
    found |= _note_parts(2, references[: len(notes)], stories[1]) | _note_parts(46, references[len(notes) :], stories[2])
    found[12], found[13] = _pages(stream, letters, _letter_page), _pages(stream, layouts, _paragraph_page)
    found[33] = struct.pack("<BI", 2, len(pieces)) + pieces
    # What follows the table of lists is not counted as a part of it, so it comes last.
    found[74], found[73] = _list_uses(list_uses), _lists(lists)
    table = b""
    for number, part in (found | (parts or {})).items():
        if part:
            struct.pack_into("<2I", stream, 154 + 8 * number, len(table), len(part))
            table += part
    struct.pack_into("<2H6xH", stream, 0, 0xA5EC, version, flags)
    struct.pack_into("<7I", stream, 76, main, footnote_story, 0, 0, 0, end_note_story, box_story)
    return container_file({"WordDocument": bytes(stream), "1Table" if flags & 0x200 else "0Table": table, **(streams or {})})


def _is_narrow(text: str) -> bool:
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def _length(story: Sequence[OldParagraph]) -> int:
    return sum(len(paragraph.text.encode("utf-16-le")) // 2 for paragraph in story)


def _note_parts(number: int, places: Sequence[int], story: Sequence[OldParagraph]) -> dict[int, bytes]:
    if not places:
        return {}
    borders = [_length(story[:count]) for count in range(len(story) + 1)]
    references = struct.pack(f"<{len(places) + 1}I", *places, places[-1] + 1) + bytes(2 * len(places))
    return {number: references, number + 1: struct.pack(f"<{len(borders) + 1}I", *borders, borders[-1] + 1)}


def _style_sheet(styles: Sequence[tuple[int, int, bytes]]) -> bytes:
    sheet = struct.pack("<HHH14x", 18, len(styles), 10)
    for kind, based_on, changes in styles:
        style = struct.pack("<HHHHH", kind, based_on << 4 | 1, 0, 0, 0) + struct.pack("<H2s2x", 1, "S".encode("utf-16-le"))
        style += struct.pack("<HH", len(changes) + 2, 0) + changes
        sheet += struct.pack("<H", len(style)) + style + bytes(len(style) % 2)
    return sheet


def _pages(stream: bytearray, runs: Sequence[tuple[int, int, bytes]], page: Callable[[int, int, bytes], bytes]) -> bytes:
    """A page for each run at the end of the stream; what says where the pages are."""
    if not runs:
        return b""
    stream += bytes(-len(stream) % _SECTOR)
    numbers = []
    for run in runs:
        numbers.append(len(stream) // _SECTOR)
        stream += page(*run)
    return struct.pack(f"<{len(runs) + 1}I", *(start for start, _, _ in runs), runs[-1][1]) + struct.pack(f"<{len(runs)}I", *numbers)


def _letter_page(start: int, end: int, changes: bytes) -> bytes:
    return (struct.pack("<IIB", start, end, 128).ljust(256, b"\0") + bytes([len(changes)]) + changes).ljust(511, b"\0") + b"\1"


def _paragraph_page(start: int, end: int, changes: bytes) -> bytes:
    size = bytes([0, (len(changes) + 1) // 2])
    return (struct.pack("<IIB", start, end, 32).ljust(64, b"\0") + size + changes).ljust(511, b"\0") + b"\1"


def _lists(lists: Sequence[Sequence[tuple[int, int, str]]]) -> bytes:
    if not lists:
        return b""
    heads = b"".join(struct.pack("<I22xBx", 100 + number, 0) for number in range(len(lists)))
    levels = b""
    for levels_of_list in lists:
        for start, form, text in [*levels_of_list, *[(1, 0, "")] * (9 - len(levels_of_list))]:
            levels += struct.pack("<IB19xBB2x", start, form, 0, 0) + struct.pack("<H", len(text)) + text.encode("utf-16-le")
    return struct.pack("<H", len(lists)) + heads + levels


def _list_uses(uses: Sequence[tuple[int, Sequence[tuple[int, int]]]]) -> bytes:
    if not uses:
        return b""
    heads = b"".join(struct.pack("<I8xB3x", 100 + number, len(starts)) for number, starts in uses)
    data = b"".join(
        struct.pack("<I", _NONE) + b"".join(struct.pack("<II", start, level | 0x10) for level, start in starts) for _, starts in uses
    )
    return struct.pack("<I", len(uses)) + heads + data


# Excel


def old_workbook_file(
    sheets: Mapping[str, Sequence[Sequence[object]]],
    *,
    formats: Sequence[str] = (),
    hidden: str = "",
    settings: bytes = b"",
    stream: str = "Workbook",
) -> bytes:
    """A .xls: sheet name -> its rows, from A1 on. A cell is a text, a number, a truth, None, bytes for the code of an error, or a pair of a number and its
    style: style n has the n-th of `formats`, from 1 on. `settings` are records at the start of the book.
    """
    codes = b"".join(_record(0x41E, struct.pack("<H", 164 + number) + _string(code)) for number, code in enumerate(formats))
    styles = b"".join(_record(0xE0, struct.pack("<HH16x", 0, id)) for id in [*[0] * 16, *range(164, 164 + len(formats))])
    parts = [_sheet(rows) for rows in sheets.values()]
    names = [struct.pack("<BB", name == hidden, 0) + bytes([len(name), 1]) + name.encode("utf-16-le") for name in sheets]
    start = _record(0x809, struct.pack("<4H8x", 0x600, 5, 0, 0)) + settings + codes + styles
    place = len(start) + sum(len(name) + 8 for name in names) + 4
    for part, name in zip(parts, names, strict=True):
        start += _record(0x85, struct.pack("<I", place) + name)
        place += len(part)
    return container_file({stream: start + _record(0x0A, b"") + b"".join(parts)})


def _sheet(rows: Sequence[Sequence[object]]) -> bytes:
    found = _record(0x809, struct.pack("<4H8x", 0x600, 0x10, 0, 0))
    for row_number, cells in enumerate(rows):
        for column, value in enumerate(cells):
            number, style = value if isinstance(value, tuple) else (value, 0)
            place = struct.pack("<3H", row_number, column, 15 + style)
            if isinstance(number, str):
                found += _record(0x204, place + _string(number))
            elif isinstance(number, bool | bytes):
                found += _record(0x205, place + (number + b"\1" if isinstance(number, bytes) else bytes([number, 0])))
            elif number is not None:
                found += _record(0x203, place + struct.pack("<d", number))
    return found + _record(0x0A, b"")


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _string(text: str) -> bytes:
    return struct.pack("<HB", len(text), 1) + text.encode("utf-16-le")


# PowerPoint


def old_shape(text: str = "", *, role: int = 4, of_list: int | None = None, kind: int = 0) -> bytes:
    """A shape with a text of its own, or one of those in the list of slides; `kind` is the place of the layout it fills."""
    place = _held(0xF011, _piece(3011, struct.pack("<iBB2x", 0, kind, 0)))
    words = _piece(3998, struct.pack("<I", of_list)) if of_list is not None else _old_text(role, text)
    return _held(0xF004, place + _held(0xF00D, words))


def old_presentation_file(
    slides: Sequence[tuple[Sequence[tuple[int, str]], Sequence[bytes]]],
    *,
    notes: Mapping[int, str] | None = None,
    mark: int = 0xE391C05F,
    before: int = 0,
    stale: Sequence[str] = (),
) -> bytes:
    """A .ppt: of each slide the texts in the list (their roles and words) and its shapes; notes by number of the slide (from 0). `stale` are slides of an
    older edit under the same numbers of objects; `before` is the place of an older edit, if there is not such.
    """
    stream = b""
    places = {}

    def put(record: bytes) -> int:
        nonlocal stream
        stream += record
        return len(stream) - len(record)

    if stale:
        old = {number: put(_slide([old_shape(text)])) for number, text in enumerate(stale, start=2)}
        before = put(_edit(put(_directory(old | {1: 0})), 0))
    for number, (_, shapes) in enumerate(slides, start=2):
        places[number] = put(_slide(shapes))
    for slide, text in (notes or {}).items():
        page = _piece(1009, struct.pack("<I4x", 256 + slide)) + _drawing([old_shape(text, role=2, kind=12), old_shape("*", kind=8)])
        places[100 + slide] = put(_held(1008, page))
    listed = b"".join(
        _place_of(number, 254 + number) + b"".join(_old_text(role, words) for role, words in texts)
        for number, (texts, _) in enumerate(slides, start=2)
    )
    noted = b"".join(_place_of(100 + slide, 500 + slide) for slide in notes or {})
    masters = _place_of(99, 99) + _old_text(0, "Click to edit")
    lists = _held(4080, masters, instance=1) + _held(4080, listed, instance=0) + (_held(4080, noted, instance=2) if notes else b"")
    places[1] = put(_held(1000, _piece(1001, bytes(40)) + lists))
    edit = put(_edit(put(_directory(places)), before))
    user = _piece(4086, struct.pack("<3I", 20, mark, edit))
    return container_file({"Current User": user, "PowerPoint Document": stream})


def _slide(shapes: Sequence[bytes]) -> bytes:
    return _held(1006, _piece(1007, bytes(24)) + _drawing(shapes))


def _drawing(shapes: Sequence[bytes]) -> bytes:
    return _held(1036, _held(0xF002, _held(0xF003, b"".join(shapes))))


def _old_text(role: int, text: str) -> bytes:
    words = text.replace("\n", "\r")
    content = _piece(4008, words.encode("latin-1")) if words.isascii() else _piece(4000, words.encode("utf-16-le"))
    return _piece(3999, struct.pack("<I", role)) + content


def _place_of(object: int, number: int) -> bytes:
    return _piece(1011, struct.pack("<IIiII", object, 0, 0, number, 0))


def _directory(places: Mapping[int, int]) -> bytes:
    return _piece(6002, b"".join(struct.pack("<II", number | 1 << 20, place) for number, place in places.items()))


def _edit(directory: int, before: int) -> bytes:
    return _piece(4085, struct.pack("<7I", 0, 0, before, directory, 1, 0, 0))


def _piece(kind: int, content: bytes) -> bytes:
    return struct.pack("<HHI", 0, kind, len(content)) + content


def _held(kind: int, content: bytes, *, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | 0xF, kind, len(content)) + content
