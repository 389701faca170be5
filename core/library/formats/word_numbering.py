"""The numbers of headings and list items, which a Word document does not store but tells how to count."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.library.formats.xml_tree import Element, attribute, child, children, integer

_ROMAN = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)
_CHINESE = "零一二三四五六七八九"
_CHINESE_FORMATS = frozenset(
    {"chineseCounting", "chineseCountingThousand", "taiwaneseCounting", "taiwaneseCountingThousand", "japaneseCounting", "ideographDigital"}
)
_LEVELS = 9
_GREATEST = 3999
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a list: where it starts, how its numbers are written, and what stands around them ("第%1条")."""

    start: int = 1
    format: str = "decimal"
    text: str = ""


@dataclass(slots=True)
class CountedList:
    """A list by its levels, and how far it has counted. Lists that count on together are the same object."""

    levels: dict[int, Level]
    counts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts the paragraphs of a document in order, as Word would."""

    def __init__(self, lists: Mapping[str, CountedList]) -> None:
        """`lists` by the id that paragraphs name."""
        self._lists = lists

    def mark(self, list_id: str, level: int) -> str:
        """Count one more paragraph of a list and return what stands before it: "3.2", "(a)", "第一条", or "-" for a bullet; "" for nothing."""
        found = self._lists.get(list_id)
        if found is None or not 0 <= level < _LEVELS:
            return ""
        for place in range(level):
            found.counts.setdefault(place, found.levels.get(place, Level()).start)
        own = found.levels.get(level, Level())
        found.counts[level] = found.counts[level] + 1 if level in found.counts else own.start
        for place in [place for place in found.counts if place > level]:
            del found.counts[place]
        if own.format == "bullet":
            return "-"
        if own.format == "none" and not own.text:
            return ""
        return _PLACE.sub(lambda match: self._number(found, int(match[1]) - 1), own.text).strip()

    def _number(self, found: CountedList, level: int) -> str:
        return written(found.counts.get(level, 1), found.levels.get(level, Level()).format)


def numbering_in(numbering: Element | None) -> Numbering:
    """The lists of a .docx. `numbering` is the root of the part of that name, or None where a document has no lists."""
    lists: dict[str, CountedList] = {}
    if numbering is None:
        return Numbering(lists)
    shared = {
        attribute(item, "abstractNumId"): CountedList({integer(attribute(level, "ilvl")): _level(level) for level in children(item, "lvl")})
        for item in children(numbering, "abstractNum")
    }
    for number in children(numbering, "num"):
        link = child(number, "abstractNumId")
        found = shared.get(attribute(link, "val")) if link is not None else None
        if found is None:
            continue
        overrides = children(number, "lvlOverride")
        if overrides:
            levels = dict(found.levels)
            for item in overrides:
                place = integer(attribute(item, "ilvl"))
                own, start = child(item, "lvl"), child(item, "startOverride")
                level = _level(own) if own is not None else levels.get(place, Level())
                levels[place] = Level(integer(attribute(start, "val"), 1), level.format, level.text) if start is not None else level
            found = CountedList(levels)
        lists[attribute(number, "numId")] = found
    return Numbering(lists)


def written(number: int, form: str) -> str:
    """A number in one of Word's number formats; formats that are not known are written in digits."""
    if not 0 < number <= _GREATEST:
        return str(number)
    if form in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman"):
        roman = _roman(number)
        return roman.lower() if form == "lowerRoman" else roman
    if form in _CHINESE_FORMATS:
        return _chinese(number)
    if form == "decimalZero":
        return f"{number:02}"
    return "" if form == "none" else str(number)


def _roman(number: int) -> str:
    signs = ""
    for value, sign in _ROMAN:
        signs += sign * (number // value)
        number %= value
    return signs


def _chinese(number: int) -> str:
    """一 to 九十九 in full; larger numbers digit by digit."""
    if number >= 100:
        return "".join("〇" if digit == "0" else _CHINESE[int(digit)] for digit in str(number))
    tens, ones = divmod(number, 10)
    return (("" if tens == 1 else _CHINESE[tens]) + "十" if tens else "") + (_CHINESE[ones] if ones else "")


def _level(level: Element) -> Level:
    start, form, text = child(level, "start"), child(level, "numFmt"), child(level, "lvlText")
    return Level(
        integer(attribute(start, "val"), 1) if start is not None else 1,
        attribute(form, "val", "decimal") if form is not None else "decimal",
        attribute(text, "val") if text is not None else "",
    )
