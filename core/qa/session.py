"""One question, from the typed words to the answer: runs the graph and is the only translator of its stream into our events."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from core.cancel import CancelToken
from core.documents import Answer, AnswerOrigin, Doubt, Message, Prompt, Refusal, ScoredChunk, Step, Usage, WebOutcome
from core.errors import Cancelled, InvalidRequest
from core.events import (
    AnswerEvent,
    AnswerExpected,
    AnswerFinished,
    AnswerRestarted,
    AnswerText,
    StepFinished,
    StepStarted,
    WebConsentWanted,
)
from core.lease import ComputeLease
from core.protocols import ChatModel, Embedder, Retriever, WebConsent, WebSearch
from core.qa.answer_form import short_answer
from core.qa.citations import CitedAnswer, cite, closest
from core.qa.claims import doubtful
from core.qa.context import QAContext
from core.qa.judgement import evidence_texts
from core.qa.language import PromptLanguage, prompt_language
from core.qa.limits import RECURSION_LIMIT, Meter, MeteredChatModel, limits_for, predicted_seconds
from core.qa.prompt import few_shot, prompt_text
from core.qa.state import MAX_RETRIES, PIPELINES, Features, Pipeline, QAState, Strategy, initial_state
from core.qa.thresholds import Thresholds
from core.scope import EVERYTHING, Scope
from core.settings import Settings
from core.store.storable import storable

MAX_QUESTION_CHARACTERS = 20_000

# Prompts with examples: those that nearly every question begins with, and those that some questions come to.
_FIRST = ("route_question", "decompose_question")
_LATER = ("rewrite_question", "propose_lookup")
# Rules that stand before a question alone, and before a question with its passages.
_RULES = ("direct_answer", "rules")


class Session:
    """Answers questions. Holds no conversation: the history comes with each question. One run at a time per session."""

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        embedder: Embedder,
        retriever: Retriever,
        web_search: WebSearch,
        settings: Settings,
        lease: ComputeLease,
        thresholds: Callable[[], Thresholds],
    ) -> None:
        self._chat_model = chat_model
        self._embedder = embedder
        self._retriever = retriever
        self._web_search = web_search
        self._answers = settings.answers
        self._web_mode = settings.web.mode
        self._lease = lease
        self._thresholds = thresholds

    def warm_up(self, language: PromptLanguage, *, cancel: CancelToken) -> None:
        """Load the model and let it read the beginnings that every question of a language shares, before the first one is asked."""
        self._chat_model.keep(shared_beginnings(language), cancel=cancel)
        for prompt in (*_with_examples(language, _FIRST), *_with_rules(language)):
            for _ in self._chat_model.stream(prompt, max_tokens=1, cancel=cancel):
                pass

    def ask(
        self,
        question: str,
        *,
        history: Sequence[Message] = (),
        cancel: CancelToken,
        pipeline: Pipeline = "full",
        consent: WebConsent | None = None,
        features: Features | None = None,
        as_typed: bool = False,
        scope: Scope = EVERYTHING,
    ) -> Iterator[AnswerEvent]:
        """Yield what happens, last `AnswerFinished`. A stopped run ends with an answer too: what was shown, marked `interrupted`.

        `features` are the parts of the graph to use instead of those of `pipeline`. With `as_typed` a follow-up is not rewritten, whatever
        they say; everything else is done as ever. Every lookup of the run stays within `scope`. Like the history it comes with each question: nothing
        is remembered here, so a follow-up is restricted exactly if it says so itself.

        Raises:
            NotFound: a path of `scope` is not in the library.
            InvalidRequest: the question is empty, or longer than 20,000 characters; or there is nothing to search in `scope`.
            LamplightError: the run could not go on, e.g. there is no usable chat model, or it crashed while it wrote the answer.
        """
        question = storable(question).strip()
        if not question:
            raise InvalidRequest("The question is empty.", code="question_empty")
        if len(question) > MAX_QUESTION_CHARACTERS:
            message = f"The question has {len(question):,} characters; at most {MAX_QUESTION_CHARACTERS:,} can be asked at once."
            raise InvalidRequest(message, code="question_too_long")
        meter = Meter(limits_for(self._answers.budget, self._chat_model.speed))
        context = QAContext(
            chat_model=MeteredChatModel(self._chat_model, meter),
            retriever=self._retriever if scope.is_everything else self._retriever.within(scope),
            web_search=self._web_search,
            consent=consent,
            web_mode=self._web_mode,
            own_knowledge=self._answers.own_knowledge,
            thresholds=self._thresholds(),
            meter=meter,
            cancel=cancel,
        )
        if as_typed:
            features = replace(features or PIPELINES[pipeline], rewrite=False)
        state = initial_state(question, tuple(history), pipeline, self._answers.max_retrievals, meter.limits.proposals, features, scope)
        state["max_retries"] = min(MAX_RETRIES, meter.limits.retries)
        if not context.thresholds.calibrated:
            state["notes"] = ("model_uncalibrated",)
        return self._run(state, context)

    def _run(self, start: QAState, context: QAContext) -> Generator[AnswerEvent, None, None]:
        record = _Record(start)
        try:
            with self._lease.asking():
                self._chat_model.keep(shared_beginnings(prompt_language(start["question"])), cancel=context.cancel)
                yield from record.follow(start, context)
        except GeneratorExit:
            # Closing the stream does not stop the node that is running; the token does.
            context.cancel.cancel()
            raise
        except Cancelled:
            record.interrupted = True
        yield AnswerFinished(record.answer(self._chat_model.model_id, self._embedder.model_id, context.meter.seconds))


def shared_beginnings(language: PromptLanguage) -> tuple[Prompt, ...]:
    """Prompts of our own texts alone, which prompts of other questions begin like: the same rules and examples."""
    return (*_with_examples(language, _FIRST + _LATER), *_with_rules(language))


def _with_examples(language: PromptLanguage, names: Sequence[str]) -> tuple[Prompt, ...]:
    return tuple(few_shot(name, language, question="?") for name in names)


def _with_rules(language: PromptLanguage) -> tuple[Prompt, ...]:
    return tuple(Prompt((Message("system", prompt_text(name, language)), Message("user", "?"))) for name in _RULES)


class _Record:
    """What one run has shown so far; enough to make an answer of at any moment."""

    def __init__(self, start: QAState) -> None:
        self.state = start
        self.steps: list[Step] = []
        self.shown = ""
        self.outdated = False
        self.own_knowledge = ""
        self.seconds_to_first_word: float | None = None
        self.predicted_seconds: float | None = None
        self.interrupted = False
        self.recursion_limit_hit = False

    def follow(self, start: QAState, context: QAContext) -> Generator[AnswerEvent, None, None]:
        # LangGraph takes most of a second to import: only a question pays for it.
        from langgraph.errors import GraphRecursionError

        from core.qa.graph import build_graph

        stream = build_graph().stream(
            start,
            config={"recursion_limit": RECURSION_LIMIT},
            context=context,
            stream_mode=["custom", "tasks", "values"],
        )
        started: dict[str, float] = {}
        if not start["features"].route:
            yield from self._expected(start["strategy"], context)
        try:
            for mode, data in cast(Iterator[tuple[str, Any]], stream):
                if mode == "values":
                    self.state = cast(QAState, data)
                elif mode == "custom":
                    yield from self._custom(data, context)
                elif "result" not in data and "error" not in data:
                    started[data["id"]] = time.monotonic()
                    self.outdated = self.outdated or (data["name"] == "generate_answer" and bool(self.shown))
                    yield StepStarted(data["name"])
                elif not data.get("error"):
                    step = self._step(data, time.monotonic() - started.pop(data["id"]))
                    yield StepFinished(step, detail(step.node, _changes(data)))
                    if step.node == "route_question":
                        yield from self._expected(_changes(data)["strategy"], context)
        except GraphRecursionError:
            self.recursion_limit_hit = True

    def _expected(self, strategy: Strategy, context: QAContext) -> Iterator[AnswerExpected]:
        seconds = predicted_seconds(strategy, context.meter.limits, context.chat_model.speed)
        if seconds is not None:
            self.predicted_seconds = context.meter.seconds + seconds
            yield AnswerExpected(seconds)

    def _custom(self, event: AnswerText | WebConsentWanted, context: QAContext) -> Iterator[AnswerEvent]:
        if isinstance(event, AnswerText):
            if self.seconds_to_first_word is None:
                self.seconds_to_first_word = context.meter.seconds
            if event.own_knowledge:
                self.own_knowledge += event.text
            else:
                # The text of an earlier attempt stands until there are words to take its place.
                if self.outdated:
                    self.shown, self.outdated = "", False
                    self.state["generation"] = ""
                    yield AnswerRestarted()
                self.shown += event.text
        yield event

    def _step(self, data: Mapping[str, Any], seconds: float) -> Step:
        changes = _changes(data)
        notes = changes.get("notes", ())
        step = Step(str(data["name"]), seconds, cast(Usage, changes.get("usage", Usage())), ", ".join(notes))
        self.steps.append(step)
        return step

    def answer(self, model: str, embedder: str, seconds: float) -> Answer:
        state = self.state
        web = state["web"]
        text = state["generation"] or self.shown.strip()
        simple = state["strategy"] == "simple"
        refused = state["refused"] or (not text and not self.interrupted)
        cited = _cited(text, state, simple=simple, refused=refused)
        limits = state["limits_hit"] + (("recursion",) if self.recursion_limit_hit else ())
        return Answer(
            question=state["question"],
            standalone_question=state["standalone_question"],
            strategy=state["strategy"],
            route_reason=state["route_reason"],
            text=cited.text,
            origin=_origin(simple=simple, refused=refused, cited=cited, documents=state["documents"], web=web),
            refused=refused,
            short_answer="" if simple or refused else short_answer(text),
            own_knowledge=state["own_knowledge"] or self.own_knowledge.strip(),
            sub_questions=state["lookups"],
            citations=cited.citations,
            documents=state["documents"],
            web=web,
            evaluation=state["evaluation"],
            judgement=None if refused else state["judgement"],
            doubts=() if simple or refused else _doubts(cited.text, state),
            refusal=_refusal(state) if refused and not self.interrupted else None,
            limits_hit=limits,
            notes=tuple(dict.fromkeys(state["notes"])),
            steps=tuple(self.steps),
            seconds_to_first_word=self.seconds_to_first_word,
            seconds=seconds,
            predicted_seconds=self.predicted_seconds,
            model=model,
            embedder=embedder,
            interrupted=self.interrupted,
            scope=state["scope"],
        )


def _cited(text: str, state: QAState, *, simple: bool, refused: bool) -> CitedAnswer:
    if simple:
        return CitedAnswer(text, ())
    if refused:
        # Imported late like the graph: nodes import LangGraph.
        from core.qa.nodes.refuse import closest_passages

        return CitedAnswer(text, closest(state["standalone_question"], closest_passages(state)))
    return cite(text, state["documents"], state["web"].results)


def _doubts(text: str, state: QAState) -> tuple[Doubt, ...]:
    if not state["features"].judge:
        return ()
    known = [lookup.answer for lookup in state["lookups"] if lookup.answer]
    passages = evidence_texts(state["documents"], state["web"].results)
    return doubtful(text, passages, question=state["standalone_question"], known=known)


def _refusal(state: QAState) -> Refusal:
    from core.qa.nodes.refuse import refusal_of

    return refusal_of(state)


def _origin(*, simple: bool, refused: bool, cited: CitedAnswer, documents: Sequence[ScoredChunk], web: WebOutcome) -> AnswerOrigin:
    if simple:
        return "model"
    if refused:
        return "none"
    from_web = any(citation.url for citation in cited.citations)
    from_files = any(citation.file for citation in cited.citations)
    if from_web and not from_files:
        return "web"
    return "files" if documents else ("web" if web.results else "none")


def _changes(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a node returned; LangGraph 1.2 gives it as a mapping or as pairs, depending on the stream version."""
    result = data["result"]
    return dict(result) if result else {}


def detail(node: str, changes: Mapping[str, Any]) -> dict[str, object]:
    """What the trace shows of a node besides its time: plain values, in the words of the state."""
    shown: dict[str, object] = {}
    for key in ("standalone_question", "strategy", "route_reason", "planned_next", "planner_advice", "current_queries", "refused"):
        if key in changes:
            shown[key] = changes[key]
    for key in ("files_probability", "several_probability", "complete_probability"):
        if changes.get(key) is not None:
            shown[key] = round(changes[key], 3)
    if node == "decompose_question":
        shown["sub_questions"] = list(changes.get("sub_questions", ()))
    if node == "retrieve" and changes.get("lookups"):
        lookup = changes["lookups"][-1]
        shown.update(query=lookup.query, found=lookup.found, error=lookup.error)
    if node == "plan_next_step" and changes.get("lookups"):
        shown["answers"] = [lookup.answer for lookup in changes["lookups"] if lookup.answer]
    if evaluation := changes.get("evaluation"):
        shown.update(enough=evaluation.enough, reason=evaluation.reason, missing=list(evaluation.missing))
        if evaluation.confidence is not None:
            shown["confidence"] = round(evaluation.confidence, 3)
    if judgement := changes.get("judgement"):
        parts = ("relevance", "completeness", "faithfulness", "score")
        shown.update({part: round(getattr(judgement, part), 3) for part in parts}, reason=judgement.reason)
    if node == "judge_answer":
        shown["doubts"] = len(changes.get("doubts", ()))
    if web := changes.get("web"):
        shown.update(web_query=web.query, web_error=web.error, web_results=len(web.results))
    if changes.get("notes"):
        shown["notes"] = list(changes["notes"])
    return shown
