from __future__ import annotations

import pytest

from core.errors import DocumentUnreadable
from core.library.formats.presentation import read_presentation
from tests.fakes.office_files import presentation_file, shape

TABLE = (
    "<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>Part</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>Price</a:t></a:r></a:p></a:tc></a:tr>"
    "<a:tr><a:tc><a:p><a:r><a:t>Lens</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>4</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>"
)


def test_each_slide_stands_under_its_title() -> None:
    slides = [
        shape("Oil and water", kind="ctrTitle") + shape("for keepers", kind="subTitle"),
        shape("Fill daily\nNever smoke") + shape("灯油", kind="title") + shape("7", kind="sldNum"),
        shape("no title here"),
    ]

    assert read_presentation(presentation_file(slides)).text.split("\n\n") == [
        "## Oil and water", "for keepers", "## 灯油", "Fill daily\nNever smoke", "## Slide 3", "no title here"
    ]  # fmt: skip


def test_tables_and_groups_are_read() -> None:
    slide = shape("Prices", kind="title") + TABLE + f"<p:grpSp>{shape('inside a group')}</p:grpSp>"

    assert read_presentation(presentation_file([slide])).text.split("\n\n") == [
        "## Prices", "| Part | Price |\n| --- | --- |\n| Lens | 4 |", "inside a group"
    ]  # fmt: skip


def test_what_the_speaker_wanted_to_say_stands_below_the_slide() -> None:
    notes = shape("Say it slowly.", kind="body") + shape("1", kind="sldNum")

    assert read_presentation(presentation_file([shape("Oil", kind="title")], notes={0: notes})).text == "## Oil\n\nNotes: Say it slowly."


def test_slides_of_pictures_only_have_no_text() -> None:
    assert read_presentation(presentation_file(["<p:pic/>", "<p:pic/>"])).text == ""


def test_a_missing_slide_is_damage() -> None:
    data = presentation_file([shape("Oil")]).replace(b"slides/slide0.xml", b"slides/slideX.xml", 1)

    with pytest.raises(DocumentUnreadable) as caught:
        read_presentation(data)

    assert caught.value.code == "damaged"
