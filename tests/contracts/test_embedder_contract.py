"""What every embedder promises. The one without weights and the real runtime, in both of its precisions, keep it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import Cancelled
from core.protocols import Embedder
from models.backends.echo import HashEmbedder
from models.backends.encoder_folder import read_encoder_folder
from models.backends.encoder_precision import PrecisionChoice, PrecisionFile
from models.embedder import SentenceTransformersEmbedder


@pytest.fixture(scope="module")
def real(starter_models: Path) -> Iterator[SentenceTransformersEmbedder]:
    with SentenceTransformersEmbedder(lambda: starter_models / "multilingual-e5-small") as embedder:
        yield embedder


@pytest.fixture(scope="module")
def real_bfloat16(starter_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentenceTransformersEmbedder]:
    cache, folder = tmp_path_factory.mktemp("engine"), starter_models / "multilingual-e5-small"
    PrecisionFile(cache, read_encoder_folder(folder), threads=2).write(PrecisionChoice("bfloat16", 2.0, 1.0))
    with SentenceTransformersEmbedder(lambda: folder, threads=2, cache=cache) as embedder:
        yield embedder


@pytest.fixture(params=["hash", *(pytest.param(name, marks=pytest.mark.real) for name in ("real", "real_bfloat16"))])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "hash":
        return HashEmbedder()
    real: Embedder = request.getfixturevalue(request.param)
    return real


def test_an_embedder_says_what_it_is_before_it_is_asked(embedder: Embedder) -> None:
    assert embedder.model_id
    assert embedder.dimension == 384


def test_vectors_are_float32_units_in_the_order_given(embedder: Embedder, cancel: CancelToken) -> None:
    texts = [f"passage number {n} " + "about ships " * (n * 7 % 5) for n in range(8)]

    together = embedder.embed_passages(texts, cancel=cancel)
    alone = np.stack([embedder.embed_passages([text], cancel=cancel)[0] for text in texts])

    assert together.shape == (8, 384)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-3)
    # In bfloat16 a text's vector depends a little on what is encoded with it.
    assert np.min(np.sum(together * alone, axis=1)) > 0.999


def test_a_query_is_one_unit_vector(embedder: Embedder, cancel: CancelToken) -> None:
    vector = embedder.embed_query("Where are the ships?", cancel=cancel)

    assert vector.shape == (384,)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)


def test_no_texts_give_no_vectors(embedder: Embedder, cancel: CancelToken) -> None:
    assert embedder.embed_passages([], cancel=cancel).shape == (0, 384)
    assert embedder.count_tokens([]) == []


@pytest.mark.parametrize("text", ["", " ", "\n", "\ud800", "\x00", "x" * 20_000, "水" * 5_000, "🙂"])
def test_odd_texts_have_usable_vectors_too(embedder: Embedder, cancel: CancelToken, text: str) -> None:
    vector = embedder.embed_passages([text], cancel=cancel)[0]

    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)


def test_the_right_passage_is_nearest_in_english_and_chinese(embedder: Embedder, cancel: CancelToken) -> None:
    passages = [
        "The rent for the garage is due on the first Monday of each month.",
        "Photosynthesis turns sunlight, water and air into sugar.",
        "宋江是梁山泊一百单八将之首，绰号及时雨。",
        "光合作用把阳光、水和空气变成糖。",
    ]
    vectors = embedder.embed_passages(passages, cancel=cancel)

    def nearest(query: str) -> int:
        return int(np.argmax(vectors @ embedder.embed_query(query, cancel=cancel)))

    assert nearest("When is the rent for the garage due?") == 0
    assert nearest("What does photosynthesis turn sunlight into?") == 1
    assert nearest("梁山泊的宋江绰号是什么？") == 2
    assert nearest("光合作用是什么？") == 3


def test_tokens_are_counted_per_text(embedder: Embedder) -> None:
    counts = embedder.count_tokens(["", "hello", "hello " * 100, "你好世界"])

    assert counts[0] == 0
    assert 1 <= counts[1] <= 3
    assert 100 <= counts[2] <= 300
    assert counts[3] >= 1


def test_an_embedder_that_has_encoded_is_ready(embedder: Embedder, cancel: CancelToken) -> None:
    embedder.embed_query("Where are the ships?", cancel=cancel)

    assert embedder.is_ready


def test_a_cancelled_token_stops_it(embedder: Embedder) -> None:
    cancel = CancelToken()
    cancel.cancel()

    with pytest.raises(Cancelled):
        embedder.embed_passages(["text"], cancel=cancel)
    with pytest.raises(Cancelled):
        embedder.embed_query("text", cancel=cancel)
