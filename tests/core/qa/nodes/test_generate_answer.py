from __future__ import annotations

from collections.abc import Sequence

from core.documents import Prompt
from tests.fakes.asking import ask
from tests.fakes.retrieval import KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel

QUESTION = "How heavy was the silver anchor of the harbour museum?"
ANCHOR = passage(1, "A silver anchor hangs above the door of the inn.")
MUSEUM = passage(2, "The harbour museum opens at nine and is closed on Mondays.", start=1000)
LINKS = ("Where is the silver anchor?", "How heavy is what the harbour museum shows?")
FOUND = {LINKS[0]: [ANCHOR], LINKS[1]: [MUSEUM]}


def guessing(plan: Sequence[str], proposed: str = "", *, stated: float = 0.5) -> ScriptedChatModel:
    """Plans the lookups, believes with `stated` that the passages say it, proposes another lookup, and makes an answer up."""

    def choices(prompt: Prompt, labels: Sequence[str]) -> dict[str, float]:
        if labels[0] in ("files", "2"):
            return {labels[0]: 0.9 if len(plan) > 1 or labels[0] == "files" else 0.1, labels[1]: 0.1}
        return {labels[0]: stated, labels[1]: 1.0 - stated}

    def streams(prompt: Prompt) -> str:
        said = prompt.messages[-1].content
        if "few words" in said:
            return "unknown"
        return "nine\nIt opens at nine [2]." if "</" in said else proposed

    return ScriptedChatModel(streams=streams, replies=lambda prompt, kind: {"lookups": list(plan)}, choices=choices)


def test_two_passages_that_each_have_half_of_a_question_with_one_link_carry_no_answer_to_it() -> None:
    files = KnownPassages({QUESTION: [ANCHOR], "Weight of the anchor": [MUSEUM]}, otherwise=[ANCHOR])

    asked = ask(QUESTION, guessing([QUESTION], "Weight of the anchor"), files)

    assert asked.nodes.count("retrieve") == 2
    assert asked.answer.refused


def test_nor_do_the_links_of_a_chain_carry_an_answer_that_the_model_hardly_believes() -> None:
    asked = ask(QUESTION, guessing(LINKS), KnownPassages(FOUND, otherwise=[ANCHOR]))

    assert asked.nodes.count("retrieve") == 1
    assert asked.answer.refused


def test_the_links_of_a_chain_may_stand_in_different_passages_where_the_model_is_sure() -> None:
    asked = ask(QUESTION, guessing(LINKS, stated=0.9), KnownPassages(FOUND, otherwise=[ANCHOR]))

    assert not asked.answer.refused


def test_what_a_draft_cost_that_was_refused_is_counted_in_its_step() -> None:
    def streams(prompt: Prompt) -> list[str]:
        return ["nine", "\n", "It opens ", "at nine ", "[2]."]

    model = ScriptedChatModel(
        streams=streams,
        replies=lambda prompt, kind: {"lookups": [QUESTION]},
        choices=lambda prompt, labels: {labels[0]: 0.5, labels[1]: 0.5},
    )

    asked = ask(QUESTION, model, KnownPassages(otherwise=[MUSEUM]), budget="quick")

    steps = {step.node: step for step in asked.answer.steps}
    assert asked.answer.refused
    assert steps["generate_answer"].usage.generated == 2
    assert steps["generate_answer"].usage.evaluated > 0


def test_a_draft_without_a_word_is_no_answer() -> None:
    anchor = passage(1, "The silver anchor of the harbour museum was as heavy as nine men.")
    model = ScriptedChatModel(
        streams=lambda prompt: "[P]" if "</" in prompt.messages[-1].content else "",
        replies=lambda prompt, kind: {"lookups": [QUESTION]},
        choices=lambda prompt, labels: {labels[0]: 0.9 if labels[0] != "2" else 0.1, labels[1]: 0.1},
    )

    asked = ask(QUESTION, model, KnownPassages({}, otherwise=[anchor]))

    assert asked.answer.refused
    assert asked.answer.short_answer == ""
