from __future__ import annotations

import unicodedata

import pytest

from desktop.shown_name import shown_name
from tests.fakes.documents import HOSTILE_NAMES


@pytest.mark.parametrize("name", ["notes.txt", "水浒传.txt", "Ünïcode.md", "دفتر.txt", "<b>x</b>.txt", "👩‍👩‍👧.txt"])
def test_an_ordinary_name_is_shown_as_it_is(name: str) -> None:
    assert shown_name(name) == name


def test_a_line_feed_is_shown_as_its_picture() -> None:
    assert shown_name("two\nlines\r.txt") == "two␊lines␍.txt"


def test_a_direction_mark_is_shown_in_its_place() -> None:
    assert shown_name("invoice\u202etxt.exe") == "invoice\ufffdtxt.exe"


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_hostile_name_can_break_the_line_or_turn_it_round(name: str) -> None:
    shown = shown_name(name)

    assert len(shown) == len(name)
    assert not [sign for sign in shown if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")]
    assert not [
        sign for sign in shown if unicodedata.bidirectional(sign) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    ]
