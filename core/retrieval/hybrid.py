"""Search by words and by meaning at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.cancel import CancelToken
from core.documents import ScoredChunk, SearchOutcome
from core.errors import Cancelled, LamplightError
from core.protocols import Embedder, Vectors
from core.retrieval.fusion import WORDS_WEIGHT, convex_combination
from core.store.index_store import IndexStore
from core.store.words import match_query

Mode = Literal["hybrid", "words", "vectors"]

CANDIDATES = 50
"""How many passages each of the two searches brings to the fusion."""


@dataclass(slots=True)
class _Ranking:
    """What the searches for one query brought: ids with scores, best first, and the cosines of all of them."""

    ranked: list[tuple[int, float]] = field(default_factory=list)
    similarities: dict[int, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class HybridRetriever:
    """Implements `Retriever` over the index. Safe to use from several threads."""

    def __init__(self, index_store: IndexStore, embedder: Embedder, *, mode: Mode = "hybrid", words_weight: float = WORDS_WEIGHT) -> None:
        self._index_store = index_store
        self._embedder = embedder
        self.mode: Mode = mode
        self._words_weight = words_weight

    def search(self, query: str, *, k: int, cancel: CancelToken) -> list[ScoredChunk]:
        """The best `k` chunks, best first. Raises only if nothing could be searched at all."""
        return list(self.search_with_notes(query, k=k, cancel=cancel).passages)

    def search_with_notes(self, query: str, *, k: int, cancel: CancelToken, mode: Mode | None = None) -> SearchOutcome:
        """Like `search`, and says which half failed: in hybrid mode the other half still answers.

        Raises `Cancelled`; and the error of the only half that was asked, or of the second if both fail.
        """
        return self.search_all((query,), k=k, cancel=cancel, mode=mode)

    def search_all(self, queries: Sequence[str], *, k: int, cancel: CancelToken, mode: Mode | None = None) -> SearchOutcome:
        """The best `k` chunks for several wordings or parts of one question, each chunk once, with its best score.

        Blank and repeated queries are left out. Raises like `search_with_notes`.
        """
        cancel.check()
        asked = list(dict.fromkeys(query.strip() for query in queries if query.strip()))
        if not asked or k < 1:
            return SearchOutcome(())
        rankings = [self._rank(query, max(CANDIDATES, k), mode or self.mode, cancel) for query in asked]
        cancel.check()
        scores: dict[int, float] = {}
        similarities: dict[int, float] = {}
        for ranking in rankings:
            for item, score in ranking.ranked:
                scores[item] = max(score, scores.get(item, score))
            for item, similarity in ranking.similarities.items():
                similarities[item] = max(similarity, similarities.get(item, similarity))
        # Sorting is stable: of equal scores, the one that an earlier query brought, at the better place, stays first.
        best = sorted(scores, key=lambda item: -scores[item])[:k]
        passages = tuple(ScoredChunk(chunk, scores[chunk.id], similarities.get(chunk.id)) for chunk in self._index_store.chunks(best))
        return SearchOutcome(passages, tuple(dict.fromkeys(note for ranking in rankings for note in ranking.notes)))

    def text_of(self, document_id: int, start: int, end: int) -> str:
        """A slice of an indexed document's text, shorter where the document ends, "" if it is gone."""
        return self._index_store.text_of(document_id, start, end)

    def _rank(self, query: str, candidates: int, mode: Mode, cancel: CancelToken) -> _Ranking:
        """Search for one query. A half that fails is a note, unless there is no other half that answers."""
        found = _Ranking()
        by_vectors: dict[int, float] = {}
        vector: Vectors | None = None
        failed: LamplightError | None = None
        if mode != "words":
            try:
                vector = self._embedder.embed_query(query, cancel=cancel)
                by_vectors = dict(self._index_store.search_vectors(vector, candidates, self._embedder.model_id))
            except Cancelled:
                raise
            except LamplightError as error:
                failed, vector = error, None
                found.notes.append("vectors_failed")
        if mode == "vectors":
            if failed:
                raise failed
            found.ranked, found.similarities = list(by_vectors.items()), by_vectors
            return found
        try:
            by_words = dict(self._index_store.search_words(match_query(query), candidates))
        except LamplightError:
            if mode == "words" or failed:
                raise
            found.notes.append("words_failed")
            by_words = {}
        if vector is not None:
            found.similarities = by_vectors | self._similarities(vector, [item for item in by_words if item not in by_vectors])
        if not by_vectors or mode == "words":
            found.ranked = list(by_words.items())
        elif "words_failed" in found.notes:
            found.ranked = list(by_vectors.items())
        else:
            found.ranked = convex_combination(found.similarities, by_words, words_weight=self._words_weight)
        return found

    def _similarities(self, vector: Vectors, chunk_ids: Sequence[int]) -> dict[int, float]:
        return self._index_store.similarities(vector, chunk_ids, self._embedder.model_id)
