"""Tables in a text: where each one is, where its rows begin, and what names its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv"})
"""Files that are one table from their first line to their last."""

# The line under the column names, as Markdown ("| --- | :-: |", also without the outer bars) and Org ("|---+---|") write it.
_RULE = re.compile(
    r"^[ \t]{0,3}+(?=[^\n]*-)(?:\|[ \t]*+(?::?-++:?[ \t]*+(?:[|+][ \t]*+|(?=\n|\Z)))++|:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)++\|?[ \t]*+)(?=\n|\Z)",
    re.MULTILINE,
)
_GRID = re.compile(r"[ \t]*\+(?:[-=]++\+)++[ \t]*$")
_SIMPLE = re.compile(r"[ \t]*=++(?:[ \t]++=++)++[ \t]*$")
_SEPARATOR = re.compile(r"""["']?sep=.["']?[ \t]*(?:\n|\Z)""", re.IGNORECASE)
_LONGEST_ROW = 4_000
"""A quoted cell that goes on for longer than this was never closed; its lines are taken one by one."""


@dataclass(frozen=True, slots=True)
class Table:
    """`text[start:end]` is a table. `rows` are the places where its rows begin, without the column names; `header` are these, as one line."""

    start: int
    end: int
    header: str
    rows: tuple[int, ...]


def marked_tables(text: str) -> Iterator[Table]:
    """The tables that Markdown and Org mark with bars and a line under the column names, in order."""
    behind = 0
    for rule in _RULE.finditer(text):
        head_end = rule.start() - 1
        if head_end < behind:
            continue
        start = text.rfind("\n", behind, head_end) + 1 or behind
        head = text[start:head_end]
        if "|" not in head:
            continue
        rows: list[int] = []
        end = rule.end()
        while end < len(text):
            next_end = text.find("\n", end + 1)
            next_end = len(text) if next_end < 0 else next_end
            if text.find("|", end + 1, next_end) < 0:
                break
            rows.append(end + 1)
            end = next_end
        behind = end
        yield Table(start, end, " ".join(head.split()), tuple(rows))


def drawn_tables(text: str) -> Iterator[Table]:
    """The tables that reStructuredText draws: a grid of signs around every cell, or lines of equals signs above, within and below."""
    block: list[tuple[int, str]] = []
    place = 0
    for line in [*text.split("\n"), ""]:
        if line.strip():
            block.append((place, line))
        else:
            yield from _drawn(block)
            block = []
        place += len(line) + 1


def _drawn(block: list[tuple[int, str]]) -> Iterator[Table]:
    """The table that a block of lines without a blank one is, if it is one. What stands in it above the table, its options, is part of it."""
    first = next((number for number, (_, line) in enumerate(block) if _GRID.match(line) or _SIMPLE.match(line)), len(block))
    lines = block[first:]
    if len(lines) < 4:
        return
    is_grid = bool(_GRID.match(lines[0][1]))
    borders = [number for number, (_, line) in enumerate(lines) if (_GRID if is_grid else _SIMPLE).match(line)]
    names_end = next((number for number in borders[1:] if not is_grid or "=" in lines[number][1]), borders[1] if len(borders) > 1 else 0)
    if not names_end:
        return
    words = " ".join(line for number, (_, line) in enumerate(lines[1:names_end], start=1) if number not in borders)
    behind = lines[names_end + 1 :]
    if is_grid:
        rows = tuple(lines[number + 1][0] for number in borders if number >= names_end and number + 1 < len(lines))
    else:
        rows = tuple(start for start, line in behind if not _SIMPLE.match(line))
    yield Table(block[0][0], lines[-1][0] + len(lines[-1][1]), " ".join(words.split()), rows)


def file_table(text: str) -> Table:
    """A file that is a table: its first row names the columns. A row goes on over a line's end inside a quoted cell.

    A line before it that only tells spreadsheets what separates the cells ("sep=;") is no row.
    """
    starts = [start for start, end in _records(text) if text[start:end].strip() and not (start == 0 and _SEPARATOR.match(text))]
    first, *rows = starts or [0]
    end_of_first = rows[0] if rows else len(text)
    return Table(first, len(text), " ".join(text[first:end_of_first].split()), tuple(rows))


def is_row(line: str) -> bool:
    """Whether a line is a row of a marked table with outer bars."""
    stripped = line.strip()
    return len(stripped) > 1 and stripped.startswith("|") and stripped.endswith("|")


def is_rule(line: str) -> bool:
    """Whether a line is the one under the column names."""
    return bool(_RULE.match(line))


def _records(text: str) -> Iterator[tuple[int, int]]:
    """Where the rows of a table begin and end. Each line is looked at once or, after a quote that is never closed, twice."""
    lines = [match.span() for match in re.finditer(r"[^\n]*+\n?", text) if match.end() > match.start()]
    place = 0
    while place < len(lines):
        start, end = lines[place]
        after = place + 1
        if text.count('"', start, end) % 2:
            closing = place + 1
            while closing < len(lines) and lines[closing][1] - start <= _LONGEST_ROW:
                if text.count('"', *lines[closing]) % 2:
                    after = closing + 1
                    break
                closing += 1
        yield start, lines[after - 1][1]
        place = after
