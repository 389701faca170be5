"""Numbers and dates of a text, each with its value, so that 18, eighteen and 十八 are one number and 3 May and 5月3日 one day.

    "约1,200人，2024年5月3日"  ->  number 1200, date (2024, 5, 3)

A figure may be read in more than one way (03/05/2024); it then has several values. Works in one pass, in time proportional to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.simplified import simplified

Scale = Literal["", "%"]
Value = tuple[str | float | int | None, ...]
"""("n", 1200.0) number; ("%", 50.0) share; ("d", year, month, day), unknown parts None; ("t", hour, minute); ("w", weekday 1..7);
("c", digits) a number that is a name: a telephone, a version."""

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2, "兩": 2, "壹": 1, "贰": 2, "叁": 3}
_POWERS = {"十": 10, "百": 100, "千": 1000}
_GROUPS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN_NUMERAL = "零〇○一二三四五六七八九十百千万萬亿億两兩廿卅"
_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
    )
} | {word: 10 * tens for tens, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(),
        1,
    )
} | {"twentieth": 20, "thirtieth": 30}
_MULTIPLES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "k": 10**3, "bn": 10**9}
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("jan", "january"),
            ("feb", "february"),
            ("mar", "march"),
            ("apr", "april"),
            ("may",),
            ("jun", "june"),
            ("jul", "july"),
            ("aug", "august"),
            ("sep", "sept", "september"),
            ("oct", "october"),
            ("nov", "november"),
            ("dec", "december"),
        ),
        1,
    )
    for name in names
}
_WEEKDAYS = {name: number for number, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split(), 1)}
_WEEKDAYS |= {name: number for number, name in enumerate("一二三四五六", 1)} | {"日": 7, "天": 7, "末": 7}

_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
_WORD = "|".join(sorted((*_WORDS, *_ORDINALS), key=len, reverse=True))
_MULTIPLE = "hundred|thousand|million|billion|trillion"
_HAN_SMALL = "[〇零一二三四五六七八九十廿卅]{1,3}"

_FIGURE = re.compile(
    rf"""
    (?P<skip>[\[【]\s*\d{{1,2}}(?:\s*[,，、;-]\s*\d{{1,2}}){{0,9}}\s*[\]】]                              # the number of a source
      |(?<![A-Za-z0-9])(?:[A-Za-z]{{1,8}}-?\d|\d{{1,6}}[A-Za-z]{{1,3}}-?\d)[A-Za-z0-9-]{{0,20}}(?:\.\d+){{0,4}})   # a code
    |(?P<iso>(?<!\d)(?P<iy>[12]\d{{3}})(?:[-/.](?P<im>\d{{1,2}})[-/.](?P<id>\d{{1,2}})(?!\d)|(?P<im2>[01]\d)(?P<id2>[0-3]\d)(?!\d)))
    |(?P<slash>(?<![\d/])(?P<sa>\d{{1,2}})/(?P<sb>\d{{1,2}})/(?P<sy>[12]\d{{3}})(?![\d/]))
    |(?P<han_date>(?:(?P<hy>(?<!\d)\d{{4}}|[〇零○一二三四五六七八九]{{4}})\s?年\s?)?(?P<hm>(?<!\d)\d{{1,2}}|{_HAN_SMALL})\s?月(?!球|亮)份?(?:\s?(?P<hd>\d{{1,2}}|{_HAN_SMALL})\s?[日号])?)
    |(?P<han_year>(?:(?<!\d)\d{{4}}|[〇零○一二三四五六七八九]{{4}})(?=\s?年))
    |(?P<han_day>(?:(?<![\d.])\d{{1,2}}|{_HAN_SMALL})(?=\s?[日号](?![子常记本报楼线公]))(?<!节))
    |(?P<en_dmy>(?<![\d.])(?P<ed>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s(?P<em>{_MONTH})(?:,?\s(?P<ey>[12]\d{{3}})(?!\d))?)
    |(?P<en_mdy>\b(?P<fm>{_MONTH})\s(?:the\s)?(?P<fd>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,?\s(?P<fy>[12]\d{{3}})(?!\d))?)
    |(?P<en_my>\b(?P<gm>{_MONTH}),?\s(?:of\s)?(?P<gy>[12]\d{{3}})(?!\d))
    |(?P<month>(?<=\b(?:in|of|by)\s)(?P<mm>{_MONTH}))
    |(?P<weekday>\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?=s?\b)|(?<=[周])[一二三四五六日末]|(?<=星期|礼拜)[一二三四五六日天])
    |(?P<time>(?<![\d:])(?P<th>[0-2]?\d):(?P<tm>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?:\s?(?P<ap>[ap])\.?m\b)?)
    |(?P<hour>(?<![\d.:])(?P<oh>1?\d)\s?(?P<oap>[ap])\.?m\b)
    |(?P<code>(?<![\d.-])\d+(?:[.-]\d+){{2,6}}(?!\d)|(?<![\d.-])\d{{2,5}}-\d{{4,8}}(?![\d-]))
    |(?P<share>百分之(?P<hp>[{_HAN_NUMERAL}点]+|\d+(?:\.\d+)?))
    |(?P<part>(?P<pb>[{_HAN_NUMERAL}]{{1,4}}|\d{{1,4}})分之(?P<pa>[{_HAN_NUMERAL}]{{1,4}}|\d{{1,4}}))
    |(?P<number>(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)
        (?:(?P<decade>s\b)|(?:st|nd|rd|th)\b|(?P<k>\s?(?:k|bn)\b)
          |\s?(?P<percent>%|percent\b|per\scent\b|个百分点)|\s?(?P<han_scale>[百千万萬亿億]{{1,3}})|\s(?P<scale>(?:{_MULTIPLE})\b(?:\s(?:{_MULTIPLE})\b)?))?
        (?P<after_scale>(?<=[万亿])%)?)
    |(?P<han>[{_HAN_NUMERAL}]+(?:点[零〇一二三四五六七八九]+)?)
    |(?P<words>\b(?:{_WORD}|{_MULTIPLE})\b(?:[\s-](?:and\s)?(?:{_WORD}|{_MULTIPLE})\b){{0,9}}(?:\s(?P<word_percent>percent|per\scent)\b)?)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)


_START = re.compile(rf"([A-Za-z]+)|[0-9]+|[{_HAN_NUMERAL}]+|[\[【]")
_START_WORDS = frozenset(
    [
        *_WORDS,
        *_ORDINALS,
        *_MULTIPLES,
        *_MONTHS,
        *(day for day in _WEEKDAYS if day.isascii()),
        *(f"{day}s" for day in _WEEKDAYS if day.isascii()),
    ]
)
_ITEM_END = re.compile(r"(?:[.)](?=[ \t*]*[^\s\d.])|[）、．])")


@dataclass(frozen=True, slots=True)
class Figure:
    """One number or date: `text[start:end]`, and what it may mean. `written` says in what: digits, Han numerals or words."""

    start: int
    end: int
    kind: Literal["number", "date"]
    values: tuple[Value, ...]
    written: Literal["digits", "han", "words"] = "digits"
    rounded: bool = False


def figures(text: str) -> Iterator[Figure]:
    """The figures of a text in order. Numbers of sources and of list items, and digits inside codes like P-02, are none."""
    text = plain(text)
    end = 0
    for start in _starts(text):
        if start < end:
            continue
        found = _FIGURE.match(text, start)
        if found is None:
            continue
        end = found.end()
        reader = _READERS.get(found.lastgroup or "")
        figure = reader(found) if reader and not _is_item(text, start, end) else None
        if figure is not None:
            yield figure


def _starts(text: str) -> Iterator[int]:
    """Where a figure may begin: looking for them with the whole pattern at every character would take ten times as long."""
    for found in _START.finditer(text):
        if found.lastindex is None or found[0].casefold() in _START_WORDS or text[found.end() : found.end() + 2].strip("-")[:1].isdecimal():
            yield found.start()


def _is_item(text: str, start: int, end: int) -> bool:
    """Whether the number only counts the items of a list: it begins a line, and a sign and then words follow."""
    if end - start > 3 or not _ITEM_END.match(text, end):
        return False
    line = text.rfind("\n", max(0, start - 12), start) + 1 or max(0, start - 12)
    return (line == 0 or text[line - 1] == "\n") and not text[line:start].strip(" \t#>*-(（")


def plain(text: str) -> str:
    """`text` with full-width ASCII as ASCII and simplified characters; every character keeps its place."""
    return simplified(text.translate(_FULL_WIDTH))


_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B)} | {0xFF05: "%", 0xFF0E: ".", 0xFF0D: "-", 0xFF1A: ":", 0x3000: " "}


def han_number(text: str) -> float | None:
    """The value of a Chinese numeral: 一千二百 is 1200, 二〇二四 is 2024. None where it is none, as in 万一."""
    whole, _, fraction = text.partition("点")
    if not whole:
        return None
    if all(c in _DIGITS for c in whole):
        value = float("".join(str(_DIGITS[c]) for c in whole[:15]))
    else:
        counted = _counted(whole)
        if counted is None:
            return None
        value = float(counted)
    if fraction:
        value += float("0." + "".join(str(_DIGITS[c]) for c in fraction[:9] if c in _DIGITS) + "0")
    return value


def _counted(text: str) -> int | None:
    total = section = 0
    digit: int | None = None
    for place, c in enumerate(text[:20]):
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c in "廿卅":
            section += 20 if c == "廿" else 30
        elif c in _POWERS:
            if digit is None and c != "十" and place:
                return None
            section += (1 if digit is None else digit) * _POWERS[c]
            digit = None
        else:
            section += digit or 0
            if not section and not total:
                return None
            total = (total + section) * _GROUPS[c] if not total or c in "亿億" else total + section * _GROUPS[c]
            section, digit = 0, None
    return total + section + (digit or 0)


def _small(text: str | None) -> int | None:
    if not text:
        return None
    value = float(text) if text.isdecimal() else han_number(text)
    return None if value is None else int(value)


def _date(found: re.Match[str], *readings: tuple[int | None, int | None, int | None]) -> Figure | None:
    possible = [(y, m, d) for y, m, d in readings if (m is None or 1 <= m <= 12) and (d is None or 1 <= d <= 31)]
    values: tuple[Value, ...] = tuple(("d", y, m, d) for y, m, d in possible)
    return Figure(found.start(), found.end(), "date", values) if values else None


def _month(name: str) -> int:
    return _MONTHS[name.rstrip(".").casefold()]


def _iso(found: re.Match[str]) -> Figure | None:
    date = _date(found, (int(found["iy"]), int(found["im"] or found["im2"]), int(found["id"] or found["id2"])))
    if date is None:  # eight digits that are no day: a number
        return Figure(found.start(), found.end(), "number", (("n", float(re.sub(r"\D", "", found[0]))),))
    return date


def _time(found: re.Match[str]) -> Figure:
    hour, minute = int(found["th"] or 0), int(found["tm"])
    half = (found["ap"] or "").casefold()
    hours = {hour % 12 + 12 * (half == "p")} if half else {hour % 24, (hour + 12) % 24 if hour <= 12 else hour % 24}
    return Figure(found.start(), found.end(), "number", tuple(("t", h, minute) for h in sorted(hours)))


def _hour(found: re.Match[str]) -> Figure:
    hour = int(found["oh"]) % 12 + 12 * (found["oap"].casefold() == "p")
    return Figure(found.start(), found.end(), "number", (("t", hour, 0), ("n", float(found["oh"]))))


def _number(found: re.Match[str]) -> Figure:
    value = float(found["digits"].replace(",", ""))
    rounded = False
    if found["han_scale"]:
        for c in found["han_scale"]:
            value *= _POWERS.get(c, _GROUPS.get(c, 1))
        rounded = True
    for word in (found["scale"] or found["k"] or "").split():
        value *= _MULTIPLES[word.casefold()]
        rounded = True
    scale = "%" if found["percent"] or found["after_scale"] else "n"
    return Figure(found.start(), found.end(), "number", ((scale, round(value, 9)),), rounded=rounded)


def _han(found: re.Match[str]) -> Figure | None:
    value = han_number(found["han"])
    return None if value is None else Figure(found.start(), found.end(), "number", (("n", value),), "han")


def _share(found: re.Match[str]) -> Figure | None:
    text = found["hp"]
    value = float(text) if text[0].isdecimal() else han_number(text)
    return None if value is None else Figure(found.start(), found.end(), "number", (("%", value),))


def _part(found: re.Match[str]) -> Figure | None:
    below, above = _small(found["pb"]), _small(found["pa"])
    return Figure(found.start(), found.end(), "number", (("n", above / below),)) if below and above else None


def _words(found: re.Match[str]) -> Figure:
    total = part = 0.0
    ordinal = False
    for word in re.findall(r"[a-z]+", found[0].casefold()):
        if word in _WORDS:
            part += _WORDS[word]
        elif word in _ORDINALS:
            part += _ORDINALS[word]
            ordinal = True
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in _MULTIPLES:
            total += (part or 1) * _MULTIPLES[word]
            part = 0.0
    scale = "%" if found["word_percent"] else "n"
    return Figure(found.start(), found.end(), "number", ((scale, total + part),), "words", rounded=ordinal)


_READERS = {
    "iso": _iso,
    "slash": lambda f: _date(f, (int(f["sy"]), int(f["sa"]), int(f["sb"])), (int(f["sy"]), int(f["sb"]), int(f["sa"]))),
    "han_date": lambda f: _date(f, (_small(f["hy"]), _small(f["hm"]), _small(f["hd"]))),
    "han_year": lambda f: _date(f, (_small(f["han_year"]), None, None)),
    "han_day": lambda f: _date(f, (None, None, _small(f["han_day"]))),
    "en_dmy": lambda f: _date(f, (_small(f["ey"]), _month(f["em"]), int(f["ed"]))),
    "en_mdy": lambda f: _date(f, (_small(f["fy"]), _month(f["fm"]), int(f["fd"]))),
    "en_my": lambda f: _date(f, (int(f["gy"]), _month(f["gm"]), None)),
    "month": lambda f: _date(f, (None, _month(f["mm"]), None)),
    "weekday": lambda f: Figure(f.start(), f.end(), "date", (("w", _WEEKDAYS[f[0].casefold()]),)),
    "time": _time,
    "hour": _hour,
    "code": lambda f: Figure(f.start(), f.end(), "number", (("c", re.sub(r"\D", "", f[0])),)),
    "share": _share,
    "part": _part,
    "number": _number,
    "han": _han,
    "words": _words,
}
