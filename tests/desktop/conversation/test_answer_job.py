from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, ChildCrashed, NotEnoughDisk
from core.events import AnswerFinished, AnswerText
from core.scope import Scope
from core.store.user_store import UserStore
from desktop.conversation import answer_job as module
from desktop.conversation.answer_job import TurnSaved, answer_job
from tests.fakes.window import ScriptedSession, answer_of, simple_run


@pytest.fixture
def store(tmp_path: Path) -> UserStore:
    return UserStore(tmp_path / "user.db")


def no_consent(query: str, *, cancel: CancelToken) -> str | None:
    return None


def run(store: UserStore, session: Any, conversation: int, question: str, cancel: CancelToken) -> list[object]:
    return list(answer_job(store, session, no_consent, conversation, question, cancel))


def test_the_question_is_stored_before_the_run_begins(store: UserStore, cancel: CancelToken) -> None:
    conversation = store.create_conversation()
    job = answer_job(store, ScriptedSession(), no_consent, conversation, "Why?", cancel)

    first = next(job)

    assert first == TurnSaved(1)
    assert [(turn.question, turn.state) for turn in store.turns(conversation)] == [("Why?", "waiting")]


def test_the_answer_is_stored_and_becomes_history(store: UserStore, cancel: CancelToken) -> None:
    conversation = store.create_conversation()
    session = ScriptedSession(simple_run("Why?", "Because."), simple_run("Really?", "Yes."))

    run(store, session, conversation, "Why?", cancel)
    run(store, session, conversation, "Really?", cancel)

    assert [turn.state for turn in store.turns(conversation)] == ["done", "done"]
    assert [message.content for message in session.asked[1][1]] == ["Why?", "Because."]


def test_only_a_question_asked_as_typed_is_not_to_be_rewritten(store: UserStore, cancel: CancelToken) -> None:
    conversation = store.create_conversation()
    session = ScriptedSession()

    run(store, session, conversation, "Why?", cancel)
    list(answer_job(store, session, no_consent, conversation, "Why?", cancel, as_typed=True))

    assert session.as_typed == [False, True]
    assert [turn.state for turn in store.turns(conversation)] == ["done", "done"]


def test_a_failed_run_keeps_its_text_and_its_reason(store: UserStore, cancel: CancelToken) -> None:
    conversation = store.create_conversation()

    with pytest.raises(ChildCrashed):
        run(store, ScriptedSession([AnswerText("half"), ChildCrashed("It ended.")]), conversation, "Why?", cancel)

    (turn,) = store.turns(conversation)
    assert (turn.state, turn.text, turn.error_code) == ("failed", "half", "child_crashed")


def test_a_stopped_run_is_interrupted_and_keeps_its_text(store: UserStore, cancel: CancelToken) -> None:
    conversation = store.create_conversation()
    events = answer_job(store, ScriptedSession([AnswerText("half"), AnswerText("more")]), no_consent, conversation, "Why?", cancel)
    next(events)
    next(events)

    cancel.cancel()
    with pytest.raises(Cancelled):
        next(events)

    (turn,) = store.turns(conversation)
    assert (turn.state, turn.text) == ("interrupted", "half")


def test_text_is_kept_while_it_grows(store: UserStore, cancel: CancelToken, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAVE_SECONDS", 0.0)
    conversation = store.create_conversation()
    events = answer_job(
        store,
        ScriptedSession([AnswerText("one "), AnswerText("two"), AnswerFinished(answer_of("q", "x"))]),
        no_consent,
        conversation,
        "q",
        cancel,
    )

    for _ in range(3):
        next(events)

    assert store.turns(conversation)[0].text == "one two"


def test_a_question_that_cannot_be_stored_is_not_asked(store: UserStore, cancel: CancelToken, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise NotEnoughDisk("full")

    monkeypatch.setattr(store, "add_turn", full)
    session = ScriptedSession()

    with pytest.raises(NotEnoughDisk):
        run(store, session, store.create_conversation(), "q", cancel)

    assert session.asked == []


def test_what_a_question_is_restricted_to_is_stored_before_it_is_asked(store: UserStore, cancel: CancelToken) -> None:
    conversation, session, scope = store.create_conversation(), ScriptedSession(), Scope((Path("/a.md"),))

    events = answer_job(store, session, no_consent, conversation, "q", cancel, scope=scope)
    next(events)

    assert [turn.scope for turn in store.turns(conversation)] == [scope]
    list(events)
    assert session.scopes == [scope]
