"""Search by words and by meaning at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Literal

from core.cancel import Aside, CancelToken
from core.documents import ScoredChunk, SearchOutcome
from core.errors import Cancelled, InvalidRequest, LamplightError, NotFound
from core.protocols import Embedder, Vectors
from core.retrieval.exact_terms import exact_terms
from core.retrieval.fusion import (
    EXACT_WEIGHT,
    SHORT_QUERY_WORDS_WEIGHT,
    WORDS_WEIGHT,
    by_meaning,
    by_words,
    convex_combination,
    meaning_unknown,
    trust_in_words,
    with_neighbours,
)
from core.retrieval.languages import Languages, Script, script_of
from core.scope import EVERYTHING, Scope
from core.store.index_store import IndexStore
from core.store.words import coverage, is_short, match_phrases, match_query

Mode = Literal["hybrid", "words", "vectors"]

CANDIDATES = 50
"""How many passages each of the two searches brings to the fusion."""

LEAST_COMPARED = 5
"""Fewer passages of a script than this say nothing of what is usual for it, and are not set against those of another one."""


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What the searches for one query brought: ids with scores, best first; the cosines of all of them; the codes of what failed."""

    ranked: Sequence[tuple[int, float]]
    similarities: Mapping[int, float]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _View:
    """The query's vector for passages in one script, and what is added to their cosines to compare them with those in the query's own."""

    vector: Vectors
    shift: float = 0.0


@dataclass(frozen=True, slots=True)
class _Near:
    """Cosines of the nearest chunks, best first, and how others are compared: `own`, or what `others` has for their script."""

    scores: dict[int, float]
    own: _View
    others: Mapping[Script | None, _View]


@dataclass(frozen=True, slots=True)
class _Words:
    """BM25 scores of the chunks that have words of the query, best first, and of those with its exact terms (None: it has none).

    `trust` (0..1) is how much the scores say, by how many of the query's words the best chunk has.
    """

    scores: dict[int, float]
    exact: dict[int, float] | None
    trust: float


class HybridRetriever:
    """Implements `Retriever` over the index. Safe to use from several threads."""

    def __init__(
        self,
        index_store: IndexStore,
        embedder: Embedder,
        *,
        mode: Mode = "hybrid",
        words_weight: float = WORDS_WEIGHT,
        languages: Languages | None = None,
    ) -> None:
        self._index_store = index_store
        self._embedder = embedder
        self.mode: Mode = mode
        self._words_weight = words_weight
        self._scope = EVERYTHING
        self._languages = languages or Languages(index_store)

    def within(self, scope: Scope) -> HybridRetriever:
        """The same search among the files of `scope` only, and of nothing else.

        Raises:
            NotFound: a path of it is not in the library.
            InvalidRequest: nothing in it can be searched (`scope_empty`).
        """
        for path in scope.paths:
            if not self._index_store.knows(path):
                raise NotFound(f"{path} is not in the library.", code="not_in_library", path=str(path))
        if not scope.is_everything and not self._index_store.has_documents_within(scope):
            raise InvalidRequest("No file that could be searched fits the restriction.", code="scope_empty")
        narrower = copy(self)
        narrower._scope = scope
        return narrower

    def asking(self, embedder: Embedder) -> HybridRetriever:
        """The same search with another model: that one's query against that one's vectors."""
        other = copy(self)
        other._embedder = embedder
        return other

    def search(self, query: str, *, k: int, cancel: CancelToken) -> list[ScoredChunk]:
        """The best `k` chunks, best first. Raises only if nothing could be searched at all."""
        return list(self.search_with_notes(query, k=k, cancel=cancel).passages)

    def search_with_notes(self, query: str, *, k: int, cancel: CancelToken) -> SearchOutcome:
        """Like `search`, and says which half failed: in hybrid mode the other half still answers.

        Raises `Cancelled`; and the error of the only half that was asked, or of the words if both fail.
        """
        return self._search_all((query,), k, cancel)

    def search_all(self, queries: Sequence[str], *, k: int, cancel: CancelToken, weights: Sequence[float] | None = None) -> SearchOutcome:
        """The best `k` chunks for several wordings or parts of one question, each chunk once, with its best score; of copies of a file one.

        `weights` (0..1, one for each query; all 1 if left out) multiply what a query finds. Blank and repeated queries are left out. Raises like
        `search_with_notes`.
        """
        return self._search_all(queries, k, cancel, weights=weights, of_copies_one=True)

    def _search_all(
        self, queries: Sequence[str], k: int, cancel: CancelToken, *, weights: Sequence[float] | None = None, of_copies_one: bool = False
    ) -> SearchOutcome:
        cancel.check()
        asked: dict[str, float] = {}
        for query, weight in zip(queries, weights or [1.0] * len(queries), strict=True):
            if query.strip():
                asked.setdefault(query.strip(), weight)
        if not asked or k < 1:
            return SearchOutcome(())
        rankings = [self._rank(query, max(CANDIDATES, k), self.mode, cancel) for query in asked]
        cancel.check()
        scores: dict[int, float] = {}
        similarities: dict[int, float] = {}
        for ranking, weight in zip(rankings, asked.values(), strict=True):
            for item, score in ranking.ranked:
                scores[item] = max(weight * score, scores.get(item, weight * score))
            for item, similarity in ranking.similarities.items():
                similarities[item] = max(similarity, similarities.get(item, similarity))
        # Sorting is stable: of equal scores, the one that an earlier query brought, at the better place, stays first.
        best = sorted(scores, key=lambda item: -scores[item])
        if of_copies_one:
            best = self._without_copies(best)
        passages = tuple(ScoredChunk(chunk, scores[chunk.id], similarities.get(chunk.id)) for chunk in self._index_store.chunks(best[:k]))
        return SearchOutcome(passages, tuple(dict.fromkeys(note for ranking in rankings for note in ranking.notes)))

    def _without_copies(self, ranked: Sequence[int]) -> list[int]:
        """The best of those that are the same passage of files with the same bytes: an answer learns nothing from the others."""
        contents = self._index_store.contents(ranked)
        first: dict[object, int] = {}
        for item in ranked:
            first.setdefault(contents.get(item, item), item)
        return list(first.values())

    def text_of(self, document_id: int, start: int, end: int) -> str:
        """A slice of an indexed document's text, shorter where the document ends, "" if it is gone."""
        return self._index_store.text_of(document_id, start, end)

    def _rank(self, query: str, candidates: int, mode: Mode, cancel: CancelToken) -> _Ranking:
        """Search for one query. A half that fails is a note, unless there is no other half that answers."""
        failed: dict[str, LamplightError] = {}
        near: _Near | None = None
        words: _Words | None = None
        # The encoder is another process: while it works, the words are searched.
        vector = Aside(lambda: self._embedder.embed_query(query, cancel=cancel)) if mode != "words" else None
        if mode != "vectors":
            try:
                words = self._by_words(query, candidates)
            except LamplightError as error:
                failed["words_failed"] = error
        if vector is not None:
            try:
                near = self._by_vectors(query, vector.waited(), candidates, cancel)
            except Cancelled:
                raise
            except LamplightError as error:
                failed["vectors_failed"] = error
        if near is None and words is None:
            raise failed.get("words_failed") or failed["vectors_failed"]
        similarities = self._all_similarities(near, words)
        return _Ranking(self._fused(query, mode, near, words, similarities), similarities, tuple(failed))

    def _by_vectors(self, query: str, vector: Vectors, candidates: int, cancel: CancelToken) -> _Near:
        here = script_of(query)
        beside = self._languages.beside(here)
        moved = [self._languages.shifted(vector, here, there, self._embedder, cancel) for there in beside if here]
        found, *others_found = self._nearest([vector, *moved], candidates)
        own = _View(vector)
        # Each script apart: a question is nearer to everything in its own language than to the right passage in another.
        apart: dict[Script, tuple[Vectors, dict[int, float]]] = {}
        scripts = self._scripts_of(hit for hits in (found, *others_found) for hit in hits) if beside else {}
        for there, shifted, hits in zip(beside, moved, others_found, strict=True):
            in_it = {item: cosine for item, cosine in hits.items() if scripts.get(item) == there}
            if len(in_it) >= LEAST_COMPARED:
                apart[there] = shifted, in_it
        scores = {item: cosine for item, cosine in found.items() if scripts.get(item) not in apart}
        if len(scores) < LEAST_COMPARED:
            return _Near(found, own, {})
        usual = _mean(scores.values())
        others: dict[Script | None, _View] = {}
        for there, (shifted, hits) in apart.items():
            others[there] = _View(shifted, usual - _mean(hits.values()))
            scores |= {item: cosine + others[there].shift for item, cosine in hits.items()}
        best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:candidates]
        return _Near(dict(best), own, others)

    def _nearest(self, vectors: Sequence[Vectors], candidates: int) -> list[dict[int, float]]:
        return [dict(near) for near in self._index_store.search_several(vectors, candidates, self._embedder.model_id, self._scope)]

    def _scripts_of(self, chunk_ids: Iterable[int]) -> dict[int, Script | None]:
        return {chunk_id: script_of(text) for chunk_id, text in self._index_store.beginnings(list(chunk_ids)).items()}

    def _by_words(self, query: str, candidates: int) -> _Words:
        exact = match_phrases(exact_terms(query))
        scores = dict(self._index_store.search_words(match_query(query), candidates, self._scope))
        best = self._index_store.chunks(list(scores)[:1])
        said = f"{best[0].title} {best[0].heading_path} {best[0].text}" if best else ""
        return _Words(
            scores,
            dict(self._index_store.search_words(exact, candidates, self._scope)) if exact else None,
            trust_in_words(coverage(query, said)),
        )

    def _all_similarities(self, near: _Near | None, words: _Words | None) -> dict[int, float]:
        """Cosines of everything that was found, also of what only the words brought."""
        if near is None:
            return {}
        left = [] if words is None else [item for item in {**words.scores, **(words.exact or {})} if item not in near.scores]
        scripts = self._scripts_of(left) if near.others else {}
        found = dict(near.scores)
        for view, items in (
            (near.own, [item for item in left if scripts.get(item) not in near.others]),
            *((view, [item for item in left if scripts.get(item) == script]) for script, view in near.others.items()),
        ):
            cosines = self._index_store.similarities(view.vector, items, self._embedder.model_id)
            found |= {item: cosine + view.shift for item, cosine in cosines.items()}
        return found

    def _fused(
        self, query: str, mode: Mode, near: _Near | None, words: _Words | None, similarities: Mapping[int, float]
    ) -> Sequence[tuple[int, float]]:
        if mode == "vectors":
            return list(similarities.items())
        if mode == "words":
            return list(words.scores.items()) if words else []
        weight = SHORT_QUERY_WORDS_WEIGHT if is_short(query) else self._words_weight
        parts: list[tuple[float, Mapping[int, float]]] = []
        said = by_words(words.scores, trust=words.trust) if words is not None else {}
        if near is not None:
            meaning = by_meaning(similarities, lowest=min(near.scores.values(), default=0.0))
            exact = dict.fromkeys((words.exact or {}) if words is not None else {}, 0.0)
            parts.append((1.0 - weight, meaning | meaning_unknown(exact | said, meaning)))
        if words is not None:
            parts.append((weight, said))
            if words.exact is not None:
                parts.append((EXACT_WEIGHT, by_words(words.exact)))
        ranked = convex_combination(parts)
        return with_neighbours(ranked, self._index_store.places([item for item, _ in ranked]))


def _mean(values: Collection[float]) -> float:
    return sum(values) / len(values)
