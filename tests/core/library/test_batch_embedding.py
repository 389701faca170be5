"""Batches of vectors: how large they are, and what becomes of a vector that means nothing."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import ModelUnusable
from core.events import EmbedderLoading, EmbedderReady, FileFinished, IndexEvent, IndexFinished
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


def loaded_in_the_midst(shelf: Shelf, clock: list[float], monkeypatch: pytest.MonkeyPatch) -> list[IndexEvent]:
    """A run that waits half a minute for its embedder, and then two seconds for its vectors."""
    shelf.embedder.is_ready, encoded = False, threading.Event()
    monkeypatch.setattr(batch_embedding, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    shelf.embedder.before_batch = lambda: wait_for(encoded)
    events = []
    for event in shelf.library.index(CancelToken()):
        events.append(event)
        if isinstance(event, EmbedderLoading):
            clock[0] += 30.0
            shelf.embedder.is_ready = True
        elif isinstance(event, EmbedderReady):
            clock[0] += 2.0
            encoded.set()
    return events


def wait_for(event: threading.Event) -> None:
    assert event.wait(20)


def test_a_run_says_that_its_embedder_is_loaded_once_and_does_not_take_that_for_its_speed(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.write("a.txt", long_text(3))

    events = loaded_in_the_midst(shelf, [0.0], monkeypatch)

    seen = [type(event) for event in events]
    assert seen.count(EmbedderLoading) == seen.count(EmbedderReady) == 1
    assert seen.index(EmbedderLoading) < seen.index(EmbedderReady) < seen.index(FileFinished)
    assert isinstance(events[-1], IndexFinished)
    assert events[-1].report.chunks_per_second == len(shelf.embedder.embedded) / 2.0


def test_nothing_is_said_of_an_embedder_that_is_loaded(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(3))

    assert not any(isinstance(event, EmbedderLoading | EmbedderReady) for event in shelf.events())


def test_an_embedder_that_cannot_be_loaded_is_not_said_to_be_ready(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(3))
    shelf.embedder.is_ready, said, seen = False, threading.Event(), []

    def fail() -> None:
        wait_for(said)
        raise ModelUnusable("The weights cannot be read.")

    shelf.embedder.before_batch = fail
    with pytest.raises(ModelUnusable):
        for event in shelf.library.index(CancelToken()):
            seen.append(type(event))
            if isinstance(event, EmbedderLoading):
                said.set()

    assert EmbedderLoading in seen and EmbedderReady not in seen


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
