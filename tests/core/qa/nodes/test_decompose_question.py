from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.documents import Prompt
from core.qa.nodes.decompose_question import plan_prompt, usable_plan
from core.qa.thresholds import NEVER, Logistic
from tests.fakes.asking import CALIBRATED, Asked, ask
from tests.fakes.retrieval import KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel

BRIDGE = passage(1, "The Tarn bridge was built by Iver Holt, who was born in Sundal.")
QUESTION = "Where was the man who built the Tarn bridge born?"


def counting(**counts: float) -> ScriptedChatModel:
    """A model that gives the numbers of lookups these weights, and says yes to everything else."""

    def choices(prompt: Prompt, labels: Sequence[str]) -> dict[str, float]:
        if "2" in labels:
            return {label: counts.get(f"n{label}", 0.0) for label in labels}
        return {labels[0]: 0.9, labels[1]: 0.1}

    return ScriptedChatModel(
        streams=lambda prompt: "Iver Holt" if "few words" in prompt.messages[-1].content else "Sundal\nHe was born in Sundal [1].",
        replies=lambda prompt, kind: {"lookups": ["Who built the Tarn bridge?", "Where was #1 born?"]},
        choices=choices,
    )


def plan_of(asked: Asked) -> list[str]:
    return [lookup.query for lookup in asked.answer.sub_questions]


def test_a_question_that_one_lookup_answers_has_no_plan_written() -> None:
    model = counting(n1=0.7, n2=0.3)

    asked = ask(QUESTION, model, KnownPassages(otherwise=[BRIDGE]))

    assert plan_of(asked) == [QUESTION]
    assert not [call for call in model.asked if call.operation == "reply"]


def test_from_the_models_threshold_on_a_plan_is_written() -> None:
    split = CALIBRATED.model_copy(update={"several": 0.25})

    asked = ask(QUESTION, counting(n1=0.7, n2=0.3), KnownPassages(otherwise=[BRIDGE]), thresholds=split)

    assert plan_of(asked) == ["Who built the Tarn bridge?", "Where was Iver Holt born?"]


def test_the_trace_says_how_sure_the_decision_is_by_what_such_probabilities_were_worth() -> None:
    curved = CALIBRATED.model_copy(update={"curves": {"several": Logistic(slope=2.0, offset=-1.0)}})

    asked = ask(QUESTION, counting(n1=0.7, n2=0.3), KnownPassages(otherwise=[BRIDGE]), thresholds=curved)

    assert asked.detail("decompose_question")["several_probability"] == pytest.approx(curved.confidence("several", 0.3), abs=0.001)


@pytest.mark.parametrize(("plan", "times"), [(0.9, 1), (NEVER, 0)])
def test_whether_something_is_missing_is_asked_of_models_that_can_tell(plan: float, times: int) -> None:
    model = counting(n1=0.1, n2=0.9)

    asked = ask(QUESTION, model, KnownPassages(otherwise=[BRIDGE]), thresholds=CALIBRATED.model_copy(update={"plan": plan}))

    assert plan_of(asked) == ["Who built the Tarn bridge?", "Where was Iver Holt born?"]
    assert len([call for call in model.calls("choose") if "next lookup" in call.prompt.messages[-1].content.casefold()]) == times


def test_a_model_that_counts_only_high_splits() -> None:
    asked = ask(QUESTION, counting(n1=0.0, n2=0.0, n3=1.0), KnownPassages(otherwise=[BRIDGE]))

    assert len(plan_of(asked)) == 2


def test_the_plan_is_written_behind_its_likeliest_number() -> None:
    model = counting(n1=0.1, n2=0.3, n3=0.5, n4=0.1)

    ask(QUESTION, model, KnownPassages(otherwise=[BRIDGE]))

    assert next(call for call in model.asked if call.operation == "reply").prompt.answer_start == "3 "


@pytest.mark.parametrize("question", ["Who?", "谁？"])
def test_every_example_begins_with_the_number_of_its_lookups(question: str) -> None:
    plans = [turn.content for turn in plan_prompt(question).messages if turn.role == "assistant"]

    assert len(plans) >= 8
    for plan in plans:
        number, written = re.fullmatch(r"(\d) (.*)", plan).groups()  # type: ignore[union-attr]
        assert len(json.loads(written)["lookups"]) == int(number)


def test_parallel_lookups_are_kept_in_order() -> None:
    plan = usable_plan("Which is taller, A tower or B tower?", ["How tall is A tower?", "How tall is B tower?"])

    assert plan == ("How tall is A tower?", "How tall is B tower?")


def test_a_chain_keeps_its_references() -> None:
    assert usable_plan("甲的上级的电话？", ["甲的上级是谁？", "#1的电话是多少？"]) == ("甲的上级是谁？", "#1的电话是多少？")


def test_blanks_and_repetitions_are_dropped() -> None:
    assert usable_plan("q?", ["", "  ", "What is A?", "what is a", "What is B?"]) == ("What is A?", "What is B?")


def test_one_lookup_is_the_persons_own_question() -> None:
    assert usable_plan("How long is it, the notice period?", ["notice period length"]) == ("How long is it, the notice period?",)


def test_a_lookup_in_another_language_is_dropped() -> None:
    plan = usable_plan("Which town is Tom from, and Ana?", ["Which town is Tom from?", "安娜来自哪个城市？", "Which town is Ana from?"])

    assert plan == ("Which town is Tom from?", "Which town is Ana from?")


def test_a_reference_to_a_result_that_nobody_brings_is_dropped() -> None:
    assert usable_plan("q?", ["What is A?", "Who is #3?", "What is B?"]) == ("What is A?", "What is B?")


def test_references_are_counted_anew_when_a_lookup_is_dropped() -> None:
    plan = usable_plan("q?", ["What is A?", "what is a", "", "Who made #2?", "Where is #4?"])

    assert plan == ("What is A?", "Who made #1?", "Where is #2?")


def test_what_builds_on_a_copy_of_the_whole_question_is_dropped() -> None:
    question = "P-02 的负责人坐在哪个办公室？"

    assert usable_plan(question, ["P-02的负责人坐在哪个办公室", "#1的办公室在哪里？"]) == (question,)


@given(st.text(max_size=40), st.lists(st.text(alphabet="ab#1２？ 年", max_size=12), max_size=6))
def test_there_is_always_a_plan_and_its_references_can_be_resolved(question: str, lookups: list[str]) -> None:
    plan = usable_plan(question, lookups)

    assert plan
    for place, lookup in enumerate(plan):
        assert lookup == question or all(f"#{n}" not in lookup for n in range(place + 1, 10))


@pytest.mark.parametrize(
    ("question", "lookups", "plan"),
    [
        ("When was Alto released?", ["Is Alto a film?", "Who made Alto?", "When was #1 released?"], ("When was Alto released?",)),
        ("甲和乙谁高？", ["甲是塔吗？", "甲有多高？", "乙有多高？"], ("甲有多高？", "乙有多高？")),
        ("Are A and B both films?", ["Is A a film?", "Is B a film?"], ("Is A a film?", "Is B a film?")),
    ],
)
def test_what_the_question_takes_for_granted_is_not_looked_up(question: str, lookups: list[str], plan: tuple[str, ...]) -> None:
    assert usable_plan(question, lookups) == plan
