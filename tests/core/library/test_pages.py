"""Pages of PDF files, slides, sheets and parts of books, from the file into a source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.documents import PageStart, ScoredChunk
from core.library.document_reader import DocumentReader
from core.qa.citations import closest
from tests.core.library.shelf import Shelf
from tests.fakes.office_files import (
    book_file,
    lines_down,
    open_presentation_file,
    open_row,
    open_shape,
    open_workbook_file,
    pdf_file,
    presentation_file,
    row,
    shape,
    workbook_file,
)

PAGES = ["The lamp was lit in 1871.", "Oil came by boat.", "The keeper left."]
WITH_PAGES = {
    "a.pdf": pdf_file([lines_down([PAGES[0]]), lines_down([PAGES[1]]), [], lines_down([PAGES[2]])]),
    "a.pptx": presentation_file([shape(text, kind="title") for text in PAGES]),
    "a.xlsx": workbook_file({f"Sheet {n}": row(1, text, "x") + row(2, "y", n) for n, text in enumerate(PAGES)}),
    "a.odp": open_presentation_file([open_shape(text, kind="title") for text in PAGES]),
    "a.ods": open_workbook_file({f"Sheet {n}": open_row(text, "x") + open_row("y", "z") for n, text in enumerate(PAGES)}),
    "a.epub": book_file({f"{n}.xhtml": f"<html><body><h1>{text}</h1></body></html>" for n, text in enumerate(PAGES)}),
}


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    made = DocumentReader()
    yield made
    made.close()


@pytest.fixture
def library_shelf(shelf: Shelf) -> Iterator[Shelf]:
    yield shelf
    shelf.library.close()


@pytest.mark.parametrize("name", WITH_PAGES)
def test_every_place_of_a_text_is_on_the_page_where_the_file_has_it(library_shelf: Shelf, name: str) -> None:
    path = library_shelf.write(name, WITH_PAGES[name])
    library_shelf.index()

    text = library_shelf.library.text(path)
    chunks = library_shelf.index_store.chunks_of(path)

    expected = [1, 2, 4] if name == "a.pdf" else [1, 2, 3]
    found = []
    for page in PAGES:
        place = text.index(page)
        (chunk,) = [chunk for chunk in chunks if chunk.start <= place < chunk.end]
        found.append(chunk.page_at(place))
    assert found == expected
    assert chunks[0].page == 1


def test_a_source_is_on_the_page_where_its_quote_begins(library_shelf: Shelf) -> None:
    path = library_shelf.write("a.pdf", WITH_PAGES["a.pdf"])
    library_shelf.index()
    (chunk,) = library_shelf.index_store.chunks_of(path)

    pages = [closest(question, [ScoredChunk(chunk, 1.0)])[0].page for question in PAGES]

    assert pages == [1, 2, 4]


def test_a_title_put_above_the_text_is_on_the_first_page(library_shelf: Shelf) -> None:
    path = library_shelf.write("book.epub", book_file({"a.xhtml": "<html><body><p>lamp</p></body></html>"}, title="The Light"))
    library_shelf.index()

    (chunk,) = library_shelf.index_store.chunks_of(path)

    assert chunk.text.startswith("# The Light")
    assert chunk.page_starts == (PageStart(0, 1),)


def test_a_text_file_has_no_pages(library_shelf: Shelf) -> None:
    path = library_shelf.write("a.md", "# Lamp\n\nOil.")
    library_shelf.index()

    (chunk,) = library_shelf.index_store.chunks_of(path)

    assert (chunk.page, chunk.page_starts) == (None, ())


def test_pages_go_with_the_text_they_belong_to(library_shelf: Shelf) -> None:
    path = library_shelf.write("a.pdf", WITH_PAGES["a.pdf"])
    library_shelf.index()

    library_shelf.write("a.pdf", pdf_file([lines_down([PAGES[2]])]), age_seconds=30)
    library_shelf.index()

    (chunk,) = library_shelf.index_store.chunks_of(path)
    assert chunk.page_starts == (PageStart(0, 1),)
    library_shelf.library.remove(path)
    assert library_shelf.library.check().problems == ()


def test_invisible_letters_move_no_page(reader: DocumentReader) -> None:
    data = presentation_file([shape("La\u200bmp\u200b", kind="title"), shape("O\u00adil", kind="title")])

    text = reader.read(Path("a.pptx"), data, CancelToken())

    assert [text.text[page.start :][:7] for page in text.pages] == ["## Lamp", "## Oil"]
