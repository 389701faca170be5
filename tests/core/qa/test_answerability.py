from __future__ import annotations

import pytest

from core.qa.answerability import before_a_draft, margin, support
from core.qa.nodes.evaluate_context import SURELY_ENOUGH
from core.qa.thresholds import ALWAYS, NEVER

MANUAL = [
    ("Pump manual", "The seal of pump P-02 is checked every 2,000 hours by Anna Berg."),
    ("库存台账", "密封件存放在 C-004 号库位，由周敏保管。"),
]


def test_an_answer_that_was_read_in_the_evidence_is_carried() -> None:
    assert support("Who checks the seal of pump P-02?", "Anna Berg", MANUAL, margin=0.5).probability > 0.5


@pytest.mark.parametrize(
    ("question", "draft"),
    [("Who painted the ceiling of the Sistine Chapel?", "Michelangelo"), ("邹游效力抚顺新野球队期间身披几号球衣？", "他身披四号球衣。")],
)
def test_an_invented_answer_about_something_else_is_not(question: str, draft: str) -> None:
    assert support(question, draft, MANUAL, margin=0.3).probability < 0.5


def test_the_name_of_a_file_is_no_answer() -> None:
    assert support("How many clients are allowed?", "Pump manual", MANUAL, 0.0).read < 0.6


def test_the_words_of_the_question_in_the_draft_do_not_count_as_read() -> None:
    assert support("Who checks the seal of pump P-02?", "Tom Reed checks the seal of pump P-02", MANUAL, 0.0).read == 0.0


@pytest.mark.parametrize("draft", ["Yes", "是。", "Pump P-02"])
def test_a_draft_without_words_of_its_own_says_nothing_either_way(draft: str) -> None:
    assert support("Is pump P-02 checked? 密封件？", draft, MANUAL, 0.0).read == 0.8


def test_a_model_that_cannot_tell_has_no_say() -> None:
    assert margin(0.9, ALWAYS) == margin(0.1, NEVER) == 0.0


def test_the_margin_is_counted_from_the_models_own_threshold() -> None:
    assert margin(0.8, 0.8) == 0.0
    assert margin(0.9, 0.8) > 0 > margin(0.7, 0.8)


def test_before_a_draft_sure_words_about_the_question_are_enough_to_stop_reading() -> None:
    fees = [("fees.txt", "The annual fee of the library is 40 euros.")]
    hours = [("hours.txt", "The swimming pool closes at nine.")]

    assert before_a_draft("What is the annual fee of the library?", fees, 0.9, 0.67) >= SURELY_ENOUGH
    assert before_a_draft("What is the annual fee of the library?", hours, 0.9, 0.67) < SURELY_ENOUGH
    assert before_a_draft("What is the annual fee of the library?", fees, 0.3, 0.67) < SURELY_ENOUGH


@pytest.mark.parametrize("fixed", [ALWAYS, NEVER])
def test_before_a_draft_a_model_that_cannot_tell_reads_everything(fixed: float) -> None:
    assert before_a_draft("fee?", [("fees.txt", "The fee is 40 euros.")], 0.99, fixed) == 0.0
