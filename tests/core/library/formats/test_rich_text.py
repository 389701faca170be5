from __future__ import annotations

import pytest

from core.errors import DocumentUnreadable
from core.library.formats.rich_text import read_rich_text


def text_of(body: str, *, head: str = r"\ansi\ansicpg1252") -> str:
    return read_rich_text(f"{{\\rtf1{head}\n{body}}}".encode("latin-1")).text


def test_headings_and_paragraphs_are_read_in_order() -> None:
    body = r"{\pard\outlinelevel0 Manual\par}{\pard The lamp\line burns oil.\par}{\pard\outlinelevel1 Oil\par}\pard Every evening."

    assert text_of(body) == "# Manual\n\nThe lamp\nburns oil.\n\n## Oil\n\nEvery evening."


@pytest.mark.parametrize(
    ("charset", "encoding", "words"),
    [
        (134, "gb18030", "灯塔看守人丂侤"),
        (136, "cp950", "燈塔許功蓋"),
        (128, "cp932", "灯台の表示ソ能"),
        (129, "cp949", "등대지기"),
        (204, "cp1251", "Маяк"),
        (161, "cp1253", "φάρος"),
        (238, "cp1250", "źródło"),
    ],
)
@pytest.mark.parametrize("escape_all", [True, False])
def test_bytes_are_read_in_the_code_page_of_their_font_however_they_are_written(
    charset: int, encoding: str, words: str, escape_all: bool
) -> None:
    # The second byte of a Chinese or Japanese character may be an ASCII letter, and programs write that as it is.
    escaped = "".join(f"\\'{byte:02x}" if escape_all or byte > 0x7F or byte in b"\\{}" else chr(byte) for byte in words.encode(encoding))

    assert text_of(rf"{{\fonttbl{{\f0 Arial;}}{{\f1\fnil\fcharset{charset} Name;}}}}\f1 {escaped}\f0  lamp") == f"{words} lamp"


def test_without_a_charset_the_code_page_of_the_document_holds() -> None:
    assert text_of(r"\'b5\'c6\'cb\'fe", head=r"\ansi\ansicpg936") == "灯塔"
    assert text_of(r"caf\'e9") == "café"
    assert text_of(r"\'b5", head=r"\ansi\ansicpg99999") == "µ"


def test_unicode_characters_replace_what_stands_for_them_in_old_programs() -> None:
    assert text_of(r"\u28783?\uc2\u22612\'cb\'fe\uc0\u38!") == "灯塔&!"
    assert text_of(r"\u-10179?\u-8704?") == "😀"
    assert text_of(r"{\uc2\u228\'E8a}b") == "äb"
    assert text_of(r"\u-10179? alone") == "\ufffd alone"


def test_fonts_colours_styles_pictures_instructions_and_hidden_text_are_left_out() -> None:
    body = (
        r"{\fonttbl{\f0 Arial;}}{\colortbl;\red0;}{\stylesheet{\s1 heading 1;}}{\info{\title Secret}}{\*\generator W;}{\header Top}{\pict\bin5 }}}}}}"
        r"{\field{\*\fldinst HYPERLINK x}{\fldrslt here}} {\v hidden }{\deleted gone }{\*\unknown no {deeper}}seen{\footer Bottom}"
    )

    assert text_of(body) == "here seen"


def test_a_text_box_is_read() -> None:
    assert text_of(r"a\par{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt in the box\par}}}b") == "a\n\nin the box\n\nb"


def test_rows_become_a_table_whose_first_row_names_the_columns() -> None:
    body = r"\pard Prices\par\trowd\cellx1\cellx2\pard\intbl Oil\cell Price\cell\row\trowd\pard\intbl lamp\par oil\cell 3\cell\row\pard After\par"

    assert text_of(body) == "Prices\n\n| Oil | Price |\n| --- | --- |\n| lamp oil | 3 |\n\nAfter"


def test_lists_have_their_marks() -> None:
    body = (
        r"{\listtext\'95\tab}one\par{\pntext 2.\tab}two\par\ilvl1{\listtext\u8226?\tab}deeper\par"
        r"{\fonttbl{\f3\fcharset2 Symbol;}}{\listtext\f3\'b7\tab}dot"
    )

    assert text_of(body) == "- one\n2. two\n  - deeper\n  - dot"


def test_footnotes_stand_at_the_end() -> None:
    assert text_of(r"The lamp{\super\chftn{\footnote\chftn From\par the log.}} burns.\par") == "The lamp[^1] burns.\n\n[^1]: From the log."


@pytest.mark.parametrize("data", [b"plain text", b"PK\x03\x04", b"{\\html}", b"{" * 5_000])
def test_what_is_no_rich_text_is_damaged(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_rich_text(data)

    assert caught.value.code == "damaged"


def test_groups_in_groups_without_end_are_damaged() -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_rich_text(b"{\\rtf1" + b"{" * 100_000)

    assert caught.value.code == "damaged"
