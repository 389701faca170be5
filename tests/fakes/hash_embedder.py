"""An embedder without weights that remembers what it was asked: texts that share words are near each other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

import numpy as np

from core.cancel import CancelToken
from core.protocols import Vectors

_TERM = re.compile(r"[\u3040-\u9fff\uac00-\ud7a3]|\w+")


class FakeEmbedder:
    """Counts every text it embeds. `before_batch` runs before each batch and may raise; `spoil` changes the vectors it returns."""

    def __init__(self, model_id: str = "fake-1", dimension: int = 32) -> None:
        self.model_id = model_id
        self.dimension = dimension
        self.is_ready = True
        self.embedded: list[str] = []
        self.batches: list[int] = []
        self.before_batch: Callable[[], None] = lambda: None
        self.before_query: Callable[[], None] = lambda: None
        self.spoil: Callable[[Sequence[str], Vectors], Vectors] = lambda texts, vectors: vectors

    def embed_passages(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        cancel.check()
        self.before_batch()
        self.embedded.extend(texts)
        self.batches.append(len(texts))
        return self.spoil(texts, np.stack([self._vector(text) for text in texts]))

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        cancel.check()
        self.before_query()
        return self._vector(text)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(_TERM.findall(text)) for text in texts]

    def _vector(self, text: str) -> Vectors:
        vector = np.full(self.dimension, 1e-3, dtype=np.float32)
        for term in _TERM.findall(text.lower()):
            digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=4).digest()
            vector[int.from_bytes(digest, "big") % self.dimension] += 1.0
        return (vector / np.linalg.norm(vector)).astype(np.float32)
