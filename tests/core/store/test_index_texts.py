"""Texts in the index: where their passages begin, samples of them, and the pages beside them."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from core.cancel import CancelToken
from core.documents import PageStart
from core.store.index_documents import begin_removal
from core.store.index_schema import MIGRATIONS
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts
from tests.core.store import passages

LOG = Path("/docs/log.pdf")
TEXT = "one one\n\ntwo two\n\nthree three"
PAGES = (PageStart(0, 1), PageStart(9, 2), PageStart(18, 4))


def put(store: IndexStore, *spans: tuple[int, int], pages: tuple[PageStart, ...] = PAGES, path: Path = LOG) -> None:
    made = [ChunkSpan(start, end, 1) for start, end in spans]
    store.put_text(FileFacts(path), TEXT, made, [b"%d" % start for start, _ in spans], [None] * len(made), "fake-1", 4, pages=pages)


def test_a_chunk_knows_the_pages_in_it_and_one_more_on_either_side(store: IndexStore) -> None:
    put(store, (0, 7), (9, 13), (13, 16), (18, 29))

    starts = [[page.page for page in chunk.page_starts] for chunk in store.chunks_of(LOG)]
    pages = [chunk.page for chunk in store.chunks_of(LOG)]

    assert starts == [[1, 2], [1, 2, 4], [1, 2, 4], [2, 4]]
    assert pages == [1, 2, 2, 4]


def test_a_chunk_over_several_pages_says_the_page_of_every_place(store: IndexStore) -> None:
    put(store, (0, 29))

    (chunk,) = store.chunks_of(LOG)

    assert [chunk.page_at(place) for place in (0, 8, 9, 17, 18, 28)] == [1, 1, 2, 2, 4, 4]


def test_a_new_text_has_its_own_pages_and_a_file_without_has_none(store: IndexStore) -> None:
    put(store, (0, 29))
    put(store, (0, 29), pages=(PageStart(0, 7),))
    put(store, (0, 29), pages=(), path=Path("/docs/a.txt"))

    assert [chunk.page_starts for chunk in store.chunks_of(LOG)] == [(PageStart(0, 7),)]
    assert [chunk.page_starts for chunk in store.chunks_of(Path("/docs/a.txt"))] == [()]


def test_pages_go_with_their_file(store: IndexStore, home: Path) -> None:
    put(store, (0, 29))
    put(store, (0, 29), path=Path("/docs/other.pdf"))

    store.remove([LOG])
    store.put_without_text(FileFacts(Path("/docs/other.pdf")), "failed", "damaged")

    connection = apsw.Connection(str(home / "index.db"))
    assert connection.execute("SELECT count(*) FROM pages").get == 0
    connection.close()
    assert store.check().problems == ()


def test_a_removal_that_was_stopped_half_way_leaves_nothing_that_does_not_agree(store: IndexStore) -> None:
    put(store, (0, 29))
    with store._database.writing() as connection:
        begin_removal(connection, LOG)

    assert store.check().problems == ()
    assert store.finish_removals(CancelToken())
    assert store.check().problems == ()


def test_pages_that_belong_to_no_file_are_a_problem(store: IndexStore) -> None:
    put(store, (0, 29))
    with store._database.writing() as connection:
        connection.execute("UPDATE documents SET state = 'waiting', chunk_count = 0, slot = NULL")

    assert any("pages belong to no file" in problem for problem in store.check().problems)


def test_an_index_from_before_the_pages_is_searched_as_it_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = IndexStore(home / "index.db")
    monkeypatch.setattr(old._database, "_migrations", MIGRATIONS[:2])
    with old._database.writing() as connection:
        connection.execute("INSERT INTO embedders (slot, model_id, dimension) VALUES (0, 'fake-1', 4)")
        connection.execute(
            "INSERT INTO documents (path, title, state, reason, encoding, sha256, size_bytes, modified_ns, checked_ns, reader_version, chunk_count, slot)"
            " VALUES (?, 'log', 'waiting', '', '', '', 1, 1, 1, 3, 1, 0)",
            (bytes(LOG),),
        )
        connection.execute("INSERT INTO texts VALUES (1, 0, ?)", (TEXT,))
        connection.execute(
            "INSERT INTO chunks (document_id, ordinal, start, \"end\", line, heading_path, embedding_key) VALUES (1, 0, 0, 29, 1, '', x'00')"
        )
    old.close()

    store = IndexStore(home / "index.db")

    (chunk,) = store.chunks_of(LOG)
    assert (chunk.text, chunk.page) == (TEXT, None)
    store.close()


def test_samples_are_spread_over_the_library_and_new_text_is_noticed(store: IndexStore) -> None:
    before = store.newest_text()
    for number in range(20):
        passages.put(store, Path(f"/docs/{number}.txt"), f"Note {number} of the harbour")

    assert (before, store.text_samples(5) != []) == (0, True)
    assert store.newest_text() > before
    assert len(store.text_samples(100)) == 20
    assert len(store.text_samples(4)) == 4
    assert all(len(text) <= 6 for text in store.text_samples(100, characters=6))


def test_an_empty_library_has_no_samples(store: IndexStore) -> None:
    assert store.text_samples(10) == []


def test_the_beginnings_of_chunks_are_what_their_texts_begin_with(store: IndexStore) -> None:
    passages.put(store, LOG, "short", "word " * 1500, "字" * 700, "last")
    chunks = store.chunks_of(LOG)

    beginnings = store.beginnings([*(chunk.id for chunk in reversed(chunks)), 12345], 40)

    assert beginnings.keys() == {chunk.id for chunk in chunks}
    for chunk in chunks:
        assert chunk.text.startswith(beginnings[chunk.id])
        assert beginnings[chunk.id]
    assert beginnings[chunks[1].id] == ("word " * 8)
