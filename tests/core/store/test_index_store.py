from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import apsw
import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import IndexDamaged
from core.scope import Scope
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts
from core.store.words import match_query
from tests.core.store.passages import FISH, LAMP, found_by_vectors, found_by_words, put, put_words
from tests.fakes.hash_embedder import FakeEmbedder


def test_making_a_store_and_asking_for_documents_opens_nothing(home: Path) -> None:
    store = IndexStore(home / "index.db")

    assert not store.has_documents()
    assert not (home / "index.db").exists()


def test_a_file_is_found_by_its_words_and_by_its_meaning(store: IndexStore) -> None:
    put(store, LAMP, "The lamp burns oil.", "The keeper trims the wick.")
    put(store, FISH, "Herring swim in the bay.")

    assert found_by_words(store, "herring") == ["Herring swim in the bay."]
    assert found_by_vectors(store, "keeper trims the wick")[0] == "The keeper trims the wick."
    assert store.has_documents()


def test_a_chunk_is_the_slice_it_says_it_is(store: IndexStore) -> None:
    text = put(store, LAMP, "x" * 9000 + " needle", "第二段：灯塔。" * 900, title="Lamp")

    for chunk in store.chunks_of(LAMP):
        assert store.text(LAMP)[chunk.start : chunk.end] == chunk.text
    assert store.text(LAMP) == text
    assert [chunk.line for chunk in store.chunks_of(LAMP)] == [1, 3]
    assert store.chunks_of(LAMP)[0].context == "Lamp > Chapter"


def test_title_and_headings_are_found_too(store: IndexStore) -> None:
    put(store, LAMP, "Body.", title="Fresnel")

    assert found_by_words(store, "fresnel") == ["Body."]
    assert found_by_words(store, "chapter") == ["Body."]


def test_more_results_than_the_engine_gives_are_not_asked_for(store: IndexStore) -> None:
    put(store, LAMP, "one", "two")

    assert len(store.search_vectors(np.ones(32, np.float32), 1_000_000, "fake-1")) == 2
    assert len(store.search_words(match_query("one two"), 1_000_000)) == 2
    assert store.search_vectors(np.ones(32, np.float32), 0, "fake-1") == []


def test_check_finds_a_ready_file_without_a_vector_and_a_vector_without_a_chunk(store: IndexStore, home: Path) -> None:
    document = put_words(store, LAMP, "the lamp")
    put(store, FISH, "the fish")
    store.close()
    connection = apsw.Connection(str(home / "index.db"))
    connection.execute("UPDATE documents SET state = 'ready' WHERE id = ?", (document,))
    connection.execute("INSERT INTO vectors_0_rowids (rowid, chunk_id, chunk_offset) VALUES (999, 1, 5)")
    connection.close()

    assert store.check().problems == ("1 chunks of ready files have no vector", "1 vectors belong to no chunk")


def test_a_reader_works_while_a_file_is_being_written(store: IndexStore) -> None:
    put(store, LAMP, "the lamp")
    inside, go_on = threading.Event(), threading.Event()

    class SlowSpans(list[ChunkSpan]):
        def __iter__(self) -> Iterator[ChunkSpan]:
            inside.set()
            assert go_on.wait(10)
            return super().__iter__()

    spans = SlowSpans([ChunkSpan(0, 8, 1)])
    writer = threading.Thread(target=lambda: store.put(FileFacts(FISH), "the fish", spans, [b"k"], np.ones((1, 32), np.float32), "fake-1"))
    writer.start()
    assert inside.wait(10)

    found = found_by_words(store, "lamp fish")
    go_on.set()
    writer.join(10)

    assert found == ["the lamp"]
    assert sorted(found_by_words(store, "lamp fish")) == ["the fish", "the lamp"]


def put_at(store: IndexStore, path: str, text: str, day: date = date(2026, 1, 1)) -> None:
    """A file with one chunk, last changed at noon of a day."""
    moment = int(datetime(day.year, day.month, day.day, 12).timestamp()) * 10**9
    vectors = FakeEmbedder().embed_passages([text], cancel=CancelToken())
    facts = FileFacts(Path(path), "", "utf-8", f"sha of {text}", len(text), moment, 2)
    store.put(facts, text, [ChunkSpan(0, len(text), 1)], [text.encode()], vectors, "fake-1")


def found_within(store: IndexStore, scope: Scope, question: str = "lamp", k: int = 10) -> set[str]:
    """Names of the files that both searches find; they must agree."""
    by_words = store.search_words(match_query(question), k, scope)
    by_vectors = store.search_vectors(FakeEmbedder().embed_query(question, cancel=CancelToken()), k, "fake-1", scope)
    names = [{chunk.path.name for chunk in store.chunks([item for item, _ in found])} for found in (by_words, by_vectors)]
    assert names[0] == names[1]
    return names[0]


def test_a_search_within_paths_finds_those_files_and_what_lies_inside_those_folders(store: IndexStore) -> None:
    for path in ("/docs/a.md", "/docs/a.md.bak", "/docs/a/b.md", "/docs/a/c/d.md", "/docs/ab/e.md", "/docs/a0.md", "/other/a.md"):
        put_at(store, path, f"the lamp of {path}")

    assert found_within(store, Scope((Path("/docs/a.md"),))) == {"a.md"}
    assert found_within(store, Scope((Path("/docs/a"),))) == {"b.md", "d.md"}
    assert found_within(store, Scope((Path("/docs/a"), Path("/docs/ab/e.md")))) == {"b.md", "d.md", "e.md"}
    assert len(found_within(store, Scope((Path("/"),)))) == 6
    assert found_within(store, Scope((Path("/nowhere"),))) == set()


def test_files_of_the_same_name_are_told_apart(store: IndexStore) -> None:
    put_at(store, "/work/合同.md", "the lamp at work")
    put_at(store, "/home/合同.md", "the lamp at home")

    found = store.search_words(match_query("lamp"), 10, Scope((Path("/home/合同.md"),)))

    assert [chunk.text for chunk in store.chunks([item for item, _ in found])] == ["the lamp at home"]


@pytest.mark.parametrize("name", ["two words.md", "年假 制度.md", os.fsdecode(b"caf\xe9.md"), "50%_of'it\".md", "a*b?[c].md"])
def test_any_name_can_be_searched_in(store: IndexStore, name: str) -> None:
    put_at(store, f"/docs/{name}", "the lamp here")
    put_at(store, "/docs/other.md", "the lamp there")

    assert found_within(store, Scope((Path("/docs", name),))) == {name}
    assert store.knows(Path("/docs", name))
    assert not store.knows(Path("/docs", name[:-1]))


def test_a_search_between_days_finds_what_was_changed_on_them(store: IndexStore) -> None:
    for day in (1, 2, 3):
        put_at(store, f"/docs/{day}.md", "the lamp", date(2026, 5, day))

    assert found_within(store, Scope(since=date(2026, 5, 2))) == {"2.md", "3.md"}
    assert found_within(store, Scope(until=date(2026, 5, 2))) == {"1.md", "2.md"}
    assert found_within(store, Scope(since=date(2026, 5, 2), until=date(2026, 5, 2))) == {"2.md"}
    assert found_within(store, Scope((Path("/docs/1.md"),), since=date(2026, 5, 2))) == set()
    assert store.has_documents_within(Scope((Path("/docs/1.md"),)))
    assert not store.has_documents_within(Scope((Path("/docs/1.md"),), since=date(2026, 5, 2)))


def test_the_nearest_of_a_scope_are_found_however_many_nearer_ones_lie_outside(store: IndexStore) -> None:
    for number in range(60):
        put_at(store, f"/near/{number}.md", f"the lamp {number}")
    for number in range(5):
        put_at(store, f"/far/{number}.md", f"a lamp among herring and many other fishes in the bay {number}")

    assert found_within(store, Scope((Path("/far"),)), k=5) == {f"{number}.md" for number in range(5)}


def test_a_file_that_could_not_be_read_is_known_but_not_searched(store: IndexStore) -> None:
    store.put_without_text(FileFacts(LAMP), "skipped", "empty")

    assert store.knows(LAMP)
    assert store.knows(LAMP.parent)
    assert not store.has_documents_within(Scope((LAMP,)))


@pytest.mark.parametrize("damage", ["zeros", "half", "text", "middle"])
def test_a_damaged_index_is_named_and_can_be_rebuilt(home: Path, damage: str) -> None:
    path = home / "index.db"
    store = IndexStore(path)
    for number in range(60):
        put(store, Path(f"/docs/{number}.md"), f"file number {number} about lamps")
    store.erase_deleted()
    store.close()
    raw = path.read_bytes()
    path.write_bytes(
        {
            "zeros": b"\0" * len(raw),
            "half": raw[: len(raw) // 2],
            "text": b"hello" * 1000,
            "middle": raw[:4096] + os.urandom(len(raw) - 4096),
        }[damage]
    )

    with pytest.raises(IndexDamaged):
        found_by_words(store, "lamps")
        store.documents()
        for item in store.documents():
            store.text(item.document.path)
        if problems := store.check().problems:
            raise IndexDamaged(problems[0])
    aside = store.rebuild()

    assert aside is not None
    assert aside.exists()
    put(store, LAMP, "the lamp")
    assert found_by_words(store, "lamp") == ["the lamp"]
    assert store.check().problems == ()
    store.close()


def test_check_tells_what_does_not_agree(store: IndexStore, home: Path) -> None:
    put(store, LAMP, "one", "two")
    store.close()
    connection = apsw.Connection(str(home / "index.db"))
    connection.execute("DELETE FROM chunks WHERE ordinal = 1")
    connection.close()

    problems = store.check().problems

    assert "/docs/lamp.md: 2 chunks expected, 1 found" in problems
    assert len(problems) == 3


def test_space_is_given_back_when_files_go(store: IndexStore, home: Path) -> None:
    for number in range(300):
        put(store, Path(f"/docs/{number}.md"), *(f"passage {number} {part} " + "word " * 200 for part in range(3)))
    store.erase_deleted()
    full = (home / "index.db").stat().st_size

    store.remove([Path(f"/docs/{number}.md") for number in range(300)])
    store.erase_deleted()

    assert (home / "index.db").stat().st_size < full / 4


def test_the_content_of_a_chunk_is_the_same_in_files_with_the_same_bytes_read_in_the_same_encoding(store: IndexStore) -> None:
    files = {
        "a": ("one", "utf-8"),
        "b": ("one", "utf-8"),
        "read otherwise": ("one", "gb18030"),
        "other": ("two", "utf-8"),
        "unknown": ("", "utf-8"),
    }
    ids = {}
    for name, (sha256, encoding) in files.items():
        path = Path(f"/docs/{name}.txt")
        facts = FileFacts(path, encoding=encoding, sha256=sha256)
        store.put(facts, "The lamp.", [ChunkSpan(0, 9, 1)], [b"k"], np.ones((1, 32), np.float32), "fake-1")
        ids[name] = store.chunks_of(path)[0].id

    contents = store.contents([*ids.values(), 999])

    assert contents.keys() == {ids[name] for name in files if name != "unknown"}
    assert contents[ids["a"]] == contents[ids["b"]] == ("one", "utf-8", 0, 9)
    assert len(set(contents.values())) == 3


def test_a_place_is_the_document_and_the_ordinal_of_a_chunk(store: IndexStore) -> None:
    document = put_words(store, Path("/docs/a.txt"), "The lamp.", "The bell.")
    ids = [chunk.id for chunk in store.chunks_of(Path("/docs/a.txt"))]

    assert store.places([*ids, 999]) == {ids[0]: (document, 0), ids[1]: (document, 1)}
    assert store.places([]) == {}
