"""`lamplight ask QUESTION`: an answer from the person's files, with numbered sources under it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from core.cancel import CancelToken
from core.documents import Answer, Message
from core.errors import Cancelled, InvalidRequest, LamplightError, NotFound
from core.events import AnswerExpected, AnswerFinished, AnswerRestarted, AnswerText, StepFinished, StepStarted, WebConsentWanted
from core.qa.session import MAX_QUESTION_CHARACTERS
from core.scope import Scope
from core.store.storable import storable
from desktop.answer_json import answer_event_json, index_report_json
from desktop.assembly import Application
from desktop.commands.indexing import add_and_index, file_row, say_smaller_model
from desktop.commands.restriction import explained, scope_of
from desktop.commands.written_answer import AnswerWriter
from desktop.error_text import describe
from desktop.event_lines import log_answer
from desktop.invocation import Invocation
from desktop.plain_words import expected_line, running_line, step_line
from desktop.terminal import Terminal

MAX_HISTORY_BYTES = 4_000_000
MAX_STDIN_CHARACTERS = 1_000_000


def run(invocation: Invocation) -> int:
    """Add files if asked to, then answer. The text appears as it is written where stdout is a terminal."""
    arguments, terminal = invocation.arguments, invocation.terminal
    question = checked_question(sys.stdin.read(MAX_STDIN_CHARACTERS) if arguments.question == "-" else arguments.question)
    history = read_history(arguments.history) if arguments.history else ()
    scope = scope_of(arguments)
    with invocation.application() as application:
        say_smaller_model(application, terminal)
        if arguments.add:
            report = add_and_index(invocation, application, arguments.add)
            if terminal.as_json:
                terminal.json(index_report_json(report))
            for file in report.files:
                if file.state in ("failed", "skipped"):
                    terminal.note(file_row(file))
        code = _answer(invocation, application, question, history, scope)
    return code


def _answer(invocation: Invocation, application: Application, question: str, history: Sequence[Message], scope: Scope) -> int:
    terminal = invocation.terminal
    writer = AnswerWriter(terminal)
    code = 0
    try:
        try:
            events = application.session.ask(
                question, history=history, cancel=invocation.cancel, consent=TerminalConsent(terminal), scope=scope
            )
        except (InvalidRequest, NotFound) as error:
            raise explained(error, scope, application) from None
        for event in events:
            if terminal.as_json:
                terminal.json(answer_event_json(event))
            match event:
                case StepStarted(node):
                    terminal.progress(running_line(node))
                    if node == "direct_answer":
                        writer.answering_without_files()
                case StepFinished():
                    terminal.note(step_line(event))
                case AnswerExpected(seconds):
                    terminal.note(expected_line(seconds))
                case AnswerText():
                    writer.add(event)
                case AnswerRestarted():
                    writer.restart()
                case AnswerFinished(answer):
                    terminal.clear_progress()
                    writer.finish(answer)
                    log_answer(invocation.log, answer)
                    if answer.interrupted:
                        raise Cancelled()
                    code = _say_why_nothing_was_found(answer, application, terminal)
                case WebConsentWanted():
                    continue
    except BaseException:
        writer.abandon()
        raise
    return code


def _say_why_nothing_was_found(answer: Answer, application: Application, terminal: Terminal) -> int:
    """A refusal because the search failed, or because there is nothing to search, is told as what it is."""
    failures = [item.error for item in answer.sub_questions if item.error]
    if answer.refused and failures and len(failures) == len(answer.sub_questions):
        text = describe(LamplightError("", code=failures[0]))
        command = " Run: lamplight library rebuild" if failures[0] == "index_damaged" else ""
        terminal.note(f"lamplight: {text.title} {text.what_to_do}{command}")
        return 1
    if answer.refused and not application.library.has_documents():
        terminal.note("The library is empty. Add files: lamplight index PATH, or lamplight ask QUESTION --add PATH")
    return 0


def checked_question(text: str) -> str:
    """The question without the space around it, and with a replacement character for bytes that are no text.

    Raises:
        InvalidRequest: it is empty or longer than 20,000 characters.
    """
    question = storable(text).strip()
    if not question:
        raise InvalidRequest("The question is empty. Type what you want to know.", code="question_empty")
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise InvalidRequest(
            f"The question has {len(question):,} characters; the most is {MAX_QUESTION_CHARACTERS:,}. Put long text into a file and add that.",
            code="question_too_long",
        )
    return question


def read_history(file: Path) -> tuple[Message, ...]:
    """The conversation so far, from a JSON list of {"role", "content"}.

    Raises:
        InvalidRequest: the file cannot be read or is something else.
    """
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_HISTORY_BYTES + 1)
        if len(raw) > MAX_HISTORY_BYTES:
            raise InvalidRequest(
                f"The history file is larger than {MAX_HISTORY_BYTES // 1_000_000} MB. Keep its last turns only.", code="history_unusable"
            )
        turns = json.loads(raw.decode("utf-8-sig"))
    except OSError as error:
        raise InvalidRequest(
            f"The history file cannot be read: {error.strerror or error}. Check its name.", code="history_unusable"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("The history file is not JSON. It must be a list of roles and contents.", code="history_unusable") from error
    return messages(turns)


def messages(turns: object) -> tuple[Message, ...]:
    """Check turns that came from outside.

    Raises:
        InvalidRequest: they are not a list of {"role": "user" or "assistant", "content": text}.
    """
    if not isinstance(turns, list):
        raise InvalidRequest("The history is not a list. It must be a list of roles and contents.", code="history_unusable")
    return tuple(_message(turn) for turn in turns)


def _message(turn: object) -> Message:
    if isinstance(turn, dict) and isinstance(turn.get("content"), str):
        match turn.get("role"):
            case "user":
                return Message("user", storable(turn["content"]))
            case "assistant":
                return Message("assistant", storable(turn["content"]))
    raise InvalidRequest(
        'A turn of the history is not {"role": "user" or "assistant", "content": text}. Mend it first.', code="history_unusable"
    )


class TerminalConsent:
    """Asks on the terminal before a query leaves the machine. Without a terminal the answer is no."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def __call__(self, query: str, *, cancel: CancelToken) -> str | None:
        if not self._terminal.can_ask:
            self._terminal.note("There is no terminal to ask on, so nothing is sent to the web. To search without being asked: --web auto")
            return None
        yes = self._terminal.ask_yes_no(f'Your files do not say. Search the web for exactly "{query}"?')
        cancel.check()
        return query if yes else None
