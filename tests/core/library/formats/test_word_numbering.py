from __future__ import annotations

import pytest

from core.library.formats.word_numbering import Numbering, numbering_in, written
from core.library.formats.xml_tree import parse


@pytest.mark.parametrize(
    ("number", "form", "expected"),
    [
        (4, "decimal", "4"), (4, "decimalZero", "04"), (28, "lowerLetter", "bb"), (2, "upperLetter", "B"), (1994, "upperRoman", "MCMXCIV"), (9, "lowerRoman", "ix"),
        (10, "chineseCounting", "十"), (12, "chineseCountingThousand", "十二"), (34, "chineseCounting", "三十四"), (105, "chineseCounting", "一〇五"),
        (3, "somethingNew", "3"), (3, "none", ""), (100_000, "upperRoman", "100000"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_word_writes_them(number: int, form: str, expected: str) -> None:
    assert written(number, form) == expected


def lists(levels: str, numbers: str) -> Numbering:
    return numbering_in(parse(f"<numbering><abstractNum abstractNumId='0'>{levels}</abstractNum>{numbers}</numbering>".encode()))


def test_deeper_levels_begin_anew_and_articles_count_in_chinese() -> None:
    levels = "<lvl ilvl='0'><numFmt val='chineseCounting'/><lvlText val='第%1条'/></lvl><lvl ilvl='1'><numFmt val='lowerLetter'/><lvlText val='(%2)'/></lvl>"
    numbering = lists(levels, "<num numId='1'><abstractNumId val='0'/></num>")

    assert [numbering.mark("1", level) for level in (0, 1, 1, 0, 1)] == ["第一条", "(a)", "(b)", "第二条", "(a)"]


def test_lists_of_one_kind_count_on_unless_one_says_where_it_starts() -> None:
    levels = "<lvl ilvl='0'><numFmt val='decimal'/><lvlText val='%1.'/></lvl>"
    numbers = (
        "<num numId='1'><abstractNumId val='0'/></num><num numId='2'><abstractNumId val='0'/></num>"
        "<num numId='3'><abstractNumId val='0'/><lvlOverride ilvl='0'><startOverride val='7'/></lvlOverride></num>"
    )
    numbering = lists(levels, numbers)

    assert [numbering.mark(number, 0) for number in ("1", "2", "3", "3", "1")] == ["1.", "2.", "7.", "8.", "3."]


def test_a_list_that_is_not_there_has_no_marks() -> None:
    assert numbering_in(None).mark("1", 0) == ""
    assert lists("", "").mark("1", 99) == ""
