from __future__ import annotations

from pathlib import Path

import pytest

from core.documents import IndexedFile, IndexReport
from core.events import (
    EmbedderLoading,
    EmbedderReady,
    FileFinished,
    FileStarted,
    IndexFinished,
    IndexGoesOn,
    IndexHeld,
    IndexProgress,
    IndexStarted,
)
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


def embed(pace: IndexPace, clock: _Clock, *amounts: int, seconds: float = 1.0, chunks: int = 1000) -> None:
    """So many vectors are there after each batch, which takes so long."""
    for amount in amounts:
        pace.follow(IndexProgress(10, 10, amount, chunks))
        clock.now += seconds


def test_while_files_are_read_the_bar_moves_and_no_end_is_promised(pace: IndexPace, clock: _Clock) -> None:
    fractions = []
    for read in (2, 4, 6):
        clock.now += 2
        pace.follow(FileStarted(FILE, 0, 10))
        pace.follow(IndexProgress(read, 10, 0, read * 20))
        fractions.append(pace.fraction)

    assert fractions == sorted(set(fractions)) and fractions[0] > 0
    assert pace.files_per_second == pytest.approx(1.0)
    assert (pace.name, pace.chunks_per_second, pace.seconds_left) == ("one.txt", None, None)


def test_the_time_left_is_that_of_the_vectors_at_their_measured_speed(pace: IndexPace, clock: _Clock) -> None:
    embed(pace, clock, 0, 32, 64, 96, 128)

    assert pace.chunks_per_second == pytest.approx(32.0)
    assert pace.seconds_left == pytest.approx((1000 - 128) / 32)
    assert pace.files_per_second is None


def test_the_time_in_which_the_model_is_loaded_is_not_taken_for_the_speed_of_the_vectors(pace: IndexPace, clock: _Clock) -> None:
    embed(pace, clock, 0, seconds=20.0)
    embed(pace, clock, 32, 64)
    assert pace.seconds_left is None

    embed(pace, clock, 96)
    assert pace.chunks_per_second == pytest.approx(32.0)


def test_the_share_that_is_done_is_what_the_two_numbers_beside_it_say(pace: IndexPace) -> None:
    pace.follow(IndexProgress(3, 10, 0, 400))
    assert (pace.done, pace.total, pace.fraction) == (3, 10, pytest.approx(0.3))

    pace.follow(IndexProgress(10, 10, 0, 45_000))
    assert (pace.done, pace.total, pace.fraction) == (0, 45_000, 0.0)

    pace.follow(IndexProgress(10, 10, 7_500, 45_000))
    assert (pace.done, pace.total, pace.fraction) == (7_500, 45_000, pytest.approx(7_500 / 45_000))


def test_a_file_that_is_saved_while_vectors_are_made_does_not_turn_the_count_back_to_files(pace: IndexPace) -> None:
    pace.follow(IndexProgress(10, 10, 0, 400))

    pace.follow(IndexProgress(10, 11, 0, 400))
    assert (pace.done, pace.total) == (0, 400)

    pace.follow(IndexProgress(11, 11, 0, 420))
    assert (pace.done, pace.total) == (0, 420)


def test_a_run_that_was_broken_off_goes_on_counting_where_it_was(pace: IndexPace, clock: _Clock) -> None:
    embed(pace, clock, 0, 500)
    for _ in range(2):  # the second time before it has come to its passages
        pace.pause()
        pace.follow(IndexStarted(10))
        assert (pace.done, pace.total) == (0, 10)

    embed(pace, clock, 0, chunks=500)
    assert (pace.done, pace.total) == (500, 1000)

    embed(pace, clock, 250, chunks=500)
    assert (pace.done, pace.total, pace.fraction) == (750, 1000, pytest.approx(0.75))


def test_a_run_that_failed_is_not_counted_for_the_next_one(pace: IndexPace, clock: _Clock) -> None:
    embed(pace, clock, 0, 500)
    pace.end()

    pace.follow(IndexStarted(1))
    pace.follow(IndexProgress(1, 1, 0, 3))

    assert (pace.done, pace.total) == (0, 3)


def test_no_guess_is_made_from_nothing(pace: IndexPace, clock: _Clock) -> None:
    embed(pace, clock, 0, 32, seconds=0.5)

    assert (pace.files_per_second, pace.chunks_per_second, pace.seconds_left) == (None, None, None)


def test_a_change_of_speed_is_told_within_a_minute(pace: IndexPace, clock: _Clock) -> None:
    embed(pace, clock, *range(0, 3200, 32), chunks=10_000)

    embed(pace, clock, *range(3200, 3200 + 70 * 8, 8), chunks=10_000)

    assert pace.chunks_per_second == pytest.approx(8.0, rel=0.05)


def test_one_slow_batch_does_not_turn_the_promise_over(pace: IndexPace, clock: _Clock) -> None:
    embed(pace, clock, *range(0, 960, 32), chunks=10_000)
    before = pace.chunks_per_second

    embed(pace, clock, 960, seconds=4.0, chunks=10_000)
    embed(pace, clock, 992, chunks=10_000)

    assert before is not None and pace.chunks_per_second == pytest.approx(before, rel=0.2)


@pytest.mark.parametrize("way", ["pause", "question", "model"])
def test_time_in_which_nothing_is_done_does_not_count(pace: IndexPace, clock: _Clock, way: str) -> None:
    embed(pace, clock, 0, 32, 64)

    if way == "pause":
        pace.pause()
        clock.now += 1000
        pace.pause()
        pace.resume()
        pace.resume()
    else:
        begins, ends = (IndexHeld(), IndexGoesOn()) if way == "question" else (EmbedderLoading(), EmbedderReady())
        pace.follow(begins)
        assert (pace.held, pace.loading) == (way == "question", way == "model")
        clock.now += 1000
        pace.follow(ends)

    embed(pace, clock, 96)
    assert not pace.held and not pace.loading
    assert pace.chunks_per_second == pytest.approx(32.0)


def test_more_work_that_comes_meanwhile_counts(pace: IndexPace, clock: _Clock) -> None:
    embed(pace, clock, 0, 100, 200, 300, chunks=400)
    assert pace.seconds_left == pytest.approx(1.0)

    pace.follow(IndexProgress(11, 11, 300, 600))

    assert pace.files == 11
    assert pace.seconds_left == pytest.approx(3.0, rel=0.5)


def test_files_that_are_as_they_were_move_the_bar(pace: IndexPace) -> None:
    pace.follow(FileFinished(IndexedFile(FILE, "ready", unchanged=True), 4, 10))

    assert (pace.read, pace.fraction) == (4, pytest.approx(0.4))


def test_a_new_run_starts_afresh(pace: IndexPace, clock: _Clock) -> None:
    embed(pace, clock, 0, 500, 1000)
    pace.follow(IndexFinished(IndexReport()))
    assert pace.fraction == 1.0

    pace.follow(IndexStarted(3))

    assert (pace.read, pace.files, pace.chunks, pace.fraction, pace.seconds) == (0, 3, 0, 0.0, 0.0)


def test_a_run_over_no_file_divides_by_nothing() -> None:
    pace = IndexPace()

    pace.follow(IndexStarted(0))

    assert pace.fraction == 0.0
    assert pace.seconds_left is None
