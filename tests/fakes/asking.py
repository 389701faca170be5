"""Asking a session over fakes: what the model says and what the files hold go in, events and the answer come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.cancel import CancelToken
from core.documents import Answer, Message
from core.events import AnswerEvent, AnswerFinished, StepFinished
from core.lease import ComputeLease
from core.protocols import ChatModel, Retriever, WebConsent, WebSearch
from core.qa.session import Session
from core.qa.state import Pipeline
from core.qa.thresholds import Thresholds
from core.scope import EVERYTHING, Scope
from core.settings import AnswerSettings, Settings, WebSettings
from tests.fakes.hash_embedder import FakeEmbedder
from tests.fakes.retrieval import KnownPages, KnownPassages

CALIBRATED = Thresholds(files=0.47, plan=0.9, enough=0.67, calibrated=True, model_id="scripted")


class Asked:
    """One finished run: its events, its answer, and the nodes it went through."""

    def __init__(self, events: Sequence[AnswerEvent]) -> None:
        self.events = list(events)
        last = self.events[-1]
        assert isinstance(last, AnswerFinished)
        self.answer: Answer = last.answer

    def detail(self, node: str) -> dict[str, object]:
        """What the trace shows of a node's first run."""
        return next(event.detail for event in self.events if isinstance(event, StepFinished) and event.step.node == node)

    @property
    def nodes(self) -> list[str]:
        return [step.node for step in self.answer.steps]


def session_over(
    model: ChatModel,
    retriever: Retriever | None = None,
    pages: WebSearch | None = None,
    settings: Settings | None = None,
    lease: ComputeLease | None = None,
    thresholds: Thresholds = CALIBRATED,
) -> Session:
    return Session(
        chat_model=model,
        embedder=FakeEmbedder(),
        retriever=retriever or KnownPassages(),
        web_search=pages or KnownPages(),
        settings=settings or Settings(),
        lease=lease or ComputeLease(),
        thresholds=lambda: thresholds,
    )


def ask(
    question: str,
    model: ChatModel,
    retriever: Retriever | None = None,
    pages: WebSearch | None = None,
    *,
    web: str = "off",
    history: Sequence[Message] = (),
    pipeline: Pipeline = "full",
    consent: WebConsent | None = None,
    cancel: CancelToken | None = None,
    thresholds: Thresholds = CALIBRATED,
    as_typed: bool = False,
    scope: Scope = EVERYTHING,
    **answers: Any,
) -> Asked:
    """Run one question to its end; `answers` are fields of `AnswerSettings`."""
    settings = Settings.model_validate({"web": WebSettings.model_validate({"mode": web}), "answers": AnswerSettings(**answers)})
    session = session_over(model, retriever, pages, settings, thresholds=thresholds)
    events = session.ask(
        question, history=history, cancel=cancel or CancelToken(), pipeline=pipeline, consent=consent, as_typed=as_typed, scope=scope
    )
    return Asked(list(events))
