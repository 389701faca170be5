from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.qa.figures import Value, figures, han_number


def values(text: str) -> list[Value]:
    return [figure.values[0] for figure in figures(text)]


@pytest.mark.parametrize("text", ["18", "１８", "eighteen", "Eighteen", "十八", "18th", "第十八", "18.0"])
def test_one_number_in_many_writings(text: str) -> None:
    assert values(text) == [("n", 18.0)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,200", 1200.0),
        ("1.2k", 1200.0),
        ("twelve hundred", 1200.0),
        ("一千二百", 1200.0),
        ("两百", 200.0),
        ("二〇二四", 2024.0),
        ("3.5 million", 3_500_000.0),
        ("120万", 1_200_000.0),
        ("3,549 亿", 354_900_000_000.0),
        ("三点五", 3.5),
        ("twenty-one", 21.0),
        ("三分之一", 1 / 3),
        ("一千二百三十四万五千", 12_345_000.0),
    ],
)
def test_numbers_have_their_value(text: str, value: float) -> None:
    assert values(text) == [("n", value)]


@pytest.mark.parametrize("text", ["50%", "50 %", "５０％", "50 percent", "fifty percent", "百分之五十", "百分之50"])
def test_a_share_is_not_a_number(text: str) -> None:
    assert values(text) == [("%", 50.0)]


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-03",
        "2024/5/3",
        "20240503",
        "3 May 2024",
        "3rd of May 2024",
        "May 3, 2024",
        "May 3rd, 2024",
        "2024年5月3日",
        "二〇二四年五月三日",
        "2024年5月3号",
    ],
)
def test_one_day_in_many_writings(text: str) -> None:
    assert values(text) == [("d", 2024, 5, 3)]


def test_parts_of_dates_are_dates() -> None:
    assert values("五月三日, 2024年, May 2024, in May, Monday, 星期三") == [
        ("d", None, 5, 3),
        ("d", 2024, None, None),
        ("d", 2024, 5, None),
        ("d", None, 5, None),
        ("w", 1),
        ("w", 3),
    ]


def test_a_date_that_may_be_read_in_two_ways_has_both() -> None:
    (figure,) = figures("03/05/2024")

    assert set(figure.values) == {("d", 2024, 5, 3), ("d", 2024, 3, 5)}


def test_times_of_day() -> None:
    assert [figure.values[0] for figure in figures("14:20 and 2:20 pm")] == [("t", 14, 20), ("t", 14, 20)]


@pytest.mark.parametrize("text", ["[1]", "【2】", "[1, 2]", "P-02", "E47", "v2.6.1", "he may go", "万一"])
def test_numbers_of_sources_codes_and_words_are_no_figures(text: str) -> None:
    assert values(text) == []


def test_numbers_that_count_the_items_of_a_list_are_none() -> None:
    assert values("1. apples\n2) pears\n  - 3. plums\n（4）figs\n五、nuts") == []
    assert values("40. It is due.") == []
    assert values("1979.") == [("n", 1979.0)]


def test_months_are_not_counts_of_months() -> None:
    assert values("3个月") == [("n", 3.0)]
    assert values("3月") == [("d", None, 3, None)]


def test_a_word_made_of_numerals_has_no_value() -> None:
    assert han_number("万") is None
    assert han_number("十") == 10


@given(st.text(alphabet="0123456789,.-/:%[]【】年月日号点百千万亿一二十两 abMayth第", max_size=80))
def test_figures_stand_where_they_say_and_in_order(text: str) -> None:
    end = 0
    for figure in figures(text):
        assert end <= figure.start < figure.end <= len(text)
        end = figure.end


@pytest.mark.parametrize(
    "piece",
    ["1", "一", "one ", "1,", "1-", "May ", "1.1", " ", "#", "[1,", "A1-", "2024年", "万点", "两百 and ", "1/", "十", "百分之", "1:"],
)
def test_long_texts_take_time_in_proportion(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    began = time.process_time()

    count = sum(1 for _ in figures(text))

    assert count <= len(text)
    assert time.process_time() - began < 5
