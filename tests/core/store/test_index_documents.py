"""A document is put, replaced and removed whole, and leaves nothing behind."""

from __future__ import annotations

import os
import random
from pathlib import Path

import apsw
import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, NotFound
from core.store import index_store
from core.store.index_documents import PIECE_CHUNKS, remove_piece
from core.store.index_store import IndexStore
from core.store.records import FileFacts
from tests.core.store.passages import FISH, LAMP, found_by_vectors, found_by_words, put


def test_a_replaced_file_leaves_nothing_of_its_old_text(store: IndexStore) -> None:
    put(store, LAMP, "old words here", "more old words")
    put(store, LAMP, "new text")

    assert found_by_words(store, "old words") == []
    assert found_by_vectors(store, "old words here") == ["new text"]
    counts = store.check()
    assert (counts.documents, counts.ready, counts.chunks, counts.word_rows, counts.vectors, counts.problems) == (1, 1, 1, 1, 1, ())


def test_chunks_that_an_edit_left_alone_stay_where_they_are(store: IndexStore) -> None:
    put(store, LAMP, "one", "two", "three", "two")
    before = {chunk.id: chunk.text for chunk in store.chunks_of(LAMP)}

    put(store, LAMP, "zero", "three", "two", "two", "four")

    after = store.chunks_of(LAMP)
    assert [chunk.text for chunk in after] == ["zero", "three", "two", "two", "four"]
    assert [chunk.text for chunk in after if before.get(chunk.id) == chunk.text] == ["three", "two", "two"]
    assert found_by_words(store, "one") == []
    assert store.check().problems == ()


def test_another_title_writes_all_words_anew(store: IndexStore) -> None:
    put(store, LAMP, "one", "two", title="Fresnel")

    put(store, LAMP, "one", "two", title="Argand")

    assert found_by_words(store, "fresnel") == []
    assert sorted(found_by_words(store, "argand")) == ["one", "two"]
    assert store.check().problems == ()


def test_after_any_edits_the_index_is_as_if_it_were_new(store: IndexStore, home: Path) -> None:
    chance = random.Random(3)
    words = ["lamp", "wick", "oil", "herring", "bay", "gull"]
    for _ in range(60):
        passages = [f"{word} {chance.randrange(2)}" for word in chance.choices(words, k=chance.randrange(1, 9))]
        text = put(store, LAMP, *passages, title=chance.choice(["A", "B"]))

        assert store.text(LAMP) == text
        assert [chunk.text for chunk in store.chunks_of(LAMP)] == passages
        for word in words:
            assert sorted(found_by_words(store, word)) == sorted(passage for passage in passages if word in passage)
        assert store.check().problems == ()
        assert store.check().vectors == len(passages)


def test_a_removed_file_leaves_nothing_in_any_of_our_files(store: IndexStore, home: Path) -> None:
    for number in range(40):
        put(store, Path(f"/docs/{number}.md"), f"common words and number {number}")
    put(store, LAMP, "zanzibar-canary lives here", title="zanzibar title")
    (known,) = store.vectors_by_content("sha of zanzibar-canary lives here\n\n", "utf-8", "fake-1")
    store.erase_deleted()
    assert any(known.vector in file.read_bytes() for file in home.iterdir())

    assert store.remove([LAMP]) == 1
    store.erase_deleted()

    for file in home.iterdir():
        raw = file.read_bytes()
        assert b"zanzibar" not in raw
        assert known.vector not in raw
    assert store.check().problems == ()


def test_a_file_without_text_has_its_reason_and_no_rows(store: IndexStore) -> None:
    put(store, LAMP, "was text once")

    store.put_without_text(FileFacts(LAMP, "lamp", sha256="s", size_bytes=4), "skipped", "binary")

    (document,) = [stored.document for stored in store.documents()]
    assert (document.state, document.reason, document.chunk_count) == ("skipped", "binary", 0)
    assert found_by_words(store, "text once") == []
    with pytest.raises(NotFound):
        store.text(LAMP)


def test_a_ready_file_without_chunks_cannot_be_stored(store: IndexStore, home: Path) -> None:
    with pytest.raises(ValueError, match="at least one chunk"):
        store.put(FileFacts(LAMP), "", [], [], np.zeros((0, 4), np.float32), "m")
    put(store, LAMP, "text")

    connection = apsw.Connection(str(home / "index.db"))
    with pytest.raises(apsw.ConstraintError):
        connection.execute("UPDATE documents SET chunk_count = 0")
    connection.close()


LARGE = 3 * PIECE_CHUNKS + 7


def test_a_large_file_goes_in_pieces_and_nothing_of_it_is_found_meanwhile(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, FISH, *(f"herring {number}" for number in range(LARGE)))
    put(store, LAMP, "the lamp and one herring")
    reader, pieces = IndexStore(store._path), []
    monkeypatch.setattr(
        index_store, "remove_piece", lambda connection: pieces.append(found_by_words(reader, "herring")) or remove_piece(connection)
    )

    assert store.remove([FISH]) == 1

    assert len(pieces) == 4 and set(map(tuple, pieces)) <= {("the lamp and one herring",), ()}
    assert [item.document.path for item in store.documents()] == [LAMP]
    counts = store.check()
    assert (counts.documents, counts.chunks, counts.vectors, counts.word_rows, counts.problems) == (1, 1, 1, 1, ())
    reader.close()


@pytest.mark.parametrize("pieces", [0, 1, 3])
def test_a_removal_that_breaks_off_is_a_removal_and_is_finished_later(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    put(store, FISH, *(f"herring {number}" for number in range(LARGE)))
    cancel, left = CancelToken(), iter(range(pieces))

    def remove_or_stop(connection: apsw.Connection) -> bool:
        if next(left, None) is None:
            raise Cancelled()
        return remove_piece(connection)

    monkeypatch.setattr(index_store, "remove_piece", remove_or_stop)
    with pytest.raises(Cancelled):
        store.remove([FISH], cancel)

    assert store.documents() == [] and not store.knows(FISH)
    assert found_by_words(store, "herring") == []
    assert store.check().problems == ()
    monkeypatch.setattr(index_store, "remove_piece", remove_piece)
    assert store.finish_removals(CancelToken())
    assert (store.check().chunks, store.check().vectors, store.check().problems) == (0, 0, ())
    assert not store.finish_removals(CancelToken())


def test_of_a_file_whose_removal_has_begun_nothing_can_be_read(store: IndexStore) -> None:
    put(store, LAMP, "the lamp")
    (chunk,) = store.chunks_of(LAMP)

    store.begin_removals([LAMP])

    assert not store.has_documents() and not store.knows(LAMP)
    assert store.chunks_of(LAMP) == store.chunks([chunk.id]) == []
    assert store.text_of(chunk.document_id, 0, 8) == ""
    with pytest.raises(NotFound):
        store.text(LAMP)


def test_a_file_that_comes_back_while_it_is_being_removed_is_there(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, FISH, *(f"herring {number}" for number in range(LARGE)))
    monkeypatch.setattr(index_store, "remove_piece", lambda connection: (_ for _ in ()).throw(Cancelled()))
    with pytest.raises(Cancelled):
        store.remove([FISH])

    put(store, FISH, "herring 1")

    assert not store.finish_removals(CancelToken())
    assert found_by_words(store, "herring") == ["herring 1"]
    assert store.check().problems == ()


def test_names_that_are_not_unicode_are_kept(store: IndexStore) -> None:
    path = Path(os.fsdecode(b"/docs/\xff.txt"))

    put(store, path, "text", title="\udcff")

    assert store.documents()[0].document.path == path
    assert store.chunks_of(path)[0].title == "\ufffd"
    assert store.remove([path]) == 1
