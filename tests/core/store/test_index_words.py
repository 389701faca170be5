"""The word index follows today's rules and does not stay full of holes."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest

from core.cancel import CancelToken
from core.errors import Cancelled
from core.store import index_words
from core.store.index_store import IndexStore
from tests.core.store.passages import FISH, LAMP, found_by_words, put


def test_other_word_rules_rewrite_the_word_index(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, LAMP, "the lamp")
    monkeypatch.setattr("core.store.index_words.words_version", lambda: "others")
    monkeypatch.setattr("core.store.index_words.indexed_form", lambda text: f"{text} everywhere")

    put(store, FISH, "the fish")

    assert sorted(found_by_words(store, "everywhere")) == ["the fish", "the lamp"]
    assert store.check().problems == ()


def test_words_of_other_rules_are_written_anew_before_they_are_searched(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("core.store.index_words.words_version", lambda: "1")
        earlier.setattr("core.store.index_words.indexed_form", lambda text: text)
        put(store, FISH, "魚")
    before = store.vectors_by_content("sha of 魚\n\n", "utf-8", "fake-1")

    found = found_by_words(store, "鱼")

    assert found == ["魚"]
    assert before
    assert store.vectors_by_content("sha of 魚\n\n", "utf-8", "fake-1") == before
    assert store.check().problems == ()


def test_after_many_deletions_the_word_index_is_written_closely_anew(
    store: IndexStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_words, "HOLES_MATTER_FROM", 40)
    monkeypatch.setattr(index_words, "MERGED_PAGES", 2)

    def words_bytes() -> int:
        with apsw.Connection(str(home / "index.db")) as connection:
            return int(connection.execute("SELECT sum(length(block)) FROM words_data").get)

    draw = random.Random(1)
    pages = [" ".join(f"w{draw.randrange(5000)}" for _ in range(120)) for _ in range(60)]
    for number, page in enumerate(pages):
        put(store, Path(f"/docs/{number}.md"), page)
    assert not store.tidy_words(CancelToken())
    for _ in range(3):
        for number, page in enumerate(pages):
            put(store, Path(f"/docs/{number}.md"), f"{page} {draw.random()}")
    before = words_bytes()

    assert store.tidy_words(CancelToken())

    assert words_bytes() <= before
    assert not store.tidy_words(CancelToken())
    assert store.check().problems == ()
    for number, page in enumerate(pages):
        rare = page.split()[7]
        assert any(rare in text for text in found_by_words(store, rare, 60)), number


def test_tidying_can_be_cancelled_and_goes_on_the_next_time(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_words, "HOLES_MATTER_FROM", 2)
    for passage in ("lamp", "oil", "wick", "glass"):
        put(store, LAMP, passage)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        store.tidy_words(cancel)
    assert store.tidy_words(CancelToken())
    assert found_by_words(store, "glass") == ["glass"]
    assert store.check().problems == ()
