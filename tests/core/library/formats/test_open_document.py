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


NUMBERS = (
    "<text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>"
    "<text:list-level-style-number text:level='2' style:num-format='a' style:num-prefix='(' style:num-suffix=')'/></text:list-style>"
    "<text:list-style style:name='D'><text:list-level-style-number text:level='1' style:num-format='1'/>"
    "<text:list-level-style-number text:level='2' style:num-format='1' text:display-levels='2'/></text:list-style>"
    "<text:list-style style:name='B'><text:list-level-style-bullet text:level='1' text:bullet-char='•'/></text:list-style>"
    "<text:list-style style:name='C'><text:list-level-style-number text:level='1' style:num-format='一, 二, 三, ...' style:num-prefix='第' style:num-suffix='条'/></text:list-style>"
    "<text:list-style style:name='R'><text:list-level-style-number text:level='1' style:num-format='I' text:start-value='4'/></text:list-style>"
)  # fmt: skip
OUTLINE = (
    "<text:outline-style><text:outline-level-style text:level='1' style:num-format='1'/>"
    "<text:outline-level-style text:level='2' style:num-format='1' text:display-levels='2' style:num-suffix='.'/></text:outline-style>"
)


def item(*texts: str, inner: str = "", attributes: str = "") -> str:
    return f"<text:list-item {attributes}>{''.join(f'<text:p>{text}</text:p>' for text in texts)}{inner}</text:list-item>"


def numbered(*items: str, style: str = "", attributes: str = "") -> str:
    return f"<text:list {f'text:style-name={style!r}' if style else ''} {attributes}>{''.join(items)}</text:list>"


def lines_of(body: str) -> list[str]:
    return [line for line in read_open_document(open_document_file(body, styles=NUMBERS + OUTLINE)).text.split("\n") if line]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (numbered(item("a"), item("b"), style="L"), ["1. a", "2. b"]),
        (numbered(item("a", inner=numbered(item("x"), item("y"))), item("b"), style="L"), ["1. a", "  (a) x", "  (b) y", "2. b"]),
        (numbered(item("a", inner=numbered(item("x"))), item(inner=numbered(item("y"))), style="D"), ["1 a", "  1.1 x", "  1.2 y"]),
        (numbered(item("a"), style="B"), ["- a"]),
        (numbered(item("a")), ["- a"]),
        (numbered(item("油"), item("灯"), style="C"), ["第一条 油", "第二条 灯"]),
        (numbered(item("a"), item("b", attributes="text:start-value='9'"), style="R"), ["IV a", "IX b"]),
        (numbered(item("a", "more of it"), item("b"), style="L"), ["1. a", "more of it", "2. b"]),
        (numbered("<text:list-header><text:p>Head</text:p></text:list-header>", item("a"), style="L"), ["Head", "1. a"]),
    ],
)
def test_lists_are_numbered_as_the_office_program_numbers_them(body: str, expected: list[str]) -> None:
    assert lines_of(body) == expected


def test_a_list_begins_anew_or_goes_on_as_it_says() -> None:
    first = numbered(item("a"), style="L", attributes="xml:id='one'")
    again, on = numbered(item("b"), style="L"), numbered(item("c"), style="L", attributes="text:continue-numbering='true'")
    back = numbered(item("d"), style="L", attributes="text:continue-list='one'")

    assert lines_of(first + again + on + back) == ["1. a", "1. b", "2. c", "2. d"]


def test_headings_are_numbered_where_the_outline_says_so() -> None:
    body = "".join(
        f"<text:h text:outline-level='{level}'>{title}</text:h>"
        for level, title in [(1, "Oil"), (2, "Seal"), (2, "Whale"), (1, "Wick"), (3, "No")]
    )

    assert lines_of(body) == ["# 1 Oil", "## 1.1. Seal", "## 1.2. Whale", "# 2 Wick", "### No"]
