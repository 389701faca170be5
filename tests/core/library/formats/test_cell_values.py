from __future__ import annotations

import pytest

from core.library.formats.cell_values import number_format, shown


@pytest.mark.parametrize(
    ("number", "format_id", "code", "expected"),
    [
        ("12", 0, "", "12"), ("12.50", 0, "", "12.5"), ("0.30000000000000004", 0, "", "0.3"), ("1E-3", 0, "", "0.001"), ("-7", 3, "", "-7"),
        ("1234567890123", 0, "", "1234567890123"), ("0.15", 9, "", "15%"), ("0.155", 164, "0.0%", "15.5%"), ("48000", 14, "", "2031-06-01"),
        ("48000.75", 22, "", "2031-06-01 18:00"), ("0.5", 20, "", "12:00"), ("48000", 164, 'yyyy"年"m"月"d"日"', "2031-06-01"), ("1", 14, "", "1900-01-01"),
        ("59", 14, "", "1900-02-28"), ("61", 14, "", "1900-03-01"), ("5", 164, '[Red]0.00" days"', "5"), ("5", 164, "General", "5"), ("text", 14, "", "text"),
        ("1e999", 0, "", "inf"), ("-1", 14, "", "-1"), ("1e12", 14, "", "1000000000000"),
    ],
)  # fmt: skip
def test_a_number_is_shown_as_its_format_says(number: str, format_id: int, code: str, expected: str) -> None:
    assert shown(number, number_format(format_id, code)) == expected


def test_workbooks_of_old_macs_count_days_from_1904() -> None:
    assert shown("46538", number_format(14, ""), since_1904=True) == "2031-06-01"


@pytest.mark.parametrize(
    ("code", "is_date"),
    [("d.m.yy", True), ("[h]:mm", True), ("mmm", True), ("0.00", False), ('0 "seconds"', False), ("[Red]0", False), ("@", False)],
)
def test_formats_of_dates_are_known_by_their_letters(code: str, is_date: bool) -> None:
    assert number_format(164, code).is_date is is_date
