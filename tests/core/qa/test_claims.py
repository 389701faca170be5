from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.qa.claims import doubtful

FEES = (
    "fees\nThe annual fee is 40 euros. It is due on 3 May 2024. Lunch costs 45 euros and the tour 1,200 crowns, which 50% of guests take.",
    "staff\nAnna Berg runs the library. She works on Mondays. Petra Quill looks after the music.",
)
HANDBOOK = (
    "水浒传\n前後共吃了十八碗，绰了哨棒，立起身来。",
    "手册\n年假为十五天，须提前两周申请。病假为十天。周敏的办公室在B-112，自2021年9月2日起使用。主泵P-02由何志远负责。",
)


def marked(answer: str, passages: tuple[str, ...], question: str = "", known: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(answer[doubt.start : doubt.end], doubt.kind) for doubt in doubtful(answer, passages, question=question, known=known)]


@pytest.mark.parametrize(
    "answer",
    [
        "The annual fee is 40 euros [1].",
        "The annual fee is forty euros.",
        "It is due on May 3, 2024, half of the guests take the tour.",
        "The tour costs 1200 crowns, and 50 percent of guests take it.",
        "1. Anna Berg\n2. Petra Quill",
        "Anna Berg works on Mondays.",
        "Lunch is 45 euros and the fee is 40 euros.",
        "The passages do not state who owns the harbour.",
        "",
    ],
)
def test_what_the_passages_say_is_not_doubted(answer: str) -> None:
    assert marked(answer, FEES) == []


@pytest.mark.parametrize(
    "answer",
    ["他一共吃了18碗。", "年假为15天，须提前2周申请。", "周敏的办公室在B-112。", "自2021-09-02起使用。", "由何志远负责。", "何志远"],
)
def test_what_chinese_passages_say_is_not_doubted(answer: str) -> None:
    assert marked(answer, HANDBOOK) == []


@pytest.mark.parametrize(
    ("answer", "doubt"),
    [
        ("The annual fee is 41 euros [1].", ("41", "number")),
        ("It is due on 4 May 2024.", ("4 May 2024", "date")),
        ("The tour is taken by 60% of guests.", ("60%", "number")),
        ("The library is run by John Smith.", ("John Smith", "name")),
        ("The house rule is “never on a Sunday evening”.", ("never on a Sunday evening", "quote")),
        ("She works on Fridays.", ("Friday", "date")),
    ],
)
def test_what_no_passage_says_is_doubted(answer: str, doubt: tuple[str, str]) -> None:
    assert marked(answer, FEES) == [doubt]


@pytest.mark.parametrize(
    ("answer", "doubt"),
    [
        ("他一共吃了十五碗。", ("十五", "number")),
        ("周敏的办公室在B-113。", ("B-113", "name")),
        ("主泵P-02由龚玉麟负责。", ("龚玉麟", "name")),
        ("这出自《西游记》。", ("西游记", "name")),
        ("自2022年9月2日起使用。", ("2022年9月2日", "date")),
    ],
)
def test_what_no_chinese_passage_says_is_doubted(answer: str, doubt: tuple[str, str]) -> None:
    assert marked(answer, HANDBOOK) == [doubt]


@pytest.mark.parametrize("answer", ["年假為十五天，須提前兩周申請。", "《水滸傳》裡前後共吃了十八碗。", "主泵P-02由何志遠負責。"])
def test_the_same_in_traditional_characters_is_not_doubted(answer: str) -> None:
    assert marked(answer, HANDBOOK) == []


def test_another_name_in_traditional_characters_is_doubted() -> None:
    assert marked("主泵P-02由龔麒麟負責。", HANDBOOK) == [("龔麒麟", "name")]


def test_a_number_that_belongs_to_something_else_is_doubted() -> None:
    assert marked("The annual fee is 45 euros.", FEES) == [("45", "number")]
    assert marked("年假为十天。", HANDBOOK) == [("十", "number")]


def test_a_bare_number_is_held_against_what_the_question_asks() -> None:
    assert marked("40", FEES, "What is the annual fee?") == []
    assert marked("45", FEES, "What is the annual fee?") == [("45", "number")]


def test_a_name_put_into_a_sentence_of_the_passages_is_doubted() -> None:
    passages = (
        "harbour\nThe old lighthouse above the harbour of Tern was built by Ottilie Krumm in a hard winter.",
        "school\nJan Moller taught at the village school for many years.",
    )

    answer = "The old lighthouse above the harbour of Tern was built by Jan Moller in a hard winter."

    assert marked(answer, passages) == [("Jan Moller", "name")]


def test_what_the_question_or_an_earlier_lookup_says_counts_as_known() -> None:
    assert marked("In 1900 the fee was not stated for Ottilie Krumm.", FEES, "What was the fee of Ottilie Krumm in 1900?") == []
    assert marked("The library is run by John Smith.", FEES, known=("John Smith",)) == []


def test_a_sum_that_was_asked_for_is_not_doubted() -> None:
    assert marked("Together the fee of 40 and lunch of 45 make 85 euros.", FEES, "How much are the fee and lunch together in total?") == []


def test_a_count_of_what_is_listed_is_not_doubted() -> None:
    assert marked("There are three: the fee, the lunch and the tour.", FEES) == []


def test_a_sentence_that_nothing_carries_is_doubted_as_a_whole() -> None:
    answer = "The annual fee is 40 euros. Bananas ripen quickly inside warm southern kitchens."

    assert marked(answer, FEES) == [("Bananas ripen quickly inside warm southern kitchens.", "claim")]


def test_an_answer_in_another_language_keeps_its_names_but_not_its_numbers() -> None:
    assert marked("The leave of Zhou Min is 15 days.", HANDBOOK) == []
    assert marked("The leave of Zhou Min is 16 days.", HANDBOOK) == [("16", "number")]


def test_numbers_of_passages_and_steps_state_nothing() -> None:
    assert marked("According to passage 2, step 1 is the fee (3).", FEES) == []


def test_without_evidence_there_is_nothing_to_doubt() -> None:
    assert marked("The fee is 40 euros.", ()) == []


@given(st.text(alphabet='ab 4年假十[1].《》“”"An\n', max_size=200), st.text(alphabet="ab 4年假十.\n", max_size=100))
def test_doubts_are_in_order_apart_and_inside_the_answer(answer: str, passage: str) -> None:
    end = 0
    for doubt in doubtful(answer, (passage,)):
        assert end <= doubt.start < doubt.end <= len(answer)
        end = doubt.end


@pytest.mark.parametrize("piece", ["Anna Berg ", "《", '"', "年假为十五天", "Aa-", "A·", "A.B", "卡·", "18 ", "王", "“a”", "a. "])
def test_an_endless_answer_is_checked_in_bounded_time(piece: str) -> None:
    answer = (piece * 100_000)[:100_000]
    began = time.process_time()

    doubtful(answer, FEES)
    doubtful(answer, HANDBOOK)

    assert time.process_time() - began < 10


def test_a_date_ties_a_row_of_a_table_to_an_answer_that_writes_it_otherwise() -> None:
    table = ("releases\n| release | date | kernel |\n|---|---|---|\n| 5.0 | 2025-08-27 | 6.6 |\n| 4.2 | 2024-11-02 | 6.1 |",)
    question = "Which kernel does the release of 27 August 2025 ship?"

    assert marked("6.6", table, question) == []
    assert marked("6.1", table, question) == [("6.1", "number")]


@pytest.mark.parametrize("answer", ["龚玉麟", "龚玉麟[1]", "龚玉麟 [1]", "龚玉麟。[1][2]"])
def test_the_marks_of_sources_change_nothing(answer: str) -> None:
    assert marked(answer, HANDBOOK, "主泵由谁负责？") == [("龚玉麟", "name")]
