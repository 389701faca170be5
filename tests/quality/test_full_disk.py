"""Only one plain sentence about the disk counts as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.command_line import Ran
from tests.quality.full_disk import Tally, is_plain

SENTENCE = "lamplight: The disk that holds /home/x is full. Free some space and try again.\n"


@pytest.mark.parametrize(
    ("code", "err", "plain"),
    [
        (1, SENTENCE, True),
        (0, SENTENCE, False),
        (1, SENTENCE * 2, False),
        (1, "", False),
        (1, "Traceback (most recent call last):\n" + SENTENCE, False),
        (1, SENTENCE.replace("/home/x", "/"), False),
    ],
)
def test_a_failure_is_plain_if_it_is_one_sentence_that_names_the_folder(code: int, err: str, plain: bool) -> None:
    assert is_plain(Ran(code, "", err), Path("/home/x")) is plain


def test_problems_are_counted_by_their_kind() -> None:
    tally = Tally(2, 1, 5, ["round 1: sentence: 1 ''", "round 2: lost: a.txt was acknowledged and is not there"])

    assert tally.lines()[:2] == [
        "2 rounds, 1 disks were too small; 5 files had been acknowledged",
        "sentence 1, lost 1, half 0, check 0, unfinished 0, failed 0",
    ]
