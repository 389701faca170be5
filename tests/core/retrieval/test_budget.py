from __future__ import annotations

from pathlib import Path

from core.documents import Chunk, ScoredChunk
from core.retrieval.budget import fit


def passage(text: str) -> ScoredChunk:
    return ScoredChunk(Chunk(1, 1, Path("/a"), "t", "", 0, len(text), 1, text), 1.0)


def fitted(texts: list[str], max_tokens: int, overhead_tokens: int = 0) -> list[str]:
    kept = fit([passage(text) for text in texts], max_tokens=max_tokens, count_tokens=len, overhead_tokens=overhead_tokens)
    return [item.chunk.text for item in kept]


def test_the_best_passages_are_kept_in_their_order() -> None:
    assert fitted(["aaaa", "bbb", "cc"], 7) == ["aaaa", "bbb"]


def test_a_passage_that_is_too_long_leaves_room_for_the_next() -> None:
    assert fitted(["aaaaaaaaaa", "bbb"], 5) == ["bbb"]


def test_each_passage_costs_its_frame_as_well() -> None:
    assert fitted(["aa", "bb"], 7, overhead_tokens=2) == ["aa"]


def test_no_room_keeps_nothing() -> None:
    assert fitted(["a"], 0) == []
