from __future__ import annotations

import pytest

from core.documents import Evaluation, Step, SubQuestion, WebOutcome
from core.events import StepFinished
from core.qa.graph import build_graph
from desktop.conversation.step_words import is_rewritten, running_title, step_text, stored_details
from desktop.error_text import NOTES
from desktop.plain_words import running_line, step_line
from tests.fakes.window import answer_of

NODES = [node for node in build_graph().get_graph().nodes if not node.startswith("__")]


@pytest.mark.parametrize("node", NODES)
def test_every_node_has_words_of_its_own(node: str) -> None:
    assert "_" not in running_title(node) and "_" not in step_text(node, {}).title
    assert running_title(node) != step_text(node, {}).title


@pytest.mark.parametrize("node", NODES)
def test_the_command_line_calls_every_node_as_the_window_does(node: str) -> None:
    assert running_line(node) == running_title(node)
    assert step_line(StepFinished(Step(node, 0.1), {})) == f"  {step_text(node, {}).title} (0.1 s)"


def test_an_unknown_node_is_shown_by_its_name() -> None:
    assert step_text("future_node", {"x": 1}).title == "future node"


def test_details_say_what_was_decided_searched_and_found() -> None:
    said = {
        "rewrite_question": ({"standalone_question": "And for fathers?"}, ("“And for fathers?”",)),
        "route_question": ({"strategy": "simple", "route_reason": "arithmetic"}, ("No file is needed for this", "It can be calculated")),
        "decompose_question": (
            {"several_probability": 0.81, "sub_questions": ["a", "b"]},
            ("Takes several lookups: 81%", "1. a", "2. b"),
        ),
        "retrieve": ({"query": "a", "found": 1, "error": ""}, ("“a”", "Found 1 passage")),
        "judge_answer": ({"score": 0.42, "doubts": 2, "planned_next": "retrieve"}, ("Judged good: 42%", "Doubtful parts: 2", "Search on")),
        "plan_next_step": (
            {"planned_next": "retrieve", "complete_probability": 0.07, "answers": ["Lin Chong"]},
            ("Search on", "Nothing is missing: 7%", "Learned: Lin Chong"),
        ),
        "evaluate_context": ({"enough": False, "missing": ["the year"]}, ("Not enough to answer completely", "Missing: the year")),
        "web_search": ({"web_query": "a", "web_error": "", "web_results": 2}, ("“a”", "Found 2 pages")),
    }
    for node, (detail, lines) in said.items():
        assert step_text(node, detail).details == lines


def test_nothing_found_and_a_failed_search_are_different() -> None:
    nothing, failed = (
        step_text("retrieve", {"query": "a", "found": 0}),
        step_text("retrieve", {"query": "a", "found": 0, "error": "index_damaged"}),
    )

    assert nothing.details[1] == "Found nothing new" and not nothing.failed
    assert failed.details[1] == "The search failed" and failed.failed


@pytest.mark.parametrize(
    "detail", [{"query": 7, "found": "many"}, {"sub_questions": "abc"}, {"missing": None, "enough": "yes"}, {"strategy": ["x"]}]
)
def test_details_of_another_form_are_left_out(detail: dict[str, object]) -> None:
    for node in NODES:
        step_text(node, detail)


def test_a_question_is_rewritten_if_another_one_stands_in_its_place() -> None:
    assert is_rewritten("And when?", {"standalone_question": "When is the fee due?"})
    assert not is_rewritten(" And when?\n", {"standalone_question": "And when?"})
    assert not is_rewritten("And when?", {"standalone_question": " "})
    assert not is_rewritten("And when?", {"standalone_question": 7})


def test_a_stored_answer_still_knows_its_lookups() -> None:
    answer = answer_of(
        "q",
        "t",
        standalone_question="q about x",
        strategy="complex",
        sub_questions=(SubQuestion("first", "", 2), SubQuestion("second", "", 0)),
        steps=(
            *(
                Step(node, 1.0)
                for node in ("rewrite_question", "decompose_question", "retrieve", "plan_next_step", "retrieve", "web_search")
            ),
            Step("plan_next_step", 1.0, note="plan_failed"),
        ),
        web=WebOutcome(True, "words", "web_offline"),
        evaluation=Evaluation(False, ("a",)),
    )

    texts = [step_text(step.node, detail) for step, detail in stored_details(answer)]

    assert texts[0].details == ("“q about x”",)
    assert texts[1].details == ("1. first", "2. second")
    assert texts[2].details == ("“first”", "Found 2 passages")
    assert texts[3].details == ("Search on",)
    assert texts[4].details == ("“second”", "Found nothing new")
    assert texts[5].failed
    assert texts[6].details == ("Enough searched", NOTES["plan_failed"].title)
