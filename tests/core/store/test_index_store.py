from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import apsw
import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, IndexDamaged, ModelUnusable, NotFound
from core.protocols import Vectors
from core.scope import Scope
from core.store import index_rows, index_store
from core.store.index_rows import PIECE_CHUNKS, remove_piece
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts, MadeVector, embedding_key, embedding_text
from core.store.unit_vectors import unit
from core.store.words import match_query
from tests.fakes.hash_embedder import FakeEmbedder

LAMP, FISH = Path("/docs/lamp.md"), Path("/docs/fish.md")


@pytest.fixture
def store(home: Path) -> Iterator[IndexStore]:
    store = IndexStore(home / "index.db")
    yield store
    store.close()


def put(
    store: IndexStore, path: Path, *passages: str, title: str = "", embedder: FakeEmbedder | None = None, vectors: Vectors | None = None
) -> str:
    """Index `passages` as the chunks of one file, an empty line between them; returns the file's text."""
    embedder = embedder or FakeEmbedder()
    text, spans = "", []
    for passage in passages:
        spans.append(ChunkSpan(len(text), len(text) + len(passage), text.count("\n") + 1, "Chapter"))
        text += passage + "\n\n"
    inputs = [embedding_text(title, "Chapter", passage) for passage in passages]
    made = embedder.embed_passages(inputs, cancel=CancelToken()) if vectors is None else vectors
    facts = FileFacts(path, title, "utf-8", f"sha of {text}", len(text), 1, 2)
    store.put(facts, text, spans, [embedding_key(item) for item in inputs], made, embedder.model_id)
    return text


def found_by_words(store: IndexStore, question: str, k: int = 10) -> list[str]:
    return [chunk.text for chunk in store.chunks([item for item, _ in store.search_words(match_query(question), k)])]


def found_by_vectors(store: IndexStore, question: str, embedder: FakeEmbedder | None = None) -> list[str]:
    embedder = embedder or FakeEmbedder()
    hits = store.search_vectors(embedder.embed_query(question, cancel=CancelToken()), 10, embedder.model_id)
    return [chunk.text for chunk in store.chunks([item for item, _ in hits])]


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


def test_more_results_than_the_engine_gives_are_not_asked_for(store: IndexStore) -> None:
    put(store, LAMP, "one", "two")

    assert len(store.search_vectors(np.ones(32, np.float32), 1_000_000, "fake-1")) == 2
    assert len(store.search_words(match_query("one two"), 1_000_000)) == 2
    assert store.search_vectors(np.ones(32, np.float32), 0, "fake-1") == []


def test_vectors_of_two_models_are_never_compared(store: IndexStore) -> None:
    small, large = FakeEmbedder("small", 16), FakeEmbedder("large", 64)
    put(store, LAMP, "the lamp", embedder=small)
    put(store, FISH, "the fish", embedder=large)

    assert found_by_vectors(store, "the lamp", small) == ["the lamp"]
    assert found_by_vectors(store, "the lamp", large) == ["the fish"]
    assert found_by_vectors(store, "the lamp", FakeEmbedder("unknown", 16)) == []
    assert {item.document.path: item.embedder_id for item in store.documents()} == {LAMP: "small", FISH: "large"}
    assert store.check().problems == ()


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


def put_words(store: IndexStore, path: Path, *passages: str, embedder: FakeEmbedder | None = None) -> int:
    """Store the text and the words of a file whose vectors are still to be made; returns its id."""
    embedder = embedder or FakeEmbedder()
    text = "\n\n".join(passages)
    starts = [text.index(passage) for passage in passages]
    spans = [ChunkSpan(start, start + len(passage), 1) for start, passage in zip(starts, passages, strict=True)]
    keys = [embedding_key(passage) for passage in passages]
    return store.put_text(FileFacts(path), text, spans, keys, [None] * len(spans), embedder.model_id, embedder.dimension)


def made(store: IndexStore, document: int, embedder: FakeEmbedder, *, limit: int = 100) -> list[MadeVector]:
    """Vectors for the first chunks of a file that lack theirs."""
    missing = store.missing(document, embedder.model_id, after=-1, limit=limit)
    vectors = embedder.embed_passages([item.text for item in missing], cancel=CancelToken())
    return [MadeVector(item.chunk_id, item.key, unit(vector)) for item, vector in zip(missing, vectors, strict=True)]


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


def test_a_file_that_comes_back_while_it_is_being_removed_is_there(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, FISH, *(f"herring {number}" for number in range(LARGE)))
    monkeypatch.setattr(index_store, "remove_piece", lambda connection: (_ for _ in ()).throw(Cancelled()))
    with pytest.raises(Cancelled):
        store.remove([FISH])

    put(store, FISH, "herring 1")

    assert not store.finish_removals(CancelToken())
    assert found_by_words(store, "herring") == ["herring 1"]
    assert store.check().problems == ()


def test_a_file_that_was_half_taken_over_by_another_model_leaves_no_vectors_when_it_goes(store: IndexStore) -> None:
    small, large = FakeEmbedder("small", 16), FakeEmbedder("large", 64)
    put(store, LAMP, "the lamp", "the wick", embedder=small)
    document = store.documents()[0].document.id
    store.add_vectors(made(store, document, large, limit=1), [], large.model_id, large.dimension)
    assert store.check().vectors == 3

    store.remove([LAMP])

    assert (store.check().vectors, store.check().problems) == (0, ())


def test_check_finds_a_ready_file_without_a_vector_and_a_vector_without_a_chunk(store: IndexStore, home: Path) -> None:
    document = put_words(store, LAMP, "the lamp")
    put(store, FISH, "the fish")
    store.close()
    connection = apsw.Connection(str(home / "index.db"))
    connection.execute("UPDATE documents SET state = 'ready' WHERE id = ?", (document,))
    connection.execute("INSERT INTO vectors_0_rowids (rowid, chunk_id, chunk_offset) VALUES (999, 1, 5)")
    connection.close()

    assert store.check().problems == ("1 chunks of ready files have no vector", "1 vectors belong to no chunk")


def test_names_that_are_not_unicode_are_kept(store: IndexStore) -> None:
    path = Path(os.fsdecode(b"/docs/\xff.txt"))

    put(store, path, "text", title="\udcff")

    assert store.documents()[0].document.path == path
    assert store.chunks_of(path)[0].title == "\ufffd"
    assert store.remove([path]) == 1


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


def test_other_word_rules_rewrite_the_word_index(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, LAMP, "the lamp")
    monkeypatch.setattr("core.store.index_rows.words_version", lambda: "others")
    monkeypatch.setattr("core.store.index_rows.indexed_form", lambda text: f"{text} everywhere")

    put(store, FISH, "the fish")

    assert sorted(found_by_words(store, "everywhere")) == ["the fish", "the lamp"]
    assert store.check().problems == ()


def test_words_of_other_rules_are_written_anew_before_they_are_searched(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("core.store.index_rows.words_version", lambda: "1")
        earlier.setattr("core.store.index_rows.indexed_form", lambda text: text)
        put(store, FISH, "魚")
    before = store.vectors_by_content("sha of 魚\n\n", "utf-8", "fake-1")

    found = found_by_words(store, "鱼")

    assert found == ["魚"]
    assert before
    assert store.vectors_by_content("sha of 魚\n\n", "utf-8", "fake-1") == before
    assert store.check().problems == ()


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


def test_samples_are_spread_over_the_library_and_new_text_is_noticed(store: IndexStore) -> None:
    before = store.newest_text()
    for number in range(20):
        put_at(store, f"/docs/{number}.txt", f"Note {number} of the harbour")

    assert (before, store.text_samples(5) != []) == (0, True)
    assert store.newest_text() > before
    assert len(store.text_samples(100)) == 20
    assert len(store.text_samples(4)) == 4
    assert all(len(text) <= 6 for text in store.text_samples(100, characters=6))


def test_an_empty_library_has_no_samples(store: IndexStore) -> None:
    assert store.text_samples(10) == []


def test_a_place_is_the_document_and_the_ordinal_of_a_chunk(store: IndexStore) -> None:
    document = put_words(store, Path("/docs/a.txt"), "The lamp.", "The bell.")
    ids = [chunk.id for chunk in store.chunks_of(Path("/docs/a.txt"))]

    assert store.places([*ids, 999]) == {ids[0]: (document, 0), ids[1]: (document, 1)}
    assert store.places([]) == {}


def test_the_beginnings_of_chunks_are_what_their_texts_begin_with(store: IndexStore) -> None:
    put(store, LAMP, "short", "word " * 1500, "字" * 700, "last")
    chunks = store.chunks_of(LAMP)

    beginnings = store.beginnings([*(chunk.id for chunk in reversed(chunks)), 12345], 40)

    assert beginnings.keys() == {chunk.id for chunk in chunks}
    for chunk in chunks:
        assert chunk.text.startswith(beginnings[chunk.id])
        assert beginnings[chunk.id]
    assert beginnings[chunks[1].id] == ("word " * 8)


def test_after_many_deletions_the_word_index_is_written_closely_anew(
    store: IndexStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_rows, "HOLES_MATTER_FROM", 40)
    monkeypatch.setattr(index_rows, "MERGED_PAGES", 2)

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
    monkeypatch.setattr(index_rows, "HOLES_MATTER_FROM", 2)
    for passage in ("lamp", "oil", "wick", "glass"):
        put(store, LAMP, passage)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        store.tidy_words(cancel)
    assert store.tidy_words(CancelToken())
    assert found_by_words(store, "glass") == ["glass"]
    assert store.check().problems == ()
