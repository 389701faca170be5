from __future__ import annotations

import pytest

from core.documents import PageStart
from core.errors import DocumentUnreadable
from core.library.formats.open_presentation import read_open_presentation
from core.library.formats.reading import read_document
from tests.fakes.office_files import open_cell, open_document_file, open_presentation_file, open_row, open_shape, presentation_file, shape

TABLE = f"<draw:frame><table:table>{open_row('Part', 'Price')}{open_row('Lens', '4')}</table:table><draw:image/></draw:frame>"


def blocks_of(slide: str, notes: str = "") -> list[str]:
    return read_open_presentation(open_presentation_file([slide], notes={0: notes})).text.split("\n\n")


def test_each_slide_stands_under_its_title_and_is_a_page() -> None:
    slides = [
        open_shape("Oil and water", kind="title") + open_shape("for keepers", kind="subtitle"),
        open_shape("Fill daily\nNever smoke", kind="outline") + open_shape("灯油", kind="title"),
        open_shape("no title here"),
    ]

    found = read_open_presentation(open_presentation_file(slides))

    assert found.text.split("\n\n") == [
        "## Oil and water", "for keepers", "## 灯油", "Fill daily\nNever smoke", "## Slide 3", "no title here"
    ]  # fmt: skip
    assert [page.page for page in found.pages] == [1, 2, 3]
    assert found.pages[1] == PageStart(found.text.index("## 灯油"), 2)


def test_lists_tables_groups_links_and_drawn_shapes_are_read_in_order() -> None:
    items = "<text:list><text:list-item><text:p>daily</text:p><text:list><text:list-item><text:p>by hand</text:p></text:list-item></text:list></text:list-item></text:list>"
    slide = (
        open_shape("Prices", kind="title")
        + f"<draw:frame presentation:class='outline'><draw:text-box>{items}</draw:text-box></draw:frame>"
        + TABLE
        + f"<draw:g>{open_shape('inside a group')}</draw:g><draw:a>{open_shape('behind a link')}</draw:a>"
        + "<draw:custom-shape><text:p>in a <text:span>star</text:span></text:p></draw:custom-shape><draw:line/>"
    )

    assert blocks_of(slide) == [
        "## Prices", "daily\nby hand", "| Part | Price |\n| --- | --- |\n| Lens | 4 |", "inside a group", "behind a link", "in a star"
    ]  # fmt: skip


def test_merged_and_repeated_cells_of_a_table_keep_their_columns() -> None:
    covered = "<table:covered-table-cell><text:p>covered</text:p></table:covered-table-cell>"
    rows = (
        open_row("Part", open_cell("4", attributes="table:number-columns-repeated='2'"))
        + open_row("both", covered, "7")
        + open_row("Oil", open_cell("", attributes="table:number-columns-repeated='2000000000'"))
    )

    assert blocks_of(f"<draw:frame><table:table>{rows}</table:table></draw:frame>")[1] == (
        "| Part | 4 | 4 |\n| --- | --- | --- |\n| both |  | 7 |\n| Oil |  |  |"
    )


def test_what_the_speaker_wanted_to_say_stands_below_the_slide() -> None:
    notes = (
        "<draw:page-thumbnail presentation:class='page'/>"
        + open_shape("Say it slowly.\nThen wait.", kind="notes")
        + open_shape("1", kind="page-number")
    )

    assert blocks_of(open_shape("Oil", kind="title"), notes) == ["## Oil", "Notes: Say it slowly.\nThen wait."]


def test_what_a_layout_repeats_and_places_nobody_filled_are_left_out() -> None:
    furniture = "".join(open_shape(f"the {kind}", kind=kind) for kind in ("date-time", "footer", "header", "page-number"))
    place = open_shape("Click to add text", kind="outline", attributes="presentation:placeholder='true'")
    number = open_shape("Oil <text:page-number>&lt;number&gt;</text:page-number>")

    assert blocks_of(furniture + place + number, open_shape("Click to add notes", attributes="presentation:placeholder='true'")) == [
        "## Slide 1",
        "Oil",
    ]


def test_remarks_descriptions_of_pictures_and_hidden_shapes_are_left_out() -> None:
    slide = (
        "<office:annotation><text:p>a remark</text:p></office:annotation>"
        "<draw:frame><draw:image/><draw:title>a boat</draw:title><draw:desc>a boat at sea</draw:desc></draw:frame>"
        + open_shape("hidden", attributes="draw:display='none'")
        + open_shape("seen")
    )

    assert blocks_of(slide) == ["## Slide 1", "seen"]


def test_two_different_titles_are_both_read_and_the_same_one_once() -> None:
    assert blocks_of("".join(open_shape(title, kind="title") for title in ("Oil", "Water", "Oil"))) == ["## Oil", "Water"]


def test_slides_of_pictures_only_have_no_text_and_a_template_is_read() -> None:
    assert read_open_presentation(open_presentation_file(["<draw:frame><draw:image/></draw:frame>", ""])).text == ""
    assert read_document(".otp", open_presentation_file([open_shape("lamp")])).text == "## Slide 1\n\nlamp"


def test_an_encrypted_presentation_says_so() -> None:
    manifest = "<manifest:file-entry manifest:full-path='encrypted-package'><manifest:encryption-data/></manifest:file-entry>"

    with pytest.raises(DocumentUnreadable) as caught:
        read_document(".odp", open_presentation_file([open_shape("x")], manifest=manifest))

    assert caught.value.code == "needs_password"


@pytest.mark.parametrize(
    "data",
    [presentation_file([shape("x")]), open_document_file("<text:p>x</text:p>"), open_presentation_file([open_shape("x")])[:-50]],
    ids=["pptx", "odt", "cut"],
)
def test_what_is_no_presentation_is_damaged_whatever_its_name(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(".odp", data)

    assert caught.value.code == "damaged"
