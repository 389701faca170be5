"""One question from the box to the disk: stored before anything is done about it, the answer kept as it grows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.cancel import CancelToken
from core.documents import Answer, Message
from core.errors import Cancelled, LamplightError
from core.events import AnswerEvent, AnswerFinished, AnswerRestarted, AnswerText
from core.scope import EVERYTHING, Scope
from core.store.user_store import Turn

if TYPE_CHECKING:
    from core.protocols import WebConsent  # brings numpy, which the first window can do without

SAVE_SECONDS = 2.0
HISTORY_TURNS = 4


class TurnStore(Protocol):
    """The part of `UserStore` that a run needs."""

    def turns(self, conversation_id: int) -> list[Turn]: ...

    def add_turn(self, conversation_id: int, question: str, scope: Scope = EVERYTHING) -> int: ...

    def save_partial(self, turn_id: int, text: str) -> None: ...

    def finish_turn(self, turn_id: int, answer: Answer) -> None: ...

    def fail_turn(self, turn_id: int, code: str, message: str, text: str) -> None: ...

    def mark_interrupted(self) -> int: ...


class Asking(Protocol):
    """The part of `core.qa.session.Session` that the window needs."""

    def ask(
        self,
        question: str,
        *,
        history: Sequence[Message] = (),
        cancel: CancelToken,
        consent: WebConsent | None = None,
        as_typed: bool = False,
        scope: Scope = EVERYTHING,
    ) -> Iterator[AnswerEvent]: ...


@dataclass(frozen=True, slots=True)
class TurnSaved:
    """The question is on the disk."""

    turn_id: int


def answer_job(
    store: TurnStore,
    session: Asking,
    consent: WebConsent,
    conversation_id: int,
    question: str,
    cancel: CancelToken,
    *,
    as_typed: bool = False,
    scope: Scope = EVERYTHING,
) -> Iterator[TurnSaved | AnswerEvent]:
    """Run a question and keep what comes of it. Yields `TurnSaved` first, then the run's events; raises what the run raises.

    With `as_typed` a follow-up is not rewritten. Only files of `scope` are searched.
    """
    history = history_of(store.turns(conversation_id))
    turn_id = store.add_turn(conversation_id, question, scope)
    yield TurnSaved(turn_id)
    text = ""
    saved = time.monotonic()
    try:
        for event in session.ask(question, history=history, cancel=cancel, consent=consent, as_typed=as_typed, scope=scope):
            if isinstance(event, AnswerText) and not event.own_knowledge:
                text += event.text
                if time.monotonic() - saved >= SAVE_SECONDS:
                    store.save_partial(turn_id, text)
                    saved = time.monotonic()
            elif isinstance(event, AnswerRestarted):
                text = ""
            elif isinstance(event, AnswerFinished):
                store.finish_turn(turn_id, event.answer)
            yield event
    except (Cancelled, GeneratorExit):
        store.save_partial(turn_id, text)
        store.mark_interrupted()
        raise
    except LamplightError as error:
        store.fail_turn(turn_id, error.code, error.message, text)
        raise
    except Exception:
        store.fail_turn(turn_id, "defect", "", text)
        raise


def history_of(turns: Sequence[Turn]) -> tuple[Message, ...]:
    """The last answered turns as the messages that the next question may refer to."""
    answered = [turn for turn in turns if turn.answer is not None and turn.text]
    return tuple(
        message for turn in answered[-HISTORY_TURNS:] for message in (Message("user", turn.question), Message("assistant", turn.text))
    )
