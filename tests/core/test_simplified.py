from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.simplified import simplified


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("試用期為三個月", "试用期为三个月"),
        ("頭髮發展", "头发发展"),
        ("皇后在後面", "皇后在后面"),
        ("裏裡里", "里里里"),
        ("隨著", "随着"),
        ("Lamp 30 天, café", "Lamp 30 天, café"),
    ],
)
def test_traditional_characters_become_simplified_ones(text: str, expected: str) -> None:
    assert simplified(text) == expected


@pytest.mark.parametrize("word", ["乾", "著", "徵", "瞭", "裏"])
@pytest.mark.parametrize("around", ["{}隆皇帝", "{}作", "宮商角{}羽", "{}望", "那{}面"])
def test_a_character_becomes_the_same_whatever_stands_beside_it(word: str, around: str) -> None:
    assert simplified(around.format(word)) == simplified(around).format(simplified(word))


@pytest.mark.parametrize("text", ["気候", "薬", "図", "売る", "カタカナとひらがな", "데이터"])
def test_what_only_japanese_and_korean_write_stays(text: str) -> None:
    assert simplified(text) == text


@given(st.text(st.characters(min_codepoint=0x3000, max_codepoint=0x33480)))
def test_every_character_keeps_its_place_and_twice_is_once(text: str) -> None:
    once = simplified(text)

    assert len(once) == len(text)
    assert simplified(once) == once
