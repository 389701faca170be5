from __future__ import annotations

import time

import pytest

from core.tables import drawn_tables, file_table, is_row, is_rule, marked_tables

TEXT = "Before.\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\nAfter.\n\na | b\n--- | ---\n1 | 2\n\n|o|p|\n|-+-|\n|1|2|"


def test_tables_of_markdown_and_org_are_found_with_their_rows() -> None:
    tables = list(marked_tables(TEXT))

    assert [table.header for table in tables] == ["| a | b |", "a | b", "|o|p|"]
    assert [[TEXT[row:].split("\n")[0] for row in table.rows] for table in tables] == [["| 1 | 2 |", "| 3 | 4 |"], ["1 | 2"], ["|1|2|"]]
    assert [TEXT[table.start : table.end].split("\n")[-1] for table in tables] == ["| 3 | 4 |", "1 | 2", "|1|2|"]


@pytest.mark.parametrize(
    "text", ["Title\n---\nText | more", "a\n--- | ---\n", "---\ntitle: a | b\n---\n", "| a | b |\n| 1 | 2 |", "- - -\na | b", "||\n"]
)
def test_what_only_looks_a_little_like_a_table_is_none(text: str) -> None:
    assert list(marked_tables(text)) == []


GRID = "+-----+-----+\n| a   | b   |\n+=====+=====+\n| 1   | two |\n|     | 2   |\n+-----+-----+\n| 3   | 4   |\n+-----+-----+"
SIMPLE = "=====  =====\na      b\n=====  =====\n1      2\n3      4\n=====  ====="


def test_tables_that_are_drawn_are_found_with_their_rows() -> None:
    text = f"Prices.\n\n.. table:: Oil\n\n{GRID}\n\nMore.\n\n{SIMPLE}\n\n+---+\n| x |\n+---+\n"

    first, second = list(drawn_tables(text))[:2]

    assert (text[first.start : first.end], text[second.start : second.end]) == (GRID, SIMPLE)
    assert [table.header for table in (first, second)] == ["| a | b |", "a b"]
    assert [text[row:].split("\n")[0] for row in first.rows] == ["| 1   | two |", "| 3   | 4   |"]
    assert [text[row:].split("\n")[0] for row in second.rows] == ["1      2", "3      4"]


@pytest.mark.parametrize("text", ["Title\n=====\n\nText", "=== ===\n", "a\n=== ===\nb\n=== ===", "+---+\n\n+---+", "+1\n+2\n+3\n+4\n+5"])
def test_what_is_no_drawing_of_a_table_is_none(text: str) -> None:
    assert list(drawn_tables(text)) == []


def test_a_row_of_a_file_ends_where_its_quotes_are_closed() -> None:
    text = "n,words\r1,x\n".replace("\r", "\n") + '2,"a\n""b"",\nc"\n\n3,y'

    table = file_table(text)

    assert table.header == "n,words"
    assert [text[start:end] for start, end in zip(table.rows, (*table.rows[1:], table.end), strict=True)] == [
        "1,x\n",
        '2,"a\n""b"",\nc"\n\n',
        "3,y",
    ]


@pytest.mark.parametrize("line", ["sep=;", "SEP=,", '"sep=\t"', "sep=|  "])
def test_the_line_that_tells_a_spreadsheet_the_separator_is_not_the_names_of_columns(line: str) -> None:
    text = f"{line}\nName;Age\nAlma;31\n"

    table = file_table(text)

    assert table.header == "Name;Age"
    assert [text[start:] for start in table.rows] == ["Alma;31\n"]


@pytest.mark.parametrize("text", ["", "\n\n", "one", "one\n"])
def test_a_file_without_rows_is_a_table_without_rows(text: str) -> None:
    assert file_table(text).rows == ()


def test_rows_and_rules_are_told_apart() -> None:
    assert is_row("  | a | b |  ") and not is_row("| a") and not is_row("|")
    assert is_rule("| --- | :-: |") and is_rule("--- | ---") and not is_rule("---") and not is_rule("| a |")


@pytest.mark.parametrize("unit", ["|", "|-", "- ", "|---", '"a\n', "\n|-|", "a|b\n-|-\n", "-", " ", "\n", "+-", "= ", "+-+\n"])
def test_pathological_texts_take_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.thread_time()
        list(marked_tables(text))
        list(drawn_tables(text))
        file_table(text)
        return time.thread_time() - started

    seconds(10_000)
    small, large = seconds(50_000), seconds(400_000)

    assert large < 8 * 4 * small + 0.2
