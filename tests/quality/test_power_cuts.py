"""A few simulated cuts of the power lose nothing, and what a cut has lost is seen."""

from __future__ import annotations

from pathlib import Path

from tests.quality.changing_library import ChangingLibrary
from tests.quality.power_cuts import Cut, Tally, looked_at, measure


def test_a_few_cuts_lose_nothing(tmp_path: Path) -> None:
    tally = measure(tmp_path / "cuts", cuts=8, files=18, seed=1)

    assert tally.cuts == 8
    assert tally.problems == []


def test_what_was_acknowledged_and_is_gone_is_lost_and_the_next_run_finishes(tmp_path: Path) -> None:
    library = ChangingLibrary(tmp_path / "docs", 3)
    library.change(1.0)
    cut = Cut(tmp_path / "home", frozenset({library.path(1)}), ("question 7",))

    assert looked_at(cut, library) == ["lost: 00001.md was acknowledged and is not there", "lost question: question 7"]
    assert looked_at(Cut(cut.home, cut.files, ()), library) == []


def test_problems_are_counted_by_their_kind() -> None:
    tally = Tally(2, 7, 3, 1, ["cut 1: lost question: question 4", "cut 1: lost: a.txt was acknowledged", "cut 2: check: user.db: bad"])

    assert tally.lines()[:2] == [
        "2 cuts; 7 files and 3 questions had been acknowledged before them; 1 cuts lost something acknowledged",
        "lost 1, lost question 1, half 0, check 1, unfinished 0, failed 0",
    ]
