from __future__ import annotations

import dataclasses

from core.errors import ChildCrashed
from desktop.conversation.running_answer import RunningAnswer
from tests.fakes.window import answer_of

RUN = RunningAnswer(ticket=1, conversation_id=2, key=-3, question="Why?", text="Becau", own_text="I think")


def test_while_it_runs_what_is_written_is_shown() -> None:
    view = RUN.view()

    assert (view.key, view.question, view.state, view.text, view.own_text) == (-3, "Why?", "running", "Becau", "I think")


def test_a_finished_answer_says_what_there_was_to_choose_from() -> None:
    view = RUN.finished_view(answer_of("Why?", "Because."), library_size=7)

    assert (view.state, view.text, view.library_size) == ("finished", "Because.", 7)


def test_half_an_answer_is_shown_as_interrupted() -> None:
    view = RUN.finished_view(dataclasses.replace(answer_of("Why?", "Becau"), interrupted=True), library_size=7)

    assert (view.state, view.text) == ("interrupted", "Becau")


def test_what_was_written_stays_when_it_is_stopped_or_fails() -> None:
    stopped, failed = RUN.interrupted_view(), RUN.failed_view(ChildCrashed("The model stopped."))

    assert (stopped.state, stopped.text, stopped.own_text, stopped.problem) == ("interrupted", "Becau", "I think", None)
    assert (failed.state, failed.text, failed.own_text) == ("failed", "Becau", "I think")
    assert failed.problem is not None
