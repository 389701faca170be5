"""Where the graph goes next: pure functions of enumerations and numbers in the state, never of prose."""

from __future__ import annotations

from typing import Literal

from core.qa.state import QAState

Start = Literal["rewrite_question", "route_question", "retrieve"]
AfterRoute = Literal["direct_answer", "decompose_question", "retrieve"]
AfterRetrieve = Literal["plan_next_step", "evaluate_context", "generate_answer", "refuse"]
AfterPlan = Literal["retrieve", "evaluate_context", "generate_answer", "refuse"]
AfterEvaluation = Literal["generate_answer", "web_search", "refuse"]
AfterGeneration = Literal["refuse", "end"]


def from_start(state: QAState) -> Start:
    """A follow-up is made to stand alone first; a pipeline without a router goes straight to the files."""
    features = state["features"]
    if features.rewrite and state["chat_history"]:
        return "rewrite_question"
    return "route_question" if features.route else "retrieve"


def after_rewrite(state: QAState) -> Literal["route_question", "retrieve"]:
    """The rewritten question is routed like any other."""
    return "route_question" if state["features"].route else "retrieve"


def after_route(state: QAState) -> AfterRoute:
    """A simple question never touches the index."""
    if state["strategy"] == "simple":
        return "direct_answer"
    return "decompose_question" if state["features"].decompose else "retrieve"


def after_retrieve(state: QAState) -> AfterRetrieve:
    """Plan the next lookup where the pipeline plans; else judge or use what was found."""
    if state["features"].plan:
        return "plan_next_step"
    return _use_evidence(state)


def after_plan(state: QAState) -> AfterPlan:
    """`planned_next` already went through the guards."""
    if state["planned_next"] == "retrieve":
        return "retrieve"
    return _use_evidence(state)


def _use_evidence(state: QAState) -> Literal["evaluate_context", "generate_answer", "refuse"]:
    if state["features"].evaluate:
        return "evaluate_context"
    return "generate_answer" if state["documents"] else "refuse"


def after_evaluation(state: QAState) -> AfterEvaluation:
    """The web at most once and only after the files fell short; after the second evaluation there is no way back to it."""
    evaluation = state["evaluation"]
    if evaluation is not None and evaluation.enough:
        return "generate_answer"
    if evaluation is not None and state["evaluation_count"] == 1 and state["features"].web and evaluation.web_query:
        return "web_search"
    return "generate_answer" if state["documents"] or state["web"].results else "refuse"


def after_generation(state: QAState) -> AfterGeneration:
    """A model that found no answer in the evidence ends in the refusal, which says what was searched."""
    return "refuse" if state["refused"] else "end"
