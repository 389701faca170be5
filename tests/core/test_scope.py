from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest

from core.scope import EARLIEST_NS, EVERYTHING, LATEST_NS, Scope


def ns(moment: datetime) -> int:
    return int(moment.timestamp() * 10**6) * 1000


def test_a_scope_without_restriction_is_everything() -> None:
    assert Scope().is_everything
    assert EVERYTHING.modified_between() == (EARLIEST_NS, LATEST_NS)
    assert not Scope((Path("/a"),)).is_everything
    assert not Scope(until=date(2026, 1, 1)).is_everything


def test_both_days_count_from_their_first_moment_to_their_last() -> None:
    first, after = Scope(since=date(2026, 3, 1), until=date(2026, 3, 1)).modified_between()

    assert first <= ns(datetime(2026, 3, 1, 0, 0)) < ns(datetime(2026, 3, 1, 23, 59, 59, 999_000)) < after
    assert ns(datetime(2026, 2, 28, 23, 59, 59, 999_000)) < first
    assert ns(datetime(2026, 3, 2, 0, 0)) >= after


@pytest.mark.parametrize("day", [date.min, date.max, date(1900, 1, 1), date(9998, 12, 31)])
def test_days_of_other_ages_are_days_too(day: date) -> None:
    first, after = Scope(since=day, until=day).modified_between()

    assert EARLIEST_NS <= first <= after <= LATEST_NS
    assert (first > ns(datetime(2026, 1, 1))) == (day.year > 2026)
