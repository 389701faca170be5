"""Documents cut into passages of 200 to 260 tokens, at the borders a reader would choose."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from zlib import crc32

from core.library.file_kinds import Kind
from core.library.sections import Section, sections
from core.store.records import ChunkSpan
from core.tables import Table, drawn_tables, file_table, marked_tables

MAX_TOKENS = 260
"""No chunk has more tokens than this by the count of its pieces."""

MIN_TOKENS = 100
"""Sections shorter than this share a chunk with their neighbours."""

SMALL_TOKENS = 50
"""A section or a rest shorter than this says too little to stand alone while a neighbour has room for it."""


ANCHOR_TOKENS = 4 * MAX_TOKENS
"""How far a border that is always cut at lies from the next such one, at least. Sections shorter than twice this have none.

Less keeps the effect of an edit smaller and makes more chunks: see docs/decisions/0022-words-first.md for the figures.
"""

_MAX_PIECE_CHARACTERS = 600
_MAX_CHUNK_CHARACTERS = 2400
_COUNT_BATCH = 1024
_MANY_PIECES = 50_000
_SHORT_TOKENS = 16
_CUT_AFTER = (("，", "、", ", ", "; ", "| ", "\t"), (" ", ",", "|"))
_HEADER_CHARACTERS = 160
# How good a border is after a piece: sections and paragraphs end thoughts, lines often do not.
_HARD, _LINE, _SENTENCE, _PARAGRAPH = range(4)
# Possessive, and only from the beginning of a run: a line of ten million dots must not be tried from each of them.
_BORDER = re.compile(
    r"""(?P<paragraph>\n[ \t\u3000]*+\n\s*+)|(?P<line>\n[ \t\u3000]*+)|(?P<cjk>[。！？；…]++[」』”’）】》〉"']*+)"""
    r"""|(?P<latin>(?<![.!?])[.!?]++["'”’)\]]*+[ \t]++(?=[^a-z]))"""
)

# Text whose lines are its sentences: a full stop inside one ends nothing.
_BY_LINE: frozenset[Kind] = frozenset({"code", "json", "records", "settings", "yaml", "log"})
_WITH_TABLES: frozenset[Kind] = frozenset({"markdown", "org", "prose", "other"})

_LINE_BORDER = re.compile(r"(?P<paragraph>\n[ \t\u3000]*+\n(?:[ \t]*+\n)*+)|(?P<line>\n)")

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    border: int
    tokens: int


def chunk(text: str, kind: Kind, count_tokens: CountTokens) -> list[ChunkSpan]:
    """Cut `text` into chunks in order, without overlap; only white space lies between them. Nothing but white space gives none.

    Takes time in proportion to the length of `text`, whatever is in it.
    """
    tables = _tables(text, kind)
    header = tables[0].header[:_HEADER_CHARACTERS] if kind == "table" else ""
    spans: list[tuple[int, int, str]] = []
    for group in _groups(text, kind, tables, count_tokens):
        spans.extend(group)
    found: list[ChunkSpan] = []
    line, position = 1, 0
    for start, end, heading_path in spans:
        line += text.count("\n", position, start)
        position = start
        found.append(ChunkSpan(start, end, line, header or " > ".join(filter(None, (heading_path, _column_names(tables, start))))))
    return found


def _groups(text: str, kind: Kind, tables: list[Table], count_tokens: CountTokens) -> Iterator[list[tuple[int, int, str]]]:
    """Chunks of each run of sections: a long section alone, short ones together as long as they fit."""
    parts = sections(text, kind)
    border = _LINE_BORDER if kind in _BY_LINE else _BORDER
    counted = _count(text, (_split(text, part.start, part.end, border) for part in parts), count_tokens)
    pieces_of = (_with_whole_rows(pieces, tables) for pieces in counted) if tables else counted
    run: list[_Piece] = []
    path, only_headings = "", True
    for part, pieces in zip(parts, pieces_of, strict=True):
        have, new = _tokens(run), _tokens(pieces)
        # A heading with nothing under it belongs to what follows, whose deeper path says more.
        if not only_headings and (have + new > MAX_TOKENS or (have >= MIN_TOKENS and new >= SMALL_TOKENS)):
            yield _pack_stretches(text, run, path)
            run, only_headings = [], True
        if only_headings:
            path = part.heading_path
        only_headings = only_headings and have + new < MIN_TOKENS and _is_heading_alone(text, part)
        run.extend(pieces)
    if run:
        yield _pack_stretches(text, run, path)


def _is_heading_alone(text: str, part: Section) -> bool:
    return bool(part.heading_path) and "\n" not in text[part.start : part.end].strip()


def _tokens(pieces: list[_Piece]) -> int:
    return sum(piece.tokens for piece in pieces)


def _split(text: str, start: int, end: int, border_pattern: re.Pattern[str]) -> Iterator[tuple[int, int, int]]:
    """Sentences and lines of a section as (start, end, border after it); very long ones are cut at spaces, or anywhere."""
    begin = start
    for match in border_pattern.finditer(text, start, end):
        if match.end() - begin < 1:
            continue
        border = {"paragraph": _PARAGRAPH, "line": _LINE}.get(match.lastgroup or "", _SENTENCE)
        yield from _cut(text, begin, match.end(), border)
        begin = match.end()
    if begin < end:
        yield from _cut(text, begin, end, _PARAGRAPH)


def _cut(text: str, start: int, end: int, border: int) -> Iterator[tuple[int, int, int]]:
    while end - start > _MAX_PIECE_CHARACTERS:
        stop = start + _MAX_PIECE_CHARACTERS
        half = start + _MAX_PIECE_CHARACTERS // 2
        for marks in _CUT_AFTER:
            found = max(text.rfind(mark, half, stop) for mark in marks)
            if found > 0:
                stop = found + 1
                break
        yield start, stop, _HARD
        start = stop
    yield start, end, border


def _count(text: str, parts: Iterable[Iterable[tuple[int, int, int]]], count_tokens: CountTokens) -> Iterator[list[_Piece]]:
    """The pieces of each part with their tokens, asked for in large batches; a piece with too many tokens is halved until it fits.

    Short ones of a part that has very many are put together: ten million lines of a few characters would take gigabytes.
    """
    done: deque[list[_Piece]] = deque([[]])
    batch: list[tuple[int, int, int]] = []
    ends: list[int] = []  # after how many pieces of the batch each of its parts ends

    def counted() -> Iterator[list[_Piece]]:
        tokens = count_tokens([text[start:end] for start, end, _ in batch]) if batch else []
        borders = deque(ends)
        for place, ((start, end, border), count) in enumerate(zip(batch, tokens, strict=True)):
            while borders and borders[0] == place:
                borders.popleft()
                done.append([])
            for piece in _halved(text, _Piece(start, end, border, count), count_tokens):
                _append(text, done[-1], piece)
        done.extend([] for _ in borders)
        batch.clear()
        ends.clear()
        while len(done) > 1:
            yield done.popleft()

    for part in parts:
        for piece in part:
            batch.append(piece)
            if len(batch) == _COUNT_BATCH:
                yield from counted()
        ends.append(len(batch))
    yield from counted()


def _append(text: str, pieces: list[_Piece], piece: _Piece) -> None:
    """Add a piece; to the one before if both are short and there are very many.

    Before some pieces it is never done, told by their checksums: so an edit changes what is put together around it, and not all that follows.
    """
    if len(pieces) >= _MANY_PIECES:
        before = pieces[-1]
        tokens = before.tokens + piece.tokens
        if before.border != _PARAGRAPH and tokens <= _SHORT_TOKENS and _checksum(text, piece) % _SHORT_TOKENS:
            pieces[-1] = _Piece(before.start, piece.end, piece.border, tokens)
            return
    pieces.append(piece)


def _checksum(text: str, piece: _Piece) -> int:
    return crc32(text[piece.start : piece.end].encode("utf-8", "replace"))


def _halved(text: str, piece: _Piece, count_tokens: CountTokens) -> list[_Piece]:
    if piece.tokens <= MAX_TOKENS or piece.end - piece.start < 2:
        return [piece]
    middle = (piece.start + piece.end) // 2
    first, second = count_tokens([text[piece.start : middle], text[middle : piece.end]])
    return [
        *_halved(text, _Piece(piece.start, middle, _HARD, first), count_tokens),
        *_halved(text, _Piece(middle, piece.end, piece.border, second), count_tokens),
    ]


def _pack_stretches(text: str, pieces: list[_Piece], path: str) -> list[tuple[int, int, str]]:
    """Fill chunks from each anchor to the next, so that an edit moves no border beyond the anchors around it."""
    borders = [0, *_anchors(text, pieces), len(pieces)]
    return [span for first, last in pairwise(borders) for span in _pack(text, pieces[first:last], path)]


def _anchors(text: str, pieces: list[_Piece]) -> Iterator[int]:
    """The pieces of a long section before which it is always cut, wherever its beginning lies.

    An anchor is a border that is better than all others within `ANCHOR_TOKENS` of it; of equally good ones, that before the piece
    with the highest checksum is the best. So it depends on the text around it alone. In the field's terms: content-defined chunking by
    local maxima.
    """
    ends = list(accumulate(piece.tokens for piece in pieces))
    if not ends or ends[-1] < 2 * ANCHOR_TOKENS:
        return
    ranks = ((before.border, _checksum(text, piece)) for before, piece in pairwise(pieces))
    best: deque[tuple[int, tuple[int, int]]] = deque()  # the borders within reach that no better one stands behind, best first
    seen = 0
    for place, end in enumerate(ends[:-1]):
        while seen < len(pieces) - 1 and ends[seen] <= end + ANCHOR_TOKENS:
            rank = next(ranks)
            while best and best[-1][1] < rank:
                best.pop()
            best.append((seen, rank))
            seen += 1
        while ends[best[0][0]] < end - ANCHOR_TOKENS:
            best.popleft()
        if best[0][0] == place and ANCHOR_TOKENS <= end <= ends[-1] - ANCHOR_TOKENS:
            yield place + 1


def _pack(text: str, pieces: list[_Piece], path: str) -> list[tuple[int, int, str]]:
    """Fill chunks evenly: the number of chunks a section needs is known, so none is left with a short tail."""
    spans: list[tuple[int, int, str]] = []
    left = _tokens(pieces)
    index = 0
    while index < len(pieces):
        needed = -(-left // MAX_TOKENS)
        stop = _best_stop(pieces, index, left, left / max(needed, 1))
        left -= _tokens(pieces[index:stop])
        start, end = pieces[index].start, pieces[stop - 1].end
        body = text[start:end]
        start, end = start + len(body) - len(body.lstrip()), end - len(body) + len(body.rstrip())
        if end > start:
            spans.append((start, end, path))
        index = stop
    return spans


def _best_stop(pieces: list[_Piece], first: int, left: int, target: float) -> int:
    """After which piece to end a chunk: the best border near the target that keeps the chunk within its limits and leaves no scrap."""
    tokens, best, best_value = 0, first + 1, float("-inf")
    for index in range(first, len(pieces)):
        tokens += pieces[index].tokens
        too_long = tokens > MAX_TOKENS or pieces[index].end - pieces[first].start > _MAX_CHUNK_CHARACTERS
        if too_long and index > first:
            break
        border = pieces[index].border * 0.15 if index + 1 < len(pieces) else 1.0
        scrap = 1.0 if 0 < left - tokens < SMALL_TOKENS else 0.0
        value = border - scrap - abs(tokens - target) / max(target, 1.0)
        if value >= best_value:
            best, best_value = index + 1, value
    return best


def _tables(text: str, kind: Kind) -> list[Table]:
    if kind == "table":
        return [file_table(text)]
    if kind == "rst":
        return list(drawn_tables(text))
    return list(marked_tables(text)) if kind in _WITH_TABLES else []


def _with_whole_rows(pieces: list[_Piece], tables: list[Table]) -> list[_Piece]:
    """The pieces of one section with those put together that must not be cut apart: a small table, else its column names and each row.

    What is too long for one chunk even so stays in pieces.
    """
    found: list[_Piece] = []
    place = 0
    first = bisect_right(tables, pieces[0].start, key=lambda table: table.end) if pieces else 0
    for table in tables[first:]:
        if place >= len(pieces) or table.start >= pieces[-1].end:
            break
        while place < len(pieces) and pieces[place].start < table.start:
            found.append(pieces[place])
            place += 1
        inside = place
        while inside < len(pieces) and pieces[inside].start < table.end:
            inside += 1
        found.extend(_table_pieces(pieces[place:inside], table))
        place = inside
    return [*found, *pieces[place:]]


def _table_pieces(pieces: list[_Piece], table: Table) -> list[_Piece]:
    if not pieces:
        return []
    if whole := _one_piece(pieces):
        return [whole]
    # The column names stay with the first row.
    rows: list[list[_Piece]] = []
    number = -1
    for piece in pieces:
        row = max(bisect_right(table.rows, piece.start), 1)
        if row != number:
            rows.append([])
            number = row
        rows[-1].append(piece)
    found: list[_Piece] = []
    for parts in rows:
        one = _one_piece(parts)
        found.extend(parts if one is None else [one])
    return found


def _one_piece(pieces: list[_Piece]) -> _Piece | None:
    """Pieces that follow each other as one, if that still fits into a chunk."""
    tokens, start, end = _tokens(pieces), pieces[0].start, pieces[-1].end
    if tokens > MAX_TOKENS or end - start > _MAX_CHUNK_CHARACTERS:
        return None
    return _Piece(start, end, pieces[-1].border, tokens)


def _column_names(tables: list[Table], start: int) -> str:
    """The column names of the table among whose rows a chunk begins; they stand in another chunk."""
    place = bisect_right(tables, start, key=lambda table: table.start) - 1
    if place < 0 or not tables[place].rows or not tables[place].rows[0] <= start < tables[place].end:
        return ""
    return tables[place].header[:_HEADER_CHARACTERS]
