"""Documents that need a parser, from the disk into the index."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.documents import IndexedFile
from core.errors import DocumentUnreadable
from core.events import IndexFinished
from core.lease import ComputeLease
from core.library.document_reader import DocumentReader
from core.library.extraction import ExtractedText
from core.library.library import Library
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder
from tests.fakes.office_files import (
    book_file,
    lines_down,
    open_document_file,
    paragraph,
    pdf_file,
    presentation_file,
    row,
    shape,
    word_file,
    workbook_file,
)

PAST_NS = 1_700_000_000_000_000_000


@dataclass
class FailingReader(DocumentReader):
    """Reads nothing: every file breaks it in the way that `code` says."""

    code: str
    asked: list[str] = field(default_factory=list)

    def read(self, path: Path, data: bytes, cancel: CancelToken, *, encoding: str = "") -> ExtractedText:
        self.asked.append(path.name)
        raise DocumentUnreadable("It broke.", code=self.code)

    def unload(self) -> None:
        pass

    def close(self) -> None:
        pass


@dataclass
class Home:
    docs: Path
    user_store: UserStore
    index_store: IndexStore

    def library(self, reader: DocumentReader | None = None) -> Library:
        return Library(self.user_store, self.index_store, FakeEmbedder(), ComputeLease(), reader=reader)

    def write(self, name: str, content: bytes, *, changed_ns: int = PAST_NS) -> Path:
        path = self.docs / name
        path.write_bytes(content)
        os.utime(path, ns=(changed_ns, changed_ns))
        return path


@pytest.fixture
def at_home(home: Path, tmp_path: Path) -> Iterator[Home]:
    docs = tmp_path / "docs"
    docs.mkdir()
    made = Home(docs, UserStore(home / "user.db"), IndexStore(home / "index.db"))
    made.library().add([docs])
    yield made
    made.index_store.close()
    made.user_store.close()


def index(library: Library, *paths: Path) -> dict[str, IndexedFile]:
    *_, finished = library.index(CancelToken(), paths or None)
    assert isinstance(finished, IndexFinished)
    return {file.path.name: file for file in finished.report.files}


def test_documents_of_every_kind_are_indexed_and_their_passages_are_slices_of_their_text(at_home: Home) -> None:
    at_home.write("a.docx", word_file(paragraph("灯塔手册", style="1") + paragraph("The lamp burns oil.")))
    at_home.write("b.xlsx", workbook_file({"价目": row(1, "Part", "Price") + row(2, "Lens", 4)}))
    at_home.write("c.pptx", presentation_file([shape("Oil", kind="title") + shape("Fill daily")]))
    at_home.write("d.odt", open_document_file("<text:p>A keeper writes.</text:p>"))
    at_home.write("e.epub", book_file({"a.xhtml": "<html><body><p>It came.</p></body></html>"}, title="The Storm"))
    at_home.write("f.eml", b"Subject: Oil\r\nFrom: Arno\r\n\r\nIt has come.")
    at_home.write("g.pdf", pdf_file([lines_down(["It burns."])]))
    library = at_home.library()

    files = index(library)

    assert {name: (file.state, file.reason) for name, file in files.items()} == {f"{name}": ("ready", "") for name in files}
    assert len(files) == 7
    assert library.check().problems == ()
    assert library.text(at_home.docs / "e.epub") == "# The Storm\n\nIt came."
    for document in library.documents():
        text = library.text(document.path)
        assert all(text[chunk.start : chunk.end] == chunk.text for chunk in at_home.index_store.chunks_of(document.path))
    library.close()


def test_documents_that_cannot_be_read_are_rows_with_a_reason(at_home: Home) -> None:
    at_home.write("bomb.docx", word_file("<w:p>" + "\0" * 30_000_000))
    at_home.write("broken.pdf", b"%PDF-1.4 and nothing more")
    at_home.write("empty.docx", b"")
    at_home.write("locked.pdf", pdf_file([lines_down(["x"])], password="lamp"))
    at_home.write("renamed.xlsx", b"only text")
    at_home.write("scan.pdf", pdf_file([[]]))
    library = at_home.library()

    files = index(library)

    assert {name: (file.state, file.reason) for name, file in files.items()} == {
        "bomb.docx": ("skipped", "unpacks_too_large"),
        "broken.pdf": ("failed", "damaged"),
        "empty.docx": ("skipped", "empty"),
        "locked.pdf": ("skipped", "needs_password"),
        "renamed.xlsx": ("failed", "damaged"),
        "scan.pdf": ("skipped", "no_text_layer"),
    }
    library.close()


@pytest.mark.parametrize("code", ["reader_crashed", "timed_out", "too_much_memory", "damaged"])
def test_a_file_that_broke_its_parser_is_not_tried_again_until_it_changes_or_somebody_asks(at_home: Home, code: str) -> None:
    path = at_home.write("poison.docx", b"one")
    reader = FailingReader(code)
    library = at_home.library(reader)

    first = index(library)
    second = index(library)

    assert [(file.state, file.reason, file.unchanged) for file in (first["poison.docx"], second["poison.docx"])] == [
        ("failed", code, False),
        ("failed", code, True),
    ]
    list(library.update(CancelToken(), [path]))  # something happened to it that changed nothing
    assert reader.asked == ["poison.docx"]

    index(library, path)
    at_home.write("poison.docx", b"two", changed_ns=PAST_NS + 1)
    index(library)

    assert reader.asked == ["poison.docx"] * 3


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("page.html", b"<p>lamp"),
        ("PAGE.HTM", b"<p>lamp"),
        ("saved page", b"\n <!DOCTYPE html><p>lamp"),
        ("wide", "\ufeff<html><p>灯".encode("utf-16-le")),
        ("a.srt", b"1\n"),
    ],
)
def test_web_pages_and_subtitles_are_parsed_where_they_can_harm_nothing_else(at_home: Home, name: str, data: bytes) -> None:
    at_home.write(name, data)
    at_home.write("letter.txt", b"The lamp burns.")
    reader = FailingReader("reader_crashed")

    rows = index(at_home.library(reader))

    assert reader.asked == [name]
    assert (rows[name].state, rows[name].reason, rows["letter.txt"].state) == ("failed", "reader_crashed", "ready")


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.log", "a.md", "a.py", "a.xml", "notes"])
def test_text_without_a_parser_needs_no_other_process(at_home: Home, name: str) -> None:
    at_home.write(name, b'<a>"lamp, oil')
    reader = FailingReader("reader_crashed")

    assert index(at_home.library(reader))[name].state == "ready"


def test_a_skipped_file_is_read_again_when_somebody_asks_for_it_by_name(at_home: Home) -> None:
    path = at_home.write("locked.docx", b"one")
    reader = FailingReader("needs_password")
    library = at_home.library(reader)

    index(library)
    index(library)
    index(library, at_home.docs)
    assert reader.asked == ["locked.docx"]

    index(library, path)
    assert reader.asked == ["locked.docx"] * 2


def test_a_file_is_tried_again_when_its_reader_could_not_start(at_home: Home) -> None:
    at_home.write("letter.docx", b"one")
    reader = FailingReader("reader_unavailable")
    library = at_home.library(reader)

    index(library)
    index(library)

    assert reader.asked == ["letter.docx"] * 2


def test_no_process_is_left_after_a_run(at_home: Home) -> None:
    at_home.write("a.docx", word_file(paragraph("The lamp.")))
    reader = DocumentReader()
    library = at_home.library(reader)

    assert index(library)["a.docx"].state == "ready"

    assert reader.pid is None
    library.close()
