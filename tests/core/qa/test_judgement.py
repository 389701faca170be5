from __future__ import annotations

import pytest

from core.documents import Doubt
from core.qa.judgement import evidence_texts, judgement_of, retry_query
from tests.fakes.retrieval import passage

QUESTION = "What is the annual fee of the library?"


def test_the_score_is_weighted() -> None:
    assert judgement_of(1.0, 0.0, 0.5, ()).score == pytest.approx(0.6)
    assert judgement_of(1.0, 0.0, 0.5, ()).reason == "completeness"


def test_a_doubt_overrules_what_the_model_thinks_of_faithfulness() -> None:
    judged = judgement_of(1.0, 1.0, 1.0, (Doubt(0, 2, "date"),))

    assert judged.faithfulness == 0.3
    assert judged.reason == "doubtful_date"


def test_a_retry_asks_for_the_subject_of_the_doubt() -> None:
    answer = "Readers pay a subscription of 41 euros."

    query = retry_query(QUESTION, answer, [Doubt(31, 33, "number")], [QUESTION])

    assert query.startswith(QUESTION)
    assert "subscription" in query
    assert "41" not in query


def test_a_retry_asks_for_what_the_answer_leaves_out() -> None:
    assert retry_query("When was the Tern bridge built and who painted it?", "The bridge was built in 1890.", [], []) == "Tern painted"


def test_what_was_searched_already_is_not_searched_again() -> None:
    answer = "Readers pay a subscription of 41 euros."
    doubt = [Doubt(31, 33, "number")]
    first = retry_query(QUESTION, answer, doubt, [QUESTION])

    assert retry_query(QUESTION, answer, doubt, [QUESTION, first]) != first


def test_chinese_questions_are_asked_again_in_chinese() -> None:
    query = retry_query("年假有几天？", "员工每年有三十天假期。", [Doubt(5, 7, "number")], [])

    assert query.startswith("年假有几天？")
    assert "三十" not in query


def test_evidence_is_told_with_its_headings() -> None:
    assert evidence_texts([passage(1, "The fee is 40.", file="fees.txt")], []) == ("fees\nThe fee is 40.",)
