"""Putting the ranking by meaning and the ranking by words together.

Measured on the tuning halves of the sets in docs/decisions/0028-fusion-tuned.md (tests/quality/retrieval.py): rank fusion, which forgets how far
apart the scores are, finds less than the vectors alone on some of them; scaled scores are never far from the best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

WORDS_WEIGHT = 0.4
"""How much the words count against the meaning."""

SHORT_QUERY_WORDS_WEIGHT = 0.6
"""The same for a query of one or two words: it names a thing, and a passage with that name in it comes first."""

EXACT_WEIGHT = 0.3
"""How much more a passage counts that contains the codes, dates and quotations of the query."""

NO_COVERAGE, FULL_COVERAGE = 0.1, 0.5
"""Shares of the query's words in the passage that is best by words: up to the first they count next to nothing, from the second on all of their weight."""

LEAST_TRUST = 0.05
"""Where nothing but the words says anything, their order still stands."""

NEIGHBOUR_WEIGHT = 0.1
"""How much the passage before or behind it counts for one: what is told in two passages is more likely what is asked about."""

LEAST_WIDTH = 0.1
"""Differences of cosine are not blown up beyond this width: where all candidates are nearly alike, the words decide."""

LEAST_BEST = 1.0
"""A BM25 score of less than this says little: in a tiny library every word is in most of its passages."""


def by_meaning(similarities: Mapping[int, float], *, lowest: float) -> dict[int, float]:
    """Cosines brought to 0..1: the best is 1, and `lowest`, or what lies `LEAST_WIDTH` below the best, is 0."""
    best = max(similarities.values(), default=0.0)
    width = max(best - lowest, LEAST_WIDTH)
    return {item: max(0.0, 1.0 - (best - similarity) / width) for item, similarity in similarities.items()}


def by_words(scores: Mapping[int, float], *, trust: float = 1.0) -> dict[int, float]:
    """BM25 scores (0 is nothing in common) brought to 0..`trust` by the best of them."""
    best = max(LEAST_BEST, max(scores.values(), default=0.0))
    return {item: trust * max(0.0, score) / best for item, score in scores.items()}


def trust_in_words(coverage: float) -> float:
    """How much (0..1) the ranking by words says, from the share (0..1) of the query's words that its best passage has."""
    return min(1.0, max(LEAST_TRUST, (coverage - NO_COVERAGE) / (FULL_COVERAGE - NO_COVERAGE)))


def meaning_unknown(words: Mapping[int, float], meaning: Mapping[int, float]) -> dict[int, float]:
    """What to take for the meaning of passages that the words found and that have no vector yet (all of 0..1).

    Zero would say that they are about something else, and a file saved a moment ago would stand behind everything older. So: the mean
    meaning of the other passages that the words found, or their words' score where that is higher. Without such passages the words alone decide.
    """
    seen = [meaning[item] for item in words if item in meaning]
    usual = sum(seen) / len(seen) if seen else 0.0
    return {item: max(score, usual) for item, score in words.items() if item not in meaning}


def with_neighbours(ranked: Sequence[tuple[int, float]], places: Mapping[int, tuple[int, int]]) -> list[tuple[int, float]]:
    """The ranking, in which the better one of its neighbours in the document counts a little for each passage; scores stay between 0 and 1.

    `places` has the document and the ordinal of each passage; one without a place has no neighbours.
    """
    by_place = {places[item]: score for item, score in ranked if item in places}
    scores = {}
    for item, score in ranked:
        document, ordinal = places.get(item, (-1, -1))
        beside = max(by_place.get((document, ordinal - 1), 0.0), by_place.get((document, ordinal + 1), 0.0))
        scores[item] = (score + NEIGHBOUR_WEIGHT * beside) / (1.0 + NEIGHBOUR_WEIGHT)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def convex_combination(parts: Sequence[tuple[float, Mapping[int, float]]]) -> list[tuple[int, float]]:
    """Ids with the weighted mean of their scores, best first; `parts` are weights and scores of 0..1.

    An id that is missing in a part counts 0 there. Equal sums are ordered by id, so the result never depends on chance.
    """
    whole = sum(weight for weight, _ in parts) or 1.0
    scores: dict[int, float] = {}
    for weight, part in parts:
        for item, score in part.items():
            scores[item] = scores.get(item, 0.0) + weight / whole * score
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
