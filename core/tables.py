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


def file_table(text: str) -> Table:
    """A file that is a table: its first row names the columns. A row goes on over a line's end inside a quoted cell."""
    starts = [start for start, end in _records(text) if text[start:end].strip()]
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
