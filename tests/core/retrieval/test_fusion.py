from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.fusion import (
    FULL_COVERAGE,
    LEAST_TRUST,
    NO_COVERAGE,
    by_meaning,
    by_words,
    convex_combination,
    trust_in_words,
    with_neighbours,
)

SHARES = st.dictionaries(st.integers(0, 30), st.floats(0.0, 1.0), max_size=8)
SCORES = st.dictionaries(st.integers(0, 30), st.floats(-1.0, 1e6), max_size=8)


def test_cosines_are_scaled_between_the_lowest_candidate_and_the_best() -> None:
    assert by_meaning({1: 0.6, 2: 0.9, 3: 0.75}, lowest=0.6) == pytest.approx({1: 0.0, 2: 1.0, 3: 0.5})


def test_candidates_that_are_nearly_alike_stay_nearly_alike() -> None:
    assert by_meaning({1: 0.85, 2: 0.84}, lowest=0.84) == pytest.approx({1: 1.0, 2: 0.9})


def test_a_passage_below_the_lowest_candidate_counts_nothing() -> None:
    assert by_meaning({1: 0.9, 2: 0.1}, lowest=0.6)[2] == 0.0


def test_words_are_scaled_by_their_best() -> None:
    assert by_words({1: 2.0, 2: 8.0}) == {1: 0.25, 2: 1.0}


def test_words_that_stand_everywhere_say_little() -> None:
    assert max(by_words({1: 1e-6, 2: 2e-6}).values()) < 0.001


def test_the_score_is_the_weighted_mean_of_the_parts() -> None:
    fused = dict(convex_combination([(0.6, {1: 1.0, 2: 0.5}), (0.4, {2: 1.0, 3: 0.25}), (0.25, {3: 1.0})]))

    assert fused == pytest.approx({1: 0.6 / 1.25, 2: 0.7 / 1.25, 3: 0.35 / 1.25})


def test_a_weight_of_nothing_leaves_the_other_part() -> None:
    assert [item for item, score in convex_combination([(1.0, {1: 0.9, 2: 0.8}), (0.0, {3: 1.0})]) if score] == [1, 2]


def test_nothing_fuses_to_nothing() -> None:
    assert convex_combination([]) == []
    assert convex_combination([(0.6, by_meaning({}, lowest=0.0)), (0.4, by_words({}))]) == []


def test_words_count_by_the_share_of_them_that_the_best_passage_has() -> None:
    shares = [trust_in_words(share) for share in (0.0, NO_COVERAGE, (NO_COVERAGE + FULL_COVERAGE) / 2, FULL_COVERAGE, 1.0)]

    assert shares == pytest.approx([LEAST_TRUST, LEAST_TRUST, 0.5, 1.0, 1.0])
    assert by_words({1: 2.0, 2: 8.0}, trust=0.5) == {1: 0.125, 2: 0.5}


def test_a_passage_next_to_one_that_fits_comes_before_its_equal_that_stands_alone() -> None:
    ranked = [(1, 0.9), (2, 0.5), (3, 0.5), (4, 0.5)]

    found = with_neighbours(ranked, {1: (7, 4), 2: (7, 9), 3: (7, 5), 4: (8, 5)})

    assert [item for item, _ in found] == [1, 3, 2, 4]


def test_a_neighbour_outweighs_no_clear_difference() -> None:
    assert [item for item, _ in with_neighbours([(1, 0.9), (2, 0.8), (3, 0.6)], {1: (7, 1), 2: (8, 1), 3: (7, 2)})] == [1, 2, 3]


def test_passages_without_a_place_have_no_neighbours() -> None:
    assert [item for item, _ in with_neighbours([(1, 0.9), (2, 0.5)], {})] == [1, 2]


@given(SHARES, st.dictionaries(st.integers(0, 30), st.tuples(st.integers(0, 2), st.integers(0, 9))))
def test_neighbours_lose_no_passage_and_no_bounds(scores: dict[int, float], places: dict[int, tuple[int, int]]) -> None:
    found = with_neighbours(convex_combination([(1.0, scores)]), places)

    assert sorted(item for item, _ in found) == sorted(scores)
    assert all(0.0 <= score <= 1.0 + 1e-9 for _, score in found)


@given(SCORES)
def test_scaled_scores_lie_between_0_and_1(scores: dict[int, float]) -> None:
    for scaled in (by_words(scores), by_meaning(scores, lowest=min(scores.values(), default=0.0))):
        assert scaled.keys() == scores.keys()
        assert all(0.0 <= share <= 1.0 for share in scaled.values())


@given(st.lists(st.tuples(st.floats(0.0, 1.0), SHARES), max_size=3))
def test_every_item_appears_once_in_falling_order_between_0_and_1(parts: list[tuple[float, dict[int, float]]]) -> None:
    fused = convex_combination(parts)

    assert sorted(item for item, _ in fused) == sorted({item for _, part in parts for item in part})
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 + 1e-9 for score in scores)
    assert fused == convex_combination(parts)
