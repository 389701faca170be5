"""Fitting passages into the room a prompt has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.documents import ScoredChunk


def fit(
    passages: Sequence[ScoredChunk], *, max_tokens: int, count_tokens: Callable[[str], int], overhead_tokens: int = 0
) -> list[ScoredChunk]:
    """The passages that fit into `max_tokens`, in the order given, best first; a passage that does not fit leaves room for smaller ones.

    `overhead_tokens` is what each passage costs besides its text (its number, its title). Nothing is cut.
    """
    left = max_tokens
    kept: list[ScoredChunk] = []
    for passage in passages:
        if left <= overhead_tokens:
            break
        cost = count_tokens(passage.chunk.text) + overhead_tokens
        if cost <= left:
            kept.append(passage)
            left -= cost
    return kept
