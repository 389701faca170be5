"""Which model answers, and when another one takes over."""

from __future__ import annotations

from pathlib import Path

import apsw

from core.store.index_store import IndexStore
from tests.core.store.passages import FISH, LAMP, found_by_vectors, made, put
from tests.fakes.hash_embedder import FakeEmbedder


def test_a_third_model_takes_the_place_of_the_one_that_does_not_answer(store: IndexStore) -> None:
    small, large, third = FakeEmbedder("small", 16), FakeEmbedder("large", 64), FakeEmbedder("third", 8)
    put(store, LAMP, "the lamp", embedder=small)
    put(store, FISH, "the fish", embedder=large)
    put(store, Path("/docs/eel.md"), "the eel", embedder=large)

    put(store, Path("/docs/gull.md"), "the gull", embedder=third)

    states = {item.document.path.stem: item.document.state for item in store.documents()}
    assert states == {"lamp": "ready", "fish": "waiting", "eel": "waiting", "gull": "ready"}
    assert store.answering_embedder() == "small"
    assert found_by_vectors(store, "the lamp", small) == ["the lamp"]
    assert found_by_vectors(store, "the gull", third) == ["the gull"]
    assert store.check().problems == ()


def test_a_file_keeps_the_vectors_of_one_model_until_the_next_has_every_file(store: IndexStore) -> None:
    small, large = FakeEmbedder("small", 16), FakeEmbedder("large", 64)
    put(store, LAMP, "the lamp", "the wick", embedder=small)
    document = store.documents()[0].document.id

    store.add_vectors(made(store, document, large, limit=1), [document], large.model_id, large.dimension)
    assert found_by_vectors(store, "the wick", small)[0] == "the wick"
    assert found_by_vectors(store, "the wick", large) == ["the lamp"]
    assert (store.documents()[0].embedder_id, store.documents()[0].document.state) == ("small", "ready")
    assert store.check().problems == ()

    assert not store.take_over(large.model_id)
    store.add_vectors(made(store, document, large), [document], large.model_id, large.dimension)
    assert found_by_vectors(store, "the wick", small)[0] == found_by_vectors(store, "the wick", large)[0] == "the wick"
    assert store.answering_embedder() == "small"

    assert store.take_over(large.model_id)
    assert store.answering_embedder() == "large"
    assert found_by_vectors(store, "the wick", small) == []
    assert found_by_vectors(store, "the wick", large)[0] == "the wick"
    assert (store.check().vectors, store.check().problems) == (2, ())


def test_of_an_index_that_never_said_which_model_answers_it_is_that_of_most_files(store: IndexStore, home: Path) -> None:
    small, large = FakeEmbedder("small", 16), FakeEmbedder("large", 64)
    put(store, LAMP, "the lamp", embedder=small)
    put(store, FISH, "the fish", embedder=large)
    put(store, Path("/docs/eel.md"), "the eel", embedder=large)
    store.close()
    connection = apsw.Connection(str(home / "index.db"))
    connection.execute("DELETE FROM facts WHERE name = 'answering_embedder'")
    connection.close()

    assert store.answering_embedder() == "large"


def test_where_a_model_lies_is_kept_until_another_has_taken_over(store: IndexStore) -> None:
    small, large = FakeEmbedder("small", 16), FakeEmbedder("large", 64)
    put(store, LAMP, "the lamp", embedder=small)
    store.remember_place("small", "/models/small")
    put(store, LAMP, "the lamp", embedder=large)
    assert (store.place_of("small"), store.place_of("large")) == ("/models/small", "")

    assert store.take_over("large")
    assert store.place_of("small") == ""
