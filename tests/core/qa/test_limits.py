from __future__ import annotations

import pytest

from core.protocols import Speed
from core.qa.limits import LIMITS, READING_TIMES, RunLimits, limits_for, predicted_seconds
from core.settings import Budget
from tests.fakes.asking import CALIBRATED, ask
from tests.fakes.retrieval import KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel

LAPTOP = Speed(70.0, 22.0)
BUDGETS: list[Budget] = ["quick", "careful", "exhaustive"]


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_machine_nobody_measured_reads_the_usual_amount(budget: Budget) -> None:
    assert limits_for(budget, None) is LIMITS[budget]


def test_evidence_is_what_the_machine_reads_in_the_time_of_the_budget() -> None:
    assert limits_for("careful", LAPTOP).evidence_tokens == 1400
    assert limits_for("exhaustive", Speed(40.0, 10.0)).evidence_tokens == 2400


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_slowest_machine_still_reads_something_and_the_fastest_not_everything(budget: Budget) -> None:
    reading = READING_TIMES[budget]

    assert limits_for(budget, Speed(1.0, 1.0)).evidence_tokens == reading.least_tokens
    assert limits_for(budget, Speed(9000.0, 200.0)).evidence_tokens == reading.most_tokens


def test_only_the_evidence_depends_on_the_machine() -> None:
    slow = limits_for("careful", Speed(1.0, 1.0))

    assert (slow.seconds, slow.tokens, slow.model_calls) == (600.0, 30_000, 40)


@pytest.mark.parametrize("speed", [LAPTOP, Speed(5.0, 2.0), Speed(2000.0, 100.0)])
def test_a_more_thorough_budget_reads_more_and_takes_longer(speed: Speed) -> None:
    limits = [limits_for(budget, speed) for budget in BUDGETS]
    predicted = [predicted_seconds("complex", each, speed) or 0.0 for each in limits]

    assert [each.evidence_tokens for each in limits] == sorted({each.evidence_tokens for each in limits})
    assert predicted == sorted(set(predicted))


def test_an_answer_without_files_is_there_sooner() -> None:
    limits = limits_for("careful", LAPTOP)

    assert (predicted_seconds("simple", limits, LAPTOP) or 0.0) < (predicted_seconds("complex", limits, LAPTOP) or 0.0) / 3


def test_a_limit_below_what_a_search_brings_makes_the_prediction_shorter() -> None:
    few = RunLimits(evidence_tokens=400, chunks_per_lookup=5)
    many = RunLimits(evidence_tokens=1500, chunks_per_lookup=5)

    assert (predicted_seconds("complex", few, LAPTOP) or 0.0) < (predicted_seconds("complex", many, LAPTOP) or 0.0)


def test_nothing_is_predicted_for_a_machine_nobody_measured() -> None:
    assert predicted_seconds("complex", LIMITS["careful"], None) is None


def test_the_prediction_comes_before_the_answer_and_stays_with_it() -> None:
    from core.events import AnswerExpected, AnswerText

    model = ScriptedChatModel(
        streams=lambda prompt: "Text.",
        replies=lambda prompt, kind: {"lookups": ["q"]},
        choices=lambda prompt, labels: {labels[0]: 1.0},
        speed=LAPTOP,
    )

    asked = ask("Who runs it?", model, KnownPassages(otherwise=[passage(1, "Text.")]))

    told = [type(event) for event in asked.events]
    expected = next(event for event in asked.events if isinstance(event, AnswerExpected))
    assert told.index(AnswerExpected) < told.index(AnswerText)
    assert expected.seconds == predicted_seconds("complex", limits_for("careful", LAPTOP), LAPTOP)
    assert asked.answer.predicted_seconds is not None
    assert asked.answer.predicted_seconds >= expected.seconds


def test_without_a_measured_speed_nothing_is_promised() -> None:
    model = ScriptedChatModel(
        streams=lambda prompt: "Text.", replies=lambda prompt, kind: {"lookups": ["q"]}, choices=lambda prompt, labels: {labels[0]: 1.0}
    )

    asked = ask("Who runs it?", model, KnownPassages(otherwise=[passage(1, "Text.")]))

    assert asked.answer.predicted_seconds is None


def test_an_answer_of_a_model_nobody_calibrated_says_so() -> None:
    model = ScriptedChatModel(
        streams=lambda prompt: "Text.", replies=lambda prompt, kind: {"lookups": ["q"]}, choices=lambda prompt, labels: {labels[0]: 1.0}
    )
    retriever = KnownPassages(otherwise=[passage(1, "Text.")])

    uncalibrated = ask("Who runs it?", model, retriever, thresholds=CALIBRATED.model_copy(update={"calibrated": False}))

    assert "model_uncalibrated" in uncalibrated.answer.notes
    assert "model_uncalibrated" not in ask("Who runs it?", model, retriever).answer.notes
