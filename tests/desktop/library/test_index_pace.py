from __future__ import annotations

from pathlib import Path

import pytest

from core.documents import IndexedFile, IndexReport
from core.events import FileFinished, FileProgress, FileStarted, IndexFinished, IndexStarted
from desktop.library.index_pace import IndexPace

FILE = Path("/files/one.txt")


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def pace(clock: _Clock) -> IndexPace:
    pace = IndexPace(clock)
    pace.follow(IndexStarted(10))
    return pace


def test_the_current_files_part_counts(pace: IndexPace) -> None:
    pace.follow(FileStarted(FILE, 4, 10))
    pace.follow(FileProgress(FILE, 12, 24))

    assert pace.fraction == pytest.approx(0.45)
    assert pace.name == "one.txt"


def test_speed_and_time_left_come_from_working_time(pace: IndexPace, clock: _Clock) -> None:
    clock.now += 10
    pace.follow(FileFinished(IndexedFile(FILE, "ready"), 4, 10))

    assert pace.name == "one.txt"
    assert pace.files_per_second == pytest.approx(0.4)
    assert pace.seconds_left == pytest.approx(15.0)


def test_a_pause_does_not_count(pace: IndexPace, clock: _Clock) -> None:
    clock.now += 10
    pace.pause()
    clock.now += 1000
    pace.pause()
    pace.resume()
    pace.resume()
    pace.follow(FileFinished(IndexedFile(FILE, "ready"), 4, 10))

    assert pace.seconds == pytest.approx(10.0)
    assert pace.seconds_left == pytest.approx(15.0)


def test_no_guess_is_made_from_nothing(pace: IndexPace, clock: _Clock) -> None:
    assert pace.seconds_left is None

    clock.now += 0.1
    pace.follow(FileFinished(IndexedFile(FILE, "ready"), 1, 10))

    assert pace.files_per_second is None


def test_a_new_run_starts_afresh(pace: IndexPace, clock: _Clock) -> None:
    clock.now += 10
    pace.follow(FileFinished(IndexedFile(FILE, "ready"), 10, 10))
    pace.follow(IndexFinished(IndexReport()))
    assert pace.fraction == 1.0

    pace.follow(IndexStarted(3))

    assert (pace.done, pace.total, pace.fraction, pace.seconds) == (0, 3, 0.0, 0.0)


def test_a_run_over_no_file_divides_by_nothing() -> None:
    pace = IndexPace()

    pace.follow(IndexStarted(0))

    assert pace.fraction == 0.0
    assert pace.seconds_left is None
