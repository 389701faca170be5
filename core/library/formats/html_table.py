"""A table of a web page while it is being read: which cell stands in which column, and whether it is a table at all."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.library.formats.markdown import table

_CELL_CHARACTERS = 600
_WIDEST_SPAN = 64


@dataclass(slots=True)
class HtmlTable:
    """The rows so far. `first_line` is where the table begins among the lines of the page.

    `is_layout` says that it only places things on the page. `_below` are the columns that a cell further up reaches down into, with the
    number of rows that it still takes there.
    """

    first_line: int
    is_layout: bool = False
    _rows: list[list[str]] = field(default_factory=list)
    _cell: list[str] | None = None
    _cell_characters: int = 0
    _span: tuple[int, int] = (1, 1)
    _below: dict[int, int] = field(default_factory=dict)

    @property
    def has_rows(self) -> bool:
        """Whether a row was begun."""
        return bool(self._rows)

    def begin_row(self) -> None:
        """What follows stands in a new row."""
        self.end_cell()
        self._rows.append([])
        self._pass_below()

    def begin_cell(self, columns: str, rows: str) -> None:
        """What follows stands in a new cell, over as many columns and rows as its attributes say."""
        self.end_cell()
        if not self._rows:
            self._rows.append([])
        self._span = (_number(columns), _number(rows))
        self._cell, self._cell_characters = [], 0

    def add(self, text: str) -> None:
        """Words of the page. Outside a cell they show that this is no table; so do very many in one."""
        if self._cell is None:
            self.is_layout = self.is_layout or bool(text.strip())
            return
        self._cell.append(text)
        self._cell_characters += len(text)
        self.is_layout = self.is_layout or self._cell_characters > _CELL_CHARACTERS

    def end_cell(self) -> None:
        """The cell is over, if one was begun."""
        if self._cell is None:
            return
        columns, rows = self._span
        row = self._rows[-1]
        if rows > 1:
            self._below |= dict.fromkeys(range(len(row), len(row) + columns), rows - 1)
        row += ["".join(self._cell), *[""] * (columns - 1)]
        self._cell = None
        self._pass_below()

    def markdown(self) -> list[str]:
        """The lines of the table, or none if it is not a table of two columns and two rows at least."""
        self.end_cell()
        lines = [] if self.is_layout else table(self._rows).split("\n")
        return lines if len(lines) > 2 and lines[1].startswith("| ---") else []

    def _pass_below(self) -> None:
        """Leave the places empty that a cell further up takes in this row."""
        row = self._rows[-1]
        while left := self._below.pop(len(row), 0):
            if left > 1:
                self._below[len(row)] = left - 1
            row.append("")


def _number(span: str) -> int:
    return max(1, min(int(span), _WIDEST_SPAN)) if span.isascii() and span.isdigit() and len(span) < 6 else 1
