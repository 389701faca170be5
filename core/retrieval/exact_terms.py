"""What a query names exactly: codes, numbers, dates, addresses, file names and quoted words. Vectors hardly tell one such thing from another.

A date, an amount, a version or a numbered clause is looked for in the ways that people and programs write it, whichever of them the query uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.store.spellings import other_spellings

MAX_TERMS = 24

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in _MONTHS)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DATES = (
    (re.compile(r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)"), (1, 3, 4)),
    (re.compile(r"(?<![\d.,])((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![\d.,]\d|\d)"), (1, 2, 3)),
    (re.compile(r"(?<!\d)(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号號]"), (1, 2, 3)),
    (re.compile(rf"(?<!\w){_DAY} (?:of )?({_MONTH})\.?,? (\d{{4}})(?!\d)", re.IGNORECASE), (3, 2, 1)),
    (re.compile(rf"(?<!\w)({_MONTH})\.? {_DAY},? (\d{{4}})(?!\d)", re.IGNORECASE), (3, 1, 2)),
)
# 31.1.2026 begins with the day; with slashes it is the month in America.
_SHORT_DATE = re.compile(r"(?<![\d.])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?![\d.]\d|\d)")
_ENDINGS = "csv|docx?|eml|epub|gguf|html?|ini|jpe?g|js|json|log|md|mp[34]|odt|pdf|png|pptx?|py|rtf|toml|tsv|txt|xlsx?|xml|ya?ml|zip"
_CHINESE_DIGITS = "零一二三四五六七八九"
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^“”\n]{2,80})”|「([^「」\n]{2,80})」|『([^『』\n]{2,80})』")
_CODE = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z._/:#-]{0,12}\d)[A-Za-z0-9]{1,40}(?:[._/:,#-][A-Za-z0-9]{1,40}){0,8}")
_NAMES = (
    re.compile(r"[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}", re.ASCII),
    re.compile(r"(?<![\w.-])[\w-]{1,80}(?:\.[\w-]{1,40}){0,3}\.(?:" + _ENDINGS + r")(?![A-Za-z0-9])", re.IGNORECASE | re.ASCII),
    re.compile(r"(?<!\w)[A-Za-z0-9]{1,40}(?:_[A-Za-z0-9]{1,40}){1,8}(?!\w)", re.ASCII),
    re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]{5})[A-Za-z]{0,40}[a-z][A-Z][A-Za-z]{0,40}(?![A-Za-z0-9])"),
)
_CLAUSE = re.compile(rf"第\s?(\d{{1,3}}|[{_CHINESE_DIGITS}十百]{{1,7}})\s?([条章节節款项項页頁回课課号號届屆期次天卷])")
# Only what codes are made of: a comma in full width ends a clause, one in half width may stand in a number.
_HALF_WIDTH = {
    code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B), *map(ord, "－．／＿＠＃"))
}
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s)")


def exact_terms(query: str) -> tuple[str, ...]:
    """The exact things in `query`, each once, in order; a date in all its forms.

    A bare year and a number of one or two digits are none: they stand in too many passages to say which one is meant.
    """
    found: list[str] = []
    rest = query.translate(_HALF_WIDTH)
    for pattern, places in _DATES:
        for match in pattern.finditer(rest):
            found += _forms(*(match[place] for place in places))
        rest = pattern.sub(" ", rest)
    for written, *parts in [(match[0], *match.groups()) for match in _SHORT_DATE.finditer(rest)]:
        if forms := _short_forms(*parts):
            found += forms
            rest = rest.replace(written, " ")
    found += [next(filter(None, match.groups())).strip() for match in _QUOTED.finditer(rest)]
    for match in _CLAUSE.finditer(rest):
        found += _clause_forms(match[1], match[2])
    for pattern in _NAMES:
        for match in pattern.finditer(rest):
            found += (match[0], *other_spellings(match[0]))
        rest = pattern.sub(" ", rest)
    for code in filter(_is_telling, (match[0] for match in _CODE.finditer(rest))):
        found += (code, *other_spellings(code))
    return tuple(dict.fromkeys(found))[:MAX_TERMS]


def _clause_forms(number: str, what: str) -> Iterator[str]:
    """第3条 and 第三条."""
    yield f"第{number}{what}"
    if number.isdigit():
        yield f"第{_in_chinese(int(number))}{what}"
    elif value := _CHINESE_NUMBERS.get(number):
        yield f"第{value}{what}"


def _in_chinese(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    if not number:
        return "零"
    written = f"{_CHINESE_DIGITS[hundreds]}百" if hundreds else ""
    if tens:
        # 十 begins a number alone, within one it is 一十.
        written += f"{'' if tens == 1 and not hundreds else _CHINESE_DIGITS[tens]}十"
    elif hundreds and ones:
        written += "零"
    return written + (_CHINESE_DIGITS[ones] if ones else "")


_CHINESE_NUMBERS = {_in_chinese(number): number for number in range(1, 1000)}


def _is_telling(code: str) -> bool:
    if _YEAR.fullmatch(code) or _ORDINAL.fullmatch(code):
        return False
    digits = sum(character.isdigit() for character in code)
    return digits >= 3 or not code.isdigit()


def _short_forms(first: str, separator: str, second: str, year: str) -> list[str]:
    return [*_forms(year, second, first), *(_forms(year, first, second) if separator == "/" else ())]


def _forms(year: str, month: str, day: str) -> Iterator[str]:
    number = int(month) if month.isdigit() else next(n for n, name in enumerate(_MONTHS, 1) if name[:3].lower() == month[:3].lower())
    if not (1 <= number <= 12 and 1 <= int(day) <= 31):
        return
    name, day = _MONTHS[number - 1], str(int(day))
    yield f"{year}-{number:02}-{int(day):02}"
    yield f"{year}-{number}-{day}"
    yield f"{year}{number:02}{int(day):02}"
    yield f"{year}年{number}月{day}日"
    for written in dict.fromkeys((name, name[:3])):
        yield f"{day} {written} {year}"
        yield f"{written} {day} {year}"
    for first, second in ((int(day), number), (number, int(day))):
        yield f"{first:02}.{second:02}.{year}"
        yield f"{first}.{second}.{year}"
