from __future__ import annotations

import struct
from typing import Any

import pytest

from core.errors import DocumentUnreadable
from core.library.formats.old_office import read_old_office
from tests.fakes.old_office_files import container_file, old_workbook_file


def text_of(sheets: dict[str, Any], **more: Any) -> str:
    return read_old_office(old_workbook_file(sheets, **more)).text


def test_sheets_are_tables_under_their_names_and_pages() -> None:
    document = read_old_office(
        old_workbook_file({"灯塔": [("Name", "油"), ("Arno", 2), ("Ida", 3.5)], "Empty": [], "Notes": [("see below",)]})
    )

    assert document.text.split("\n\n") == [
        "## 灯塔", "| Name | 油 |\n| --- | --- |\n| Arno | 2 |\n| Ida | 3.5 |", "## Empty", "## Notes", "see below"
    ]  # fmt: skip
    assert [page.page for page in document.pages] == [1, 2, 3]


def test_cells_are_shown_as_their_formats_say() -> None:
    formats = ["yyyy-mm-dd", "yyyy-mm-dd hh:mm", "hh:mm", "[h]:mm", "0.00%"]
    values = [(40299, 1), (40299.75, 2), (0.25, 3), (1.5, 4), (0.125, 5), (40299, 0), True, b"\x2a", (-1, 1)]
    rows = [("Kind", "Value"), *(("x", value) for value in values)]

    text = text_of({"A": rows}, formats=formats)

    assert [line.split(" | ")[1].rstrip(" |") for line in text.split("\n")[4:]] == [
        "2010-05-01", "2010-05-01 18:00", "06:00", "36:00", "12.5%", "40299", "TRUE", "#N/A", "-1"
    ]  # fmt: skip


def test_years_name_columns_and_figures_do_not() -> None:
    years = [("Oil", 2009, 2010), ("Litres", 12.5, 13)]
    figures = [("Oil", 12.5), ("Wick", 13.25)]

    assert "| Oil | 2009 | 2010 |\n| ---" in text_of({"A": years})
    assert "| A | B |\n| ---" in text_of({"A": figures})


def test_the_calendar_of_old_macs_is_known() -> None:
    calendar = struct.pack("<HHH", 0x22, 2, 1)

    assert "2010-05-01" in text_of({"A": [("Day", "Oil"), ((38837, 1), 1)]}, formats=["yyyy-mm-dd"], settings=calendar)


def test_hidden_sheets_are_left_out() -> None:
    assert text_of({"A": [("seen",)], "B": [("secret",)]}, hidden="B") == "## A\n\nseen"


def test_a_password_is_told() -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        text_of({"A": [("secret",)]}, settings=struct.pack("<HHHHH", 0x2F, 6, 0, 1, 2))

    assert caught.value.code == "needs_password"


def test_what_is_no_workbook_is_damaged_and_nothing_is_said_on_the_way(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_old_office(container_file({"Workbook": b"lamp"}))
    text_of({"A": [("a", "b"), (1, 2)]})

    assert caught.value.code == "damaged"
    assert capfd.readouterr() == ("", "")
