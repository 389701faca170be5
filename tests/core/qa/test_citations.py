from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.documents import WebResult
from core.qa.citations import best_quote, cite, closest, without_marks
from tests.fakes.retrieval import passage

FEE = passage(1, "The annual fee is 40 euros. It is due in May.", file="fees.txt", start=100, line=7)
STAFF = passage(2, "Anna Berg runs the library.\nShe works on Mondays.", file="staff.txt")


def test_a_mark_becomes_a_source_whose_quote_is_a_slice_of_the_file() -> None:
    answer = cite("The fee is 40 euros [1].", [FEE, STAFF])

    (citation,) = answer.citations
    assert answer.text == "The fee is 40 euros. [1]"
    assert citation.quote == "The annual fee is 40 euros."
    assert FEE.chunk.text[citation.start - 100 : citation.end - 100] == citation.quote
    assert (citation.file, citation.line) == (Path("/files/fees.txt"), 7)


def test_the_line_is_that_of_the_quote_not_of_the_passage() -> None:
    answer = cite("She works on Mondays [2].", [FEE, STAFF])

    assert answer.citations[0].quote == "She works on Mondays."
    assert answer.citations[0].line == 2


def test_sources_are_numbered_in_the_order_in_which_the_answer_uses_them() -> None:
    answer = cite("Anna Berg runs the library [2]. The annual fee is 40 euros [1].", [FEE, STAFF])

    assert answer.text == "Anna Berg runs the library. [1] The annual fee is 40 euros. [2]"
    assert [citation.file for citation in answer.citations] == [Path("/files/staff.txt"), Path("/files/fees.txt")]


def test_a_mark_to_a_passage_that_does_not_exist_is_dropped() -> None:
    answer = cite("The moon is made of cheese [7].", [FEE])

    assert answer.text == "The moon is made of cheese."
    assert answer.citations == ()


def test_a_mark_on_a_passage_that_shares_nothing_with_the_claim_is_dropped() -> None:
    answer = cite("Bananas ripen quickly in warm kitchens [2].", [FEE, STAFF])

    assert answer.citations == ()


def test_a_mark_on_a_passage_that_carries_far_less_than_another_goes_to_the_other() -> None:
    answer = cite("Anna Berg runs the library [1].", [passage(8, "The zebra runs."), STAFF])

    assert [citation.file for citation in answer.citations] == [Path("/files/staff.txt")]


def test_a_sentence_without_a_mark_gets_the_passage_that_plainly_carries_it() -> None:
    answer = cite("The annual fee is 40 euros.", [STAFF, FEE])

    assert answer.text == "The annual fee is 40 euros. [1]"
    assert answer.citations[0].file == Path("/files/fees.txt")


def test_a_figure_ties_an_answer_to_a_passage_in_another_language() -> None:
    table = passage(3, "| P-02 | 主泵 | QW-350B | 380 |")

    answer = cite("The rated flow of P-02 is 380 cubic metres per hour.", [STAFF, table])

    assert answer.citations[0].quote == "| P-02 | 主泵 | QW-350B | 380 |"


def test_marks_of_every_common_form_are_read() -> None:
    for mark in ("[1][2]", "[1, 2]", "[1，2]", "【1】【2】", "[1-2]", " [1] [2]"):
        answer = cite(f"Anna Berg runs the library and the annual fee is 40 euros{mark}.", [FEE, STAFF])

        assert len(answer.citations) == 2, mark


def test_a_mark_behind_the_full_stop_belongs_to_the_sentence_before_it() -> None:
    answer = cite("The annual fee is 40 euros. [1] Anna Berg runs the library. [2]", [FEE, STAFF])

    assert answer.text == "The annual fee is 40 euros. [1] Anna Berg runs the library. [2]"


def test_chinese_sentences_are_cited_like_english_ones() -> None:
    leave = passage(4, "员工手册。年假为十五天，须提前两周申请。", file="手册.md")

    answer = cite("年假为十五天【1】。", [leave])

    assert answer.text == "年假为十五天。[1]"
    assert answer.citations[0].quote == "年假为十五天，须提前两周申请。"


def test_two_sentences_of_one_passage_are_two_sources_each_at_its_own_line() -> None:
    leave = passage(5, "Every employee has 27 days of leave.\nAfter ten years it is 31 days.", start=50, line=3)

    answer = cite("Every employee has 27 days of leave [1]. After ten years it is 31 days [1].", [leave])

    assert answer.text == "Every employee has 27 days of leave. [1] After ten years it is 31 days. [2]"
    assert [(citation.quote, citation.line) for citation in answer.citations] == [
        ("Every employee has 27 days of leave.", 3),
        ("After ten years it is 31 days.", 4),
    ]


def test_the_same_sentence_cited_twice_is_one_source() -> None:
    answer = cite("The annual fee is 40 euros [1]. So the annual fee is 40 euros [1].", [FEE])

    assert len(answer.citations) == 1
    assert answer.text.count("[1]") == 2


def test_a_quote_goes_on_over_a_line_that_was_only_wrapped() -> None:
    wrapped = (
        "Leave is 27 days. Whatever leave is not taken in the year it was given in is lost on\n31 March of the next year. Meals are paid."
    )

    start, end = best_quote(wrapped, "Leave not taken is lost on 31 March of the next year.")

    assert wrapped[start:end].startswith("Whatever leave is not taken")
    assert wrapped[start:end].endswith("31 March of the next year.")


def test_a_row_of_a_table_is_quoted_alone() -> None:
    rows = "part,description,price,days,made in\nFL-210,cast glass lens for the big tide lamp of the harbour,1480,35,Tern\nGR-7,gimbal ring,264,12,Skerrow"

    start, end = best_quote(rows, "The GR-7 costs 264 crowns.")

    assert rows[start:end] == "GR-7,gimbal ring,264,12,Skerrow"


PRICES = """item,description,fits,price in crowns,maker,in stock
GR-7,seal ring,Brask 4,264.00,Nord & Sons,3
GR-8,seal ring,Brask 5,281.50,Nord & Sons,0
GR-9,feed roller,Brask 4,190.00,Tarn Works,7"""


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "The item described as seal ring costs 281.50 crowns, by the price list of the maker.",
            "GR-8,seal ring,Brask 5,281.50,Nord & Sons,0",
        ),
        ("The price in crowns of the feed roller that fits the Brask 4 is 190.00.", "GR-9,feed roller,Brask 4,190.00,Tarn Works,7"),
    ],
)
def test_the_row_with_the_figure_is_quoted_and_not_the_heading_of_the_table(claim: str, quote: str) -> None:
    start, end = best_quote(PRICES, claim)

    assert PRICES[start:end] == quote


def test_a_figure_that_the_named_passage_lacks_brings_its_own_source() -> None:
    manual = passage(1, "Code B2 of the Brask 5 means that the seal ring is worn.", file="manual.txt")

    answer = cite("The part that cures code B2 of the Brask 5 costs 281.50 crowns [1].", [manual, passage(2, PRICES, file="prices.csv")])

    assert answer.text == "The part that cures code B2 of the Brask 5 costs 281.50 crowns. [1][2]"
    assert [citation.quote[:12] for citation in answer.citations] == ["Code B2 of t", "GR-8,seal ri"]


def test_a_figure_that_stands_nowhere_brings_no_source() -> None:
    answer = cite("The annual fee is 41 euros [1].", [FEE, STAFF])

    assert [citation.file for citation in answer.citations] == [Path("/files/fees.txt")]


def test_a_chinese_sentence_in_other_words_still_finds_its_passage() -> None:
    tiger = passage(7, "知县就参武松做了步兵都头。武松谢了，自在阳谷县做都头。", file="水浒传.txt")

    answer = cite("武松打死老虎之后在阳谷县当了步兵都头。", [STAFF, tiger])

    assert answer.citations[0].file == Path("/files/水浒传.txt")


def test_a_web_page_is_cited_by_title_and_address() -> None:
    page = WebResult("Tide tables", "https://tides.example/today", "tides.example", "High water is at 14:20 today.")

    answer = cite("High water is at 14:20 [2].", [FEE], [page])

    assert answer.citations[0].url == "https://tides.example/today"
    assert answer.citations[0].file is None


def test_a_refusal_shows_the_closest_passages_themselves() -> None:
    citations = closest("Who runs the library?", [STAFF, FEE])

    assert [citation.n for citation in citations] == [1, 2]
    assert citations[0].quote == "Anna Berg runs the library."


@pytest.mark.parametrize(
    "phrase",
    [
        "This information is found in passages [1] and [2].", "Sources: [1] [2]", "出处段落：[1][2]", "（出处：[1]、[2]）", "来源：[1]", "From [1] and [2].",
        "As stated in passages [1], [2].", "See [1].", "(from [1] and [2])", "According to the sources [1][2].", "根据[1]和[2]。",
    ],
)  # fmt: skip
def test_a_phrase_that_only_points_at_sources_is_left_out(phrase: str) -> None:
    answer = cite(f"The annual fee is 40 euros. {phrase}", [FEE, STAFF])

    assert answer.text == "The annual fee is 40 euros. [1]"


def test_a_short_sentence_without_a_mark_is_no_pointer() -> None:
    assert cite("Which way did they come? From. And then?", [FEE, STAFF]).text == "Which way did they come? From. And then?"


@given(st.text(alphabet="ab 年假。.[]1,2-\n9!?\"')", max_size=120))
def test_no_word_of_an_answer_is_lost(text: str) -> None:
    answer = cite(text, [FEE, STAFF])

    assert letters(without_marks(answer.text)) == letters(without_marks(text))


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def test_a_point_in_a_figure_ends_no_sentence() -> None:
    notice = passage(6, "封闭期间，吃水不超过 2.6 米的船只可以走南航道。", file="通知.txt")

    answer = cite("吃水不超过 2.6 米的船只可以走南航道 [1]。It costs 18.50 crowns.", [notice])

    assert answer.text == "吃水不超过 2.6 米的船只可以走南航道。[1]It costs 18.50 crowns."
    assert answer.citations[0].quote == "封闭期间，吃水不超过 2.6 米的船只可以走南航道。"


@given(st.text(max_size=300), st.text(max_size=300))
def test_a_quote_is_always_a_slice_and_short(text: str, claim: str) -> None:
    start, end = best_quote(text, claim)

    assert 0 <= start <= end <= len(text)
    assert end - start <= 300
    assert end > start or not text.strip()


@given(st.text(alphabet="ab 年假。.[]1,2【】-\n9", max_size=120))
def test_every_mark_left_in_an_answer_leads_to_a_source(text: str) -> None:
    answer = cite(text, [FEE, STAFF])

    known = {citation.n for citation in answer.citations}
    for citation in answer.citations:
        assert f"[{citation.n}]" in answer.text
    assert known == set(range(1, len(known) + 1))


def test_a_source_in_the_other_chinese_characters_is_found() -> None:
    answer = cite("頭髮過長須剪[1]。", [passage(1, "请假先问主管。头发过长须剪。")])

    assert [citation.quote for citation in answer.citations] == ["头发过长须剪。"]
