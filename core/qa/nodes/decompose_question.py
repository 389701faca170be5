"""Split the question into lookups that can each be searched alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION
from core.qa.language import prompt_language
from core.qa.prompt import few_shot
from core.qa.replies import SubQuestions
from core.qa.state import QAState

MAX_TOKENS = 320

EARLIER_RESULT = re.compile(r"#([1-9])")


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
    return {"sub_questions": plan, "current_query": plan[0], "usage": context.meter.take()}


def usable_plan(question: str, lookups: Sequence[str]) -> tuple[str, ...]:
    """Drop what cannot be searched; an empty rest is the question itself.

    Dropped are blanks, repetitions, lookups in another language than the question, lookups about a result that no earlier one
    brings, and, after a copy of the whole question, everything that builds on it (its answer would be the answer).
    """
    kept: list[str] = []
    seen: set[str] = set()
    language = prompt_language(question)
    for lookup in lookups:
        text = " ".join(lookup.split())
        key = _same(text)
        refers = [int(n) for n in EARLIER_RESULT.findall(text)]
        if not key or key in seen or (prompt_language(text) != language and not refers):
            continue
        if any(n > len(kept) for n in refers) or (refers and prompt_language(EARLIER_RESULT.sub("", text)) != language):
            continue
        if kept and _same(kept[0]) == _same(question) and refers:
            continue
        seen.add(key)
        kept.append(text)
    if not kept or (len(kept) == 1 and not EARLIER_RESULT.search(kept[0])):
        # One lookup only: the person's own words search at least as well as the model's copy of them.
        return (question,)
    return tuple(kept)


def _same(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())
