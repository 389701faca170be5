"""The lines of a page put back into paragraphs: a PDF knows where each line stands, but not what belongs together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.documents import PageStart

_NEAR_LINES = 6
_WIDE_GAP = 2.0
"""Pieces of a row that are farther apart than so many letters are high are cells."""

_CELL = "\t"
_ITEM = re.compile(
    r"(?:[•●○◦▪■□‣·※◆]|[-–—*]\s|\(?\d{1,3}[.)、．](?!\d)|\[\d{1,3}\]|[(（](?:[a-z]|[ivx]{1,4}|[一二三四五六七八九十]{1,3})[)）]|[①-⑳]|[一二三四五六七八九十]{1,3}、|第[一二三四五六七八九十百零〇\d]{1,5}[条條章节節款])"
)
_ENDS = re.compile(r"[.!?。！？：:；;…][\"'”’）)」』】》]*$")
_IDEOGRAPH = re.compile("[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_CUT = "\ufffe"
_CUT_WORD = re.compile(rf"(\w{{1,40}}){_CUT}(\w{{1,40}})")
_WITH_HYPHEN = re.compile(r"\w{1,40}-\w{1,40}")
_DIGITS = re.compile(r"\d+")
_PAGES_FOR_RUNNING_HEADS = 4
_END_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class Line:
    """A line and where it stands, in points from the lower left corner. `is_hyphenated`: its last word goes on in the next line.

    The places are those on a page that was turned by `turns` quarter turns, so that the line is upright.
    """

    text: str
    left: float
    right: float
    bottom: float
    top: float
    is_hyphenated: bool = False
    turns: int = 0

    @property
    def size(self) -> float:
        """The height of its letters, about the size of its font."""
        return max(self.top - self.bottom, 0.1)


def page_text(lines: Sequence[Line]) -> str:
    """Paragraphs of a page with a blank line between them; lines that only belong near each other stay lines."""
    rows = list(_rows([line for line in lines if line.text.strip()]))
    found: list[str] = []
    for place, line in enumerate(rows):
        if place:
            found.append(_joint(rows, place))
        found.append(line.text.strip())
    return "".join(found)


def in_reading_order(lines: Sequence[Line]) -> list[Line]:
    """The lines of a page from its top down. PDFium gives those of some pages that were turned from their end to their beginning."""
    steps = [above.bottom - below.bottom for above, below in pairwise(lines) if above.turns == below.turns]
    upwards = sum(step < 0 for step in steps) > sum(step > 0 for step in steps)
    return list(reversed(lines)) if upwards else list(lines)


def without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The pages without the line at their top or bottom that most pages have, page numbers among them. Its first occurrence stays."""
    kept = [[line for line in page if line.text.strip()] for page in pages]
    if len(kept) < _PAGES_FOR_RUNNING_HEADS:
        return kept
    for place in (0, -1, 0, -1):
        heads = [_pattern(page[place]) if len(page) > 1 else "" for page in kept]
        common = {head for head in heads if head and heads.count(head) * 2 > len(heads)}
        seen: set[str] = set()
        for page, head in zip(kept, heads, strict=True):
            if head in common and (head in seen or not head.strip("0 -–—/|")):
                page.pop(place)
            seen.add(head)
    return kept


def joined_pages(pages: Sequence[str]) -> tuple[str, tuple[PageStart, ...]]:
    """The pages one after the other, and where each begins that has text. A sentence that goes on over a page's end is not interrupted."""
    parts: list[str] = []
    starts: list[PageStart] = []
    length, last = 0, ""
    for number, page in enumerate(pages, start=1):
        if not page:
            continue
        if last:
            goes_on = page[0].islower() and not _ENDS.search(last) and last[-1].isalpha()
            parts.append(" " if goes_on else "\n\n")
            length += len(parts[-1])
        starts.append(PageStart(length, number))
        parts.append(page)
        length += len(page)
        last = page[-_END_CHARACTERS:]
    return "".join(parts), tuple(starts)


def with_whole_words(pages: Sequence[str]) -> list[str]:
    """The pages with the words put together that were cut at a line's end. One that has a hyphen elsewhere in them keeps it here."""
    known = {word.lower() for page in pages for word in _WITH_HYPHEN.findall(page)}

    def whole(cut: re.Match[str]) -> str:
        return f"{cut[1]}{'-' if f'{cut[1]}-{cut[2]}'.lower() in known else ''}{cut[2]}"

    return [_CUT_WORD.sub(whole, page).replace(_CUT, "") for page in pages]


def _pattern(line: Line) -> str:
    return _DIGITS.sub("0", " ".join(line.text.split()))[:80]


def _rows(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines, with the pieces of one row put together: raised numbers and wide gaps come as lines of their own."""
    row: Line | None = None
    for line in lines:
        if row is None:
            row = line
        elif _same_row(row, line):
            distance = line.left - row.right
            gap = "" if distance < 0.15 * min(row.size, line.size) else " " if distance < _WIDE_GAP * max(row.size, line.size) else _CELL
            tall = row if row.size >= line.size else line
            row = Line(
                f"{row.text.rstrip()}{gap}{line.text.lstrip()}", row.left, line.right, tall.bottom, tall.top, line.is_hyphenated, line.turns
            )
        else:
            yield row
            row = line
    if row is not None:
        yield row


def _same_row(one: Line, other: Line) -> bool:
    overlap = min(one.top, other.top) - max(one.bottom, other.bottom)
    size = max(one.size, other.size)
    distance = other.left - one.right
    if one.is_hyphenated or one.turns != other.turns or distance < -0.3 * size:
        return False
    # Far apart on exactly one line are the cells of a table; columns of running text seldom come one line after the other.
    return overlap > 0.8 * size if distance >= _WIDE_GAP * size else overlap > 0.4 * min(one.size, other.size)


def _joint(rows: Sequence[Line], place: int) -> str:
    """What stands between row `place` and the one before: nothing, a space, a line break or a blank line."""
    above, below = rows[place - 1], rows[place]
    if above.turns != below.turns:
        return "\n\n"
    if above.is_hyphenated:
        return _CUT if above.text[-1:].isalpha() and below.text[:1].islower() else "-"
    glue = "" if _IDEOGRAPH.match(above.text.rstrip()[-1:]) and _IDEOGRAPH.match(below.text.lstrip()[:1]) else " "
    step = above.bottom - below.bottom
    size = max(above.size, below.size)
    is_table = _is_table_row(above.text) or _is_table_row(below.text)
    if step <= 0:
        # The next column, or anything that stands elsewhere.
        goes_on = below.text.lstrip()[:1].islower() and above.text.rstrip()[-1:].isalpha()
        return glue if goes_on and _is_full(rows, place) else "\n\n"
    if step > 1.9 * size:
        return "\n\n"
    if abs(above.size - below.size) > 0.2 * size:
        return "\n\n" if step > 1.3 * size else "\n"
    if is_table or _ITEM.match(below.text.lstrip()):
        return "\n"
    if below.left > above.left + 0.8 * size and not _ITEM.match(above.text.lstrip()):
        return "\n\n" if _ENDS.search(above.text.rstrip()) or not _is_full(rows, place) else glue
    return glue if _is_full(rows, place) else "\n"


def _is_table_row(text: str) -> bool:
    """Whether a line is a row of figures, which is whole by itself, or has cells far apart."""
    words = text.split()
    return _CELL in text or (len(words) > 1 and sum(word[0].isdigit() or word[-1].isdigit() for word in words) * 2 >= len(words))


def _is_full(rows: Sequence[Line], place: int) -> bool:
    """Whether the row above broke off because the next word had no room left, and not because the paragraph was over."""
    above, below = rows[place - 1], rows[place]
    near = rows[max(0, place - _NEAR_LINES) : place + _NEAR_LINES]
    edge = max(
        row.right
        for row in near
        if row.turns == above.turns and abs(row.left - above.left) < 3 * above.size and abs(row.size - above.size) < 0.2 * above.size
    )
    letters = below.text.strip()
    wide = (below.right - below.left) / max(len(letters), 1)
    first_word = 1 if _IDEOGRAPH.match(letters[:1]) else len(letters.split(" ", 1)[0])
    # A narrow column of short lines is a list, an address or a table far more often than a paragraph.
    return above.right + wide * (first_word + 1) >= edge and above.right - above.left > 12 * above.size * 0.5
