from __future__ import annotations

import pytest

from core.errors import DocumentUnreadable
from core.library.formats.open_document import read_open_document
from tests.fakes.office_files import open_document_file, zipped


def text_of(body: str, **parts: str) -> str:
    return read_open_document(open_document_file(body, **parts)).text


def test_headings_lists_and_paragraphs_are_read_in_order() -> None:
    body = (
        "<text:h text:outline-level='1'>灯塔手册</text:h><text:p>The lamp\n   burns <text:span>oil</text:span>.</text:p><text:list><text:list-item>"
        "<text:p>one</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item>"
        "<text:list-item><text:p>two</text:p></text:list-item></text:list><text:section><text:h text:outline-level='2'>Oil</text:h></text:section>"
    )

    assert text_of(body) == "# 灯塔手册\n\nThe lamp burns oil.\n\n- one\n  - inner\n- two\n\n## Oil"


def test_spaces_tabs_and_breaks_are_elements() -> None:
    assert text_of("<text:p>a<text:s text:c='2'/>b<text:tab/>c<text:line-break/>d</text:p>") == "a  b\tc\nd"


def test_tables_are_read_with_their_merged_cells() -> None:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    body = (
        f"<table:table><table:table-header-rows><table:table-row>{cell.format('Part')}{cell.format('Price')}</table:table-row></table:table-header-rows>"
        f"<table:table-row>{cell.format('Lens')}{cell.format('4')}</table:table-row>"
        f"<table:table-row>{cell.format('both')}<table:covered-table-cell/><table:table-cell table:number-columns-repeated='16000'/></table:table-row>"
        "</table:table>"
    )

    assert text_of(body) == "| Part | Price |\n| --- | --- |\n| Lens | 4 |\n| both |  |"


def test_footnotes_stand_at_the_end() -> None:
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Since 1831.</text:p></text:note-body></text:note>"

    assert text_of(f"<text:p>Oil burns{note}.</text:p>") == "Oil burns[^1].\n\n[^1]: Since 1831."


def test_deleted_hidden_and_remarked_text_is_left_out() -> None:
    styles = "<style:style style:name='H'><style:text-properties text:display='none'/></style:style>"
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>"
        "<text:p>seen<office:annotation><text:p>a remark</text:p></office:annotation><text:span text:style-name='H'>hidden</text:span></text:p>"
        "<text:p text:style-name='H'>hidden, too</text:p><text:table-of-content><text:p>Oil 3</text:p></text:table-of-content>"
    )

    assert text_of(body, styles=styles) == "seen"


def test_a_text_box_stands_after_its_paragraph() -> None:
    assert (
        text_of("<text:p>around<draw:frame><draw:text-box><text:p>inside</text:p></draw:text-box></draw:frame></text:p>")
        == "around\n\ninside"
    )


def test_an_encrypted_document_says_so() -> None:
    manifest = "<manifest:file-entry manifest:full-path='content.xml'><manifest:encryption-data/></manifest:file-entry>"

    with pytest.raises(DocumentUnreadable) as caught:
        text_of("", manifest=manifest)

    assert caught.value.code == "needs_password"


def test_what_is_no_text_document_is_damaged() -> None:
    for data in (zipped({"content.xml": "<x/>"}), zipped({"a": ""}), b"text", open_document_file("<text:p>x</text:p>")[:200]):
        with pytest.raises(DocumentUnreadable) as caught:
            read_open_document(data)
        assert caught.value.code == "damaged"
