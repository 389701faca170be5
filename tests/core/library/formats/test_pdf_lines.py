from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.library.formats.pdf_lines import Line, joined_pages, page_text, with_whole_words, without_running_heads


def column(
    texts: Sequence[str], *, left: float = 0, top: float = 700, step: float = 12, width: float = 5, indents: Sequence[float] = ()
) -> list[Line]:
    """Lines under each other whose letters are `width` wide and 10 high."""
    starts = [left + (indents[n] if n < len(indents) else 0) for n in range(len(texts))]
    return [
        Line(text, start, start + width * len(text), top - step * n, top - step * n + 10)
        for n, (text, start) in enumerate(zip(texts, starts, strict=True))
    ]


def test_a_full_line_goes_on_in_the_next_one_and_a_short_one_ends() -> None:
    lines = column(["The lamp burns oil and the keeper fills", "it every day.", "It never goes out, not even in a storm"])

    assert page_text(lines) == "The lamp burns oil and the keeper fills it every day.\nIt never goes out, not even in a storm"


def test_chinese_lines_are_joined_without_a_space() -> None:
    lines = column(["灯塔的守护人叫阿诺他每天黄昏点亮灯火让船只", "找到回家的路。"], width=10)

    assert page_text(lines) == "灯塔的守护人叫阿诺他每天黄昏点亮灯火让船只找到回家的路。"


def test_items_of_a_list_stay_on_lines_of_their_own() -> None:
    lines = column(
        [
            "Before you light the lamp you must always do:",
            "1. Fill it with oil to the mark at the rim",
            "2. Trim the wick, which must be dry and even",
            "• Open the shutter",
        ]
    )

    assert page_text(lines).count("\n") == 3


def test_a_gap_and_a_larger_letter_begin_something_new() -> None:
    above = column(["Oil and its uses in the lamp of the tower"])
    below = column(["The lamp burns oil and the keeper fills it"], top=660)
    small = Line("set small", 0, 45, 648, 654)

    assert (
        page_text([*above, *below, small])
        == "Oil and its uses in the lamp of the tower\n\nThe lamp burns oil and the keeper fills it\nset small"
    )


def test_an_indented_line_begins_a_paragraph() -> None:
    lines = column(["The lamp burns oil and the keeper fills it.", "It never goes out, not even in a storm"], indents=(0, 20))

    assert "\n\n" in page_text(lines)


def test_raised_numbers_and_pieces_of_a_row_are_put_back_into_it() -> None:
    lines = [Line("Arno", 0, 40, 700, 710), Line("1", 40, 44, 705, 711), Line("and Bela", 48, 100, 700, 710)]

    assert page_text(lines) == "Arno1 and Bela"


def test_cells_of_a_row_that_stand_far_apart_are_set_off_and_rows_stay_lines() -> None:
    lines = [
        Line("Part", 0, 20, 700, 710),
        Line("Price in euros", 200, 270, 700, 710),
        Line("Lens", 0, 20, 688, 698),
        Line("4", 200, 205, 688, 698),
    ]

    assert page_text(lines) == "Part\tPrice in euros\nLens\t4"


def test_rows_of_figures_stay_lines_of_their_own() -> None:
    assert page_text(column(["North 12 15 18 20 22", "South 11 14 17 19 21"])) == "North 12 15 18 20 22\nSouth 11 14 17 19 21"


def test_a_sentence_goes_on_in_the_next_column() -> None:
    left = column(["The lamp burns oil and the keeper", "fills it every day when the sun is"], top=100)
    right = column(["low and the ships come home to us"], left=300, top=700)

    assert "when the sun is low and the ships" in page_text([*left, *right])


def test_pages_are_joined_where_a_sentence_goes_on() -> None:
    text, pages = joined_pages(["", "It never goes", "out.", "", "New."])

    assert text == "It never goes out.\n\nNew."
    assert [(text[page.start :][:3], page.page) for page in pages] == [("It ", 2), ("out", 3), ("New", 5)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("get\ufffeting dark", "getting dark"), ("a two\ufffestage lamp; two-stage", "a two-stage lamp; two-stage"), ("\ufffe", "")],
)
def test_cut_words_keep_a_hyphen_they_have_elsewhere(text: str, expected: str) -> None:
    assert with_whole_words([text]) == [expected]


def test_a_hyphen_before_a_capital_or_a_number_stays() -> None:
    lines = [Line("the A", 0, 25, 700, 710, is_hyphenated=True), Line("320 flies", 0, 45, 688, 698)]

    assert page_text(lines) == "the A-320 flies"


def test_what_stands_on_few_pages_only_is_no_running_head() -> None:
    pages = [column([f"Head {'ABCD'[n]}", f"{'ABCD'[n]} text"]) for n in range(4)]

    assert [len(page) for page in without_running_heads(pages)] == [2, 2, 2, 2]
    assert [len(page) for page in without_running_heads(pages[:2])] == [2, 2]


def test_a_page_without_lines_is_empty() -> None:
    assert page_text([]) == ""
