"""Decide whether the question needs a document at all."""

from __future__ import annotations

from langgraph.runtime import Runtime

from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, LabelQuestion, probability
from core.qa.greetings import is_greeting
from core.qa.language import prompt_language
from core.qa.prompt import few_shot
from core.qa.state import QAState
from core.qa.sums import is_arithmetic


def route_question(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Set `strategy`: `simple` is answered by the model alone, `complex` from the files. A broken decision is `complex`, and so is a
    question to files that the person named: nothing but those shall answer it.
    """
    context = runtime.context
    if not state["scope"].is_everything:
        return {"strategy": "complex", "route_reason": "scope", "usage": context.meter.take()}
    question = state["standalone_question"]
    if is_arithmetic(question) or is_greeting(question):
        reason = "arithmetic" if is_arithmetic(question) else "general"
        return {"strategy": "simple", "route_reason": reason, "files_probability": 0.0, "usage": context.meter.take()}
    try:
        files = probability(context.chat_model, *needs_files(question), cancel=context.cancel)
    except BROKEN_DECISION:
        return {"strategy": "complex", "route_reason": "route_failed", "notes": ("route_failed",), "usage": context.meter.take()}
    confidence = context.thresholds.confidence("files", files)
    if files < context.thresholds.files:
        return {"strategy": "simple", "route_reason": "general", "files_probability": confidence, "usage": context.meter.take()}
    return {"strategy": "complex", "route_reason": "needs_files", "files_probability": confidence, "usage": context.meter.take()}


def needs_files(question: str) -> LabelQuestion:
    """Does the question need the person's files?"""
    return LabelQuestion(few_shot("route_question", prompt_language(question), question=question), "files", "general")
