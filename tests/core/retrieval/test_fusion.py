from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.fusion import convex_combination, scaled

SCORES = st.dictionaries(st.integers(0, 30), st.floats(-1.0, 50.0), max_size=8)


def test_scores_are_scaled_between_their_lowest_and_their_best() -> None:
    assert scaled({1: 0.7, 2: 0.9, 3: 0.8}) == pytest.approx({1: 0.0, 2: 1.0, 3: 0.5})


def test_a_floor_keeps_a_weak_score_that_is_the_lowest() -> None:
    assert scaled({1: 2.0, 2: 8.0}, floor=0.0) == {1: 0.25, 2: 1.0}


def test_equal_scores_are_all_the_best() -> None:
    assert scaled({1: 0.3, 2: 0.3}) == {1: 1.0, 2: 1.0}
    assert scaled({}) == {}


def test_the_score_is_the_weighted_sum_of_both() -> None:
    fused = dict(convex_combination({1: 0.9, 2: 0.8, 3: 0.7}, {2: 4.0, 3: 1.0}, words_weight=0.4))

    assert fused == pytest.approx({1: 0.6, 2: 0.3 + 0.4, 3: 0.1})


def test_what_both_searches_know_comes_first() -> None:
    assert convex_combination({1: 0.9, 2: 0.85, 3: 0.5}, {2: 4.0}, words_weight=0.4)[0][0] == 2


def test_a_weight_of_nothing_leaves_the_vectors() -> None:
    fused = convex_combination({1: 0.9, 2: 0.8}, {3: 5.0}, words_weight=0.0)

    assert [item for item, score in fused if score] == [1]


def test_nothing_fuses_to_nothing() -> None:
    assert convex_combination({}, {}, words_weight=0.4) == []


@given(SCORES, SCORES, st.floats(0.0, 1.0))
def test_every_item_appears_once_in_falling_order_between_0_and_1(
    vectors: dict[int, float], words: dict[int, float], weight: float
) -> None:
    words = {item: abs(score) for item, score in words.items()}
    fused = convex_combination(vectors, words, words_weight=weight)

    assert sorted(item for item, _ in fused) == sorted(vectors.keys() | words.keys())
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(-1e-9 <= score <= 1.0 + 1e-9 for score in scores)
    assert fused == convex_combination(vectors, words, words_weight=weight)
