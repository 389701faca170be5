from __future__ import annotations

import struct

import pytest

from core.errors import DocumentUnreadable
from core.library.formats.markdown import MAX_CHARACTERS
from core.library.formats.old_office import read_old_office
from tests.fakes.old_office_files import (
    CELL,
    DELETED,
    FIELD,
    FIELD_END,
    HIDDEN,
    IN_TABLE,
    LINE,
    PARAGRAPH,
    RESULT,
    OldParagraph,
    container_file,
    in_list,
    old_word_file,
    outline,
    row,
)


def lines(*texts: str) -> list[OldParagraph]:
    return [OldParagraph(text + PARAGRAPH) for text in texts]


def text_of(*paragraphs: OldParagraph, **more: object) -> str:
    return read_old_office(old_word_file(*paragraphs, **more)).text  # type: ignore[arg-type]


def code_of(data: bytes) -> str:
    with pytest.raises(DocumentUnreadable) as caught:
        read_old_office(data)
    return caught.value.code


def test_headings_and_paragraphs_are_read_in_order_whatever_their_letters_are() -> None:
    body = [
        OldParagraph("灯塔手册\r", 1),
        *lines("The lamp burns “oil” at £3."),
        OldParagraph("Oil\r", 2),
        *lines("每天黄昏点亮。", "𠮷 and 🏮 too"),
    ]

    assert text_of(*body) == "# 灯塔手册\n\nThe lamp burns “oil” at £3.\n\n## Oil\n\n每天黄昏点亮。\n\n𠮷 and 🏮 too"


def test_the_second_table_stream_is_read_where_the_file_says_so() -> None:
    assert text_of(*lines("lamp"), flags=0x200) == "lamp"


def test_a_style_based_on_a_heading_is_a_heading_and_one_that_is_based_on_itself_does_no_harm() -> None:
    own = [(0xFFE, 2, b""), (0xFFE, 5, b""), (62, 0, b""), (0xFFE, 0, outline(2))]

    text = text_of(
        *(OldParagraph(f"{name}\r", number) for number, name in enumerate(["Chapter", "Circle", "Title", "Own"], start=4)), styles=own
    )

    assert text == "## Chapter\n\nCircle\n\n# Title\n\n### Own"


def test_what_a_paragraph_says_itself_goes_before_its_style() -> None:
    assert (
        text_of(OldParagraph("Not a heading\r", 1, outline(9)), OldParagraph("A heading\r", 0, outline(1)))
        == "Not a heading\n\n## A heading"
    )


def test_numbers_that_word_counts_are_written_out() -> None:
    lists = [[(1, 0, "\0."), (1, 4, "(\1)"), (1, 0, "\0.\2")], [(1, 23, "\uf0b7")], [(1, 37, "第\0条")]]
    body = [
        OldParagraph("Duties\r", 1, in_list(1)),
        OldParagraph("Fill the lamp\r", 0, in_list(1, 1)),
        OldParagraph("Ring the bell\r", 0, in_list(1, 1)),
        OldParagraph("Rights\r", 1, in_list(1)),
        OldParagraph("Leave\r", 0, in_list(1, 2)),
        OldParagraph("a point\r", 0, in_list(2)),
        OldParagraph("灯油\r", 0, in_list(3)),
        OldParagraph("巡视\r", 0, in_list(4)),
        OldParagraph("no list has this number\r", 0, in_list(9)),
        OldParagraph("taken out of the list\r", 0, in_list(0)),
    ]

    text = text_of(*body, lists=lists, list_uses=[(0, []), (1, []), (2, []), (2, [(0, 7)])])

    assert text.split("\n") == [
        "# 1. Duties", "", "  (a) Fill the lamp", "  (b) Ring the bell", "", "# 2. Rights", "", "    2.1 Leave", "- a point", "第一条 灯油", "第七条 巡视", "",
        "no list has this number", "", "taken out of the list",
    ]  # fmt: skip


def test_tables_keep_their_columns_also_under_cells_that_reach_over_two() -> None:
    table = [
        *row("灯", "Oil", "Wick", edges=(0, 100, 2000, 3000)),
        *row("Arno", "Two litres", edges=(0, 2000, 3000)),
        OldParagraph("first" + PARAGRAPH, changes=IN_TABLE),
        *row("second", "b", "c|d", edges=(0, 105, 2000, 3000)),
    ]

    assert text_of(*lines("before"), *table, *lines("after")).split("\n\n") == [
        "before", "| 灯 | Oil | Wick |\n| --- | --- | --- |\n| Arno |  | Two litres |\n| first second | b | c\\|d |", "after"
    ]  # fmt: skip


def test_a_row_whose_edges_are_not_known_and_one_that_is_not_ended_are_rows() -> None:
    assert (
        text_of(*row("a", "b"), *row("c"), OldParagraph("d" + CELL), OldParagraph("e" + CELL))
        == "| a | b |\n| --- | --- |\n| c |  |\n| d | e |"
    )


def test_a_frame_around_text_keeps_its_headings() -> None:
    assert text_of(OldParagraph("Lamp\r", 1, IN_TABLE), *row("oil")) == "# Lamp\n\noil"


def test_of_a_field_only_the_result_is_seen() -> None:
    link = f'See {FIELD} HYPERLINK "http://example.org" {RESULT}the page{FIELD_END}.'
    nested = f"{FIELD} IF {FIELD} PAGE {RESULT}7{FIELD_END} = 7 {RESULT}yes{FIELD_END}{FIELD} XE lamp {FIELD_END}!"
    open_ended = f"left {FIELD} open"

    assert text_of(*lines(link, nested, open_ended)) == "See the page.\n\nyes!\n\nleft  open"


def test_tables_of_contents_are_left_out() -> None:
    assert text_of(OldParagraph("Oil\t3\r", 4), *lines("Oil"), styles=[(19, 0, b"")]) == "Oil"


def test_hidden_and_deleted_letters_and_symbols_are_left_out() -> None:
    symbol = struct.pack("<HHH", 0x6A09, 3, 0xF0FC)
    text = OldParagraph("lamps (burn oil(\r", letters=[("s (", DELETED), (" oil", HIDDEN), ("(\r", symbol)])
    chinese = OldParagraph("点亮灯塔\r", letters=[("亮灯", HIDDEN)])

    assert text_of(text, chinese) == "lampburn\n\n点塔"


def test_a_fast_save_changes_whole_pieces() -> None:
    prc = struct.pack("<BH", 1, 3) + outline(1)
    sheet = text_of(*lines("gone", "hidden", "kept"), modifiers=[0x41 << 1 | 0x100, 0x5C << 1 | 0x100])
    pieces = struct.pack("<2IHIH", 0, 2, 0, 1024 * 2 | 0x4000_0000, 1)
    heading = text_of(*lines("x"), parts={33: prc + struct.pack("<BI", 2, len(pieces)) + pieces})

    assert (sheet, heading) == ("kept", "## x")


def test_changes_that_are_too_long_for_their_place_are_found_in_the_data_stream() -> None:
    data = bytes(8) + struct.pack("<H", 3) + outline(0)

    assert text_of(OldParagraph("Lamp\r", 0, struct.pack("<HI", 0x6646, 8)), streams={"Data": data}) == "# Lamp"


def test_notes_that_are_referred_to_stand_at_the_end() -> None:
    body = OldParagraph("Oil\x02 burns\x02, deleted\x02 lamps\x02.\r", letters=[(", deleted\x02", DELETED)])

    text = text_of(body, notes=["of whales", "see below", "gone"], end_notes=["灯"])

    assert text == "Oil[^1] burns[^2] lamps[^e1].\n\n[^1]: of whales\n[^2]: see below\n[^e1]: 灯"


def test_text_boxes_follow_the_text() -> None:
    assert text_of(*lines("lamp"), boxes=[OldParagraph("Oil\r", 1), *lines("in a box")]) == "lamp\n\n# Oil\n\nin a box"


def test_signs_of_the_format_are_not_text() -> None:
    assert text_of(OldParagraph(f"a\x01b\x08c{LINE}d\x1ee\x1ff\tg\x0ch\r")) == "abc\nd-ef\tg\n\nh"


def test_older_documents_and_other_containers_are_not_supported() -> None:
    assert code_of(old_word_file(*lines("lamp"), version=0x65)) == "unsupported"
    assert code_of(container_file({"CONTENTS": b"of another program"})) == "unsupported"


def test_a_password_is_told() -> None:
    assert code_of(old_word_file(*lines("lamp"), flags=0x100)) == "needs_password"
    assert code_of(old_word_file(*lines("lamp"), flags=0x8100)) == "needs_password"
    assert code_of(container_file({"EncryptedPackage": b"x"})) == "needs_password"


@pytest.mark.parametrize(
    "pieces",
    [
        b"",
        b"\1\xff\xff",
        struct.pack("<BI3I", 2, 12, 0, 9_000, 0x4000_0000) + bytes(4),  # no text there
        struct.pack("<BI4I", 2, 28, 0, 5, 3, 0) + bytes(16),  # out of order
    ],
)
def test_places_of_text_that_cannot_be_are_damage(pieces: bytes) -> None:
    assert code_of(old_word_file(*lines("lamp"), parts={33: pieces})) == "damaged"


def test_more_text_than_a_document_can_have_is_refused_before_it_is_read() -> None:
    pieces = struct.pack("<2IHIH", 0, MAX_CHARACTERS + 1, 0, 0, 0)

    assert code_of(old_word_file(*lines("lamp"), parts={33: struct.pack("<BI", 2, len(pieces)) + pieces})) == "too_large"


def test_fields_in_fields_without_end_take_no_time_to_speak_of() -> None:
    depth = 200_000

    assert text_of(*lines(FIELD * depth + RESULT * depth + FIELD_END * depth + "lamp")).endswith("lamp")
