from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.cancel import CancelToken
from core.documents import Answer, Chunk, Message, ScoredChunk, Usage
from core.errors import Cancelled
from tests.quality.published import Completion, PublishedPipeline

GENERATE = "Put the number of the passage"


def passage(number: int, score: float, text: str = "") -> ScoredChunk:
    text = text or f"passage {number}"
    return ScoredChunk(Chunk(number, 1, Path("/docs/a.md"), "a", "", number * 100, number * 100 + len(text), number, text), score)


class ScriptedRetriever:
    def __init__(self, *found: list[ScoredChunk]) -> None:
        self.found = list(found)
        self.queries: list[str] = []

    def search(self, query: str, *, k: int, cancel: CancelToken) -> list[ScoredChunk]:
        self.queries.append(query)
        return self.found.pop(0) if self.found else []


class ScriptedCompletion:
    """Replies by the fields of the schema that is asked for."""

    def __init__(self, **replies: object) -> None:
        self.replies = {
            "strategy": {"strategy": "complex", "reason": "needs files"},
            "sub_questions": {"sub_questions": ["first?", "second?"]},
            "next_action": {"next_action": "retrieve", "reason": "more"},
            "enough": {"enough": True, "missing": [], "reason": "there"},
            "answer": {"answer": "It is so [1]."},
            **replies,
        }
        self.prompts: list[tuple[str, str]] = []

    def __call__(self, system: str, user: str, schema: dict[str, Any], *, max_tokens: int, cancel: CancelToken) -> Completion:
        self.prompts.append((system, user))
        reply = next(self.replies[field] for field in schema["properties"] if field in self.replies)
        return Completion(reply if isinstance(reply, str) else json.dumps(reply), Usage(100, 20, 10))


def ask(complete: ScriptedCompletion, retriever: ScriptedRetriever, history: Sequence[Message] = (), context_tokens: int = 4096) -> Answer:
    pipeline = PublishedPipeline(
        complete, retriever, count_tokens=lambda text: len(text.split()), context_tokens=context_tokens, model="m", embedder="e"
    )
    return pipeline.ask("Who?", history=history, cancel=CancelToken())


def test_a_simple_question_searches_nothing() -> None:
    complete, retriever = ScriptedCompletion(strategy={"strategy": "simple", "reason": "known"}), ScriptedRetriever()

    answer = ask(complete, retriever)

    assert (answer.strategy, answer.origin, answer.documents, retriever.queries) == ("simple", "model", (), [])
    assert [step.node for step in answer.steps] == ["route_question", "direct_answer"]


def test_every_sub_question_is_searched_and_planned_after() -> None:
    answer = ask(ScriptedCompletion(), ScriptedRetriever([passage(1, 0.5)], [passage(2, 0.9)]))

    assert [step.node for step in answer.steps] == [
        "route_question",
        "decompose_question",
        "retrieve",
        "plan_next_step",
        "retrieve",
        "plan_next_step",
        "evaluate_context",
        "generate_answer",
    ]
    assert [item.query for item in answer.sub_questions] == ["first?", "second?"]
    assert answer.steps[0].usage == Usage(100, 20, 10)


def test_all_evidence_is_sorted_by_score_again_in_every_round() -> None:
    complete = ScriptedCompletion()

    answer = ask(complete, ScriptedRetriever([passage(1, 0.5)], [passage(2, 0.9)]))

    assert [found.chunk.id for found in answer.documents] == [2, 1]
    last = next(user for system, user in complete.prompts if GENERATE in system)
    assert last.index("passage 2") < last.index("passage 1")


def test_a_citation_is_the_passage_with_its_number() -> None:
    answer = ask(ScriptedCompletion(), ScriptedRetriever([passage(1, 0.5)], [passage(2, 0.9)]))

    (citation,) = answer.citations
    assert (citation.n, citation.quote, citation.start, citation.end) == (1, "passage 2", 200, 209)


def test_the_planner_may_stop_early() -> None:
    retriever = ScriptedRetriever([passage(1, 0.5)])

    ask(ScriptedCompletion(next_action={"next_action": "generate", "reason": "enough"}), retriever)

    assert retriever.queries == ["first?"]


def test_there_are_eight_rounds_at_most() -> None:
    many = {"sub_questions": [f"q{number}" for number in range(8)]}
    retriever = ScriptedRetriever()

    answer = ask(ScriptedCompletion(sub_questions=many), retriever)

    assert len(retriever.queries) == 8
    assert answer.limits_hit == ("max_retrievals",)


@pytest.mark.parametrize("nonsense", ["", "{", "[]", '{"x": 1}'])
def test_nonsense_in_every_node_still_ends(nonsense: str) -> None:
    broken = ScriptedCompletion(strategy=nonsense, sub_questions=nonsense, next_action=nonsense, enough=nonsense, answer=nonsense)

    answer = ask(broken, ScriptedRetriever([passage(1, 0.5)]))

    assert answer.strategy == "complex"
    assert answer.sub_questions[0].query == "Who?"
    assert answer.evaluation is None


def test_evidence_beyond_the_context_window_is_left_out() -> None:
    long = "word " * 1000
    found = [passage(1, 0.9, long), passage(2, 0.8, long), passage(3, 0.7, long)]

    answer = ask(ScriptedCompletion(), ScriptedRetriever(found), context_tokens=3300)

    assert [item.chunk.id for item in answer.documents] == [1, 2]


def test_the_conversation_is_part_of_the_prompt() -> None:
    complete = ScriptedCompletion()

    ask(complete, ScriptedRetriever(), history=[Message("user", "About whales?")])

    assert all("About whales?" in user for _, user in complete.prompts)


def test_a_stopped_run_ends_at_the_next_node() -> None:
    cancel = CancelToken()
    cancel.cancel()
    pipeline = PublishedPipeline(ScriptedCompletion(), ScriptedRetriever(), count_tokens=len, context_tokens=4096, model="m", embedder="e")

    with pytest.raises(Cancelled):
        pipeline.ask("Who?", cancel=cancel)
