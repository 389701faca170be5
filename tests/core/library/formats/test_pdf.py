from __future__ import annotations

import pytest

from core.errors import DocumentUnreadable
from core.library.formats.pdf import read_pdf
from tests.fakes.office_files import lines_down, pdf_file

LATIN = lines_down(
    ["The lamp burns oil, and its keeper fills it every day at dusk so that", "the ships find their way home.", "It never goes out."]
)
CHINESE = lines_down(["灯塔的守护人叫阿诺，他每天黄昏点亮灯火，让远方的船只", "找到回家的路。"])


def test_lines_become_paragraphs_again_in_both_languages() -> None:
    parsed = read_pdf(pdf_file([LATIN, CHINESE]))

    assert parsed.kind == "prose"
    assert parsed.text == (
        "The lamp burns oil, and its keeper fills it every day at dusk so that the ships find their way home.\nIt never goes out.\n\n"
        "灯塔的守护人叫阿诺，他每天黄昏点亮灯火，让远方的船只找到回家的路。"
    )


@pytest.mark.parametrize(("drawn", "shown"), [(1, 1), (2, 2), (3, 3), (1, 0), (2, 0), (3, 0), (0, 1), (0, 2), (0, 3)])
def test_a_page_that_is_turned_has_the_text_that_it_has_upright(drawn: int, shown: int) -> None:
    """Wide pages among others are written so, each program in its own way."""
    upright = read_pdf(pdf_file([LATIN])).text

    assert read_pdf(pdf_file([LATIN], drawn=drawn, shown=shown)).text == upright


def test_a_word_that_is_cut_at_the_end_of_a_line_is_whole_again() -> None:
    page = lines_down(
        ["The lamp burns oil, and its keeper fills it every day when it is get-", "ting dark, so that the ships find their way."]
    )

    assert "is getting dark" in read_pdf(pdf_file([page])).text


def test_a_pdf_of_pictures_has_no_text_layer() -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_pdf(pdf_file([[], []]))

    assert caught.value.code == "no_text_layer"


def test_an_encrypted_pdf_says_so() -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_pdf(pdf_file([LATIN], password="lamp"))

    assert caught.value.code == "needs_password"


@pytest.mark.parametrize(
    "data", [b"", b"text", b"%PDF-1.4\n", b"%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF"]
)
def test_what_is_no_whole_pdf_is_damaged(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_pdf(data)

    assert caught.value.code in ("damaged", "no_text_layer")


def test_a_pdf_that_breaks_off_is_read_as_far_as_it_goes_or_refused() -> None:
    whole = pdf_file([LATIN])

    for size in range(0, len(whole), 97):
        try:
            read_pdf(whole[:size])
        except DocumentUnreadable as error:
            assert error.code in ("damaged", "no_text_layer")


def test_running_heads_and_page_numbers_are_left_out_after_the_first_page() -> None:
    pages = [
        [(72, 800, 9, "The manual"), *lines_down([f"Chapter {number} tells of the lamp and of its keeper."]), (290, 30, 9, str(number))]
        for number in range(1, 6)
    ]

    text = read_pdf(pdf_file(pages)).text

    assert text.count("The manual") == 1
    assert [f"Chapter {number}" in text for number in range(1, 6)] == [True] * 5
    assert text.endswith("of its keeper.")
