"""A search by words scores a bounded number of chunks, and still finds what the rare words of a query name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scope import Scope
from core.store import index_search
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts
from core.store.words import match_phrases, match_query, terms_of

BOUND = 40


@pytest.fixture
def store(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexStore]:
    monkeypatch.setattr(index_search, "SCORED", BOUND)
    store = IndexStore(home / "index.db")
    yield store
    store.close()


def put(store: IndexStore, name: str, *lines: str) -> list[int]:
    """Index each line as a chunk of one file; returns their ids."""
    text, spans = "", []
    for number, line in enumerate(lines, start=1):
        spans.append(ChunkSpan(len(text), len(text) + len(line) + 1, number))
        text += f"{line}\n"
    path = Path(f"/docs/{name}.txt")
    vectors = np.ones((len(lines), 8), np.float32)
    store.put(FileFacts(path, name, "utf-8", f"sha of {name}"), text, spans, [line.encode() for line in lines], vectors, "fake-1")
    return [chunk.id for chunk in store.chunks_of(path)]


def found(store: IndexStore, question: str, k: int = 10) -> list[int]:
    return [item for item, _ in store.search_words(match_query(question), k)]


def test_in_a_small_library_every_word_takes_part(store: IndexStore) -> None:
    ids = put(store, "few", *["lamp oil"] * 10, "lamp oil wick")
    assert set(found(store, "lamp wick", 20)) == set(ids)
    assert found(store, "lamp wick")[0] == ids[-1]


def test_in_a_large_one_what_nearly_every_chunk_has_does_not_take_part_beside_a_rare_word(store: IndexStore) -> None:
    ids = put(store, "many", *["lamp oil"] * 100, "lamp oil wick", "灯油和灯芯")
    assert found(store, "lamp wick") == [ids[100]]
    assert found(store, "灯芯 lamp") == [ids[101]]


def test_rare_words_take_part_together_as_long_as_they_fit(store: IndexStore) -> None:
    ids = put(store, "many", *["lamp"] * 100, *["oil"] * 15, *["wick"] * 15, "oil wick")
    assert found(store, "lamp oil wick")[0] == ids[-1]
    assert set(found(store, "lamp oil wick", 50)) == set(ids[100:])


def test_a_word_that_is_everywhere_finds_the_newest_chunks_when_it_is_asked_alone(store: IndexStore) -> None:
    ids = put(store, "many", *["lamp"] * 100)
    assert set(found(store, "lamp", 100)) == set(ids[-BOUND:])
    assert set(found(store, "lamp", 5)) <= set(ids[-BOUND:])


@pytest.mark.parametrize("question", ["lamp xyzzy", "lamps lamp", "P02", "灯油机"])
def test_what_no_chunk_has_does_not_keep_out_what_many_have(store: IndexStore, question: str) -> None:
    put(store, "many", *["lamp P02 灯油"] * 100)
    assert found(store, question, 5) != []


def test_a_phrase_counts_by_where_it_stands_not_by_its_words(store: IndexStore) -> None:
    ids = put(store, "many", *["clause 12 of 40"] * 100, "clause 40 of 12")
    match = match_phrases(["40 of 12", "clause 12"])
    assert [item for item, _ in store.search_words(match, 5)] == [ids[-1]]


def test_inside_a_scope_every_word_takes_part(store: IndexStore) -> None:
    put(store, "many", *["lamp"] * 100)
    ids = put(store, "one", "lamp", "lamp wick")
    hits = store.search_words(match_query("lamp wick"), 10, Scope((Path("/docs/one.txt"),)))
    assert [item for item, _ in hits] == [ids[1], ids[0]]


@given(st.text(max_size=60))
def test_the_terms_of_a_query_are_what_it_was_put_together_from(question: str) -> None:
    match = match_query(question)
    assert " OR ".join(terms_of(match)) == match
    phrases = match_phrases([question, 'say "this" OR that'])
    assert " OR ".join(terms_of(phrases)) == phrases
