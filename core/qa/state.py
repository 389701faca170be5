"""What travels through the graph: plain values, all of them visible in the trace of an answer."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from core.documents import Doubt, Evaluation, Judgement, Message, ScoredChunk, SubQuestion, Usage, WebOutcome
from core.scope import EVERYTHING, Scope

Pipeline = Literal["full", "naive", "routed", "multihop", "fallback"]
Strategy = Literal["simple", "complex"]
Plan = Literal["retrieve", "generate"]


MAX_RETRIES = 2


@dataclass(frozen=True, slots=True)
class Features:
    """Which parts of the graph a run uses. The published pipelines are special cases of the full one."""

    rewrite: bool = False
    route: bool = False
    decompose: bool = False
    plan: bool = False
    leads: bool = False
    hop_answers: bool = False
    evaluate: bool = False
    web: bool = False
    judge: bool = False


PIPELINES: dict[Pipeline, Features] = {
    "full": Features(
        rewrite=True, route=True, decompose=True, plan=True, leads=True, hop_answers=True, evaluate=True, web=True, judge=True
    ),
    "naive": Features(),
    "routed": Features(route=True),
    "multihop": Features(route=True, decompose=True, plan=True, hop_answers=True),
    "fallback": Features(route=True, evaluate=True, web=True),
}


class QAState(TypedDict, total=False):
    """A node returns only what it changed.

    `scope` is what the run's retriever is restricted to. `documents` holds the evidence in the order it was found, unique by chunk id; it is only ever appended to, so that every
    later prompt begins like the one before. `next_sub_idx` is the cursor into `sub_questions`;
    `lookups` are those already searched, `current_queries` those of this round (several where none needs another's answer), `proposals` how many the model added.
    `files_probability`, `several_probability` and `complete_probability` are calibrated; `stated` is the probability behind `evaluation` as the model gave it. `usage` is what the last node's model calls cost. `notes` and `limits_hit` only grow.
    """

    features: Features
    question: str
    scope: Scope
    chat_history: tuple[Message, ...]
    standalone_question: str
    strategy: Strategy
    route_reason: str
    files_probability: float | None
    several_probability: float | None
    sub_questions: tuple[str, ...]
    next_sub_idx: int
    current_queries: tuple[str, ...]
    lookups: tuple[SubQuestion, ...]
    retrieval_count: int
    max_retrievals: int
    documents: tuple[ScoredChunk, ...]
    complete_probability: float | None
    planner_advice: Plan | None
    planned_next: Plan
    evaluation: Evaluation | None
    stated: float | None
    proposals: int
    max_proposals: int
    judgement: Judgement | None
    doubts: tuple[Doubt, ...]
    retries: int
    max_retries: int
    web: WebOutcome
    generation: str
    refused: bool
    own_knowledge: str
    usage: Usage
    notes: Annotated[tuple[str, ...], operator.add]
    limits_hit: Annotated[tuple[str, ...], operator.add]


def initial_state(
    question: str,
    history: tuple[Message, ...],
    pipeline: Pipeline,
    max_retrievals: int,
    max_proposals: int = 0,
    features: Features | None = None,
    scope: Scope = EVERYTHING,
) -> QAState:
    """The state a run begins with; every field has its empty value, so that routes and nodes never meet a missing key."""
    return QAState(
        features=features or PIPELINES[pipeline],
        question=question,
        scope=scope,
        chat_history=history,
        standalone_question=question,
        strategy="complex",
        route_reason="",
        files_probability=None,
        several_probability=None,
        sub_questions=(question,),
        next_sub_idx=0,
        current_queries=(question,),
        lookups=(),
        retrieval_count=0,
        max_retrievals=max_retrievals,
        documents=(),
        complete_probability=None,
        planner_advice=None,
        planned_next="retrieve",
        evaluation=None,
        stated=None,
        proposals=0,
        max_proposals=max_proposals,
        judgement=None,
        doubts=(),
        retries=0,
        max_retries=MAX_RETRIES,
        web=WebOutcome(),
        generation="",
        refused=False,
        own_knowledge="",
        usage=Usage(),
        notes=(),
        limits_hit=(),
    )
