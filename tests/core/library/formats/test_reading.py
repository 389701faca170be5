from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import DocumentUnreadable
from core.library.file_kinds import is_document, is_unsupported
from core.library.formats.reading import PARSERS, TEXT_PARSERS, read_document
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

WHOLE = {
    ".docx": word_file(paragraph("灯 lamp", style="1") + paragraph("oil " * 50)),
    ".xlsx": workbook_file({"A": row(1, "a", "b") + row(2, 1, 2)}),
    ".pptx": presentation_file([shape("Oil", kind="title") + shape("lamp")]),
    ".odt": open_document_file("<text:h>灯</text:h><text:p>lamp</text:p>"),
    ".epub": book_file({"a.xhtml": "<html><body><h1>灯</h1><p>lamp</p></body></html>"}),
    ".eml": b"Subject: lamp\r\nFrom: Arno\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\noil\r\n--x--",
    ".pdf": pdf_file([lines_down(["lamp", "oil"])]),
    ".html": "<html><title>灯</title><table><tr><th>lamp<th>oil<tr><td>1<td>2</table>".encode(),
    ".srt": "1\n00:00:01,000 --> 00:00:02,000\n灯 lamp\n".encode(),
    ".rtf": rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset134 SimSun;}}\f0 \'b5\'c6\par{\footnote oil}\trowd\cell a\row}",
}


def test_every_ending_that_counts_as_a_document_has_a_parser_and_no_other() -> None:
    for suffix in [*PARSERS, *TEXT_PARSERS]:
        assert is_document(Path(f"a{suffix.upper()}"))
        assert not is_unsupported(Path(f"a{suffix}"))
    assert not is_document(Path("a.md")) and not is_document(Path("a.xls")) and not is_document(Path("pdf"))


def test_an_ending_without_a_parser_is_not_supported() -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(".xls", b"")

    assert caught.value.code == "unsupported"


@pytest.mark.parametrize("suffix", WHOLE)
def test_whole_documents_are_read(suffix: str) -> None:
    assert read_document(suffix, WHOLE[suffix]).text.strip()


@pytest.mark.parametrize("suffix", WHOLE)
def test_a_document_cut_off_anywhere_is_read_or_refused_with_a_reason(suffix: str) -> None:
    whole = WHOLE[suffix]

    for size in range(0, len(whole), max(1, len(whole) // 20)):
        try:
            read_document(suffix, whole[:size])
        except DocumentUnreadable as error:
            assert error.code in ("empty", "damaged", "no_text", "no_text_layer")


@settings(max_examples=120)
@given(st.sampled_from(sorted(WHOLE)), st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=8))
def test_no_changed_bytes_break_a_parser(suffix: str, changes: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE[suffix])
    for place, value in changes:
        data[place % len(data)] = value

    try:
        read_document(suffix, bytes(data))
    except DocumentUnreadable as error:
        assert error.code


def test_a_document_without_words_says_so() -> None:
    for suffix, data in (
        (".docx", word_file(paragraph(" "))),
        (".odt", open_document_file("")),
        (".pptx", presentation_file(["<p:pic/>"])),
    ):
        with pytest.raises(DocumentUnreadable) as caught:
            read_document(suffix, data)
        assert caught.value.code == "no_text"


@pytest.mark.parametrize("suffix", sorted(PARSERS))
def test_a_file_of_white_space_is_empty_whatever_its_kind(suffix: str) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(suffix, b"  \r\n\n  ")

    assert caught.value.code == "empty"


def test_under_the_old_ending_of_word_what_the_file_is_counts() -> None:
    assert read_document(".doc", WHOLE[".docx"]).text == read_document(".docx", WHOLE[".docx"]).text
    assert read_document(".doc", WHOLE[".rtf"]).text == read_document(".rtf", WHOLE[".rtf"]).text
    container = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)
    for data, code in (
        (container + "EncryptedPackage".encode("utf-16-le"), "needs_password"),
        (container + "WordDocument".encode("utf-16-le"), "unsupported"),
        (b"<html>saved as .doc</html>", "unsupported"),
    ):
        with pytest.raises(DocumentUnreadable) as caught:
            read_document(".doc", data)
        assert caught.value.code == code


def test_characters_that_nobody_can_see_are_removed() -> None:
    assert read_document(".docx", word_file(paragraph("la\u200bmp\u202e"))).text == "lamp"


def test_a_parser_that_stumbles_means_a_damaged_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(data: bytes) -> None:
        raise KeyError("rId1")

    monkeypatch.setattr("core.library.formats.reading.PARSERS", {".docx": stumble})

    with pytest.raises(DocumentUnreadable) as caught:
        read_document(".docx", b"x")

    assert caught.value.code == "damaged"
    assert "KeyError" in caught.value.message
