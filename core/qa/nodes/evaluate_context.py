"""Is what was found enough to answer?"""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.documents import Evaluation, ScoredChunk, WebResult
from core.errors import InvalidRequest
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, LabelQuestion, probability
from core.qa.language import prompt_language
from core.qa.prompt import evidence_prompt
from core.qa.state import QAState
from core.web.query import build_web_query


def evaluate_context(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Set `evaluation`; on the first visit, with the web switched on, also what to search for there.

    Having found passages is not having the answer. A broken decision counts as enough: the answer is then still held to the
    evidence, while "not enough" might send words to the web because of a failure of ours.
    """
    context = runtime.context
    visit = state["evaluation_count"] + 1
    done: QAState = {"evaluation_count": visit}
    if not state["documents"] and not state["web"].results:
        evaluation = Evaluation(enough=False, missing=(state["standalone_question"],), reason="nothing_found")
        return {**done, **_with_web_query(evaluation, state, context, visit), "usage": context.meter.take()}
    limit = context.meter.limit_hit()
    if limit:
        hit = () if limit in state["limits_hit"] else (limit,)
        return {**done, "evaluation": Evaluation(enough=True, reason="limit"), "limits_hit": hit, "usage": context.meter.take()}
    question = state["standalone_question"]
    try:
        asked = is_stated(question, state["documents"], state["web"].results)
        enough = probability(context.chat_model, *asked, cancel=context.cancel)
    except BROKEN_DECISION:
        evaluation = Evaluation(enough=True, reason="evaluate_failed")
        return {**done, "evaluation": evaluation, "notes": ("evaluate_failed",), "usage": context.meter.take()}
    confidence = context.thresholds.confidence("enough", enough)
    if enough >= context.thresholds.enough:
        return {**done, "evaluation": Evaluation(enough=True, reason="stated", confidence=confidence), "usage": context.meter.take()}
    evaluation = Evaluation(enough=False, missing=_missing(state), reason="not_stated", confidence=confidence)
    return {**done, **_with_web_query(evaluation, state, context, visit), "usage": context.meter.take()}


def is_stated(question: str, documents: Sequence[ScoredChunk], web_results: Sequence[WebResult] = ()) -> LabelQuestion:
    """Do the passages state the answer?"""
    language = prompt_language(question)
    yes, no = ("是", "否") if language == "zh" else ("yes", "no")
    return LabelQuestion(
        evidence_prompt("evaluate_context", language, question=question, documents=documents, web_results=web_results), yes, no
    )


def _missing(state: QAState) -> tuple[str, ...]:
    empty = tuple(lookup.query for lookup in state["lookups"] if not lookup.found)
    return (empty or (state["standalone_question"],))[:6]


def _with_web_query(evaluation: Evaluation, state: QAState, context: QAContext, visit: int) -> QAState:
    if visit > 1 or context.web_mode == "off" or not state["features"].web:
        return {"evaluation": evaluation}
    passages = [found.chunk.text for found in state["documents"]]
    try:
        query = build_web_query(typed_words(state), passages)
    except InvalidRequest as error:
        return {"evaluation": evaluation, "notes": (error.code,)}
    return {
        "evaluation": Evaluation(
            enough=evaluation.enough,
            missing=evaluation.missing,
            reason=evaluation.reason,
            web_query=query,
            confidence=evaluation.confidence,
        )
    }


def typed_words(state: QAState) -> str:
    """The person's own words for this question: what they typed, after the question it follows up on.

    Never the rewritten question: the model wrote that, having read answers that quote files.
    """
    asked_before = [turn.content for turn in state["chat_history"] if turn.role == "user"]
    if state["standalone_question"] == state["question"] or not asked_before:
        return state["question"]
    return f"{asked_before[-1]} {state['question']}"
