"""Where the graph goes next: pure functions of enumerations and numbers in the state, never of prose."""

from __future__ import annotations

from typing import Literal

from core.documents import WebOutcome
from core.qa.state import QAState

Start = Literal["rewrite_question", "route_question", "retrieve"]
AfterRoute = Literal["direct_answer", "decompose_question", "retrieve"]
AfterRetrieve = Literal["plan_next_step", "evaluate_context", "web_search", "generate_answer", "refuse", "end"]
AfterPlan = Literal["retrieve", "evaluate_context", "generate_answer", "refuse"]
AfterEvaluation = Literal["generate_answer", "propose_lookup", "web_search", "refuse"]
AfterProposal = Literal["retrieve", "web_search", "generate_answer", "refuse"]
AfterGeneration = Literal["refuse", "judge_answer", "end"]
AfterJudgement = Literal["retrieve", "end"]

MAX_LOOKUPS = 6
"""Lookups of one question, planned and proposed: with more of them the run would come near the recursion limit."""


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
    """Plan the next lookup where the pipeline plans; else judge or use what was found.

    A search that the judge of the answer asked for is worth a new answer only if it brought something; else the first one stays.
    """
    if state["retries"]:
        return "generate_answer" if state["lookups"] and state["lookups"][-1].found else "end"
    if state["proposals"] and not state["lookups"][-1].found:
        # The evidence is what it was when it was found wanting.
        return _beyond_the_files(state)
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
    """Where the files fell short: another lookup if one may be proposed, else the web, else what there is."""
    evaluation = state["evaluation"]
    if evaluation is not None and evaluation.enough:
        return "generate_answer"
    if state["features"].plan and may_propose(state):
        return "propose_lookup"
    return _beyond_the_files(state)


def after_proposal(state: QAState) -> AfterProposal:
    """A lookup that is worth making is made."""
    return "retrieve" if state["planned_next"] == "retrieve" else _beyond_the_files(state)


def may_propose(state: QAState) -> bool:
    """Whether another lookup may be proposed: few enough were made, the last one brought something, and the web was not asked yet."""
    if state["web"] != WebOutcome() or state["proposals"] >= state["max_proposals"]:
        return False
    lookups = state["lookups"]
    return len(lookups) < min(MAX_LOOKUPS, state["max_retrievals"]) and (not state["proposals"] or bool(lookups[-1].found))


def _beyond_the_files(state: QAState) -> Literal["web_search", "generate_answer", "refuse"]:
    """The web at most once: once it was asked, whatever came of it, there is no way back to it."""
    evaluation = state["evaluation"]
    if evaluation is not None and evaluation.web_query and state["features"].web and state["web"] == WebOutcome():
        return "web_search"
    return "generate_answer" if state["documents"] or state["web"].results else "refuse"


def after_generation(state: QAState) -> AfterGeneration:
    """A model that found no answer in the evidence ends in the refusal, which says what was searched."""
    if state["refused"]:
        return "refuse"
    return "judge_answer" if state["features"].judge else "end"


def after_judgement(state: QAState) -> AfterJudgement:
    """Never back to writing with the same evidence: a bad answer is answered with another search, or stays with its doubts marked."""
    return "retrieve" if state["planned_next"] == "retrieve" else "end"
