"""The encoding that a person says a file is in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.errors import InvalidRequest, NotFound
from core.store.index_store import IndexStore
from core.store.records import embedding_text
from core.store.user_store import UserStore
from tests.core.library.shelf import Shelf

# What Russian and Greek letters are in their own encodings: the bytes alone do not say which is meant.
BYTES = "Масло в лампе. ".encode("cp1251") * 3
AS_RUSSIAN, AS_GREEK = BYTES.decode("cp1251"), BYTES.decode("cp1253", "replace")


@pytest.fixture
def file(shelf: Shelf) -> Iterator[Path]:
    path = shelf.write("oil.txt", BYTES)
    shelf.index()
    yield path
    shelf.library.close()


def encoding_of(shelf: Shelf, path: Path) -> tuple[str, bool]:
    return next((item.encoding, item.encoding_is_chosen) for item in shelf.library.documents() if item.path == path)


def test_the_encoding_that_was_found_is_known(shelf: Shelf, file: Path) -> None:
    assert encoding_of(shelf, file) == ("cp1251", False)


def test_a_chosen_encoding_is_what_the_file_is_read_in_though_it_has_not_changed(shelf: Shelf, file: Path) -> None:
    assert shelf.library.choose_encoding(file, "windows-1253") == "cp1253"
    shelf.index(file)

    assert shelf.library.text(file).strip() == AS_GREEK.strip()
    assert encoding_of(shelf, file) == ("cp1253", True)


def test_the_choice_survives_edits_and_a_rebuilt_index_and_a_restart(shelf: Shelf, file: Path) -> None:
    shelf.library.choose_encoding(file, "cp1253")
    shelf.index(file)

    shelf.write("oil.txt", BYTES * 2, age_seconds=30)
    shelf.index()
    edited = encoding_of(shelf, file)
    shelf.library.rebuild()
    again = shelf.restarted(shelf.embedder)
    again.index()

    assert edited == encoding_of(again, file) == ("cp1253", True)
    assert again.library.text(file).startswith(AS_GREEK[:10])
    again.library.close()


def test_the_choice_can_be_taken_back(shelf: Shelf, file: Path) -> None:
    shelf.library.choose_encoding(file, "cp1253")
    shelf.index(file)

    assert shelf.library.choose_encoding(file, "auto") == "auto"
    shelf.index(file)

    assert encoding_of(shelf, file) == ("cp1251", False)
    assert shelf.library.text(file).strip() == AS_RUSSIAN.strip()


def test_a_run_that_was_ended_before_it_read_the_file_is_made_up_for_by_the_next(shelf: Shelf, file: Path) -> None:
    shelf.library.choose_encoding(file, "cp1253")

    shelf.index()

    assert encoding_of(shelf, file) == ("cp1253", True)


def test_a_copy_in_another_encoding_has_vectors_of_its_own(shelf: Shelf, file: Path) -> None:
    copy = shelf.write("copy.txt", BYTES)
    shelf.index()
    shelf.library.choose_encoding(copy, "cp1253")
    shelf.index(copy)

    (chunk,) = shelf.index_store.chunks_of(copy)
    (meant,) = shelf.embedder.embed_passages([embedding_text("copy", "", chunk.text)], cancel=CancelToken())
    assert chunk.text.strip() == AS_GREEK.strip()
    assert shelf.index_store.similarities(meant, [chunk.id], shelf.embedder.model_id)[chunk.id] == pytest.approx(1.0)


def test_a_wrong_choice_is_said_and_can_be_mended(shelf: Shelf, file: Path) -> None:
    shelf.library.choose_encoding(file, "utf-8")
    assert shelf.rows(file)["oil.txt"] == ("skipped", "wrong_encoding")
    assert encoding_of(shelf, file) == ("utf-8", True)

    shelf.library.choose_encoding(file, "auto")

    assert shelf.rows(file)["oil.txt"] == ("ready", "")


def test_a_web_page_can_be_read_in_a_chosen_encoding(shelf: Shelf) -> None:
    page = shelf.write("page.html", b"<html><body><p>" + BYTES + b"</p></body></html>")
    shelf.index()

    shelf.library.choose_encoding(page, "cp1253")
    shelf.index(page)

    assert shelf.library.text(page).strip() == AS_GREEK.strip()
    shelf.library.close()


def test_a_file_that_leaves_the_library_takes_the_choice_with_it(shelf: Shelf, file: Path) -> None:
    shelf.library.choose_encoding(file, "cp1253")

    shelf.library.remove(file)

    assert shelf.user_store.encodings() == {}


@pytest.mark.parametrize("encoding", ["utf-99", "base64", ""])
def test_an_encoding_that_does_not_exist_is_refused_and_changes_nothing(shelf: Shelf, file: Path, encoding: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        shelf.library.choose_encoding(file, encoding)

    assert caught.value.code == "encoding_unknown"
    assert shelf.user_store.encodings() == {}


def test_what_is_no_file_of_the_library_has_no_encoding_to_choose(shelf: Shelf, file: Path) -> None:
    for path in (shelf.docs, shelf.docs / "other.txt"):
        with pytest.raises(NotFound):
            shelf.library.choose_encoding(path, "utf-8")


def test_a_document_that_says_itself_how_it_is_read_is_refused(shelf: Shelf) -> None:
    path = shelf.write("a.pdf", b"no pdf")
    shelf.index()

    with pytest.raises(InvalidRequest) as caught:
        shelf.library.choose_encoding(path, "utf-8")

    assert caught.value.code == "encoding_fixed"
    shelf.library.close()


def test_choices_are_kept_by_the_bytes_of_the_name_and_forgotten_below_a_folder(home: Path) -> None:
    store = UserStore(home / "user.db")
    odd = Path("/notes/caf\udce9.txt")
    for path in (odd, Path("/notes/a/b.txt"), Path("/notes2/c.txt")):
        store.choose_encoding(path, "cp1252")

    store.choose_encoding(Path("/notes/a/b.txt"), "utf-8")
    assert store.encodings()[Path("/notes/a/b.txt")] == "utf-8" and odd in store.encodings()
    store.forget_encodings(Path("/notes"))

    assert store.encodings() == {Path("/notes2/c.txt"): "cp1252"}
    store.close()


def test_a_file_that_is_to_be_read_again_keeps_what_is_indexed_of_it_until_then(shelf: Shelf, file: Path) -> None:
    store: IndexStore = shelf.index_store

    store.read_again(file)
    store.read_again(shelf.docs / "unknown.txt")

    assert store.text(file).strip() == AS_RUSSIAN.strip()
    assert [item.reader_version for item in store.documents()] == [0]
