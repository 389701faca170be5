from __future__ import annotations

from typing import Any

import pytest

from core.errors import DocumentUnreadable
from core.library.formats.old_office import read_old_office
from tests.fakes.old_office_files import container_file, old_presentation_file, old_shape


def text_of(*slides: Any, **more: Any) -> str:
    return read_old_office(old_presentation_file(slides, **more)).text


def code_of(data: bytes) -> str:
    with pytest.raises(DocumentUnreadable) as caught:
        read_old_office(data)
    return caught.value.code


def test_slides_are_read_under_their_titles_in_order() -> None:
    lamp = ([(0, "灯塔手册"), (1, "Oil\nWick")], [old_shape(of_list=0, kind=13), old_shape(of_list=1, kind=14), old_shape("in a box")])
    untitled = ([], [old_shape("only words\x0bin lines")])

    document = read_old_office(old_presentation_file([lamp, untitled]))

    assert document.text.split("\n\n") == ["## 灯塔手册", "Oil\nWick", "in a box", "## Slide 2", "only words\nin lines"]
    assert [page.page for page in document.pages] == [1, 2]


def test_texts_that_no_shape_refers_to_are_read_and_a_wrong_reference_is_none() -> None:
    assert text_of(([(6, "Oil"), (1, "burns")], [old_shape(of_list=7)])) == "## Oil\n\nburns"


def test_what_a_layout_repeats_is_left_out() -> None:
    assert text_of(([], [old_shape("lamp"), old_shape("*", kind=8), old_shape("ACME", kind=9)])) == "## Slide 1\n\nlamp"


def test_the_speakers_notes_stand_under_their_slide() -> None:
    one, two = ([(0, "Oil")], []), ([(0, "Wick")], [])

    assert text_of(one, two, notes={1: "Ask Ida"}) == "## Oil\n\n## Wick\n\nNotes: Ask Ida"


def test_the_newest_edit_counts() -> None:
    assert text_of(([], [old_shape("new")]), stale=["old"]) == "## Slide 1\n\nnew"


def test_a_presentation_without_words_has_no_text() -> None:
    assert text_of(([], [])) == ""


def test_a_password_is_told_and_older_files_are_not_supported() -> None:
    assert code_of(old_presentation_file([], mark=0xF3D1C4DF)) == "needs_password"
    assert code_of(old_presentation_file([], mark=0)) == "unsupported"


def test_edits_in_a_circle_and_places_that_hold_something_else_are_damage() -> None:
    circle = bytearray(old_presentation_file([([], [])], before=1))
    edit = circle.index(b"\xf5\x0f") - 2
    stream = circle.index(b"\xee\x03") - 2
    circle[edit + 16 : edit + 20] = (edit - stream).to_bytes(4, "little")

    assert code_of(bytes(circle)) == "damaged"
    assert code_of(old_presentation_file([([], [])], before=2)) == "damaged"
    assert code_of(container_file({"Current User": old_user(), "PowerPoint Document": b""})) == "damaged"


def old_user() -> bytes:
    return bytes(12) + (0xE391C05F).to_bytes(4, "little") + bytes(4)
