from __future__ import annotations

import pytest

from core.cancel import CancelToken
from core.documents import Message
from core.errors import ChildCrashed, ModelMissing
from core.qa.nodes.rewrite_question import HISTORY_CHARACTERS, history_text, standalone, with_last_turn
from tests.fakes.asking import ask
from tests.fakes.retrieval import KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel

HISTORY = [Message("user", "Who runs the night shift?"), Message("assistant", "Petra Lang runs it.")]
GESPRÄCH = [Message("user", "夜班由谁负责？"), Message("assistant", "由何立负责。")]


def made(question: str, model: ScriptedChatModel, history: list[Message] = HISTORY) -> str:
    return standalone(question, history, model, cancel=CancelToken())


def test_a_pronoun_is_resolved_by_the_model() -> None:
    assert made("Where was she born?", ScriptedChatModel(streams=["Where was Petra Lang born?"])) == "Where was Petra Lang born?"


def test_a_chinese_follow_up_is_asked_for_in_chinese() -> None:
    model = ScriptedChatModel(streams=["何立是在哪里出生的？"])

    assert made("他是在哪里出生的？", model, GESPRÄCH) == "何立是在哪里出生的？"
    assert "用户: 夜班由谁负责？" in model.asked[0].text


def test_a_question_that_names_its_subject_costs_no_call() -> None:
    model = ScriptedChatModel()

    assert made("What is the capital of France?", model) == "What is the capital of France?"
    assert made("12 * 8", model) == "12 * 8"
    assert made("Where was she born?", model, []) == "Where was she born?"
    assert model.asked == []


@pytest.mark.parametrize(
    ("points_back", "expected"), [(0.1, "When was the company founded?"), (0.9, "When was Petra Lang's company founded?")]
)
def test_an_unclear_question_is_rewritten_if_the_model_finds_that_it_points_back(points_back: float, expected: str) -> None:
    model = ScriptedChatModel(
        streams=lambda prompt: "When was Petra Lang's company founded?", choices=[{"yes": points_back, "no": 1 - points_back}]
    )

    assert made("When was the company founded?", model) == expected


@pytest.mark.parametrize("written", ["Where was Anna Berg born?", "Where was she born?", "", "Petra Lang was born in Oslo."])
def test_what_the_model_invents_or_leaves_open_is_not_taken(written: str) -> None:
    rewritten = made("Where was she born?", ScriptedChatModel(streams=[written]))

    assert rewritten == "Where was she born? (Who runs the night shift? Petra Lang runs it.)"


def test_an_unclear_question_stays_as_it_was_typed_when_nothing_helps() -> None:
    model = ScriptedChatModel(streams=["Nonsense"], choices=["yes"])

    assert made("When was the company founded?", model) == "When was the company founded?"


def test_only_the_last_four_turns_are_shown() -> None:
    history = [Message("user" if n % 2 == 0 else "assistant", f"turn {n}") for n in range(12)]
    model = ScriptedChatModel(streams=lambda prompt: "", replies=lambda p, t: {"lookups": ["q"]}, choices=lambda p, labels: labels[0])

    ask("Who is she?", model, KnownPassages(), history=history)

    assert "turn 3\n" not in model.asked[0].text
    assert "User: turn 4\nAssistant: turn 5" in model.asked[0].text


def test_marks_of_sources_are_no_part_of_what_was_said() -> None:
    assert (
        with_last_turn("Why?", [Message("user", "Who?"), Message("assistant", "Petra Lang [1], they say [12].")])
        == "Why? (Who? Petra Lang, they say.)"
    )


def test_long_turns_are_cut() -> None:
    assert len(history_text([Message("user", "x" * 5000)], "en")) < HISTORY_CHARACTERS + 20
    assert len(with_last_turn("Why?", [Message("user", "x" * 5000), Message("assistant", "y" * 5000)])) < HISTORY_CHARACTERS + 20


def test_a_broken_rewriting_leaves_the_question_and_a_note() -> None:
    def crash_once(prompt: object) -> str | Exception:
        return ChildCrashed("The process ended.") if len(model.asked) == 1 else "In Oslo [1]."

    model = ScriptedChatModel(streams=crash_once, replies=lambda p, t: {"lookups": ["q"]}, choices=lambda p, labels: labels[0])

    answer = ask("Where was she born?", model, KnownPassages(otherwise=[passage(1, "In Oslo.")]), history=HISTORY).answer

    assert answer.standalone_question == "Where was she born?"
    assert "rewrite_failed" in answer.notes


def test_a_missing_model_ends_the_run() -> None:
    with pytest.raises(ModelMissing):
        ask("Where was she born?", ScriptedChatModel(streams=[ModelMissing("There is no model.")]), history=HISTORY)
