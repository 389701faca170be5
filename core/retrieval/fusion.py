"""Putting several rankings together."""

from __future__ import annotations

from collections.abc import Sequence

RANK_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): how little the very first places count more than the next."""


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[int]], weights: Sequence[float] | None = None, *, constant: int = RANK_CONSTANT
) -> list[tuple[int, float]]:
    """Ids with the sum of weight / (constant + rank) over the rankings they are in, best first.

    Rankings hold ids, best first, each once. Equal sums are ordered by the best rank, then by id, so the result never depends on chance.
    """
    weights = [1.0] * len(rankings) if weights is None else weights
    scores: dict[int, float] = {}
    best_rank: dict[int, int] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + weight / (constant + rank)
            best_rank[item] = min(rank, best_rank.get(item, rank))
    return sorted(scores.items(), key=lambda pair: (-pair[1], best_rank[pair[0]], pair[0]))
