"""The value of a spreadsheet cell as the person sees it: a date is stored as a number of days, 15 % as 0.15."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

_DATE_IDS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_PERCENTAGE_IDS = frozenset({9, 10})
_NOT_CODE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_LAST_DAY = 2_958_466
"""9999-12-31 and a day."""


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """What a format makes of a number: a date, a time or both, a percentage, or the number itself."""

    is_date: bool = False
    is_percentage: bool = False


def number_format(format_id: int, code: str) -> NumberFormat:
    """The format with this id, which is one of the built-in ones, or has its `code` in the workbook."""
    plain = _NOT_CODE.sub("", code.split(";")[0]).lower()
    has_letters = any(letter in plain for letter in "ymdhs") and "general" not in plain
    return NumberFormat(format_id in _DATE_IDS or has_letters, format_id in _PERCENTAGE_IDS or "%" in plain)


def shown(number: str, form: NumberFormat, *, since_1904: bool = False) -> str:
    """The number as its format shows it, as far as it changes what the number says: dates, times, percentages; no currency, no rounding.

    `since_1904` is the other day on which a workbook may begin to count. What is no number is returned as it is.
    """
    try:
        value = float(number)
    except ValueError:
        return number
    if form.is_date and 0 <= value < _LAST_DAY:
        return _date(value, since_1904=since_1904)
    if form.is_percentage:
        return f"{_plain(value * 100)}%"
    return _plain(value)


def _date(days: float, *, since_1904: bool) -> str:
    # 1900 is taken for a leap year by all spreadsheets, so days from March 1900 on count from one day earlier.
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30 if days >= 61 else 31)
    moment = start + timedelta(seconds=round(days * 86_400))
    clock = moment.strftime("%H:%M:%S").removesuffix(":00")
    if days < 1 and not since_1904:
        return clock
    day = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    return day if moment.hour == moment.minute == moment.second == 0 else f"{day} {clock}"


def _plain(value: float) -> str:
    """Digits without an exponent and without the noise of binary fractions: 0.1 + 0.2 is shown as 0.3."""
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    rounded = f"{value:.15g}"
    return format(Decimal(rounded), "f") if abs(value) < 1e21 and "n" not in rounded else rounded
