"""Searching while one embedding model takes over from another: the vectors of the one that has every file answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

from core.cancel import CancelToken
from core.documents import ScoredChunk, SearchOutcome
from core.errors import LamplightError
from core.protocols import Embedder, Vectors
from core.retrieval.hybrid import HybridRetriever, Mode
from core.scope import Scope
from core.store.index_store import IndexStore

IDLE_SECONDS = 60.0
"""So long after its last query the model before stays in memory. Loading it again takes seconds, and keeping it hundreds of megabytes."""

INCOMPLETE = "vectors_incomplete"
"""The note of a search whose query could not be embedded by the model that has every file."""


class AnsweringEmbedder:
    """Implements `Embedder` by the model whose vectors answer: the chosen one, or the one before until the chosen one has every file.

    `find` looks for the model with an id and returns None if it cannot be used any more; then the chosen one answers with what it has.
    `forget` frees the memory of a model that is not needed, or has not been asked for `idle_seconds`. Safe to use from any thread.
    """

    def __init__(
        self,
        index_store: IndexStore,
        chosen: Embedder,
        find: Callable[[str], Embedder | None] = lambda embedder_id: None,
        forget: Callable[[Embedder], None] = lambda embedder: None,
        *,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._index_store = index_store
        self._chosen = chosen
        self._find = find
        self._forget = forget
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._before: tuple[str, Embedder | None] | None = None
        self._timer: threading.Timer | None = None

    def now(self) -> tuple[Embedder, bool]:
        """The model that answers now, and whether its vectors are all there are."""
        wanted = self._wanted()
        if wanted is None:
            self.release()
            return self._chosen, True
        with self._lock:
            before = self._before
        if before is None or before[0] != wanted:
            self.release()
            before = (wanted, self._find(wanted))
        with self._lock:
            self._before = before
            self._wait_for_idleness()
        return (before[1], True) if before[1] is not None else (self._chosen, False)

    def _wanted(self) -> str | None:
        """The id of the model that answers, if that is not the chosen one."""
        try:
            answering = self._index_store.answering_embedder()
        except LamplightError:
            return None  # the search meets it too, and tells it
        try:
            return answering if answering and answering != self._chosen.model_id else None
        except LamplightError:  # the chosen one is no model: the one before answers for as long as it is so
            return answering or None

    def _wait_for_idleness(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(self._idle_seconds, self.release)
        self._timer.daemon = True
        self._timer.start()

    def release(self) -> None:
        """Free the memory of the model before. It is loaded again when it is asked again."""
        with self._lock:
            before, self._before = self._before, None
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        if before is not None and before[1] is not None:
            self._forget(before[1])

    @property
    def model_id(self) -> str:
        return self.now()[0].model_id

    @property
    def dimension(self) -> int:
        return self.now()[0].dimension

    @property
    def is_ready(self) -> bool:
        return self.now()[0].is_ready

    def embed_passages(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        return self.now()[0].embed_passages(texts, cancel=cancel)

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        return self.now()[0].embed_query(text, cancel=cancel)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.now()[0].count_tokens(texts)


class TakeoverRetriever:
    """Implements `Retriever`: each search is that of a `HybridRetriever` with one model from its beginning to its end.

    So a query is only ever compared with vectors of the model that embedded it, whenever the other one takes over.
    """

    def __init__(self, index_store: IndexStore, embedder: AnsweringEmbedder, *, mode: Mode = "hybrid") -> None:
        self._embedder = embedder
        self._hybrid = HybridRetriever(index_store, embedder, mode=mode)

    def within(self, scope: Scope) -> TakeoverRetriever:
        """The same search among the files of `scope` only. Raises what `HybridRetriever.within` raises."""
        narrower = copy(self)
        narrower._hybrid = self._hybrid.within(scope)
        return narrower

    def search(self, query: str, *, k: int, cancel: CancelToken) -> list[ScoredChunk]:
        return list(self.search_with_notes(query, k=k, cancel=cancel).passages)

    def search_with_notes(self, query: str, *, k: int, cancel: CancelToken) -> SearchOutcome:
        """Like `search`, and says which half failed or is incomplete."""
        return self._complete(lambda hybrid: hybrid.search_with_notes(query, k=k, cancel=cancel))

    def search_all(self, queries: Sequence[str], *, k: int, cancel: CancelToken, weights: Sequence[float] | None = None) -> SearchOutcome:
        """As `HybridRetriever.search_all`, with the note `vectors_incomplete` if some files have no vector of the model that was asked."""
        return self._complete(lambda hybrid: hybrid.search_all(queries, k=k, cancel=cancel, weights=weights))

    def _complete(self, search: Callable[[HybridRetriever], SearchOutcome]) -> SearchOutcome:
        embedder, is_complete = self._embedder.now()
        outcome = search(self._hybrid.asking(embedder))
        after, is_complete_after = self._embedder.now()
        if after is not embedder:  # it took over in the middle, and the vectors that were asked are gone
            is_complete = is_complete_after
            outcome = search(self._hybrid.asking(after))
        if is_complete or self._hybrid.mode == "words" or "vectors_failed" in outcome.notes:
            return outcome
        return replace(outcome, notes=tuple(dict.fromkeys((*outcome.notes, INCOMPLETE))))

    def text_of(self, document_id: int, start: int, end: int) -> str:
        """A slice of an indexed document's text, shorter where the document ends, "" if it is gone."""
        return self._hybrid.text_of(document_id, start, end)
