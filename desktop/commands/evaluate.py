"""`lamplight eval`: answer a file of questions, and write what happened, one line each."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from core.cancel import CancelToken
from core.documents import Answer
from core.errors import Cancelled, InvalidRequest, LamplightError, ModelMissing, ModelUnusable, NotEnoughDisk, NotEnoughMemory
from core.events import AnswerFinished
from core.home import prepare_home
from core.paths import PROGRAM, Paths
from desktop.answer_json import answer_json
from desktop.assembly import Application
from desktop.commands.ask import TerminalConsent, checked_question
from desktop.commands.indexing import add_and_index, existing, say_smaller_model
from desktop.evaluation import EvalQuestion, appending, chosen, failed_line, finished_ids, read_questions, write_line
from desktop.invocation import Invocation

if TYPE_CHECKING:
    from core.qa.session import Session
    from core.qa.state import Features

# With these every question would fail alike: better one sentence now than a file full of them.
_FATAL = (ModelMissing, ModelUnusable, NotEnoughMemory, NotEnoughDisk)

AskOne = Callable[[EvalQuestion, CancelToken], Answer]


class _Ablated(Protocol):
    session: Session
    features: Features

    def close(self) -> None: ...


class _Published(Protocol):
    def ask(self, question: str, *, history: object, cancel: CancelToken) -> Answer: ...

    def close(self) -> None: ...


def run(invocation: Invocation) -> int:
    """Index `--docs`, then answer the questions whose ids are not in `--out` yet."""
    arguments = invocation.arguments
    questions = chosen(read_questions(arguments.questions), limit=arguments.limit, seed=arguments.seed)
    done = finished_ids(arguments.out, arguments.questions)
    waiting = [question for question in questions if question.id not in done]
    paths = _home_of(invocation)
    prepare_home(paths)
    with appending(arguments.out) as out, invocation.application(paths) as application:
        say_smaller_model(application, invocation.terminal)
        report = add_and_index(invocation, application, [arguments.docs])
        if not application.library.has_documents():
            raise InvalidRequest("None of the files of --docs could be indexed. Name a folder with text files.", code="library_empty")
        invocation.terminal.note(
            f"{sum(file.state == 'ready' for file in report.files)} files indexed; {len(waiting)} questions to answer."
        )
        answered = failed = 0
        ask, close = _pipeline(invocation, application)
        try:
            for number, question in enumerate(waiting, start=1):
                invocation.terminal.progress(f"Question {number} of {len(waiting)}")
                line = _line(question, ask, application, invocation)
                write_line(out, line)
                failed += "error" in line
                answered += "error" not in line
                if invocation.terminal.as_json:
                    invocation.terminal.json(line)
                invocation.terminal.note(
                    f"{number}/{len(waiting)}  {line['seconds']:.1f} s  {question.id}{'  failed' if 'error' in line else ''}"
                )
        finally:
            close()
    summary = {
        "event": "evaluated",
        "answered": answered,
        "failed": failed,
        "skipped": len(questions) - len(waiting),
        "out": str(arguments.out),
    }
    if invocation.terminal.as_json:
        invocation.terminal.json(summary)
    else:
        invocation.terminal.result(f"{answered} answered, {failed} failed, {summary['skipped']} there already: {arguments.out}")
    return 0


def _line(question: EvalQuestion, ask: AskOne, application: Application, invocation: Invocation) -> dict[str, object]:
    started = time.monotonic()
    model, embedder = application.chat_model.model_id, application.embedder.model_id
    try:
        answer = ask(question, invocation.cancel)
    except (Cancelled, *_FATAL):
        raise
    except Exception as error:
        # One question may hit what nobody thought of; the other questions are still worth asking.
        invocation.log.failure(error)
        line = failed_line(question, error, time.monotonic() - started, model, embedder)
    else:
        line = answer_json(answer, question.id)
    without = "".join(f"-{mechanism}" for mechanism in invocation.arguments.without)
    return {**line, "pipeline": f"{invocation.arguments.pipeline}{without}"}


def _pipeline(invocation: Invocation, application: Application) -> tuple[AskOne, Callable[[], None]]:
    pipeline = invocation.arguments.pipeline
    if pipeline == "published":
        published: _Published = _quality_module("published").open_pipeline(application)
        return lambda question, cancel: published.ask(
            checked_question(question.question), history=question.history, cancel=cancel
        ), published.close
    consent = TerminalConsent(invocation.terminal)
    session, close = application.session, _nothing
    features: Features | None = None
    if without := invocation.arguments.without:
        if pipeline != "full":
            raise InvalidRequest("Only the full pipeline has mechanisms to switch off. Leave out --pipeline or --without.")
        ablated: _Ablated = _quality_module("ablation").open_ablated(application, without)
        session, features, close = ablated.session, ablated.features, ablated.close

    def ask(question: EvalQuestion, cancel: CancelToken) -> Answer:
        events = session.ask(
            checked_question(question.question),
            history=question.history,
            cancel=cancel,
            pipeline=pipeline,
            consent=consent,
            features=features,
        )
        for event in events:
            if isinstance(event, AnswerFinished):
                if event.answer.interrupted:
                    raise Cancelled()
                return event.answer
        raise LamplightError("The run ended without an answer.")

    return ask, close


def _nothing() -> None:
    """What is left to close after the application's own session."""


def _quality_module(name: str) -> ModuleType:
    """A reference to measure against: it lives with the measurements, not in the app."""
    if str(PROGRAM) not in sys.path:
        sys.path.insert(0, str(PROGRAM))
    try:
        return importlib.import_module(f"tests.quality.{name}")
    except ModuleNotFoundError as error:
        raise InvalidRequest("This way of answering is part of the source tree. Run eval from there.", code="pipeline_missing") from error


def _home_of(invocation: Invocation) -> Paths:
    """The home that was named, or one for these documents alone, so that measuring never touches the person's library."""
    if invocation.arguments.home is not None:
        return invocation.paths
    (docs,) = existing([invocation.arguments.docs])
    name = hashlib.sha256(os.fsencode(docs)).hexdigest()[:16]
    return Paths(invocation.paths.home / "eval" / name)
