"""Presentations of PowerPoint 97 to 2003 (.ppt, also as WPS Presentation's .dps): each slide under its title, with the speaker's notes.

Source: [MS-PPT] 2.1.2 PowerPoint Document Stream, 2.3.2 UserEditAtom, 2.3.4 PersistDirectoryAtom, 2.4.14.3 SlideListWithTextContainer,
2.5.1 SlideContainer, 2.9.40 OutlineTextRefAtom. A file is records, some of which hold others. A slide's own text stands in its shapes; that of the layout's places
stands in the list of slides, and the shape only says which of it is meant.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from core.errors import DocumentUnreadable
from core.library.formats.old_container import OldContainer
from core.library.formats.parsed import ParsedDocument, damaged, needs_password
from core.library.formats.slides import Slide, written

MAIN_STREAM = "PowerPoint Document"

_PLAIN, _ENCRYPTED = 0xE391C05F, 0xF3D1C4DF
_MOST_EDITS = 10_000
_SLIDES, _NOTES = 0, 2
_DEEPEST = 64
_TITLES = frozenset({0, 6})
_OTHER = 4
# What a layout repeats on every slide ([MS-PPT] 2.13.22 PlaceholderEnum): date, number, footer, header.
_FURNITURE = frozenset({7, 8, 9, 10})
_SIGNS = {0x0B: "\n", 0x0D: "\n"}


class _Kind(IntEnum):
    """The records that matter here ([MS-PPT] 2.13.24 RecordType)."""

    DOCUMENT = 1000
    SLIDE = 1006
    NOTES = 1008
    NOTES_ATOM = 1009
    PLACE_OF_SLIDE = 1011
    PLACEHOLDER = 3011
    TEXT_OF_LIST = 3998
    TEXT_HEADER = 3999
    TEXT = 4000
    NARROW_TEXT = 4008
    LIST = 4080
    EDIT = 4085
    PLACES = 6002
    SHAPE = 0xF004


@dataclass(frozen=True, slots=True)
class _Record:
    """`holds` says that its content is records again."""

    kind: int
    instance: int
    holds: bool
    content: bytes


@dataclass(frozen=True, slots=True)
class _Text:
    """`role` is 0 or 6 for a title."""

    role: int
    words: str


@dataclass(frozen=True, slots=True)
class _Listed:
    """A slide or a page of notes in a list: which object of the file it is, its number, and the texts of the layout's places."""

    object: int
    number: int
    texts: Sequence[_Text]


def read_old_presentation(container: OldContainer) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unsupported (PowerPoint before 97), too_large; and whatever a damaged file makes of its offsets."""
    user, stream = container.read("Current User"), container.read(MAIN_STREAM)
    mark = int.from_bytes(user[12:16], "little")
    if mark == _ENCRYPTED:
        raise needs_password()
    if mark != _PLAIN:
        raise DocumentUnreadable("Presentations of PowerPoint before 97 cannot be read.", code="unsupported")
    places, document = _places(stream, int.from_bytes(user[16:20], "little"))
    lists = [record for record in _inside(_at(stream, places[document], _Kind.DOCUMENT).content) if record.kind == _Kind.LIST]
    notes = {}
    for listed in (item for found in lists if found.instance == _NOTES for item in _listed(found) if item.object in places):
        page = _at(stream, places[listed.object], _Kind.NOTES)
        of_slide = next((record for record in _inside(page.content) if record.kind == _Kind.NOTES_ATOM), None)
        if of_slide is not None:
            notes[int.from_bytes(of_slide.content[:4], "little")] = [text for text in _texts(page, listed.texts) if text.words.strip()]
    return written(_slides(stream, places, [item for found in lists if found.instance == _SLIDES for item in _listed(found)], notes))


def _slides(stream: bytes, places: Mapping[int, int], slides: Sequence[_Listed], notes: Mapping[int, Sequence[_Text]]) -> Iterator[Slide]:
    for slide in slides:
        if slide.object not in places:
            raise damaged("a slide is missing")
        texts = [text for text in _texts(_at(stream, places[slide.object], _Kind.SLIDE), slide.texts) if text.words.strip()]
        title = next((text for text in texts if text.role in _TITLES), None)
        blocks = [text.words for text in texts if text is not title]
        yield Slide(title.words if title else "", blocks, "\n".join(text.words for text in notes.get(slide.number, ())))


def _places(stream: bytes, edit: int) -> tuple[dict[int, int], int]:
    """Where each object lies, by the newest edit that says so, and which object the document is."""
    places: dict[int, int] = {}
    document = -1
    for _ in range(_MOST_EDITS):
        record = _at(stream, edit, _Kind.EDIT).content
        before, directory, last = struct.unpack_from("<3I", record, 8)
        document = last if document < 0 else document
        content = _at(stream, directory, _Kind.PLACES).content
        place = 0
        while place + 4 <= len(content):
            (head,) = struct.unpack_from("<I", content, place)
            first, count = head & 0xFFFFF, head >> 20
            for number, where in enumerate(struct.unpack_from(f"<{count}I", content, place + 4), start=first):
                places.setdefault(number, where)
            place += 4 + 4 * count
        if not before:
            return places, document
        edit = before
    raise damaged("its edits go round in a circle")


def _at(stream: bytes, place: int, kind: _Kind) -> _Record:
    size = int.from_bytes(stream[place + 4 : place + 8], "little")
    record = next(_inside(stream[place : place + 8 + size]), None)
    if record is None or record.kind != kind or len(record.content) < size:
        raise damaged("a part of it is not where it says")
    return record


def _inside(content: bytes) -> Iterator[_Record]:
    """The records one behind the other ([MS-PPT] 2.3.1 RecordHeader)."""
    place = 0
    while place + 8 <= len(content):
        head, kind, size = struct.unpack_from("<HHI", content, place)
        yield _Record(kind, head >> 4, head & 0xF == 0xF, content[place + 8 : place + 8 + size])
        place += 8 + size


def _all_inside(content: bytes, kind: _Kind | None = None, depth: int = 0) -> Iterator[_Record]:
    """The records at any depth, in order; one of that kind is not looked into."""
    for record in _inside(content):
        if record.kind == kind or not record.holds:
            yield record
        elif depth < _DEEPEST:
            yield from _all_inside(record.content, kind, depth + 1)


def _listed(found: _Record) -> Iterator[_Listed]:
    listed: _Listed | None = None
    texts: list[_Text] = []
    for record in _inside(found.content):
        if record.kind == _Kind.PLACE_OF_SLIDE:
            if listed is not None:
                yield listed
            texts = []
            object, number = struct.unpack_from("<I8xI", record.content)
            listed = _Listed(object, number, texts)
        elif record.kind == _Kind.TEXT_HEADER:
            texts.append(_Text(int.from_bytes(record.content, "little"), ""))
        elif texts and record.kind in (_Kind.TEXT, _Kind.NARROW_TEXT):
            texts[-1] = _Text(texts[-1].role, _words(record))
    if listed is not None:
        yield listed


def _texts(page: _Record, of_layout: Sequence[_Text]) -> Iterator[_Text]:
    """What stands on a slide or a page of notes, in the order of its shapes; before it what is in the list and in no shape."""
    shown: list[_Text] = []
    used = set()
    for shape in _all_inside(page.content, _Kind.SHAPE):
        records = list(_all_inside(shape.content)) if shape.kind == _Kind.SHAPE else []
        is_furniture = any(record.kind == _Kind.PLACEHOLDER and record.content[4] in _FURNITURE for record in records)
        role = _OTHER
        for record in records:
            if record.kind == _Kind.TEXT_HEADER:
                role = int.from_bytes(record.content, "little")
            elif record.kind == _Kind.TEXT_OF_LIST and (number := int.from_bytes(record.content, "little")) < len(of_layout):
                used.add(number)
                shown += [] if is_furniture else [of_layout[number]]
            elif record.kind in (_Kind.TEXT, _Kind.NARROW_TEXT) and not is_furniture:
                shown.append(_Text(role, _words(record)))
    yield from (text for number, text in enumerate(of_layout) if number not in used)
    yield from shown


def _words(record: _Record) -> str:
    return record.content.decode("utf-16-le" if record.kind == _Kind.TEXT else "latin-1", "replace").translate(_SIGNS)
