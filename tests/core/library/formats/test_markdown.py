from __future__ import annotations

import pytest

from core.errors import DocumentUnreadable
from core.library.formats import markdown
from core.library.formats.markdown import MarkdownText, table


def test_blocks_stand_apart_and_items_of_a_list_together() -> None:
    text = MarkdownText()
    text.heading(1, "The\n lamp")
    text.paragraph("It burns oil.  \nAlways.\n\n\n\nAlways.\n")
    text.item("one")
    text.item("two", mark="2.", depth=1)
    text.heading(9, "Deep")
    text.heading(2, "  ")

    assert text.text() == "# The lamp\n\nIt burns oil.\nAlways.\n\nAlways.\n\n- one\n  2. two\n\n###### Deep"


def test_a_table_names_its_columns_first() -> None:
    assert table([["Part", "Price"], ["Lens", "4 €"]]) == "| Part | Price |\n| --- | --- |\n| Lens | 4 € |"


def test_empty_rows_and_columns_are_left_out_and_short_rows_filled() -> None:
    assert table([["a", "", "b"], ["", "", ""], ["c"]]) == "| a | b |\n| --- | --- |\n| c |  |"


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert table([["a|b", "c"], ["d\ne", "f"]]) == "| a\\|b | c |\n| --- | --- |\n| d e | f |"


def test_what_is_hardly_a_table_becomes_lines() -> None:
    assert table([["one", "", "two"]]) == "one | two"
    assert table([["one"], [""], ["two"]]) == "one\ntwo"
    assert table([["", " "]]) == ""


def test_a_document_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "MAX_CHARACTERS", 100)
    text = MarkdownText()

    with pytest.raises(DocumentUnreadable) as caught:
        for _ in range(20):
            text.paragraph("words " * 3)

    assert caught.value.code == "too_large"
