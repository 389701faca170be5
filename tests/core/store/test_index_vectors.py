"""Vectors in the index: what is taken, what is known, what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import ModelUnusable
from core.store.index_store import IndexStore
from core.store.records import embedding_key, embedding_text
from tests.core.store.passages import FISH, LAMP, found_by_vectors, found_by_words, made, put, put_words
from tests.fakes.hash_embedder import FakeEmbedder


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0])
def test_a_vector_that_means_nothing_is_refused_and_the_old_rows_stay(store: IndexStore, value: float) -> None:
    put(store, LAMP, "one", "two")
    vectors = np.ones((2, 32), np.float32)
    vectors[1, :] = value

    with pytest.raises(ModelUnusable):
        put(store, LAMP, "three", "four", vectors=vectors)

    assert [chunk.text for chunk in store.chunks_of(LAMP)] == ["one", "two"]
    assert store.check().problems == ()


def test_the_wrong_number_of_vectors_is_refused(store: IndexStore) -> None:
    with pytest.raises(ModelUnusable):
        put(store, LAMP, "one", "two", vectors=np.ones((1, 32), np.float32))


def test_vectors_are_stored_with_length_one(store: IndexStore) -> None:
    put(store, LAMP, "one", vectors=np.full((1, 32), 7.0, np.float32))

    ((_, score),) = store.search_vectors(np.full(32, 3.0, np.float32), 1, "fake-1")

    assert score == pytest.approx(1.0)


def test_vectors_of_two_models_are_never_compared(store: IndexStore) -> None:
    small, large = FakeEmbedder("small", 16), FakeEmbedder("large", 64)
    put(store, LAMP, "the lamp", embedder=small)
    put(store, FISH, "the fish", embedder=large)

    assert found_by_vectors(store, "the lamp", small) == ["the lamp"]
    assert found_by_vectors(store, "the lamp", large) == ["the fish"]
    assert found_by_vectors(store, "the lamp", FakeEmbedder("unknown", 16)) == []
    assert {item.document.path: item.embedder_id for item in store.documents()} == {LAMP: "small", FISH: "large"}
    assert store.check().problems == ()


def test_a_model_that_changed_its_dimension_starts_anew(store: IndexStore) -> None:
    put(store, LAMP, "the lamp", embedder=FakeEmbedder("m", 16))
    put(store, FISH, "the fish", embedder=FakeEmbedder("m", 32))

    assert found_by_vectors(store, "the fish", FakeEmbedder("m", 32)) == ["the fish"]
    assert store.check().problems == ()


def test_vectors_that_are_known_are_handed_out_again(store: IndexStore) -> None:
    embedder = FakeEmbedder()
    put(store, LAMP, "one", "two", title="Lamp", embedder=embedder)
    key = embedding_key(embedding_text("Lamp", "Chapter", "two"))

    known = store.vectors_by_key([key, b"nothing like it!"], embedder.model_id)

    expected = embedder.embed_passages(["Lamp > Chapter\ntwo"], cancel=CancelToken())[0]
    assert np.allclose(np.frombuffer(known[key], np.float32), expected, atol=1e-6)
    assert list(known) == [key]
    assert store.vectors_by_key([key], "another model") == {}
    assert len(store.vectors_by_content("sha of one\n\ntwo\n\n", "utf-8", embedder.model_id)) == 2


def test_a_file_with_words_alone_waits_and_becomes_ready_with_its_last_vector(store: IndexStore) -> None:
    embedder = FakeEmbedder()
    document = put_words(store, LAMP, "the lamp", "the wick")
    assert found_by_words(store, "wick") == ["the wick"]
    assert found_by_vectors(store, "wick") == []
    assert store.has_documents()

    assert store.add_vectors(made(store, document, embedder, limit=1), [document], embedder.model_id, embedder.dimension) == frozenset()
    assert (store.check().ready, store.check().words_only, store.check().vectors, store.check().problems) == (0, 1, 1, ())
    assert found_by_vectors(store, "lamp") == ["the lamp"]

    assert store.add_vectors(made(store, document, embedder), [document], embedder.model_id, embedder.dimension) == {document}
    assert (store.check().ready, store.check().words_only, store.check().vectors, store.check().problems) == (1, 0, 2, ())


def test_vectors_for_chunks_that_are_gone_or_have_theirs_are_passed_over(store: IndexStore) -> None:
    embedder = FakeEmbedder()
    document = put_words(store, LAMP, "the lamp", "the wick")
    vectors = made(store, document, embedder)
    put_words(store, LAMP, "the bell")

    assert store.add_vectors(vectors, [document], embedder.model_id, embedder.dimension) == frozenset()
    assert (store.check().vectors, store.check().problems) == (0, ())

    again = made(store, document, embedder)
    for _ in range(2):
        assert store.add_vectors(again, [document], embedder.model_id, embedder.dimension) == {document}
    assert (store.check().vectors, store.check().problems) == (1, ())


def test_a_file_that_was_half_taken_over_by_another_model_leaves_no_vectors_when_it_goes(store: IndexStore) -> None:
    small, large = FakeEmbedder("small", 16), FakeEmbedder("large", 64)
    put(store, LAMP, "the lamp", "the wick", embedder=small)
    document = store.documents()[0].document.id
    store.add_vectors(made(store, document, large, limit=1), [], large.model_id, large.dimension)
    assert store.check().vectors == 3

    store.remove([LAMP])

    assert (store.check().vectors, store.check().problems) == (0, ())
