"""The graph: it reads as the drawing in docs/architecture.md, which is generated from it."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import Any, get_args

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from core.qa import routes
from core.qa.context import QAContext
from core.qa.nodes.decompose_question import decompose_question
from core.qa.nodes.direct_answer import direct_answer
from core.qa.nodes.evaluate_context import evaluate_context
from core.qa.nodes.generate_answer import generate_answer
from core.qa.nodes.judge_answer import judge_answer
from core.qa.nodes.plan_next_step import plan_next_step
from core.qa.nodes.propose_lookup import propose_lookup
from core.qa.nodes.refuse import refuse
from core.qa.nodes.retrieve import retrieve
from core.qa.nodes.rewrite_question import rewrite_question
from core.qa.nodes.route_question import route_question
from core.qa.nodes.web_search import web_search
from core.qa.state import QAState

Graph = CompiledStateGraph[QAState, QAContext, Any, Any]


@cache
def build_graph() -> Graph:
    """Compile the graph. Without a checkpointer: a run's record is kept by us, not as a serialised state of every step."""
    graph = StateGraph(QAState, context_schema=QAContext)
    for node in (
        rewrite_question,
        route_question,
        direct_answer,
        decompose_question,
        retrieve,
        plan_next_step,
        evaluate_context,
        propose_lookup,
        web_search,
        generate_answer,
        judge_answer,
        refuse,
    ):
        graph.add_node(node.__name__, node)

    graph.add_conditional_edges(START, routes.from_start)
    graph.add_conditional_edges("rewrite_question", routes.after_rewrite)
    graph.add_conditional_edges("route_question", routes.after_route)
    graph.add_edge("direct_answer", END)
    graph.add_edge("decompose_question", "retrieve")
    graph.add_conditional_edges("retrieve", routes.after_retrieve, _named(routes.AfterRetrieve))
    graph.add_conditional_edges("plan_next_step", routes.after_plan)
    graph.add_conditional_edges("evaluate_context", routes.after_evaluation)
    graph.add_conditional_edges("propose_lookup", routes.after_proposal)
    graph.add_edge("web_search", "evaluate_context")
    graph.add_conditional_edges("generate_answer", routes.after_generation, _named(routes.AfterGeneration))
    graph.add_conditional_edges("judge_answer", routes.after_judgement, _named(routes.AfterJudgement))
    graph.add_edge("refuse", END)
    return graph.compile()


def _named(targets: Any) -> dict[Hashable, str]:
    """The nodes that a route may name, and the end of the graph for `end`."""
    return {name: END if name == "end" else name for name in get_args(targets)}
