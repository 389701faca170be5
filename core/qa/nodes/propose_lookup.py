"""The plan is used up and something is missing: one more lookup, from what is known by now."""

from __future__ import annotations

from langgraph.runtime import Runtime

from core.documents import Prompt
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, write_line
from core.qa.language import prompt_language
from core.qa.lookups import is_new
from core.qa.prompt import few_shot, prompt_text
from core.qa.state import QAState

MAX_TOKENS = 48


def propose_lookup(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Add a lookup to the plan. A copy of the question, or of a lookup that was made, is refused: then the plan stays as it is.

    The model sees the question and the short answers so far, never the passages: what is searched next is not theirs to say.
    """
    context = runtime.context
    question = state["standalone_question"]
    tried: QAState = {"proposals": state["proposals"] + 1, "planned_next": "generate"}
    if limit := context.meter.limit_hit():
        return {**tried, "limits_hit": (limit,), "usage": context.meter.take()}
    try:
        lookup = write_line(context.chat_model, proposal(state), max_tokens=MAX_TOKENS, cancel=context.cancel)
    except BROKEN_DECISION:
        return {**tried, "notes": ("propose_failed",), "usage": context.meter.take()}
    nothing = prompt_text("not_stated", prompt_language(question))
    searched = [nothing, *(done.query for done in state["lookups"])]
    if not is_new(lookup, question, searched) or prompt_language(lookup) != prompt_language(question):
        return {**tried, "usage": context.meter.take()}
    return {
        "proposals": state["proposals"] + 1,
        "planned_next": "retrieve",
        # What could not be finished is given up: the proposal takes its place.
        "sub_questions": (*state["sub_questions"][: state["next_sub_idx"]], lookup),
        "current_queries": (lookup,),
        "usage": context.meter.take(),
    }


def proposal(state: QAState) -> Prompt:
    """The question, what was searched, and what was found, as the few-shot examples show it."""
    language = prompt_language(state["standalone_question"])
    unknown = prompt_text("not_stated", language)
    known = "\n".join(f"- {lookup.query} {lookup.answer or unknown}" for lookup in state["lookups"])
    return few_shot("propose_lookup", language, question=state["standalone_question"], known=known)
