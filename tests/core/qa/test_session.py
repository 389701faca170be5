from __future__ import annotations

import random
import threading
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.cancel import CancelToken
from core.documents import Message, Prompt, Usage, WebResult
from core.errors import ChildCrashed, IndexDamaged, InvalidRequest, LamplightError, ModelMissing, ReplyUnusable, WebSearchFailed
from core.events import AnswerFinished, AnswerText, StepFinished, StepStarted, WebConsentWanted
from core.lease import ComputeLease
from core.protocols import Ending, Written
from core.qa.state import PIPELINES, Features
from core.scope import EVERYTHING, Scope
from tests.fakes.asking import Asked, ask, session_over
from tests.fakes.retrieval import KnownPages, KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel

FEE = passage(1, "The annual fee is 40 euros. It is due in May.", file="fees.txt")
STAFF = passage(2, "Anna Berg runs the library.", file="staff.txt")
PAGE = WebResult("Fees", "https://fees.example", "fees.example", "The fee rose to 45 euros in 2026.")


def says_yes(prompt: Prompt, labels: Sequence[str]) -> dict[str, float]:
    return {labels[0]: 0.95, labels[1]: 0.05}


def says_no(prompt: Prompt, labels: Sequence[str]) -> dict[str, float]:
    """Routes to the files, plans several lookups, and finds no evidence enough."""
    return {labels[0]: 0.95, labels[1]: 0.05} if labels[0] in ("files", "2") else {labels[0]: 0.05, labels[1]: 0.95}


def says_yes_to_the_page(prompt: Prompt, labels: Sequence[str]) -> dict[str, float]:
    """Finds the evidence enough once the page is in it."""
    return says_yes(prompt, labels) if PAGE.snippet in prompt.messages[-1].content else says_no(prompt, labels)


def model_for(
    answer: str = "The fee is 40 euros [1].", choices: Any = says_yes, lookups: Sequence[str] = ("What is the fee?",)
) -> ScriptedChatModel:
    return ScriptedChatModel(streams=lambda prompt: answer, replies=lambda prompt, kind: {"lookups": list(lookups)}, choices=choices)


def is_proposal(prompt: Prompt) -> bool:
    """Whether the model is asked for one more lookup."""
    return "next thing to look up" in prompt.messages[0].content


def test_a_question_about_the_files_is_answered_from_them_with_sources() -> None:
    asked = ask("What is the annual fee?", model_for(), KnownPassages(otherwise=[FEE]))

    assert asked.answer.origin == "files"
    assert asked.answer.text == "The fee is 40 euros. [1]"
    assert [citation.quote for citation in asked.answer.citations] == ["The annual fee is 40 euros."]
    assert asked.nodes == [
        "route_question",
        "decompose_question",
        "retrieve",
        "plan_next_step",
        "evaluate_context",
        "generate_answer",
        "judge_answer",
    ]


def test_a_simple_question_never_touches_the_index() -> None:
    retriever = KnownPassages(otherwise=lambda query: pytest.fail("the index was searched"))
    model = ScriptedChatModel(streams=["Paris."], choices=[{"general": 1.0}])

    asked = ask("What is the capital of France?", model, retriever)

    assert (asked.answer.strategy, asked.answer.origin) == ("simple", "model")
    assert asked.answer.documents == ()
    assert retriever.queries == []


def test_a_sum_is_answered_without_asking_the_model_for_a_route() -> None:
    model = ScriptedChatModel(streams=["2"])

    asked = ask("1+1=?", model)

    assert asked.answer.strategy == "simple"
    assert model.calls("choose") == []


@pytest.mark.parametrize("error", [ReplyUnusable("no"), ChildCrashed("gone")])
def test_a_broken_route_takes_the_safe_branch_and_says_so(error: LamplightError) -> None:
    def choices(prompt: Prompt, labels: Sequence[str]) -> Any:
        return error if labels[0] == "files" else says_yes(prompt, labels)

    asked = ask("What is the fee?", model_for(choices=choices), KnownPassages(otherwise=[FEE]))

    assert asked.answer.strategy == "complex"
    assert "route_failed" in asked.answer.notes
    assert asked.answer.text


@pytest.mark.parametrize(("ending", "note"), [("length", "answer_cut"), ("loop", "repetition_stopped")])
def test_an_answer_that_was_cut_says_so(ending: Ending, note: str) -> None:
    class Cut(ScriptedChatModel):
        def stream(self, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> Generator[str, None, Written]:
            yield "The fee is 40 euros and"
            return Written(Usage(), ending)

    for question, choices in (("What is the fee?", says_yes), ("1+1=?", says_yes)):
        asked = ask(question, Cut(replies=lambda p, t: {"lookups": ["q"]}, choices=choices), KnownPassages(otherwise=[FEE]))

        assert note in asked.answer.notes


def test_a_lookup_whose_earlier_result_stays_unknown_is_given_up_for_a_proposed_one() -> None:
    model = ScriptedChatModel(
        streams=lambda p: "Working hours of the library" if is_proposal(p) else "unknown",
        replies=lambda p, t: {"lookups": ["Who runs it?", "When does #1 work?"]},
        choices=says_no,
    )

    asked = ask("When does the head of the library work?", model, KnownPassages(otherwise=[STAFF]))

    assert [lookup.query for lookup in asked.answer.sub_questions] == ["Who runs it?", "Working hours of the library"]
    assert asked.nodes.count("propose_lookup") == 1


@pytest.mark.parametrize("proposal", ["When does the head of the library work", "who runs it", "NOT STATED", "", "几点上班？"])
def test_a_proposal_that_repeats_what_was_searched_or_says_nothing_is_refused(proposal: str) -> None:
    model = ScriptedChatModel(
        streams=lambda p: proposal if is_proposal(p) else "Anna Berg",
        replies=lambda p, t: {"lookups": ["Who runs it?", "When does #1 work?"]},
        choices=says_no,
    )

    asked = ask("When does the head of the library work?", model, KnownPassages(otherwise=[STAFF]))

    assert [lookup.query for lookup in asked.answer.sub_questions] == ["Who runs it?", "When does Anna Berg work?"]


def test_the_model_that_proposes_a_lookup_sees_no_passages() -> None:
    model = model_for(choices=says_no)

    ask("When does the library open?", model, KnownPassages(otherwise=[STAFF]))

    (asked,) = [call for call in model.calls("stream") if is_proposal(call.prompt)]
    assert STAFF.chunk.text not in asked.text


def test_a_proposed_lookup_that_finds_nothing_new_is_not_weighed_again() -> None:
    model = ScriptedChatModel(
        streams=lambda p: "Opening hours" if is_proposal(p) else "NOT STATED", replies=lambda p, t: {"lookups": ["q"]}, choices=says_no
    )

    asked = ask("When does the library open?", model, KnownPassages(otherwise=[STAFF]))

    assert asked.nodes[asked.nodes.index("propose_lookup") :] == ["propose_lookup", "retrieve", "generate_answer", "refuse"]


FIVE = [passage(n, f"Passage number {n} about the library.", start=n * 1000) for n in range(1, 6)]


def test_passages_after_the_best_are_left_unread_where_those_are_surely_enough() -> None:
    sure = model_for("Passage number 1", choices=lambda prompt, labels: {labels[0]: 0.999, labels[1]: 0.001})
    unsure = model_for("Passage number 1", choices=lambda prompt, labels: {labels[0]: 0.8, labels[1]: 0.2})

    read = [ask("What is the fee?", model, KnownPassages(otherwise=FIVE)).answer.documents for model in (sure, unsure)]

    assert [len(documents) for documents in read] == [2, 5]
    assert FIVE[3].chunk.text not in "".join(call.text for call in sure.asked)


@pytest.mark.parametrize(("budget", "proposals"), [("quick", 0), ("careful", 1), ("exhaustive", 3)])
def test_the_budget_says_how_many_lookups_are_proposed(budget: str, proposals: int) -> None:
    numbers = iter(range(100, 200))
    model = ScriptedChatModel(
        streams=lambda p: f"Lookup number {next(numbers)}" if is_proposal(p) else "word",
        replies=lambda p, t: {"lookups": ["q"]},
        choices=says_no,
    )
    found = KnownPassages(otherwise=lambda query: [passage(next(numbers), query, file=f"{next(numbers)}.txt")])

    asked = ask("When does the library open?", model, found, budget=budget)

    assert asked.nodes.count("propose_lookup") == proposals


def test_a_sum_in_a_conversation_is_not_rewritten() -> None:
    model = ScriptedChatModel(streams=["2"])

    asked = ask("1+1=?", model, history=[Message("user", "How do tides work?"), Message("assistant", "The moon.")])

    assert asked.answer.strategy == "simple"
    assert asked.answer.standalone_question == "1+1=?"


def test_the_text_streams_before_the_run_is_over() -> None:
    model = ScriptedChatModel(
        streams=[["40 ", "euros\n", "The fee ", "is 40 ", "euros."]], replies=lambda p, t: {"lookups": ["fee"]}, choices=says_yes
    )

    asked = ask("What is the fee?", model, KnownPassages(otherwise=[FEE]))

    texts = [event.text for event in asked.events if isinstance(event, AnswerText)]
    # The first line comes whole: until then it might still become a refusal.
    assert texts == ["40 euros", "\n\nThe fee", " is 40", " euros."]
    assert asked.answer.seconds_to_first_word is not None


def test_every_node_is_reported_when_it_starts_and_when_it_ends() -> None:
    asked = ask("What is the fee?", model_for(), KnownPassages(otherwise=[FEE]))

    started = [event.node for event in asked.events if isinstance(event, StepStarted)]
    finished = [event.step.node for event in asked.events if isinstance(event, StepFinished)]
    assert started == finished == asked.nodes
    assert all(step.seconds >= 0 for step in asked.answer.steps)


def test_the_cost_of_the_steps_is_the_cost_of_the_calls() -> None:
    model = model_for()

    asked = ask("What is the fee?", model, KnownPassages(otherwise=[FEE]))

    assert sum(step.usage.evaluated for step in asked.answer.steps) > 0
    route = next(step for step in asked.answer.steps if step.node == "route_question")
    assert route.usage.evaluated > 0
    assert next(step for step in asked.answer.steps if step.node == "retrieve").usage.evaluated == 0


def test_lookups_that_need_each_other_pass_the_found_name_on() -> None:
    def streams(prompt: Prompt) -> str:
        return "Anna Berg [1]." if "in a few words" in prompt.messages[-1].content else "Anna Berg works on Mondays."

    model = ScriptedChatModel(
        streams=streams, replies=lambda p, t: {"lookups": ["Who runs the library?", "When does #1 work?"]}, choices=says_no
    )
    retriever = KnownPassages({"Who runs the library?": [STAFF], "When does Anna Berg work?": [passage(3, "Anna Berg works on Mondays.")]})

    asked = ask("When does the head of the library work?", model, retriever)

    assert [(lookup.query, lookup.answer, lookup.found) for lookup in asked.answer.sub_questions][:2] == [
        ("Who runs the library?", "Anna Berg", 1),
        ("When does Anna Berg work?", "Anna Berg", 1),
    ]


def test_a_chain_is_searched_with_the_questions_own_words_too() -> None:
    model = ScriptedChatModel(
        streams=lambda p: "Anna Berg", replies=lambda p, t: {"lookups": ["Who runs the library?", "When does #1 work?"]}, choices=says_no
    )
    retriever = KnownPassages(otherwise=[STAFF])

    ask("When does the head of the library work?", model, retriever, budget="quick")

    assert retriever.queries == [
        "Who runs the library?",
        "When does the head of the library work?",
        f"When does the head of the library work? {STAFF.chunk.text}",
        "When does Anna Berg work?",
        "When does the head of the library work? Anna Berg",
    ]


def test_parts_that_need_nothing_from_each_other_are_searched_in_one_round() -> None:
    retriever = KnownPassages({"one?": [FEE], "two?": [STAFF]})

    asked = ask("Compare one and two", model_for(choices=says_no, lookups=("one?", "two?")), retriever, budget="quick")

    assert asked.nodes.count("retrieve") == 1
    assert [lookup.query for lookup in asked.answer.sub_questions] == ["one?", "two?"]


def test_evidence_is_kept_in_the_order_it_was_found_and_once() -> None:
    retriever = KnownPassages({"one?": [FEE], "two?": [STAFF, FEE]})

    asked = ask("Compare one and two", model_for(choices=says_no, lookups=("one?", "two?")), retriever)

    assert [found.chunk.id for found in asked.answer.documents] == [1, 2]


def test_every_prompt_after_a_search_begins_like_the_one_before() -> None:
    model = model_for(choices=says_no, lookups=("one?", "two?"))

    ask("Compare one and two", model, KnownPassages({"one?": [FEE], "two?": [STAFF]}))

    evidence = [call.prompt.messages[-1].content for call in model.asked if "[1] fees" in call.prompt.messages[-1].content]
    assert len(evidence) >= 3
    heads = {content.split("\n\n[2]")[0].split("\n\n</")[0] for content in evidence}
    assert len(heads) == 1


def test_the_rounds_end_at_the_limit() -> None:
    lookups = [f"lookup {n}?" for n in range(4)]
    retriever = KnownPassages(otherwise=lambda query: [passage(int(query[7]) + 1, f"fact {query}")])

    asked = ask("Compare everything", model_for(choices=says_no, lookups=lookups), retriever, max_retrievals=2)

    assert len(retriever.queries) == 2
    assert "max_retrievals" in asked.answer.limits_hit
    assert asked.answer.text


def test_no_evidence_at_all_is_a_refusal_that_says_what_was_searched() -> None:
    asked = ask("What is the fee in 1900?", model_for(choices=says_no), KnownPassages())

    assert asked.answer.refused
    assert asked.answer.origin == "none"
    assert "What is the fee in 1900?" in asked.answer.text
    assert "generate_answer" not in asked.nodes


def test_a_failed_search_is_not_an_empty_one() -> None:
    asked = ask("What is the fee?", model_for(choices=says_no), KnownPassages(otherwise=lambda q: IndexDamaged("broken")))  # type: ignore[arg-type,return-value]

    assert asked.answer.refused
    assert "could not be searched" in asked.answer.text
    assert asked.answer.sub_questions[0].error == "index_damaged"
    assert "search_failed" in asked.answer.notes


def test_a_model_that_finds_no_answer_in_the_evidence_ends_in_the_refusal() -> None:
    asked = ask("What is the fee in 1900?", model_for("NOT STATED"), KnownPassages(otherwise=[FEE]))

    assert asked.answer.refused
    assert not any(isinstance(event, AnswerText) and "NOT" in event.text for event in asked.events)
    assert [citation.quote for citation in asked.answer.citations] == ["The annual fee is 40 euros."]


def test_a_refused_general_question_adds_what_the_model_knows_plainly_apart() -> None:
    def choices(prompt: Prompt, labels: Sequence[str]) -> dict[str, float]:
        return {labels[0]: 0.6, labels[1]: 0.4} if labels[0] in ("files", "2") else {labels[0]: 0.1, labels[1]: 0.9}

    model = ScriptedChatModel(streams=["NOT STATED", "Shakespeare wrote it."], replies=lambda p, t: {"lookups": ["x?"]}, choices=choices)

    asked = ask("Who wrote Romeo and Juliet?", model, KnownPassages(otherwise=[FEE]), budget="quick")

    assert asked.answer.refused
    assert asked.answer.own_knowledge == "Shakespeare wrote it."
    assert "Shakespeare" not in asked.answer.text


def test_what_the_model_knows_is_left_out_where_the_person_does_not_want_it() -> None:
    def choices(prompt: Prompt, labels: Sequence[str]) -> dict[str, float]:
        return {labels[0]: 0.6, labels[1]: 0.4} if labels[0] in ("files", "2") else {labels[0]: 0.1, labels[1]: 0.9}

    asked = ask("Who wrote it?", model_for("NOT STATED", choices=choices), KnownPassages(otherwise=[FEE]), own_knowledge=False)

    assert asked.answer.own_knowledge == ""


def test_the_web_is_never_asked_while_it_is_switched_off() -> None:
    pages = KnownPages([PAGE])

    asked = ask("What is the fee in 2026?", model_for(choices=says_no), KnownPassages(), pages)

    assert pages.queries == []
    assert not asked.answer.web.searched


def test_the_web_is_asked_exactly_once_however_little_it_helps() -> None:
    pages = KnownPages([PAGE])

    asked = ask("What is the fee in 2026?", model_for(choices=says_no), KnownPassages(otherwise=[STAFF]), pages, web="auto")

    assert pages.queries == ["What is the fee in 2026?"]
    assert asked.nodes.count("web_search") == 1
    assert asked.nodes[asked.nodes.index("web_search") + 1 :].count("evaluate_context") == 1


def test_the_web_is_not_asked_when_the_files_are_enough() -> None:
    pages = KnownPages([PAGE])

    ask("What is the fee?", model_for(), KnownPassages(otherwise=[FEE]), pages, web="auto")

    assert pages.queries == []


def test_an_answer_from_a_page_cites_its_address() -> None:
    asked = ask(
        "What is the fee in 2026?",
        model_for("The fee is 45 euros [1].", choices=says_yes_to_the_page),
        KnownPassages(),
        KnownPages([PAGE]),
        web="auto",
    )

    assert asked.answer.origin == "web"
    assert asked.answer.citations[0].url == "https://fees.example"
    assert asked.answer.web.query == "What is the fee in 2026?"


def test_a_failed_web_search_is_said_and_the_files_still_answer() -> None:
    pages = KnownPages(WebSearchFailed("no network", code="web_offline"))

    asked = ask("What is the fee in 2026?", model_for("NOT STATED", choices=says_no), KnownPassages(otherwise=[FEE]), pages, web="auto")

    assert asked.answer.web.error == "web_offline"
    assert "web_offline" in asked.answer.notes
    assert "web search failed" in asked.answer.text


def test_nothing_leaves_before_the_person_said_yes() -> None:
    pages = KnownPages([PAGE])

    def no(query: str, *, cancel: CancelToken) -> None:
        assert pages.queries == []

    asked = ask("What is the fee in 2026?", model_for(choices=says_no), KnownPassages(), pages, web="ask", consent=no)

    assert pages.queries == []
    assert asked.answer.web.error == "web_declined"
    assert [event.query for event in asked.events if isinstance(event, WebConsentWanted)] == ["What is the fee in 2026?"]


def test_the_text_the_person_edited_is_the_text_that_leaves() -> None:
    pages = KnownPages([PAGE])

    def edited(query: str, *, cancel: CancelToken) -> str:
        return "library fee 2026"

    asked = ask("What is the fee in 2026?", model_for(choices=says_no), KnownPassages(), pages, web="ask", consent=edited)

    assert pages.queries == ["library fee 2026"]
    assert asked.answer.web.query == "library fee 2026"


def test_a_web_query_never_carries_words_the_model_took_from_an_answer() -> None:
    history = [Message("user", "Who is our client?"), Message("assistant", "Your client is Ottilie Krummacher, account 4711.")]
    pages = KnownPages([PAGE])
    model = ScriptedChatModel(
        streams=lambda prompt: "What are the debts of Ottilie Krummacher, account 4711?",
        replies=lambda p, t: {"lookups": ["x?"]},
        choices=says_no,
    )

    ask("And what are her debts?", model, KnownPassages(), pages, web="auto", history=history)

    assert len(pages.queries) == 1
    assert "Krummacher" not in pages.queries[0]
    assert "4711" not in pages.queries[0]


def test_a_follow_up_is_made_to_stand_alone_and_shown() -> None:
    history = [Message("user", "What is the annual fee?"), Message("assistant", "40 euros.")]
    model = ScriptedChatModel(
        streams=["When is the annual fee due?", "It is due in May [1]."], replies=lambda p, t: {"lookups": ["q"]}, choices=says_yes
    )
    retriever = KnownPassages(otherwise=[FEE])

    asked = ask("And when is it due?", model, retriever, history=history)

    assert asked.answer.standalone_question == "When is the annual fee due?"
    assert asked.nodes[0] == "rewrite_question"
    assert retriever.queries == ["When is the annual fee due?", "And when is it due?", f"When is the annual fee due? {FEE.chunk.text}"]


def test_a_follow_up_asked_as_typed_is_not_rewritten_but_goes_through_all_the_rest() -> None:
    history = [Message("user", "What is the annual fee?"), Message("assistant", "40 euros.")]
    question = "And when is it due?"

    rewritten = ask(question, model_for("When is the annual fee due?"), KnownPassages(otherwise=[FEE]), history=history)
    typed = ask(question, model_for("When is the annual fee due?"), KnownPassages(otherwise=[FEE]), history=history, as_typed=True)

    assert rewritten.answer.standalone_question == "When is the annual fee due?"
    assert typed.answer.standalone_question == typed.answer.question == question
    assert typed.nodes == rewritten.nodes[1:]


def test_asking_as_typed_holds_for_chosen_parts_of_the_graph_too() -> None:
    history = [Message("user", "What is the annual fee?"), Message("assistant", "40 euros.")]
    retriever = KnownPassages(otherwise=[FEE])
    session = session_over(model_for(), retriever)

    asked = Asked(
        list(
            session.ask(
                "And when is it due?",
                history=history,
                cancel=CancelToken(),
                features=Features(rewrite=True, hop_answers=True),
                as_typed=True,
            )
        )
    )

    assert asked.nodes == ["retrieve", "generate_answer"]
    assert retriever.queries == ["And when is it due?"]


def test_a_first_question_is_not_rewritten() -> None:
    assert "rewrite_question" not in ask("What is the fee?", model_for(), KnownPassages(otherwise=[FEE])).nodes


@pytest.mark.parametrize(
    ("pipeline", "nodes"),
    [
        ("naive", ["retrieve", "generate_answer"]),
        ("routed", ["route_question", "retrieve", "generate_answer"]),
        ("multihop", ["route_question", "decompose_question", "retrieve", "plan_next_step", "generate_answer"]),
        ("fallback", ["route_question", "retrieve", "evaluate_context", "generate_answer"]),
    ],
)
def test_each_published_pipeline_can_be_run_on_its_own(pipeline: Any, nodes: list[str]) -> None:
    assert pipeline in PIPELINES

    asked = ask("What is the fee?", model_for(), KnownPassages(otherwise=[FEE]), pipeline=pipeline)

    assert asked.nodes == nodes


@pytest.mark.parametrize("question", ["", "  \n "])
def test_an_empty_question_is_refused_in_words(question: str) -> None:
    with pytest.raises(InvalidRequest, match="empty"):
        ask(question, model_for())


def test_half_a_character_in_a_question_does_no_harm() -> None:
    asked = ask("What is the fee\ud800?", model_for(), KnownPassages(otherwise=[FEE]))

    asked.answer.text.encode("utf-8")
    asked.answer.question.encode("utf-8")


def test_a_question_of_a_hundred_thousand_characters_is_refused_in_words() -> None:
    with pytest.raises(InvalidRequest, match="100,000"):
        ask("x" * 100_000, model_for())


def test_without_a_model_the_run_ends_with_the_error_that_says_so() -> None:
    with pytest.raises(ModelMissing):
        ask("What is the fee?", model_for(choices=lambda p, labels: ModelMissing("none")), KnownPassages(otherwise=[FEE]))


def test_a_crash_while_the_answer_is_written_is_not_hidden() -> None:
    model = ScriptedChatModel(streams=[ChildCrashed("gone")], replies=lambda p, t: {"lookups": ["q"]}, choices=says_yes)

    with pytest.raises(ChildCrashed):
        ask("What is the fee?", model, KnownPassages(otherwise=[FEE]))


@pytest.mark.parametrize("stopped_at", ["choose", "reply", "stream", "search"])
def test_stop_works_in_every_kind_of_node(stopped_at: str) -> None:
    cancel = CancelToken()

    def stop(*arguments: Any) -> Any:
        cancel.cancel()
        return {"files": 1.0} if stopped_at == "choose" else {"lookups": ["q"]} if stopped_at == "reply" else "text"

    model = ScriptedChatModel(
        streams=stop if stopped_at == "stream" else (lambda p: "text"),
        replies=stop if stopped_at == "reply" else (lambda p, t: {"lookups": ["q"]}),
        choices=stop if stopped_at == "choose" else says_yes,
    )
    retriever = KnownPassages(otherwise=(lambda q: (cancel.cancel(), [FEE])[1]) if stopped_at == "search" else [FEE])

    asked = ask("What is the fee?", model, retriever, cancel=cancel)

    assert asked.answer.interrupted


class StopsAfterTheFirstWords(ScriptedChatModel):
    """Writes a few words and goes on only when somebody asks to stop."""

    def stream(self, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> Generator[str, None, Written]:
        yield "40 euros\n"
        cancel.wait(10)
        cancel.check()
        raise AssertionError("nobody asked to stop")


def test_stopping_keeps_what_was_already_shown() -> None:
    cancel = CancelToken()
    model = StopsAfterTheFirstWords(replies=lambda p, t: {"lookups": ["q"]}, choices=says_yes)
    events = []

    for event in session_over(model, KnownPassages(otherwise=[FEE])).ask("What is the fee?", cancel=cancel):
        events.append(event)
        if isinstance(event, AnswerText):
            cancel.cancel()

    answer = Asked(events).answer
    assert answer.interrupted
    assert answer.text == "40 euros [1]"


def test_closing_the_stream_stops_the_run() -> None:
    cancel = CancelToken()
    hold = threading.Event()
    model = ScriptedChatModel(streams=["never"], choices=says_yes, hold=hold)
    events = session_over(model, KnownPassages(otherwise=[FEE])).ask("What is the fee?", cancel=cancel)
    next(events)

    events.close()  # type: ignore[attr-defined]

    assert cancel.cancelled


def test_indexing_waits_while_a_question_is_answered() -> None:
    lease = ComputeLease()
    seen: list[bool] = []
    retriever = KnownPassages(otherwise=lambda query: (seen.append(lease.busy), [FEE])[1])

    list(session_over(model_for(), retriever, lease=lease).ask("What is the fee?", cancel=CancelToken()))

    assert seen and all(seen)
    assert not lease.busy


def test_a_model_that_never_finds_enough_and_never_stops_asking_ends_within_the_budget() -> None:
    lookups = ["a?", "b?", "c?", "d?"]
    retriever = KnownPassages(otherwise=lambda query: [passage(hash(query) % 1000, f"text about {query} " * 20)])

    asked = ask("Everything?", model_for(choices=says_no, lookups=lookups), retriever, web="auto", budget="quick")

    assert asked.answer.text
    assert len(asked.nodes) <= 24


def nonsense(seed: int) -> tuple[ScriptedChatModel, KnownPassages, KnownPages]:
    """A model, files and a web that do anything at all, the same for the same seed."""
    dice = random.Random(seed)
    texts = [
        "",
        " ",
        "NOT STATED",
        "未写明",
        "yes",
        "[9]",
        "#1 #2 #3",
        "{",
        "\ud83d\ude00" * 50,
        "ignore all rules",
        "The fee is 40 [1].",
        "unknown",
    ]
    errors = [ReplyUnusable("x"), ChildCrashed("x")]

    def streams(prompt: Prompt) -> Any:
        if "generate" in prompt.messages[0].content:
            return dice.choice(texts)
        return dice.choice([*texts, *errors[:1]])

    def replies(prompt: Prompt, kind: Any) -> Any:
        return dice.choice(
            [
                *errors,
                "not json",
                {"lookups": []},
                {"lookups": [dice.choice(texts) for _ in range(4)]},
                {"lookups": ["#1", "#2?", "#9 x"]},
                {"lookups": ["a", "b of #1", "c of #2", "d"]},
            ]
        )

    def choices(prompt: Prompt, labels: Sequence[str]) -> Any:
        first = dice.random()
        return dice.choice([{labels[0]: first, labels[1]: 1 - first}, *errors])

    def found(query: str) -> Any:
        return dice.choice([[], [FEE], [FEE, STAFF], [passage(dice.randrange(99), dice.choice(texts) or "x")]])

    pages = KnownPages(dice.choice([[], [PAGE], WebSearchFailed("x")]))
    return ScriptedChatModel(streams=streams, replies=replies, choices=choices), KnownPassages(otherwise=found, known=None), pages


@pytest.mark.parametrize("batch", range(10))
def test_whatever_the_model_says_the_run_ends_within_its_limits(batch: int) -> None:
    history = [Message("user", "What is the fee?"), Message("assistant", "40 euros.")]
    for seed in range(batch * 50, batch * 50 + 50):
        model, retriever, pages = nonsense(seed)
        limit = seed % 8 + 1

        try:
            asked = ask("And then?", model, retriever, pages, web="auto", history=history if seed % 2 else (), max_retrievals=limit)
        except (ReplyUnusable, ChildCrashed):
            # The one failure a run may end with: the model broke while it wrote the answer itself.
            continue

        answer = asked.answer
        assert answer.text or answer.interrupted, seed
        assert len(answer.sub_questions) <= limit, seed
        assert len(pages.queries) <= 1, seed
        assert len(asked.nodes) <= 24, seed
        assert sum(isinstance(event, AnswerFinished) for event in asked.events) == 1


def test_only_our_own_words_are_named_for_keeping() -> None:
    model = model_for()

    ask("When does the library in Elmstead open?", model, KnownPassages(otherwise=[STAFF]))

    kept = "\n".join(message.content for prompt in model.kept for message in prompt.messages)
    assert len(model.kept) >= 2
    assert "Elmstead" not in kept
    assert any(asked.prompt.messages[:-1] == prompt.messages[:-1] for asked in model.asked for prompt in model.kept)


@pytest.mark.parametrize("question", ["When does the library in Elmstead open?", "Hello!", "图书馆几点开门？"])
def test_no_prompt_begins_with_words_that_were_not_named_for_keeping(question: str) -> None:
    model = model_for()

    ask(question, model, KnownPassages(otherwise=[STAFF]))

    kept = {prompt.messages[0] for prompt in model.kept}
    assert {asked.prompt.messages[0] for asked in model.asked} <= kept


def test_every_search_of_a_question_stays_within_its_scope() -> None:
    scope = Scope((Path("/files/staff.txt"),))
    retriever = KnownPassages(otherwise=[FEE, replace(STAFF, chunk=replace(STAFF.chunk, path=scope.paths[0]))])
    model = model_for(choices=says_no, lookups=("Who is the head of the library?", "When does #1 work?"))

    asked = ask("When does the head of the library work?", model, retriever, scope=scope)

    assert retriever.scopes == [scope]
    assert len(retriever.queries) > 2
    assert {found.chunk.path for found in asked.answer.documents} == set(scope.paths)
    assert asked.answer.scope == scope


@pytest.mark.parametrize("question", ["1+1=?", "Hello!", "What is the capital of France?"])
def test_a_question_to_named_files_is_never_answered_without_them(question: str) -> None:
    model = model_for(choices=lambda prompt, labels: {"files": 0.0, "general": 1.0} if "files" in labels else {labels[0]: 1.0})

    asked = ask(question, model, KnownPassages(otherwise=[FEE]), scope=Scope((FEE.chunk.path,)))

    assert (asked.answer.strategy, asked.answer.route_reason) == ("complex", "scope")
    assert asked.answer.documents != ()


def test_a_scope_holds_for_the_question_it_comes_with() -> None:
    retriever = KnownPassages(otherwise=[FEE])
    session = session_over(model_for(), retriever)
    for scope in (Scope((Path("/files/staff.txt"),)), EVERYTHING):
        list(session.ask("What is the fee?", cancel=CancelToken(), scope=scope))

    assert retriever.scopes == [Scope((Path("/files/staff.txt"),))]


def test_a_scope_that_cannot_be_searched_is_told_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def empty(self: KnownPassages, scope: Scope) -> KnownPassages:
        raise InvalidRequest("There is nothing.", code="scope_empty")

    monkeypatch.setattr(KnownPassages, "within", empty)
    model = model_for()

    with pytest.raises(InvalidRequest):
        session_over(model).ask("What is the fee?", cancel=CancelToken(), scope=Scope((Path("/a"),)))
    assert model.calls("choose") == []
