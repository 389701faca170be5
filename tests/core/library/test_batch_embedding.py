"""Batches of vectors: how large they are, and what becomes of a vector that means nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from core.library import batch_embedding
from core.protocols import Vectors
from tests.core.library.shelf import SMALL_BATCH, Shelf, long_text


def test_many_small_files_share_the_encoder_s_batches(shelf: Shelf) -> None:
    for number in range(150):
        shelf.write(f"{number:03}.txt", f"small file number {number}")

    shelf.index()

    assert len(shelf.embedder.batches) <= 6
    assert max(shelf.embedder.batches) == SMALL_BATCH


def test_batches_are_large_where_encoding_is_quick_and_small_where_it_is_slow(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_embedding, "BATCH_CHUNKS", 100)
    monkeypatch.setattr(batch_embedding, "BATCH_SECONDS", 1e9)
    shelf.write("a.txt", long_text(240))
    shelf.index()
    quick = shelf.embedder.batches.copy()

    shelf.embedder.batches.clear()
    monkeypatch.setattr(batch_embedding, "BATCH_SECONDS", 1e-9)
    shelf.write("b.txt", long_text(120).upper())
    shelf.index()

    assert quick[:2] == [batch_embedding.FIRST_BATCH_CHUNKS, 100]
    assert shelf.embedder.batches[:3] == [
        batch_embedding.FIRST_BATCH_CHUNKS,
        batch_embedding.LEAST_BATCH_CHUNKS,
        batch_embedding.LEAST_BATCH_CHUNKS,
    ]


def test_a_file_whose_vectors_mean_nothing_fails_alone(shelf: Shelf) -> None:
    shelf.write("bad.txt", "this one spoils")
    shelf.write("good.txt", "this one does not")

    def spoil(texts: Sequence[str], vectors: Vectors) -> Vectors:
        return np.stack([vector * np.float32("nan") if "spoils" in text else vector for text, vector in zip(texts, vectors, strict=True)])

    shelf.embedder.spoil = spoil

    assert shelf.rows() == {"bad.txt": ("failed", "embedding_failed"), "good.txt": ("ready", "")}


def test_a_large_file_whose_vectors_mean_nothing_fails_alone(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(80) + "\n\nthis one spoils")
    shelf.write("b.txt", "good")

    def spoil(texts: Sequence[str], vectors: Vectors) -> Vectors:
        return np.stack(
            [vector * np.float32("nan") if "Passage 3 " in text else vector for text, vector in zip(texts, vectors, strict=True)]
        )

    shelf.embedder.spoil = spoil

    assert shelf.rows() == {"a.txt": ("failed", "embedding_failed"), "b.txt": ("ready", "")}
    assert all(b"Passage 3 " not in file.read_bytes() for file in shelf.home.glob("index.db*"))
