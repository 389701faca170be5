"""The parts of the encoder's measurement that need no encoder."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.quality.encoding import OWN_FILES, Took, batches, best, chunks_of, overlap, processor_seconds, spread, times_as_fast


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) + sum(ord(letter) > 255 for letter in text) for text in texts]


def test_the_best_round_counts_by_each_clock() -> None:
    assert best([Took(3.0, 2.0), Took(2.5, 2.2), Took(4.0, 1.9)]) == Took(2.5, 1.9)
    assert times_as_fast(Took(2.0, 1.0), Took(4.0, 3.0)) == "2.00 by the clock, 3.00 by processor time"
    assert times_as_fast(Took(2.0, 0.0), Took(4.0, 3.0)) == "2.00 by the clock"


def test_texts_are_taken_evenly() -> None:
    assert spread(list("abcdefghij"), 5) == list("acegi")
    assert spread(list("ab"), 5) == ["a", "b"]


def test_batches_go_from_long_to_short_and_keep_to_their_size() -> None:
    lengths = [10, 500, 260, 250, 3, 900, 0]

    made = list(batches(lengths, 512))

    assert sorted(index for batch in made for index in batch) == list(range(len(lengths)))
    assert [lengths[index] for batch in made for index in batch] == sorted(lengths, reverse=True)
    assert all(len(batch) == 1 or len(batch) * lengths[batch[0]] <= 512 for batch in made)


def test_the_same_order_overlaps_wholly_and_another_one_in_part() -> None:
    vectors = np.eye(4, dtype=np.float32)
    queries = np.array([[4, 3, 2, 1]], np.float32)

    assert overlap(vectors, vectors, queries, queries, k=2) == (1.0, 1.0)
    assert overlap(vectors, vectors, queries[:, [1, 0, 2, 3]], queries, k=2) == (1.0, 0.0)
    assert overlap(vectors, vectors, queries[:, ::-1], queries, k=2) == (0.0, 0.0)


def test_chunks_are_what_would_be_embedded_of_both_languages() -> None:
    texts = chunks_of(OWN_FILES, 40, count_words)

    assert 20 <= len(texts) <= 42
    assert any("\u4e00" <= letter <= "\u9fff" for text in texts for letter in text)
    assert any(text.isascii() for text in texts)


def test_a_folder_with_files_that_cannot_be_read_gives_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\x00\x01\x02" * 100)
    (tmp_path / "b.txt").write_text("The bell on the pier rings twice.", encoding="utf-8")

    assert [text.splitlines()[-1] for text in chunks_of([tmp_path], 10, count_words)] == ["The bell on the pier rings twice."]


@pytest.mark.skipif(sys.platform != "linux", reason="looked up in /proc")
def test_seconds_of_another_process_are_told() -> None:
    assert processor_seconds(os.getpid()) > 0
    assert processor_seconds(None) == 0
