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
    open_presentation_file,
    open_row,
    open_shape,
    open_workbook_file,
    paragraph,
    pdf_file,
    presentation_file,
    row,
    shape,
    word_file,
    workbook_file,
)
from tests.fakes.old_office_files import OldParagraph, container_file, old_presentation_file, old_shape, old_word_file, old_workbook_file
from tests.fakes.old_office_files import row as row_of_word

WHOLE = {
    ".docx": word_file(paragraph("灯 lamp", style="1") + paragraph("oil " * 50)),
    ".xlsx": workbook_file({"A": row(1, "a", "b") + row(2, 1, 2)}),
    ".pptx": presentation_file([shape("Oil", kind="title") + shape("lamp")]),
    ".odt": open_document_file("<text:h>灯</text:h><text:p>lamp</text:p>"),
    ".ods": open_workbook_file({"灯": open_row("lamp", "oil") + open_row("1", "2")}),
    ".odp": open_presentation_file([open_shape("灯", kind="title") + open_shape("lamp")], notes={0: open_shape("oil", kind="notes")}),
    ".epub": book_file({"a.xhtml": "<html><body><h1>灯</h1><p>lamp</p></body></html>"}),
    ".eml": b"Subject: lamp\r\nFrom: Arno\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\noil\r\n--x--",
    ".pdf": pdf_file([lines_down(["lamp", "oil"])]),
    ".html": "<html><title>灯</title><table><tr><th>lamp<th>oil<tr><td>1<td>2</table>".encode(),
    ".ipynb": '{"cells": [{"cell_type": "markdown", "source": ["灯"]}, {"cell_type": "code", "source": "lamp", "outputs": []}]}'.encode(),
    ".srt": "1\n00:00:01,000 --> 00:00:02,000\n灯 lamp\n".encode(),
    ".rtf": rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset134 SimSun;}}\f0 \'b5\'c6\par{\footnote oil}\trowd\cell a\row}",
    ".doc": old_word_file(
        OldParagraph("灯 lamp\r", 1), OldParagraph("oil\x02\r"), *row_of_word("a", "b", edges=(0, 9, 99)), notes=["whale"]
    ),
    ".xls": old_workbook_file({"灯": [("lamp", "oil"), (1, (0.5, 1))]}, formats=["0%"]),
    ".ppt": old_presentation_file([([(0, "灯")], [old_shape(of_list=0), old_shape("lamp")])], notes={0: "oil"}),
}


def test_every_ending_that_counts_as_a_document_has_a_parser_and_no_other() -> None:
    for suffix in [*PARSERS, *TEXT_PARSERS]:
        assert is_document(Path(f"a{suffix.upper()}"))
        assert not is_unsupported(Path(f"a{suffix}"))
    assert not is_document(Path("a.md")) and not is_document(Path("a.key")) and not is_document(Path("pdf"))


def test_an_ending_without_a_parser_is_not_supported() -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(".key", b"")

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
        (".ods", open_workbook_file({"A": ""})),
        (".odp", open_presentation_file([""])),
        (".ipynb", b'{"cells": [], "nbformat": 4}'),
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


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        (".doc", ".docx"),
        (".wps", ".doc"),
        (".doc", ".rtf"),
        (".doc", ".xls"),
        (".xls", ".xlsx"),
        (".et", ".xls"),
        (".xls", ".html"),
        (".ppt", ".pptx"),
        (".dps", ".ppt"),
    ],
)
def test_under_the_endings_of_old_office_what_the_file_is_counts(ending: str, kind: str) -> None:
    assert read_document(ending, WHOLE[kind]).text == read_document(kind, WHOLE[kind]).text


@pytest.mark.parametrize("ending", [".doc", ".xls", ".ppt"])
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (container_file({"EncryptedPackage": b"x"}), "needs_password"),
        (container_file({"CONTENTS": b"of another program"}), "unsupported"),
        (WHOLE[".doc"][:700], "damaged"),
        (b"WordStar", "unsupported"),
    ],
)
def test_what_is_under_the_endings_of_old_office_and_cannot_be_read_says_why(ending: str, data: bytes, code: str) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(ending, data)

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
