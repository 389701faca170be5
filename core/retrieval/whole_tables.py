"""The table that a passage is a part of: all of it where there is room, else the names of its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.documents import Chunk, ScoredChunk
from core.retrieval.slices import ReadText, overlaps, read_slice
from core.tables import TABLE_SUFFIXES, Table, file_table, is_row, is_rule, marked_tables

WHOLE_TABLE_CHARACTERS = 6_000
"""A table that goes on for more than this before or behind a passage is never fetched whole."""

_TABLE_CHARACTERS = 40_000
_HEADER_CHARACTERS = 300
# So much of a header is in the heading path already where a chunk began among its rows.
_INDEXED_HEADER_CHARACTERS = 160


def with_whole_table(
    item: ScoredChunk,
    passages: Sequence[ScoredChunk],
    known: Sequence[ScoredChunk],
    read: ReadText,
    count_tokens: Callable[[str], int],
    *,
    room: int,
) -> tuple[list[ScoredChunk], int]:
    """`passages` with the whole table that `item`, one of them, begins or ends in, and how many tokens that costs more than before.

    Other passages from the same table go: it shows them. Nothing changes where `item` is in no table, where all of it takes more than `room`
    tokens more, or where earlier evidence (`known`) shows a part of it.
    """
    unchanged = list(passages), 0
    chunk = item.chunk
    first = max(0, chunk.start - WHOLE_TABLE_CHARACTERS)
    before = read_slice(read, chunk.document_id, first, chunk.start)
    after = read_slice(read, chunk.document_id, chunk.end, chunk.end + WHOLE_TABLE_CHARACTERS)
    if before is None or after is None or not _may_be_in_table(chunk):
        return unchanged
    around = before + chunk.text + after
    table = _table_around(chunk, around, chunk.start - first, chunk.end - first)
    # What reaches to the edge of what was read may go on there.
    if table is None or (first and table.start == 0) or (len(after) == WHOLE_TABLE_CHARACTERS and table.end == len(around)):
        return unchanged
    start, end = min(chunk.start, first + table.start), max(chunk.end, first + table.end)
    text = around[start - first : end - first]
    end -= len(text) - len(text.rstrip())
    text = text.rstrip()
    shown = [other for other in passages if other is not item and overlaps(other.chunk, chunk.document_id, start, end)]
    if (start, end) == (chunk.start, chunk.end) or any(overlaps(other.chunk, chunk.document_id, start, end) for other in known):
        return unchanged
    if any(other.chunk.start < start or other.chunk.end > end for other in shown):
        return unchanged
    cost = count_tokens(text) - sum(count_tokens(other.chunk.text) for other in (item, *shown))
    if cost > room:
        return unchanged
    line = chunk.line - text[: chunk.start - start].count("\n")
    path = _without_header(chunk.heading_path, table.header)
    whole = replace(item, chunk=replace(chunk, start=start, end=end, line=line, text=text, heading_path=path))
    return [whole if other is item else other for other in passages if other not in shown], cost


def with_table_header(item: ScoredChunk, read: ReadText) -> ScoredChunk:
    """`item` with the column names of the Markdown table that its first line is a row of, if it does not show them itself."""
    chunk = item.chunk
    lines = chunk.text.split("\n", 2)
    if not is_row(lines[0]) or is_rule(lines[0]) or (len(lines) > 1 and is_rule(lines[1])):
        return item
    before = read_slice(read, chunk.document_id, max(0, chunk.start - _TABLE_CHARACTERS), chunk.start) or ""
    above = before.rstrip().split("\n")
    for n in range(len(above) - 1, 0, -1):
        if is_rule(above[n]):
            header = " ".join(above[n - 1].split())[:_HEADER_CHARACTERS]
            if chunk.heading_path.endswith(header[:_INDEXED_HEADER_CHARACTERS]):
                return item
            path = f"{chunk.heading_path} > {header}" if chunk.heading_path else header
            return replace(item, chunk=replace(chunk, heading_path=path)) if is_row(above[n - 1]) else item
        if not is_row(above[n]):
            break
    return item


def _may_be_in_table(chunk: Chunk) -> bool:
    lines = chunk.text.split("\n")
    return _is_file_table(chunk) or is_row(lines[0]) or is_row(lines[-1])


def _is_file_table(chunk: Chunk) -> bool:
    return chunk.path.suffix.lower() in TABLE_SUFFIXES


def _table_around(chunk: Chunk, text: str, start: int, end: int) -> Table | None:
    """The table that the passage `text[start:end]` begins or ends in."""
    if _is_file_table(chunk):
        return file_table(text)
    return next((table for table in marked_tables(text) if table.start <= start < table.end or table.start < end <= table.end), None)


def _without_header(heading_path: str, header: str) -> str:
    """The column names stand in the table itself now."""
    indexed = header[:_INDEXED_HEADER_CHARACTERS]
    if not heading_path.endswith(indexed):
        return heading_path
    return heading_path[: len(heading_path) - len(indexed)].removesuffix(" > ")
