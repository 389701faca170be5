"""The value of a spreadsheet cell as the person sees it, without the colours: dates as dates, 0.15 as 15 % where its format says so."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal

_NOT_CODE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]')


def shown(value: object, number_format: str = "General") -> str:
    """The value as its format shows it, as far as that changes what the value says: dates, times, percentages; no currency, no rounding."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case datetime():
            return f"{value:%Y-%m-%d} {_clock(value)}".removesuffix(" 00:00")
        case date():
            return value.isoformat()
        case time():
            return _clock(value)
        case timedelta():
            return _duration(value)
        case int() | float():
            is_percentage = "%" in _NOT_CODE.sub("", number_format.split(";")[0])
            return f"{_plain(value * 100)}%" if is_percentage else _plain(value)
        case _:
            return str(value)


def _clock(moment: datetime | time) -> str:
    return f"{moment:%H:%M:%S}".removesuffix(":00")


def _duration(length: timedelta) -> str:
    """Hours that go on after 24, as in a sheet of working hours."""
    seconds = abs(round(length.total_seconds()))
    clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}".removesuffix(":00")
    return f"-{clock}" if length < timedelta() else clock


def _plain(value: float) -> str:
    """Digits without an exponent and without the noise of binary fractions: 0.1 + 0.2 is shown as 0.3."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value))
    rounded = f"{value:.15g}"
    return format(Decimal(rounded), "f") if abs(value) < 1e21 and "n" not in rounded else rounded
