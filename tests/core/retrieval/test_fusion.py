from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.fusion import reciprocal_rank_fusion


def test_what_both_rankings_know_comes_first() -> None:
    assert [item for item, _ in reciprocal_rank_fusion([[1, 2, 3], [3, 4]])] == [3, 1, 2, 4]


def test_the_score_is_the_sum_of_reciprocal_ranks() -> None:
    assert dict(reciprocal_rank_fusion([[7], [8, 7]]))[7] == pytest.approx(1 / 61 + 1 / 62)


def test_a_weight_of_nothing_leaves_the_other_ranking() -> None:
    assert [item for item, score in reciprocal_rank_fusion([[1, 2], [3]], [0.0, 1.0]) if score] == [3]


def test_nothing_fuses_to_nothing() -> None:
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []


@given(st.lists(st.lists(st.integers(0, 30), unique=True), max_size=4))
def test_every_item_appears_once_in_falling_order(rankings: list[list[int]]) -> None:
    fused = reciprocal_rank_fusion(rankings)

    assert sorted(item for item, _ in fused) == sorted({item for ranking in rankings for item in ranking})
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
    assert fused == reciprocal_rank_fusion(rankings)
