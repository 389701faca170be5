from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from core.library.formats.cell_values import shown


@pytest.mark.parametrize(
    ("value", "number_format", "expected"),
    [
        (12, "General", "12"), (12.5, "General", "12.5"), (0.1 + 0.2, "General", "0.3"), (0.001, "General", "0.001"), (-7, "#,##0", "-7"), (4.0, "0.00", "4"),
        (1234567890123, "General", "1234567890123"), (0.15, "0%", "15%"), (0.155, "0.0%", "15.5%"), (5, '[Red]0.00" %"', "5"), (5, "0\\%", "5"),
        (float("inf"), "General", "inf"), (True, "General", "TRUE"), (False, "General", "FALSE"), ("text", "0%", "text"),
    ],
)  # fmt: skip
def test_a_number_is_shown_as_its_format_says(value: object, number_format: str, expected: str) -> None:
    assert shown(value, number_format) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime(2031, 6, 1), "2031-06-01"), (datetime(2031, 6, 1, 18), "2031-06-01 18:00"), (datetime(2031, 6, 1, 18, 0, 5), "2031-06-01 18:00:05"),
        (date(2031, 6, 1), "2031-06-01"), (time(12), "12:00"), (timedelta(hours=26, minutes=30), "26:30"), (timedelta(hours=-1), "-1:00"),
    ],
)  # fmt: skip
def test_dates_and_times_are_written_in_one_way(value: object, expected: str) -> None:
    assert shown(value) == expected
