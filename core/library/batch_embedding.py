"""The vectors of one batch: made in a thread of their own, while the run reads what changes, and as many at a time as this machine is quick."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress

from core.cancel import Aside, CancelToken
from core.errors import ModelUnusable
from core.events import EmbedderLoading, EmbedderReady, IndexEvent, IndexGoesOn, IndexHeld
from core.lease import ComputeLease
from core.library.vector_queue import WaitingChunk
from core.protocols import Embedder, Vectors
from core.store.index_store import IndexStore
from core.store.records import MadeVector, embedding_key
from core.store.unit_vectors import unit

BATCH_CHUNKS = 256
"""The most chunks in one call of the embedder and in one transaction: enough to find texts of like length among them."""

FIRST_BATCH_CHUNKS = 32
"""So many before it is known how fast this machine is."""

LEAST_BATCH_CHUNKS = 8
"""No fewer on the slowest machine: in so many there are still some of like length."""

BATCH_SECONDS = 2.0
"""A batch takes about this long where 256 chunks would take longer: a crash or a cancel loses one, the bar stands still for it, a file that was saved waits for it before it is found by meaning, and a question shares the cores with it."""

LOOK_SECONDS = 0.25
"""How often a run that waits for a question or for the encoder looks whether a file has changed meanwhile."""

_PATIENCE_SECONDS = 2.0


class BatchEmbedding:
    """Makes the vectors of batches with one embedder, and tells by its speed how large the next batch may be."""

    def __init__(self, index_store: IndexStore, embedder: Embedder, lease: ComputeLease, cancel: CancelToken) -> None:
        self._store = index_store
        self._embedder = embedder
        self._lease = lease
        self._cancel = cancel
        self._chunks = 0
        self._seconds = 0.0

    @property
    def chunks_per_second(self) -> float:
        """How fast texts were embedded so far; 0 if none were."""
        return self._chunks / self._seconds if self._seconds else 0.0

    @property
    def batch_size(self) -> int:
        """How many chunks the next batch has, from how fast they were embedded so far."""
        if not self._seconds:
            return min(FIRST_BATCH_CHUNKS, BATCH_CHUNKS)
        return min(max(int(BATCH_SECONDS * self._chunks / self._seconds), LEAST_BATCH_CHUNKS), BATCH_CHUNKS)

    def vectors(
        self, chunks: Sequence[WaitingChunk], meanwhile: Callable[[], Iterator[IndexEvent]]
    ) -> Generator[IndexEvent, None, list[MadeVector]]:
        """A vector for each of these chunks. A text is embedded once, in however many of them it stands.

        `meanwhile` is called again and again while the encoder works. A file with a text whose vector means nothing is spoilt, and gets none.
        Raises `Cancelled` or the embedder's errors.
        """
        vectors = self._store.vectors_by_key([lack.key for _, lack in chunks], self._embedder.model_id)
        keys, texts = _keys_and_texts(chunks, vectors)
        vectors |= yield from self._encoded(texts, meanwhile)
        for item, lack in chunks:
            item.spoilt = item.spoilt or keys[lack.chunk_id] not in vectors
        return [MadeVector(lack.chunk_id, keys[lack.chunk_id], vectors[keys[lack.chunk_id]]) for item, lack in chunks if not item.spoilt]

    def _encoded(
        self, texts: Mapping[bytes, str], meanwhile: Callable[[], Iterator[IndexEvent]]
    ) -> Generator[IndexEvent, None, dict[bytes, bytes]]:
        """The vectors of texts, by their keys; one that means nothing is left out."""
        if not texts:
            return {}
        started = time.monotonic()
        aside = Aside(lambda: self._embedder.embed_passages(list(texts.values()), cancel=self._cancel))
        vectors, idle = yield from self._until_over(aside, meanwhile)
        self._seconds += max(0.0, time.monotonic() - started - idle)
        self._chunks += len(texts)
        found: dict[bytes, bytes] = {}
        for key, vector in zip(texts, vectors, strict=True):
            with suppress(ModelUnusable):
                found[key] = unit(vector)
        return found

    def _until_over(
        self, aside: Aside[Vectors], meanwhile: Callable[[], Iterator[IndexEvent]]
    ) -> Generator[IndexEvent, None, tuple[Vectors, float]]:
        """Wait until the encoder is done; returns the vectors, and for how many seconds it was loaded or gave way to a question. Both are said."""
        idle, is_held, is_loading, last = 0.0, False, False, time.monotonic()
        try:
            while not aside.wait(LOOK_SECONDS):
                now = time.monotonic()
                idle, last = idle + (now - last if is_held or is_loading else 0.0), now
                if self._lease.busy != is_held:
                    is_held = not is_held
                    yield IndexHeld() if is_held else IndexGoesOn()
                if self._embedder.is_ready == is_loading:
                    is_loading = not is_loading
                    yield EmbedderLoading() if is_loading else EmbedderReady()
                yield from meanwhile()
        except BaseException:
            aside.wait(_PATIENCE_SECONDS)  # nobody else should find the encoder at work still
            raise
        vectors = aside.result()
        if is_loading:
            yield EmbedderReady()
        if is_held:
            yield IndexGoesOn()
        return vectors, idle


def _keys_and_texts(chunks: Sequence[WaitingChunk], known: Mapping[bytes, bytes]) -> tuple[dict[int, bytes], dict[bytes, str]]:
    """The key of the text that the vector of each chunk comes from, by chunk ids, and the texts to encode: those whose vectors are not `known`."""
    keys = {lack.chunk_id: embedding_key(lack.text) for _, lack in chunks}
    texts = {lack.key: lack.text for _, lack in chunks if keys[lack.chunk_id] == lack.key and lack.key not in known}
    for _, lack in chunks:
        if lack.key in known or lack.key in texts:
            keys[lack.chunk_id] = lack.key
        else:  # it waited for the vector of a copy that is gone
            texts[keys[lack.chunk_id]] = lack.text
    return keys, texts
