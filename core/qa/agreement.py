"""Whether one figure bears another out: 18 and 十八, 50% and 50 percent, May 3 and 2024-05-03, 1.3 million and 1,313,851."""

from __future__ import annotations

import math
import re
from datetime import date

from core.qa.figures import Figure, Value
from core.qa.support import Evidence

# How far a rounded number may be off, as a share.
ROUNDED = 0.03
_RELATIVE_DAY = re.compile(
    r"\b(?:tomorrow|yesterday|tonight|today|(?:next|this|last|coming) (?:week|\w+day))\b|[明昨后前今][天日晚早]|[下上本这]周|[次翌当]日"
)
# Where a table or a heading says that its numbers are shares.
_SHARE_SIGNS = ("(%)", "（%）", "percent", "百分", "率", "rate")


def agree(claim: Figure, other: Figure, evidence: Evidence) -> bool:
    """Whether `other`, a figure of the evidence, bears out `claim` in one of their readings."""
    return any(_bears_out(value, claim, found, evidence) for value in claim.values for found in other.values)


def are_rivals(claim: Figure, other: Figure) -> bool:
    """Whether two figures could answer the same question: two shares, two numbers, two dates told equally exactly."""
    a, b = claim.values[0], other.values[0]
    if a[0] != b[0]:
        return False
    return a[0] != "d" or [part is None for part in a[2:]] == [part is None for part in b[2:]]


def _bears_out(claim: Value, figure: Figure, found: Value, evidence: Evidence) -> bool:
    match claim[0], found[0]:
        case ("n", "n") | ("%", "%") | ("n", "%"):
            return _equal(claim[1], found[1], rounded=figure.rounded and claim[0] == "n")
        case "%", "n":
            return claim[1] == found[1] and any(sign in evidence.joined for sign in _SHARE_SIGNS)
        case "d", "d":
            return _same_day(claim, found, evidence)
        case "n", "d":
            return claim[1] == found[1] or (claim[1] == found[3] and figure.end - figure.start <= 4)
        case "d", "n":
            return claim[2] is None and claim[3] is None and claim[1] == found[1]
        case ("t", "t") | ("c", "c") | ("w", "w"):
            return claim == found
        case "t", "n":
            return isinstance(claim[1], int) and claim[2] == 0 and found[1] in (claim[1], claim[1] % 12)
        case "n", "t":
            return claim[1] in (found[1], found[2]) or (isinstance(found[1], int) and claim[1] == found[1] % 12)
        case "w", "d":
            day = _day(found)
            return day is not None and day.isoweekday() == claim[1]
    return False


def _equal(a: object, b: object, *, rounded: bool) -> bool:
    if not isinstance(a, float) or not isinstance(b, float):
        return False
    if math.isclose(a, b, rel_tol=1e-9):
        return True
    shorter = len(f"{a:.9g}".rstrip("0")) < len(f"{b:.12g}".rstrip("0"))
    return rounded and shorter and a >= 1000 and abs(a - b) <= ROUNDED * abs(b)


def _same_day(claim: Value, found: Value, evidence: Evidence) -> bool:
    year, month, day = claim[1:]
    if (month is not None and month != found[2]) or (day is not None and day != found[3]):
        # "tomorrow", said on a day that the passage gives
        return _days_apart(claim, found) <= 8 and bool(_RELATIVE_DAY.search(evidence.joined))
    if year is None or year == found[1]:
        return True
    return found[1] is None and month is not None and (year in evidence.years or float(str(year)) in evidence.years)


def _days_apart(claim: Value, found: Value) -> int:
    second = _day(found)
    first = _day((claim[0], claim[1] or found[1], claim[2], claim[3]))
    return abs((first - second).days) if first and second else 1000


def _day(value: Value) -> date | None:
    year, month, day = value[1:]
    if not (isinstance(year, int) and isinstance(month, int) and isinstance(day, int)):
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None
