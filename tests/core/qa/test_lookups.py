from __future__ import annotations

import pytest

from core.documents import SubQuestion
from core.qa.lookups import answers, finished, is_new, last_link, next_round, references


def test_a_later_lookup_is_finished_with_the_answer_of_an_earlier_one() -> None:
    assert finished("Where was #1 born?", {1: "Henrik Ibsen"}) == "Where was Henrik Ibsen born?"


def test_a_lookup_whose_earlier_answer_is_not_known_cannot_be_finished() -> None:
    assert finished("Where did #1 meet #2?", {1: "Ibsen"}) is None


def test_an_answer_that_looks_like_a_reference_is_not_replaced_again() -> None:
    assert finished("What is #1?", {1: "#2", 2: "x"}) == "What is #2?"


def test_the_lookups_that_need_nothing_from_each_other_make_one_round() -> None:
    plan = ("How tall is A?", "How tall is B?", "Who built #1?")

    assert next_round(plan, 0, {}) == ("How tall is A?", "How tall is B?")
    assert next_round(plan, 2, {1: "45 m"}) == ("Who built 45 m?",)


def test_a_round_is_empty_when_its_first_lookup_cannot_be_finished() -> None:
    assert next_round(("Who?", "Where is #1?", "When?"), 1, {}) == ()


def test_answers_are_counted_by_the_place_of_their_lookup() -> None:
    assert answers((SubQuestion("a"), SubQuestion("b", answer="x"))) == {2: "x"}


def test_references_are_found_in_both_languages() -> None:
    assert references("#1的上级是谁，#2呢？") == (1, 2)


@pytest.mark.parametrize("lookup", ["", " ?", "WHO runs it", "when does it open？"])
def test_a_copy_of_the_question_or_of_a_lookup_is_not_new(lookup: str) -> None:
    assert not is_new(lookup, "When does it open?", ["Who runs it?"])


def test_other_words_are_new() -> None:
    assert is_new("Opening hours of the library", "When does it open?", ["Who runs it?"])


def test_a_chain_ends_in_the_answer_of_the_question() -> None:
    lookups = (SubQuestion("Who wrote Brand?", answer="Ibsen"), SubQuestion("Where was Ibsen born?", answer="Skien"))

    assert last_link(("Who wrote Brand?", "Where was #1 born?"), lookups) == "Skien"
    assert last_link(("How tall is A?", "How tall is B?"), lookups) == ""
    assert last_link(("Who wrote Brand?", "Where was #1 born?", "When was #2 founded?"), lookups) == ""
