"""Split the question into lookups that can each be searched alone."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION
from core.qa.language import prompt_language
from core.qa.lookups import next_round, references, same, without_references
from core.qa.prompt import few_shot
from core.qa.replies import SubQuestions
from core.qa.state import QAState

MAX_TOKENS = 320


def decompose_question(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Set the ordered plan. A plan that cannot be used becomes the question itself."""
    context = runtime.context
    question = state["standalone_question"]
    prompt = few_shot("decompose_question", prompt_language(question), question=question)
    try:
        reply = context.chat_model.reply(prompt, SubQuestions, max_tokens=MAX_TOKENS, cancel=context.cancel)
    except BROKEN_DECISION:
        return {"sub_questions": (question,), "notes": ("decompose_failed",), "usage": context.meter.take()}
    plan = usable_plan(question, reply.value.lookups)
    return {"sub_questions": plan, "current_queries": next_round(plan, 0, {}), "usage": context.meter.take()}


def usable_plan(question: str, lookups: Sequence[str]) -> tuple[str, ...]:
    """Drop what cannot be searched; an empty rest is the question itself.

    Dropped are blanks, repetitions, lookups in another language than the question, lookups about a result that no earlier one
    brings, and, after a copy of the whole question, everything that builds on it (its answer would be the answer).
    """
    kept: list[str] = []
    language = prompt_language(question)
    for lookup in lookups:
        text = " ".join(lookup.split())
        refers = references(text)
        own_words = without_references(text)
        if not own_words.strip() or any(same(text, other) for other in kept):
            continue
        if any(n > len(kept) for n in refers) or prompt_language(own_words) != language:
            continue
        if kept and same(kept[0], question) and refers:
            continue
        kept.append(text)
    if not kept or (len(kept) == 1 and not references(kept[0])):
        # One lookup only: the person's own words search at least as well as the model's copy of them.
        return (question,)
    return tuple(kept)
