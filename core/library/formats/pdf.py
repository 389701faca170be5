"""PDF files: their text layer, page by page. Pictures of text have none; those need a program that recognises letters."""

from __future__ import annotations

import contextlib
import math
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

import pypdfium2
from pypdfium2 import raw

from core.errors import DocumentUnreadable
from core.library.decoding import clean
from core.library.formats.markdown import MAX_CHARACTERS
from core.library.formats.parsed import ParsedDocument, damaged, needs_password
from core.library.formats.pdf_lines import Line, in_reading_order, joined_pages, page_text, with_whole_words, without_running_heads

# PDFium writes this in place of a hyphen at the end of a line, and leaves the line break out.
_HYPHEN = "\ufffe"
_Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points from the lower left corner."""

_BROKEN = "\ufffd\uffff\0"


def read_pdf(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, no_text_layer, too_large."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise needs_password() from error
        raise damaged("it is not a whole PDF file") from error
    with contextlib.closing(document):
        pages: list[list[Line]] = []
        characters = unreadable = 0
        for number in range(len(document)):
            try:
                lines = in_reading_order(list(_lines(document, number)))
            except pypdfium2.PdfiumError:
                # One broken page of many is left out.
                lines, unreadable = [], unreadable + 1
            characters += sum(len(line.text) for line in lines)
            if characters > MAX_CHARACTERS:
                raise DocumentUnreadable("The PDF file holds more text than can be read.", code="too_large")
            pages.append(lines)
    texts = with_whole_words([page_text(lines) for lines in without_running_heads(pages)])
    text, starts = joined_pages([clean(page) for page in texts])
    if not text.strip():
        if unreadable:
            raise damaged("its pages cannot be read")
        raise DocumentUnreadable("The PDF file holds no text, only pictures of it.", code="no_text_layer")
    return ParsedDocument(text, kind="prose", pages=starts)


def _lines(document: Any, number: int) -> Iterator[Line]:
    """The lines of one page in PDFium's order of reading."""
    with contextlib.closing(document[number]) as page, contextlib.closing(page.get_textpage()) as text_page:
        text = text_page.get_text_range()
        # PDFium counts in UTF-16, where these take two places.
        rare = [place for place, letter in enumerate(text) if letter > "\uffff"]
        begin = 0
        for place, letter in enumerate(text):
            if letter in ("\n", _HYPHEN):
                yield from _line(text_page, text, rare, begin, place, is_hyphenated=letter == _HYPHEN)
                begin = place + 1
        yield from _line(text_page, text, rare, begin, len(text), is_hyphenated=False)


def _line(text_page: Any, text: str, rare: list[int], begin: int, end: int, *, is_hyphenated: bool) -> Iterator[Line]:
    words = text[begin:end].replace("\t", " ").strip()
    for mark in _BROKEN:
        words = words.replace(mark, "")
    if not words.strip():
        return
    start = begin + len(text[begin:end]) - len(text[begin:end].lstrip())
    stop = begin + len(text[begin:end].rstrip())
    first, last = (_box(text_page, place + bisect_left(rare, place)) for place in (start, stop - 1))
    if first is None or last is None:
        yield Line(words, 0.0, 0.0, 0.0, 0.0, is_hyphenated)
        return
    turns = _turns(text_page, start + bisect_left(rare, start))
    first, last = _upright(first, turns), _upright(last, turns)
    left, right = min(first[0], last[0]), max(first[2], last[2])
    yield Line(words, left, right, min(first[1], last[1]), max(first[3], last[3]), is_hyphenated, turns)


def _box(text_page: Any, unit: int) -> _Box | None:
    """Where the character at `unit` of the page's text in UTF-16 stands; None for one that PDFium made up."""
    index = raw.FPDFText_GetCharIndexFromTextIndex(text_page, unit)
    if index < 0:
        return None
    try:
        left, bottom, right, top = text_page.get_charbox(index, loose=True)
    except pypdfium2.PdfiumError:
        return None
    return left, bottom, right, top


def _turns(text_page: Any, unit: int) -> int:
    """By how many quarter turns, clockwise, the character is turned back to stand upright: on a wide page, all are often turned."""
    angle: float = raw.FPDFText_GetCharAngle(text_page, raw.FPDFText_GetCharIndexFromTextIndex(text_page, unit))
    return round(-angle / (math.pi / 2)) % 4 if angle > 0 else 0


def _upright(box: _Box, turns: int) -> _Box:
    """The box as it stands when the page is turned so that its text is upright."""
    left, bottom, right, top = box
    for _ in range(turns):
        left, bottom, right, top = bottom, -right, top, -left
    return left, bottom, right, top
