"""Is what was found enough to answer?"""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.documents import Evaluation, ScoredChunk, WebOutcome, WebResult
from core.errors import InvalidRequest
from core.qa.answerability import before_a_draft
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, LabelQuestion, probability
from core.qa.language import prompt_language
from core.qa.prompt import evidence_prompt
from core.qa.state import QAState
from core.web.query import build_web_query

FIRST_PORTION = 2
# 14 single-hop questions, 10 with several links and 14 unanswerable ones of the tuning halves: 12, 1 and none reach it. The model's own
# probability alone, from 0.92 on, is reached by 6, 2 and none. Of SQuAD's adversarial ones (4) it is all of them, and 3.
SURELY_ENOUGH = 0.8


def evaluate_context(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Set `evaluation`; while the web was not asked and is switched on, also what to search for there.

    The best passages are read first: where they alone are surely enough, the rest is left out of the evidence, unread. Having found
    passages is not having the answer. A broken decision counts as enough: the answer is then still held to the evidence, while "not
    enough" might send words to the web because of a failure of ours.
    """
    context = runtime.context
    if not state["documents"] and not state["web"].results:
        evaluation = Evaluation(enough=False, missing=(state["standalone_question"],), reason="nothing_found")
        return {**_with_web_query(evaluation, state, context), "usage": context.meter.take()}
    limit = context.meter.limit_hit()
    if limit:
        hit = () if limit in state["limits_hit"] else (limit,)
        return {"evaluation": Evaluation(enough=True, reason="limit"), "limits_hit": hit, "usage": context.meter.take()}
    enough, documents = 0.0, state["documents"]
    try:
        for documents in _portions(state):
            asked = is_stated(state["standalone_question"], documents, state["web"].results)
            enough = probability(context.chat_model, *asked, cancel=context.cancel)
            texts = [(found.chunk.context, found.chunk.text) for found in documents]
            if before_a_draft(state["standalone_question"], texts, enough, context.thresholds.enough) >= SURELY_ENOUGH:
                break
    except BROKEN_DECISION:
        evaluation = Evaluation(enough=True, reason="evaluate_failed")
        return {"evaluation": evaluation, "notes": ("evaluate_failed",), "usage": context.meter.take()}
    confidence = context.thresholds.confidence("enough", enough)
    if enough >= context.thresholds.enough:
        evaluation = Evaluation(enough=True, reason="stated", confidence=confidence)
        return {"evaluation": evaluation, "stated": enough, "documents": documents, "usage": context.meter.take()}
    evaluation = Evaluation(enough=False, missing=_missing(state), reason="not_stated", confidence=confidence)
    return {**_with_web_query(evaluation, state, context), "stated": enough, "usage": context.meter.take()}


def _portions(state: QAState) -> tuple[tuple[ScoredChunk, ...], ...]:
    """What to read before deciding: after a single lookup the best passages first, else all at once."""
    documents = state["documents"]
    if len(state["lookups"]) != 1 or state["web"].results or len(documents) <= FIRST_PORTION:
        return (documents,)
    return documents[:FIRST_PORTION], documents


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


def _with_web_query(evaluation: Evaluation, state: QAState, context: QAContext) -> QAState:
    if state["web"] != WebOutcome() or context.web_mode == "off" or not state["features"].web:
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
