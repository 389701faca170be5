"""What is counted and edited is told apart rightly, and the whole measurement runs over a few files."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.quality.edited_file import Tally, edited, file_text, generate, mark, measure, middle, news, slices


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4])
def test_an_edit_replaces_one_paragraph_and_nothing_else(number: int) -> None:
    before = file_text(number, 1)

    after = edited(before, "Something else.")

    gone = [part for part in before.split("\n\n") if part not in after]
    assert len(gone) == 1 and "is closed with code" in gone[0]
    assert after.replace("Something else.", gone[0]) == before or after.count("Something else.") == 1
    assert after.startswith("Notes of day")


def test_what_is_new_can_be_found_by_a_word_that_nothing_else_has() -> None:
    draw = random.Random(1)

    found = [news(draw, number) for number in range(20)]

    assert len({word for _, word, _ in found}) == 20
    assert all(paragraph.count(word) == 1 and word not in asked for paragraph, word, asked in found)
    assert mark(draw).isalpha()


def test_waiting_in_vain_and_encoding_too_much_are_problems() -> None:
    tally = Tally()

    for seconds in (1.0, 3.0, 2.0):
        tally.add("edited", "words", seconds)
    tally.add("edited", "meaning", None)
    tally.add_encoded("edited", 1, 1)
    tally.add_encoded("renamed", 2, 0)

    assert tally.problems == ["edited: meaning not within 60 s", "renamed: 2 texts encoded, 0 passages are new"]
    assert tally.lines()[:3] == [
        "edited: words after p50 2.00 s, at most 3.00 s (3 times)",
        "edited: 1 texts encoded, 1 passages new, in 1 of 1 the same",
        "renamed: 2 texts encoded, 0 passages new, in 0 of 1 the same",
    ]
    assert middle([5.0, 1.0, 3.0]) == 3.0


def test_a_vector_is_looked_for_in_parts_that_no_other_has() -> None:
    vector = np.zeros(96, dtype="<f4")
    vector[:5], vector[32:36] = 0.3, 0.2

    assert slices(vector.tobytes()) == [vector[:32].tobytes()]


def test_files_that_are_there_stay_as_they_are(tmp_path: Path) -> None:
    generate(tmp_path, 3, 1)
    changed = tmp_path / "000" / "00001.txt"
    changed.write_text("changed", encoding="utf-8")

    generate(tmp_path, 4, 1)

    assert changed.read_text(encoding="utf-8") == "changed"
    assert len(list(tmp_path.rglob("*.txt"))) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="the window has no screen")
def test_a_few_files_are_watched_changed_and_found(tmp_path: Path) -> None:
    tally, about = measure(tmp_path, files=12, rounds=1, weights=False, seed=1)

    assert tally.problems == []
    assert about[0].startswith("12 files ready")
    assert {deed for deed, _ in tally.seconds} == {"edited", "new", "renamed", "deleted"} == set(tally.encoded)
