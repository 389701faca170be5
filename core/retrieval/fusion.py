"""Putting the ranking by meaning and the ranking by words together."""

from __future__ import annotations

from collections.abc import Mapping

WORDS_WEIGHT = 0.4
"""How much the words count against the meaning."""


def scaled(scores: Mapping[int, float], *, floor: float | None = None) -> dict[int, float]:
    """Scores brought to 0..1: the best is 1, and `floor`, or else the lowest of them, is 0. Equal scores are all 1."""
    if not scores:
        return {}
    low = min(scores.values()) if floor is None else floor
    width = max(scores.values()) - low
    return {item: (score - low) / width if width > 0 else 1.0 for item, score in scores.items()}


def convex_combination(vectors: Mapping[int, float], words: Mapping[int, float], *, words_weight: float) -> list[tuple[int, float]]:
    """Ids with (1 - a) * vector score + a * word score, each scaled to 0..1 over its own candidates, best first.

    A candidate that one of the two searches did not bring counts 0 there. Equal sums are ordered by id, so the result never depends on chance.
    """
    by_meaning, by_words = scaled(vectors), scaled(words, floor=0.0)
    scores = {
        item: (1.0 - words_weight) * by_meaning.get(item, 0.0) + words_weight * by_words.get(item, 0.0)
        for item in by_meaning.keys() | by_words.keys()
    }
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
