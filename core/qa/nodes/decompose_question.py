"""Split the question into lookups that can each be searched alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from core.documents import Prompt
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, LabelQuestion
from core.qa.language import prompt_language
from core.qa.lookups import finished, next_round, references, same, without_references
from core.qa.prompt import few_shot
from core.qa.replies import SubQuestions
from core.qa.state import QAState

MAX_TOKENS = 320
# The first two are the decision's labels.
COUNTS = ("2", "1", "3", "4")
_YES_OR_NO = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b|.*(?:吗[？?]?|是否.*|是不是.*|还是.*)$", re.IGNORECASE
)


def decompose_question(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Set the ordered plan. A plan that cannot be used becomes the question itself.

    How many lookups it takes is read from the label that the plan would begin with: that tells questions of several links apart better than the
    plans that the model writes, and most questions need no plan to be written at all.
    """
    context = runtime.context
    question = state["standalone_question"]
    prompt = plan_prompt(question)
    try:
        counts = context.chat_model.choose(prompt, COUNTS, cancel=context.cancel).probabilities
        one_or_two = counts["1"] + counts["2"]
        several = counts["2"] / one_or_two if one_or_two else 1.0
        done: QAState = {"several_probability": context.thresholds.confidence("several", several)}
        if several < context.thresholds.several:
            return {**done, "usage": context.meter.take()}
        # The plan goes on behind its likeliest number.
        prompt = replace(prompt, answer_start=f"{max('234', key=lambda count: counts[count])} ")
        reply = context.chat_model.reply(prompt, SubQuestions, max_tokens=MAX_TOKENS, cancel=context.cancel)
    except BROKEN_DECISION:
        return {"sub_questions": (question,), "notes": ("decompose_failed",), "usage": context.meter.take()}
    plan = usable_plan(question, reply.value.lookups)
    return {
        **done,
        "sub_questions": plan,
        "current_queries": next_round(plan, 0, {}),
        "usage": context.meter.take(),
    }


def plan_prompt(question: str) -> Prompt:
    """What a plan is asked with; it begins with the number of its lookups."""
    return few_shot("decompose_question", prompt_language(question), question=question)


def needs_several(question: str) -> LabelQuestion:
    """Does the question need more than one lookup?"""
    return LabelQuestion(plan_prompt(question), "2", "1")


def asks_yes_or_no(question: str) -> bool:
    """Whether a question can be answered by yes or no."""
    return bool(_YES_OR_NO.match(question.strip()))


def usable_plan(question: str, lookups: Sequence[str]) -> tuple[str, ...]:
    """Drop what cannot be searched; an empty rest is the question itself.

    Dropped are blanks, repetitions, lookups in another language than the question, lookups about a result that no earlier one
    brings, after a copy of the whole question everything that builds on it (its answer would be the answer), and questions to be
    answered by yes or no where the person asked none.
    """
    kept: list[str] = []
    places: dict[int, int] = {}
    language = prompt_language(question)
    for number, lookup in enumerate(lookups, 1):
        text = finished(" ".join(lookup.split()), {n: f"#{place}" for n, place in places.items()})
        if text is None:
            continue
        own_words = without_references(text)
        known = next((place for place, other in enumerate(kept, 1) if same(text, other)), None)
        if known is not None:
            places[number] = known
        elif (
            own_words.strip()
            and prompt_language(own_words) == language
            and not (kept and same(kept[0], question) and references(text))
            # "Is Alto a film of 2011?" only says again what the question takes for granted.
            and (asks_yes_or_no(question) or not asks_yes_or_no(text))
        ):
            kept.append(text)
            places[number] = len(kept)
    if not kept or (len(kept) == 1 and not references(kept[0])):
        # One lookup only: the person's own words search at least as well as the model's copy of them.
        return (question,)
    return tuple(kept)
