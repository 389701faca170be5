"""After each round: search on, or use what there is."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.documents import ScoredChunk
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, LabelQuestion, probability
from core.qa.hop_answer import hop_answers
from core.qa.language import prompt_language
from core.qa.lookups import answers, next_round
from core.qa.prompt import evidence_prompt
from core.qa.state import Plan, QAState
from core.qa.thresholds import NEVER

SURELY_COMPLETE = 0.95


def plan_next_step(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Set `planned_next` and, for another round, `current_queries`, finished with the short answers of the lookups before.

    The model only advises. Code overrules it: no lookup left, one that cannot be finished, or a limit reached, means `generate`.
    """
    context = runtime.context
    left = state["next_sub_idx"] < len(state["sub_questions"])
    limit = "max_retrievals" if left and state["retrieval_count"] >= state["max_retrievals"] else context.meter.limit_hit()
    if limit:
        return {"planner_advice": None, "planned_next": "generate", "limits_hit": (limit,), "usage": context.meter.take()}
    if len(state["sub_questions"]) == 1:
        return {"planner_advice": None, "planned_next": "generate", "usage": context.meter.take()}
    lookups, notes = hop_answers(state, context) if state["features"].hop_answers else (state["lookups"], ())
    queries = next_round(state["sub_questions"], state["next_sub_idx"], answers(lookups))
    done: QAState = {"lookups": lookups}
    if not queries:
        return {**done, "planner_advice": None, "planned_next": "generate", "notes": notes, "usage": context.meter.take()}
    advice, complete, trouble = _advice(state, context, " ".join(queries))
    return {
        **done,
        "complete_probability": complete,
        "planner_advice": advice,
        "planned_next": advice,
        "current_queries": queries,
        "notes": notes + trouble,
        "usage": context.meter.take(),
    }


def _advice(state: QAState, context: QAContext, upcoming: str) -> tuple[Plan, float | None, tuple[str, ...]]:
    """What to do next, how sure it is that nothing is missing, and what went wrong."""
    # A model that cannot tell is not asked: what it says would change nothing.
    if not state["documents"] or context.thresholds.plan >= NEVER:
        return "retrieve", None, ()
    asked = is_complete(state["standalone_question"], state["documents"], upcoming)
    try:
        enough = probability(context.chat_model, *asked, cancel=context.cancel)
    except BROKEN_DECISION:
        return "retrieve", None, ("plan_failed",)
    confidence = context.thresholds.confidence("plan", enough)
    # Calibrated on examples the model tells complete evidence from incomplete poorly, and what is left was planned with a reason.
    surely = enough >= context.thresholds.plan and confidence >= SURELY_COMPLETE
    return ("generate" if surely else "retrieve"), confidence, ()


def is_complete(question: str, documents: Sequence[ScoredChunk], upcoming: str) -> LabelQuestion:
    """Do the passages state all that the question needs, so that `upcoming` need not be looked up?"""
    language = prompt_language(question)
    yes, no = ("是", "否") if language == "zh" else ("yes", "no")
    return LabelQuestion(evidence_prompt("plan_next_step", language, question=question, documents=documents, upcoming=upcoming), yes, no)
