from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library.formats.html_text import html_to_text

PAGE = """<!DOCTYPE html><html><head><title>Price &amp; terms</title><style>p { color: red }</style><script>track("me")</script></head>
<body><!-- secret comment --><h1>Terms</h1><p>Pay <b>within</b> 30&nbsp;days.<br>Or else.</p>
<div style="display: none">hidden trap</div><p hidden>hidden too</p><noscript>no script</noscript>
<h2>Prices</h2><table><tr><th>Part</th><th>Price</th></tr><tr><td>Lens</td><td>4&euro;</td></tr></table>
<ul><li>One</li><li>Two</li></ul><pre>a = 1
  b = 2</pre><img src="file:///etc/passwd" alt="A lamp"></body></html>"""


def test_a_page_becomes_what_a_reader_sees() -> None:
    page = html_to_text(PAGE)

    assert page.title == "Price & terms"
    assert page.text.split("\n") == [
        "# Terms", "", "Pay within 30 days.", "Or else.", "", "## Prices", "", "| Part | Price |", "| --- | --- |", "| Lens | 4€ |", "", "- One", "- Two", "", "a = 1", "  b = 2", "", "A lamp",
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["secret", "hidden", "track", "color", "script", "passwd"])
def test_what_no_reader_sees_is_left_out(word: str) -> None:
    assert word not in html_to_text(PAGE).text


def test_text_that_looks_like_tags_stays_text() -> None:
    assert html_to_text("<p>&lt;script&gt;alert(1)&lt;/script&gt; 1 &lt; 2</p>").text == "<script>alert(1)</script> 1 < 2"


def test_a_declaration_of_entities_fetches_nothing() -> None:
    page = html_to_text(
        '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/hostname">]><html><body><p>a &x; b</p></body></html>'
    )

    assert "localhost" not in page.text
    assert "a" in page.text


def test_a_very_deep_page_is_read_to_its_end_or_stopped_cleanly() -> None:
    assert "deep" in html_to_text("<div>" * 100_000 + "deep" + "</div>" * 100_000).text


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    html_to_text(text)


@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<table>",
                "<td>",
                "<script>",
                "</script>",
                "<b",
                ">",
                "<!--",
                "-->",
                "<pre>",
                "<svg>",
                "&amp",
                "&#0;",
                "&#xD800;",
                "text",
                "\n",
                "<h3>",
                "<![CDATA[",
            ]
        )
    ).map("".join)
)
def test_no_tag_soup_breaks_the_reader(text: str) -> None:
    html_to_text(text)


PRICES = "<table>{}<tr><th>Part</th><th>Price</th></tr><tr><td>Lens</td><td>4</td></tr></table>"


def test_a_table_keeps_its_columns_whatever_cells_reach_over_several() -> None:
    page = "<table><tr><th>Part<th>Size<th>Price<tr><td rowspan=2>Lens<td>small<td>4<tr><td>large<td>9<tr><td colspan=2>Oil<td>7</table>"

    assert html_to_text(page).text.split("\n") == [
        "| Part | Size | Price |", "| --- | --- | --- |", "| Lens | small | 4 |", "|  | large | 9 |", "| Oil |  | 7 |",
    ]  # fmt: skip


def test_the_caption_of_a_table_stands_above_it() -> None:
    assert html_to_text(PRICES.format("<caption>Prices of 2026</caption>")).text.split("\n")[:2] == ["Prices of 2026", "| Part | Price |"]


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><td><h2>News</h2>A lamp.</td><td>Side</td></tr><tr><td>More</td><td>Side</td></tr></table>",
        f"<table><tr><td>a</td><td>{'long ' * 200}</td></tr><tr><td>c</td><td>d</td></tr></table>",
        "<table><tr><td>a<table><tr><td>only</td></tr></table></td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
        "<table><tr><td>one</td><td>row</td></tr></table>",
    ],
)
def test_a_table_that_only_places_things_is_no_table(page: str) -> None:
    assert "---" not in html_to_text(page).text


@pytest.mark.parametrize(
    "page", ["<table>" * 500 + "deep", "<table><tr><td>a<td>b<tr><td colspan=99999999>c", "<td>a</td></table>b", "<table>x</table>y"]
)
def test_broken_tables_lose_no_words(page: str) -> None:
    assert html_to_text(page).text.rstrip("| ")[-1:] in ("p", "c", "b", "y")


@pytest.mark.parametrize(
    "element",
    ["<embed src=x>", "<object><param name=a><embed src=x></object>", "<video><source src=x hidden><track src=y hidden></video>", "<wbr hidden>", "<img hidden>", "<input hidden>"],
)  # fmt: skip
def test_elements_that_have_no_end_hide_nothing_that_follows(element: str) -> None:
    assert html_to_text(f"<p>first</p>{element}<p>second</p>").text == "first\n\nsecond"


def test_titles_of_icons_are_not_the_title_of_the_page() -> None:
    icon = "<svg><g><title>Menu</title><path d='M0'/></g></svg>"

    page = html_to_text(f"<html><head><title>Harbour &amp; sea</title></head><body>{icon}<h1>Boats</h1>{icon}</body></html>")

    assert (page.title, page.text) == ("Harbour & sea", "# Boats")


def test_items_of_a_numbered_list_have_the_numbers_that_a_reader_sees() -> None:
    page = "<ol><li>fill<li value=5>light<ul><li>the wick</ul><li>watch</ol><ul><li>rest</ul><ol start=3><li>again</ol><li>alone"

    assert [line for line in html_to_text(page).text.split("\n") if line] == [
        "1. fill",
        "5. light",
        "- the wick",
        "6. watch",
        "- rest",
        "3. again",
        "- alone",
    ]


@pytest.mark.parametrize("start", ["", "x", "1e9", "99999999999999999999", "-3"])
def test_a_list_may_begin_with_anything(start: str) -> None:
    assert html_to_text(f"<ol start='{start}'><li>first</ol></ol></ul>after").text.endswith("after")
