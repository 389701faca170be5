"""Retrievers and web searches without an index and without a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

from core.cancel import CancelToken
from core.documents import Chunk, ScoredChunk, SearchOutcome, WebResult
from core.errors import LamplightError
from core.scope import Scope


def passage(number: int, text: str, *, file: str = "notes.txt", start: int = 0, line: int = 1, score: float = 0.5) -> ScoredChunk:
    """A found chunk with a given id and text."""
    return ScoredChunk(Chunk(number, 1, Path("/files") / file, Path(file).stem, "", start, start + len(text), line, text), score)


class KnownPassages:
    """Answers each query from a mapping (query -> passages or error); a query that is not in it finds `otherwise`.

    `texts` are the documents by id, for those who read around a passage.
    """

    def __init__(
        self,
        known: Mapping[str, Sequence[ScoredChunk] | LamplightError] | None = None,
        otherwise: Sequence[ScoredChunk] | Callable[[str], Sequence[ScoredChunk]] = (),
        notes: tuple[str, ...] = (),
        texts: Mapping[int, str] | None = None,
    ) -> None:
        self.queries: list[str] = []
        self.scopes: list[Scope] = []
        self._texts = texts or {}
        self._known = known or {}
        self._otherwise = otherwise
        self._notes = notes
        self._paths: tuple[Path, ...] = ()

    def within(self, scope: Scope) -> KnownPassages:
        """Finds what lies in the paths of `scope`; what is asked of it is written down here too."""
        self.scopes.append(scope)
        narrower = copy(self)
        narrower._paths = scope.paths
        return narrower

    def search(self, query: str, *, k: int, cancel: CancelToken) -> list[ScoredChunk]:
        return list(self.search_with_notes(query, k=k, cancel=cancel).passages)

    def search_with_notes(self, query: str, *, k: int, cancel: CancelToken) -> SearchOutcome:
        cancel.check()
        self.queries.append(query)
        found = self._known.get(query)
        if found is None:
            found = self._otherwise(query) if callable(self._otherwise) else self._otherwise
        if isinstance(found, LamplightError):
            raise found
        inside = [item for item in found if not self._paths or any(item.chunk.path.is_relative_to(path) for path in self._paths)]
        return SearchOutcome(tuple(inside[:k]), self._notes)

    def search_all(self, queries: Sequence[str], *, k: int, cancel: CancelToken, weights: Sequence[float] | None = None) -> SearchOutcome:
        best: dict[int, ScoredChunk] = {}
        asked: dict[str, float] = {}
        for query, weight in zip(queries, weights or [1.0] * len(queries), strict=True):
            if query.strip():
                asked.setdefault(query.strip(), weight)
        for query, weight in asked.items():
            for item in self.search_with_notes(query, k=k, cancel=cancel).passages:
                weighted = replace(item, score=weight * item.score)
                if item.chunk.id not in best or best[item.chunk.id].score < weighted.score:
                    best[item.chunk.id] = weighted
        ranked = sorted(best.values(), key=lambda item: -item.score)
        return SearchOutcome(tuple(ranked[:k]), self._notes)

    def text_of(self, document_id: int, start: int, end: int) -> str:
        return self._texts.get(document_id, "")[start:end]


class KnownPages:
    """A web search with one answer for every query, or an error; `queries` are those that would have left the machine."""

    def __init__(self, answer: Sequence[WebResult] | LamplightError = ()) -> None:
        self.queries: list[str] = []
        self._answer = answer

    def search(self, query: str, *, max_results: int, cancel: CancelToken) -> list[WebResult]:
        cancel.check()
        self.queries.append(query)
        if isinstance(self._answer, LamplightError):
            raise self._answer
        return list(self._answer[:max_results])
