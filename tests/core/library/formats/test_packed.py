from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.errors import DocumentUnreadable
from core.library.document_reader import DocumentReader
from core.library.file_kinds import is_document, is_unsupported, may_choose_encoding
from core.library.formats.packed import unpack
from core.library.formats.reading import read_document
from tests.fakes.office_files import paragraph, word_file

LOG = "2026-11-30 灯塔的灯亮了 lamp lit\n2026-12-01 油不多了 oil low\n"


@pytest.mark.parametrize("name", ["access.log.gz", "notes.txt.GZ", "dump.gz", "syslog.2.gz", "page.html.gz", "letter.docx.gz"])
def test_a_packed_file_is_read_for_what_is_in_it(name: str) -> None:
    assert is_document(Path(name)) and not is_unsupported(Path(name))


@pytest.mark.parametrize("name", ["backup.tar.gz", "photo.jpg.gz", "twice.txt.gz.gz", "backup.tgz"])
def test_what_cannot_be_read_unpacked_cannot_be_read_packed(name: str) -> None:
    assert is_unsupported(Path(name))


def test_the_encoding_of_packed_text_may_be_chosen_and_that_of_a_packed_document_not() -> None:
    assert may_choose_encoding(Path("a.txt.gz")) and may_choose_encoding(Path("a.html.gz"))
    assert not may_choose_encoding(Path("a.docx.gz")) and not may_choose_encoding(Path("a.tar.gz"))


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_packed_text_is_decoded_and_knows_what_it_is(encoding: str) -> None:
    document = read_document(".log.gz", gzip.compress(LOG.encode(encoding)))

    assert (document.text, document.kind, document.encoding) == (LOG, "log", encoding)


def test_a_chosen_encoding_holds_for_packed_text() -> None:
    assert read_document(".txt.gz", gzip.compress(b"\xa9"), "iso8859_2").text == "Š"


def test_packed_documents_go_to_their_parsers() -> None:
    assert read_document(".docx.gz", gzip.compress(word_file(paragraph("灯 lamp")))).text.strip() == "灯 lamp"
    assert read_document(".html.gz", gzip.compress(b"<html><title>lamp</title><p>oil</p>")).title == "lamp"


@pytest.mark.parametrize("data", [b"no such thing", b"", gzip.compress(LOG.encode() * 99)[:-20], gzip.compress(LOG.encode())[:5]])
def test_what_is_not_whole_is_damaged(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(".log.gz", data)

    assert caught.value.code in ("damaged", "empty")


def test_what_is_too_large_unpacked_is_not_unpacked_to_its_end() -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        unpack(gzip.compress(b"0" * 1001), max_bytes=1000)

    assert caught.value.code == "unpacks_too_large"
    assert unpack(gzip.compress(b"0" * 1000), max_bytes=1000) == b"0" * 1000


def test_the_reader_gets_both_endings_of_the_name() -> None:
    reader = DocumentReader()
    try:
        found = reader.read(Path("/logs/server.access.log.gz"), gzip.compress(LOG.encode()), CancelToken())
    finally:
        reader.close()

    assert (found.text, found.kind, found.title) == (LOG, "log", "server.access.log")
