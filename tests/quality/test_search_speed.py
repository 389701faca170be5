"""The generated index is the same every time and holds what its queries ask for; the table and the drawing say what was measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.protocols import Vectors
from core.store.index_store import IndexStore
from core.store.words import match_query
from tests.quality.generated_index import CHUNKS_IN_DOCUMENT, EMBEDDER, Generator, code_of, fill
from tests.quality.search_speed import Measured, Speed, plot, table


@pytest.fixture(scope="module")
def like() -> Vectors:
    made: Vectors = (1.0 + np.random.default_rng(1).standard_normal((60, 16))).astype(np.float32)
    return made


@pytest.fixture(scope="module")
def generator(like: Vectors) -> Generator:
    return Generator(like, 3)


def test_documents_and_queries_are_the_same_every_time(like: Vectors, generator: Generator) -> None:
    again = Generator(like, 3)
    assert again.document(5).texts == generator.document(5).texts
    assert np.array_equal(again.document(5).vectors, generator.document(5).vectors)
    assert again.query(3, 10).text == generator.query(3, 10).text
    assert (
        Generator(like, 4).document(5).texts == generator.document(5).texts
        or Generator(like, 4).query(3, 10).chunk != generator.query(3, 10).chunk
    )


def test_vectors_have_length_one(generator: Generator) -> None:
    assert np.linalg.norm(generator.document(0).vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.linalg.norm(generator.query(0, 4).vector) == pytest.approx(1.0, abs=1e-5)


def test_an_index_of_them_is_whole_and_every_code_is_found(generator: Generator, home: Path) -> None:
    store = IndexStore(home / "index.db")
    blocks = list(fill(store, generator, range(4)))
    assert store.check().problems == ()
    assert store.check().chunks == 4 * CHUNKS_IN_DOCUMENT
    for number in (0, 150, 399):
        assert [item for item, _ in store.search_words(match_query(code_of(number)), 3)] == [number + 1]
    assert store.search_vectors(blocks[2].vectors[7], 1, EMBEDDER)[0][0] == 208
    for number in range(8):
        query = generator.query(number, 4)
        assert query.chunk + 1 in {item for item, _ in store.search_words(match_query(query.text), 400)}
    store.close()


def test_every_size_has_its_line_and_its_point() -> None:
    speed = Speed(2.0, 3.0)
    results = [
        Measured(size, speed, speed, speed, Speed(1.0, 1.5), speed, Speed(20.0, 30.0), 55.0, 0.99, 0.9, 120_000_000, 9_000_000)
        for size in (1000, 50_000)
    ]
    lines = table(results)
    assert len(lines) == 4
    assert (
        "| 50,000 | 2.0 / 3.0 | 2.0 / 3.0 | 2.0 / 3.0 | 1.0 / 1.5 | 2.0 / 3.0 | 20.0 / 30.0 | 10.0 / 10.0 | 55 | 0.990 | 0.900 | 120 | 9 |"
        in lines
    )
    drawing = plot(results)
    assert drawing.count("<polyline") == 4
    assert drawing.count("<circle") == 8
