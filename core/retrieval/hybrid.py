"""Search by words and by meaning at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from core.cancel import CancelToken
from core.documents import ScoredChunk, SearchOutcome
from core.errors import Cancelled, LamplightError
from core.protocols import Embedder
from core.retrieval.fusion import reciprocal_rank_fusion
from core.store.index_store import IndexStore
from core.store.words import match_query

Mode = Literal["hybrid", "words", "vectors"]

CANDIDATES = 50
"""How many passages each of the two searches brings to the fusion."""


class HybridRetriever:
    """Implements `Retriever` over the index. Safe to use from several threads."""

    def __init__(
        self, index_store: IndexStore, embedder: Embedder, *, mode: Mode = "hybrid", words_weight: float = 1.0, vectors_weight: float = 1.0
    ) -> None:
        self._index_store = index_store
        self._embedder = embedder
        self.mode: Mode = mode
        self._words_weight = words_weight
        self._vectors_weight = vectors_weight

    def search(self, query: str, *, k: int, cancel: CancelToken) -> list[ScoredChunk]:
        """The best `k` chunks, best first. Raises only if nothing could be searched at all."""
        return list(self.search_with_notes(query, k=k, cancel=cancel).passages)

    def search_with_notes(self, query: str, *, k: int, cancel: CancelToken, mode: Mode | None = None) -> SearchOutcome:
        """Like `search`, and says which half failed: in hybrid mode the other half still answers.

        Raises `Cancelled`; and the error of the only half that was asked, or of the second if both fail.
        """
        mode = mode or self.mode
        cancel.check()
        if not query.strip() or k < 1:
            return SearchOutcome(())
        candidates = max(CANDIDATES, k)
        legs: list[tuple[str, float, Callable[[], list[tuple[int, float]]]]] = []
        if mode != "words":
            legs.append(("vectors_failed", self._vectors_weight, lambda: self._by_vectors(query, candidates, cancel)))
        if mode != "vectors":
            legs.append(("words_failed", self._words_weight, lambda: self._index_store.search_words(match_query(query), candidates)))
        rankings, weights, notes = [], [], []
        for code, weight, leg in legs:
            try:
                rankings.append(leg())
                weights.append(weight)
            except Cancelled:
                raise
            except LamplightError:
                notes.append(code)
                if len(notes) == len(legs):
                    raise
        cancel.check()
        fused = (
            rankings[0] if len(rankings) == 1 else reciprocal_rank_fusion([[item for item, _ in ranking] for ranking in rankings], weights)
        )
        return SearchOutcome(tuple(self._scored(fused[:k])), tuple(notes))

    def _by_vectors(self, query: str, candidates: int, cancel: CancelToken) -> list[tuple[int, float]]:
        vector = self._embedder.embed_query(query, cancel=cancel)
        return self._index_store.search_vectors(vector, candidates, self._embedder.model_id)

    def _scored(self, ranked: list[tuple[int, float]]) -> list[ScoredChunk]:
        scores = dict(ranked)
        return [ScoredChunk(chunk, scores[chunk.id]) for chunk in self._index_store.chunks(list(scores))]
