"""The numbers of headings and list items, which an OpenDocument text does not store but tells how to count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.library.formats.word_numbering import written
from core.library.formats.xml_tree import Element, attribute, descendants, integer, name_of

_FORMATS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_CHINESE = ("一", "壹", "甲")
_LEVELS = 10


@dataclass(frozen=True, slots=True)
class _Level:
    format: str
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    shown_levels: int = 1
    is_bullet: bool = False


@dataclass(slots=True)
class _Count:
    """How far a list has come on each level, from 0."""

    style: str
    numbers: dict[int, int] = field(default_factory=dict)


class ListNumbering:
    """Counts the lists and headings of a document in order, as an office program would."""

    def __init__(self, parts: Iterable[Element]) -> None:
        """`parts` are the roots of those parts of the document that define styles."""
        self._styles: dict[str, dict[int, _Level]] = {}
        self._outline: dict[int, _Level] = {}
        for part in parts:
            for style in descendants(part, "list-style"):
                self._styles[attribute(style, "name")] = _levels(style)
            for style in descendants(part, "outline-style"):
                self._outline = _levels(style)
        self._headings = _Count("")
        self._open: list[_Count] = []
        self._last_of_style: dict[str, _Count] = {}
        self._by_id: dict[str, _Count] = {}

    def begin_list(self, node: Element) -> None:
        """A list begins, perhaps inside another; it may go on counting where an earlier one ended."""
        if self._open:
            # A list inside another one counts with it, on its next level.
            outer = self._open[-1]
            style = attribute(node, "style-name") or outer.style
            self._open.append(outer if style == outer.style else _Count(style, dict(outer.numbers)))
            return
        style = attribute(node, "style-name")
        count = self._by_id.get(attribute(node, "continue-list"))
        if count is None and attribute(node, "continue-numbering") == "true":
            count = self._last_of_style.get(style)
        count = count or _Count(style)
        self._last_of_style[style] = count
        if identity := attribute(node, "id"):
            self._by_id[identity] = count
        self._open.append(count)

    def end_list(self) -> None:
        """The list that was begun last is over."""
        self._open.pop()

    def item_mark(self, item: Element) -> str:
        """Count one more item of the list and return what stands before it: "3.2", "(a)", "第一条", or "-" for a bullet."""
        level, count = len(self._open) - 1, self._open[-1]
        return _mark(self._styles.get(count.style, {}), count.numbers, level, attribute(item, "start-value")) or "-"

    def heading_mark(self, heading: Element, level: int) -> str:
        """Count one more heading and return its number; "" where headings of its level have none. `level` counts from 1."""
        if not self._outline or attribute(heading, "is-list-header") == "true":
            return ""
        start = attribute(heading, "start-value") if attribute(heading, "restart-numbering") == "true" else ""
        mark = _mark(self._outline, self._headings.numbers, level - 1, start)
        return "" if mark == "-" else mark


def _mark(levels: Mapping[int, _Level], numbers: dict[int, int], level: int, start: str) -> str:
    own = levels.get(level)
    for place in [place for place in numbers if place > level]:
        del numbers[place]
    for place in range(level):
        above = levels.get(place)
        numbers.setdefault(place, above.start if above else 1)
    if start:
        numbers[level] = integer(start, 1)
    else:
        numbers[level] = numbers[level] + 1 if level in numbers else own.start if own else 1
    if own is None or own.is_bullet:
        return "-"
    if not own.format:
        return ""
    first = max(0, level - own.shown_levels + 1)
    shown = [(numbers[place], levels[place].format) for place in range(first, level + 1) if place in levels and levels[place].format]
    return f"{own.prefix}{'.'.join(written(number, form) for number, form in shown)}{own.suffix}".strip()


def _levels(style: Element) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for level in style:
        place = integer(attribute(level, "level"), 1) - 1
        if not 0 <= place < _LEVELS:
            continue
        match name_of(level):
            case "list-level-style-number" | "outline-level-style":
                found[place] = _Level(
                    _format(attribute(level, "num-format")),
                    attribute(level, "num-prefix"),
                    attribute(level, "num-suffix"),
                    integer(attribute(level, "start-value"), 1),
                    max(1, integer(attribute(level, "display-levels"), 1)),
                )
            case "list-level-style-bullet" | "list-level-style-image":
                found[place] = _Level("", is_bullet=True)
    return found


def _format(name: str) -> str:
    if not name:
        return ""
    return "chineseCounting" if name.startswith(_CHINESE) else _FORMATS.get(name, "decimal")
