"""The window as a person uses it, over a scripted session, a library in memory and a real store of conversations."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.documents import Answer, Citation, WebOutcome
from core.errors import ChatsDamaged, ChildCrashed, IndexDamaged, InvalidRequest, ModelMissing, NotEnoughDisk
from core.events import AnswerFinished, AnswerText, StepStarted, WebConsentWanted
from core.library.watching import SourceWatcher
from core.logs import EventLog
from core.paths import Paths
from core.scope import EVERYTHING, Scope
from core.settings import AppearanceSettings, ModelSettings, Settings, WebSettings
from core.settings_file import load_settings
from desktop.assembly import SmallerModel
from desktop.conversation.answer_card import AnswerCard
from desktop.library.library_controller import Hears
from desktop.start_options import StartOptions
from desktop.widgets.icon_button import IconButton
from desktop.window_app import WindowApp, dress
from tests.desktop.conftest import Open
from tests.fakes.window import (
    AskConsent,
    FakeWatch,
    Gate,
    ScriptedSession,
    WindowApplication,
    answer_of,
    citation,
    files_run,
    rewritten_run,
    simple_run,
    step,
)


def ask(shell: WindowApp, question: str) -> None:
    shell.window.conversation.question_box.set_text(question)
    shell.window.conversation.question_box.submit()


def newest(shell: WindowApp) -> AnswerCard:
    return list(shell.window.conversation.transcript.cards.values())[-1]


def finished(shell: WindowApp, qtbot: QtBot) -> AnswerCard:
    qtbot.waitUntil(lambda: not shell.conversation.running and not shell.conversation.worker.busy, timeout=10_000)
    return newest(shell)


def drop(target: QWidget, urls: list[QUrl]) -> QDropEvent:
    mime = QMimeData()
    mime.setUrls(urls)
    actions, button, keys = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # in 6.12 only: its successor does not exist in 6.11
        enter = QDragEnterEvent(QPoint(10, 10), actions, mime, button, keys)
    QApplication.sendEvent(target, enter)
    event = QDropEvent(QPointF(10, 10), actions, mime, button, keys)
    QApplication.sendEvent(target, event)
    return event


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    folder = tmp_path / "Documents"
    folder.mkdir()
    file = folder / "handbook.md"
    file.write_bytes("# Leave 🎉\r\n\r\nParents get 12 weeks 🍼.\r\nIt can be split.\r\n".encode())
    return file


def test_a_dropped_folder_is_added_and_its_files_become_ready(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    shell = open_window()

    event = drop(shell.window, [QUrl.fromLocalFile(str(handbook.parent))])

    assert event.isAccepted() and event.dropAction() == Qt.DropAction.CopyAction
    qtbot.waitUntil(lambda: shell.window.library.model.ready_count == 1)
    assert not shell.window.overlay.isVisible()
    assert shell.window.conversation.welcome.chips


def test_while_the_window_is_open_a_linked_folder_is_watched(open_window: Open, qtbot: QtBot, handbook: Path, paths: Paths) -> None:
    def make_watch(changed: Hears, unwatched: Hears) -> SourceWatcher:
        return SourceWatcher(changed, on_unwatched=unwatched, ignored=[paths.home])

    shell = open_window(make_watch=make_watch)
    shell.add_paths([handbook.parent])
    qtbot.waitUntil(lambda: shell.window.library.model.ready_count == 1 and not shell.library.busy)

    (handbook.parent / "new.md").write_text("New words.", encoding="utf-8")
    qtbot.waitUntil(lambda: shell.window.library.model.document_count == 2 and not shell.library.busy, timeout=60_000)
    handbook.unlink()
    qtbot.waitUntil(lambda: shell.window.library.model.document_count == 1 and not shell.library.busy, timeout=60_000)

    assert shell.application is not None
    assert shell.application.library.texts == {handbook.parent / "new.md": "New words."}


def test_folders_that_cannot_be_watched_are_said_in_the_window_and_in_the_log(
    open_window: Open, qtbot: QtBot, handbook: Path, paths: Paths
) -> None:
    watch, log = FakeWatch(), EventLog(paths.logs / "window.log")
    shell = open_window(make_watch=watch.make, log=log)

    watch.say_unwatched(handbook.parent)

    qtbot.waitUntil(shell.window.library.unwatched.isVisible)
    log.close()
    assert "unwatched sources=1" in (paths.logs / "window.log").read_text(encoding="utf-8")


def test_only_local_files_may_be_dropped(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window()

    for url in ("http://example.org/a.txt", "smb://server/a.txt", "file://server/share/a.txt", "javascript:alert(1)"):
        drop(shell.window, [QUrl(url)])

    assert not shell.window.overlay.isVisible()
    assert shell.application is not None and shell.application.user_store.sources() == []


def test_a_drop_anywhere_reaches_the_window(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    shell = open_window(simple_run("Hello?", "Hello."))
    ask(shell, "Hello?")
    finished(shell, qtbot)

    takers = [child for child in shell.window.findChildren(QWidget) if child.acceptDrops()]

    assert takers == []


def test_a_missing_dropped_file_is_said_and_the_others_are_added(open_window: Open, qtbot: QtBot, handbook: Path, tmp_path: Path) -> None:
    shell = open_window()

    shell.add_paths([tmp_path / "gone.txt", handbook])

    qtbot.waitUntil(lambda: shell.window.library.model.ready_count == 1)
    assert shell.window.library.banner.title.text()


def test_an_answer_streams_and_is_rendered_once(open_window: Open, qtbot: QtBot) -> None:
    gate = Gate()
    question = "What is bold?"
    script = [
        StepStarted("direct_answer"),
        AnswerText("This is "),
        AnswerText("**bold**."),
        gate,
        AnswerFinished(answer_of(question, "This is **bold**.")),
    ]
    shell = open_window(script)

    ask(shell, question)
    qtbot.waitUntil(lambda: "**bold**" in newest(shell).body.toPlainText())
    card = newest(shell)
    renders_before = card.body.renders
    assert shell.window.conversation.question_box.stop_button.isVisible()
    assert shell.window.conversation.question_box.text == ""
    gate.open()

    finished(shell, qtbot)
    assert card.body.toPlainText() == "This is bold."
    assert (renders_before, card.body.renders) == (0, 1)
    assert not shell.window.conversation.question_box.stop_button.isVisible()


def test_while_an_answer_runs_no_other_can_be_asked(open_window: Open, qtbot: QtBot) -> None:
    gate = Gate()
    shell = open_window([gate, *simple_run("One?", "One.")])
    ask(shell, "One?")
    qtbot.waitUntil(gate.reached.is_set)

    ask(shell, "Two?")

    assert shell.window.conversation.question_box.text == "Two?"
    assert len(shell.window.conversation.transcript.cards) == 1
    gate.open()
    finished(shell, qtbot)


def test_stop_keeps_what_was_written(open_window: Open, qtbot: QtBot) -> None:
    gate = Gate()
    shell = open_window([StepStarted("direct_answer"), AnswerText("Half an ans"), gate])
    ask(shell, "Long?")
    qtbot.waitUntil(lambda: "Half" in newest(shell).body.toPlainText())

    qtbot.keyClick(shell.window, Qt.Key.Key_Escape)

    card = finished(shell, qtbot)
    assert card.turn.state == "interrupted"
    assert card.body.toPlainText() == "Half an ans"
    assert card.retry_button.isVisibleTo(card)
    assert shell.application is not None
    (turn,) = shell.application.user_store.turns(shell.window.conversations.current_id or 0)
    assert (turn.state, turn.text) == ("interrupted", "Half an ans")


def test_a_crash_of_the_model_is_said_and_asking_again_works(open_window: Open, qtbot: QtBot) -> None:
    crash = ChildCrashed("The chat model ended unexpectedly (signal 9).", exit_code=-9)
    shell = open_window([*step("route_question"), AnswerText("It be"), crash], simple_run("Why?", "Because."))
    ask(shell, "Why?")
    card = finished(shell, qtbot)
    assert card.turn.state == "failed"
    assert card.problem_title.text() and card.problem_help.text()
    assert card.body.toPlainText() == "It be"

    card.retry_button.click()

    again = finished(shell, qtbot)
    assert again is not card
    assert again.body.toPlainText() == "Because."


def test_a_question_that_cannot_be_stored_goes_back_into_the_box(open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = open_window()
    assert shell.application is not None

    def full(*_: object) -> int:
        raise NotEnoughDisk("The disk is full.")

    monkeypatch.setattr(shell.application.user_store, "add_turn", full)

    ask(shell, "Is there room?")

    card = finished(shell, qtbot)
    assert card.turn.state == "failed"
    assert shell.window.conversation.question_box.text == "Is there room?"


FIRST = simple_run("What is the fee?", "40 euros.")
FOLLOW_UP = rewritten_run("And when is it due?", "When is the fee due?", "In May.")


def asked_follow_up(shell: WindowApp, qtbot: QtBot) -> AnswerCard:
    for question in ("What is the fee?", "And when is it due?"):
        ask(shell, question)
        card = finished(shell, qtbot)
    return card


def as_typed_button(shell: WindowApp) -> QPushButton:
    button = shell.window.details.trace.as_typed_button
    assert button is not None
    return button


def stored_turns(shell: WindowApp) -> list[tuple[str, str]]:
    assert shell.application is not None
    return [(turn.question, turn.text) for turn in shell.application.user_store.turns(shell.window.conversations.current_id or 0)]


def test_one_click_asks_a_rewritten_question_as_it_was_typed_and_both_answers_stay(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window(FIRST, FOLLOW_UP, simple_run("And when is it due?", "What is due?"))
    ask(shell, "What is the fee?")
    finished(shell, qtbot)
    assert shell.window.details.trace.as_typed_button is None
    ask(shell, "And when is it due?")
    rewritten = finished(shell, qtbot)

    as_typed_button(shell).click()

    typed = finished(shell, qtbot)
    assert shell.application is not None
    session = shell.application.session
    assert [question for question, _ in session.asked] == ["What is the fee?", "And when is it due?", "And when is it due?"]
    assert session.as_typed == [False, False, True]
    assert typed is not rewritten
    assert (rewritten.body.toPlainText(), typed.body.toPlainText()) == ("In May.", "What is due?")
    assert stored_turns(shell)[1:] == [("And when is it due?", "In May."), ("And when is it due?", "What is due?")]
    assert shell.window.details.trace.as_typed_button is None


def test_no_question_is_asked_as_typed_while_an_answer_runs(open_window: Open, qtbot: QtBot) -> None:
    gate = Gate()
    shell = open_window(FIRST, FOLLOW_UP, [gate, *simple_run("Else?", "No.")])
    card = asked_follow_up(shell, qtbot)
    assert as_typed_button(shell).isEnabled()
    ask(shell, "Else?")
    qtbot.waitUntil(gate.reached.is_set)

    card.details_button.click()
    assert not as_typed_button(shell).isEnabled()
    as_typed_button(shell).click()
    shell.window.details.trace.as_typed_requested.emit()

    gate.open()
    finished(shell, qtbot)
    assert len(stored_turns(shell)) == 3
    assert as_typed_button(shell).isEnabled()


def test_a_stored_rewriting_can_be_undone_after_a_restart(open_window: Open, qtbot: QtBot) -> None:
    first = open_window(FIRST, FOLLOW_UP)
    asked_follow_up(first, qtbot)
    assert first.stop()
    second = open_window(simple_run("And when is it due?", "What is due?"))
    qtbot.waitUntil(lambda: second.window.details.trace.as_typed_button is not None)

    as_typed_button(second).click()

    finished(second, qtbot)
    assert second.application is not None and second.application.session.as_typed == [True]
    assert [text for _, text in stored_turns(second)] == ["40 euros.", "In May.", "What is due?"]


def test_a_failed_question_asked_as_typed_is_asked_again_as_typed(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window(FIRST, FOLLOW_UP, [ChildCrashed("It ended.")])
    asked_follow_up(shell, qtbot)
    as_typed_button(shell).click()

    finished(shell, qtbot).retry_button.click()

    finished(shell, qtbot)
    assert shell.application is not None and shell.application.session.as_typed == [False, False, True, True]


def test_asking_as_typed_leaves_what_stands_in_the_box(open_window: Open, qtbot: QtBot) -> None:
    first = open_window(FIRST, FOLLOW_UP)
    asked_follow_up(first, qtbot)
    first.window.conversation.question_box.edit.setPlainText("half a thou")
    first.conversation.drafts.save()

    as_typed_button(first).click()

    finished(first, qtbot)
    assert first.window.conversation.question_box.text == "half a thou"
    assert first.stop()
    second = open_window()
    qtbot.waitUntil(lambda: second.window.conversation.question_box.text == "half a thou")


def test_what_stands_in_the_box_stays_when_a_question_asked_as_typed_cannot_be_stored(
    open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = open_window(FIRST, FOLLOW_UP)
    asked_follow_up(shell, qtbot)
    assert shell.application is not None

    def full(*_: object) -> int:
        raise NotEnoughDisk("The disk is full.")

    monkeypatch.setattr(shell.application.user_store, "add_turn", full)
    shell.window.conversation.question_box.edit.setPlainText("half a thou")

    as_typed_button(shell).click()

    assert finished(shell, qtbot).turn.state == "failed"
    assert shell.window.conversation.question_box.text == "half a thou"


def test_a_source_opens_at_its_passage(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    text = handbook.read_bytes().decode("utf-8")
    sources = [citation(1, handbook, text, "Parents get 12 weeks 🍼."), citation(2, handbook, text, "It can be split.")]
    shell = open_window(files_run("Leave?", "12 weeks [1], in parts [2].", sources))
    shell.add_paths([handbook])
    qtbot.waitUntil(lambda: shell.window.library.model.ready_count == 1)
    assert shell.application is not None
    shell.application.library.texts[handbook] = text  # type: ignore[attr-defined]
    ask(shell, "Leave?")
    finished(shell, qtbot)
    trace, viewer = shell.window.details.trace, shell.window.details.viewer
    assert [row.citation.n for row in trace.sources] == [1, 2]

    trace.sources[0].click()

    qtbot.waitUntil(lambda: viewer.text.highlighted_text == sources[0].quote)
    assert shell.window.details.currentWidget() is viewer
    assert viewer.text.textCursor().blockNumber() + 1 == sources[0].line == 3
    shell.window.next_source_action.trigger()
    qtbot.waitUntil(lambda: viewer.text.highlighted_text == sources[1].quote)
    viewer.previous_button.click()
    qtbot.waitUntil(lambda: viewer.text.highlighted_text == sources[0].quote)


def test_a_mark_in_the_answer_opens_the_source_too(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    text = handbook.read_text(encoding="utf-8")
    shell = open_window(files_run("Leave?", "12 weeks [1].", [citation(1, handbook, text, "Parents get 12 weeks 🍼.")]))
    shell.add_paths([handbook])
    qtbot.waitUntil(lambda: shell.window.library.model.ready_count == 1)
    ask(shell, "Leave?")
    card = finished(shell, qtbot)

    card.body.anchorClicked.emit(QUrl("cite:1"))

    qtbot.waitUntil(lambda: shell.window.details.viewer.text.highlighted_text == "Parents get 12 weeks 🍼.")


def test_a_question_is_restricted_to_a_file_named_with_an_at_sign_and_the_next_one_too(
    open_window: Open, qtbot: QtBot, handbook: Path
) -> None:
    text, only = handbook.read_bytes().decode("utf-8"), Scope((handbook,))
    first = files_run("Leave?", "12 weeks [1].", [citation(1, handbook, text, "Parents get 12 weeks 🍼.")])
    first[-1] = AnswerFinished(replace(first[-1].answer, scope=only))
    shell = open_window(first, FIRST, FIRST)
    shell.add_paths([handbook])
    qtbot.waitUntil(lambda: shell.window.library.model.ready_count == 1)
    box = shell.window.conversation.question_box
    box.edit.setFocus()
    box.edit.insertPlainText("Leave? @hand")
    qtbot.waitUntil(lambda: box.edit.places.is_open)
    qtbot.keyClick(box.edit.places.popup, Qt.Key.Key_Return)

    box.submit()
    card = finished(shell, qtbot)
    assert "only in handbook.md" in card.strip.text()
    ask(shell, "What is the fee?")
    finished(shell, qtbot)
    box.chips.buttons[0].click()
    ask(shell, "What is the fee?")
    finished(shell, qtbot)

    assert shell.application is not None
    session = shell.application.session
    assert [question for question, _ in session.asked] == ["Leave?", "What is the fee?", "What is the fee?"]
    assert session.scopes == [only, only, EVERYTHING]


def test_a_restricted_question_that_failed_is_asked_again_with_its_own_restriction(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    shell = open_window([InvalidRequest("Nothing there.", code="scope_empty")], FIRST)
    box = shell.window.conversation.question_box
    box.set_scope(Scope((handbook,)))
    ask(shell, "What is the fee?")
    card = finished(shell, qtbot)
    box.set_scope(EVERYTHING)
    shown = shell.window.conversations.current_id
    shell.conversation.show_conversation(shown or 0)  # as it was stored
    qtbot.waitUntil(lambda: newest(shell) is not card)

    shell.window.conversation.transcript.retry_requested.emit(shell.conversation._turns[-1].key)
    finished(shell, qtbot)

    assert shell.application is not None
    assert shell.application.session.scopes == [Scope((handbook,))] * 2


def test_a_source_whose_file_left_the_library_is_said(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    text = handbook.read_text(encoding="utf-8")
    shell = open_window(files_run("Leave?", "12 weeks [1].", [citation(1, handbook, text, "12 weeks")]))
    ask(shell, "Leave?")
    finished(shell, qtbot)

    shell.window.details.trace.sources[0].click()

    qtbot.waitUntil(lambda: shell.window.details.viewer.problem.isVisible())
    assert shell.window.details.viewer.problem.text()


def test_the_steps_appear_as_they_happen(open_window: Open, qtbot: QtBot) -> None:
    gate = Gate()
    script = [
        *step("route_question", {"strategy": "complex"}),
        *step("retrieve", {"query": "leave", "found": 3}),
        StepStarted("generate_answer"),
        gate,
    ]
    shell = open_window([*script, AnswerFinished(answer_of("Leave?", "Twelve."))])

    ask(shell, "Leave?")

    rows = shell.window.details.trace
    qtbot.waitUntil(lambda: len(rows.rows) == 3)
    titles = [row.title.text() for row in rows.rows]
    assert titles == ["Decided where to look", "Searched your files", "Writing the answer…"]
    assert [label.text() for label in rows.rows[1].details] == ["“leave”", "Found 3 passages"]
    assert rows.rows[1].seconds.text() == "0.4 s"
    assert "Writing the answer" in newest(shell).origin.text()
    gate.open()
    finished(shell, qtbot)


def test_answers_of_each_origin_look_different(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    text = handbook.read_text(encoding="utf-8")
    page = Citation(1, "A quote", title="A page", url="https://example.org/page")
    shell = open_window(
        files_run("a", "12 [1].", [citation(1, handbook, text, "12 weeks")]),
        simple_run("b", "2"),
        files_run("c", "Online it says so [1].", [page], origin="web"),
        files_run("d", "Your files do not say.", [], origin="none", refused=True, own_knowledge="But I know it."),
    )
    looks = []
    for question in "abcd":
        ask(shell, question)
        card = finished(shell, qtbot)
        looks.append((card.origin.text(), card._stripe))

    assert len(set(looks)) == len({look for _, look in looks}) == 4
    assert newest(shell).knowledge.body.toPlainText() == "But I know it."
    assert "own knowledge" in newest(shell).knowledge.heading.text()


def test_the_strip_counts_passages_and_files(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    (handbook.parent / "other.txt").write_text("Nothing about it.", encoding="utf-8")
    text = handbook.read_text(encoding="utf-8")
    shell = open_window(
        files_run("a", "12 [1], split [2].", [citation(1, handbook, text, "12 weeks"), citation(2, handbook, text, "split")])
    )
    shell.add_paths([handbook.parent])
    qtbot.waitUntil(lambda: shell.conversation._library_size == 2)

    ask(shell, "a")

    assert finished(shell, qtbot).strip.text() == "2 passages from 1 of 2 files"


def test_conversations_and_drafts_are_there_after_a_restart(open_window: Open, qtbot: QtBot) -> None:
    first = open_window(simple_run("Where is my note?", "In the drawer."))
    ask(first, "Where is my note?")
    finished(first, qtbot)
    first.window.conversation.question_box.edit.setPlainText("half a thou")
    assert first.stop()

    second = open_window()

    qtbot.waitUntil(lambda: len(second.window.conversation.transcript.cards) == 1)
    assert newest(second).body.toPlainText() == "In the drawer."
    assert second.window.conversation.question_box.text == "half a thou"
    assert second.window.conversations.model.index(0).data() == "Where is my note?"


def test_drafts_stay_with_their_conversations(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window(simple_run("First?", "Yes."))
    ask(shell, "First?")
    finished(shell, qtbot)
    box = shell.window.conversation.question_box
    box.edit.setPlainText("draft of the first")
    first = shell.window.conversations.current_id

    shell.window.new_action.trigger()
    qtbot.waitUntil(lambda: shell.window.conversations.current_id not in (first, None))
    assert box.text == ""
    box.edit.setPlainText("draft of the second")
    shell.conversation.show_conversation(first or 0)

    qtbot.waitUntil(lambda: box.text == "draft of the first")


def test_a_conversation_can_be_renamed_and_deleted(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window(simple_run("First?", "Yes."))
    ask(shell, "First?")
    finished(shell, qtbot)
    model = shell.window.conversations.model
    qtbot.waitUntil(lambda: model.index(0).data() == "First?")

    model.setData(model.index(0), "  <b>Renamed</b>  ")
    qtbot.waitUntil(lambda: model.index(0).data() == "<b>Renamed</b>")
    box = shell.window.conversations.confirm_delete(shell.window.conversations.current_id)
    assert box is not None and box.textFormat() == Qt.TextFormat.PlainText
    next(button for button in box.buttons() if box.buttonRole(button) == QMessageBox.ButtonRole.DestructiveRole).click()

    qtbot.waitUntil(lambda: model.rowCount() == 1 and model.index(0).data() == "New conversation")
    assert not shell.window.conversation.transcript.cards


def test_events_of_a_stopped_and_deleted_answer_are_dropped(open_window: Open, qtbot: QtBot) -> None:
    gate = Gate()
    shell = open_window([AnswerText("old "), gate, AnswerText("text")], simple_run("New?", "new answer"))
    ask(shell, "Old?")
    qtbot.waitUntil(gate.reached.is_set)
    qtbot.waitUntil(lambda: newest(shell).turn.key > 0)
    shell.conversation._delete(shell.window.conversations.current_id or 0)
    qtbot.waitUntil(lambda: not shell.window.conversation.transcript.cards and shell.window.conversations.current_id is not None)

    ask(shell, "New?")

    assert finished(shell, qtbot).body.toPlainText() == "new answer"
    assert len(shell.window.conversation.transcript.cards) == 1


def test_the_web_switch_is_kept_and_reaches_the_next_question(open_window: Open, qtbot: QtBot, paths: Paths) -> None:
    shell = open_window()
    assert shell.application is not None
    models = shell.application.chat_model

    shell.window.conversation.question_box._web_actions["ask"].trigger()

    qtbot.waitUntil(lambda: load_settings(paths)[0].web.mode == "ask")
    assert shell.application.settings.web.mode == "ask"
    assert shell.application.chat_model is models
    assert "ask" in shell.window.conversation.question_box.web_button.text()


def web_script(question: str, heard: list[str | None]) -> list[Any]:
    def then(text: str | None) -> list[Any]:
        heard.append(text)
        found = WebOutcome(searched=text is not None, query=text or "", error="" if text else "web_declined")
        return [AnswerFinished(answer_of(question, "Done.", origin="none", refused=True, web=found))]

    return [WebConsentWanted("cafeteria hours"), AskConsent("cafeteria hours", then)]


def test_the_web_is_asked_only_with_the_words_that_were_shown(open_window: Open, qtbot: QtBot) -> None:
    heard: list[str | None] = []
    shell = open_window(web_script("Hours?", heard))
    ask(shell, "Hours?")
    bar = shell.window.conversation.consent_bar
    qtbot.waitUntil(lambda: bar.isVisible() and shell.conversation.consent.waiting)
    assert bar.query.text() == "cafeteria hours"
    assert heard == []

    bar.query.setText("canteen opening")
    bar.send_button.click()

    finished(shell, qtbot)
    assert heard == ["canteen opening"]
    assert not bar.isVisible()


def test_the_web_can_be_declined(open_window: Open, qtbot: QtBot) -> None:
    heard: list[str | None] = []
    shell = open_window(web_script("Hours?", heard))
    ask(shell, "Hours?")
    qtbot.waitUntil(lambda: shell.conversation.consent.waiting)

    shell.window.conversation.consent_bar.refuse_button.click()

    finished(shell, qtbot)
    assert heard == [None]


def test_stop_ends_a_run_that_waits_for_consent(open_window: Open, qtbot: QtBot) -> None:
    heard: list[str | None] = []
    shell = open_window(web_script("Hours?", heard))
    ask(shell, "Hours?")
    qtbot.waitUntil(lambda: shell.window.conversation.consent_bar.isVisible())

    shell.conversation.stop()

    assert finished(shell, qtbot).turn.state == "interrupted"
    assert heard == []
    assert not shell.window.conversation.consent_bar.isVisible()


def test_a_web_source_opens_only_after_a_yes_to_the_whole_address(open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("desktop.conversation.link_question.QDesktopServices.openUrl", lambda url: opened.append(url.toString()))
    page = Citation(1, "A quote", title="A page", url="https://example.org/page?q=1")
    shell = open_window(files_run("c", "Online [1].", [page], origin="web"))
    ask(shell, "c")
    finished(shell, qtbot)

    shell.window.details.trace.sources[0].click()

    box = shell.window.findChild(QMessageBox)
    assert isinstance(box, QMessageBox) and opened == []
    assert "https://example.org/page?q=1" in box.informativeText().replace("\u200b", "")
    next(button for button in box.buttons() if box.buttonRole(button) == QMessageBox.ButtonRole.AcceptRole).click()
    assert opened == ["https://example.org/page?q=1"]


def test_a_question_may_be_sent_while_the_models_load(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window(simple_run("Ready?", "Yes."))

    ask(shell, "Ready?")

    assert finished(shell, qtbot).body.toPlainText() == "Yes."


def test_a_question_sent_before_anything_is_ready_is_asked_as_soon_as_it_is(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window(simple_run("Early?", "In time."), wait=False)

    ask(shell, "Early?")

    qtbot.waitUntil(lambda: bool(shell.window.conversation.transcript.cards))
    assert finished(shell, qtbot).body.toPlainText() == "In time."
    assert shell.window.conversation.question_box.text == ""


def test_words_typed_before_anything_is_ready_are_not_lost(open_window: Open, qtbot: QtBot, paths: Paths) -> None:
    shell = open_window(wait=False)

    shell.window.conversation.question_box.edit.setPlainText("typed ear")

    qtbot.waitUntil(lambda: shell.window.conversations.current_id is not None)
    qtbot.waitUntil(lambda: shell.conversation._typed_early is False)
    assert shell.window.conversation.question_box.text == "typed ear"


def test_a_missing_model_is_said_and_the_window_stays(open_window: Open, qtbot: QtBot) -> None:
    def assemble(paths: Paths, settings: Settings) -> Any:
        application = WindowApplication(paths, settings, ScriptedSession([ModelMissing("No chat model.")]))
        application.chat_model.failure = ModelMissing("No chat model.")
        return application

    shell = open_window(assemble=assemble)

    qtbot.waitUntil(lambda: shell.window.banner.isVisible())
    assert shell.window.banner.title.text() and shell.window.banner.button.isVisible()
    ask(shell, "Anyone?")
    assert finished(shell, qtbot).turn.state == "failed"


def test_damaged_conversations_are_said_and_the_window_stays(open_window: Open, qtbot: QtBot, paths: Paths) -> None:
    def assemble(paths: Paths, settings: Settings) -> Any:
        raise ChatsDamaged("user.db cannot be read.")

    shell = open_window(assemble=assemble, wait=False)

    qtbot.waitUntil(lambda: shell.window.banner.isVisible())
    ask(shell, "Anyone?")
    assert shell.window.conversation.question_box.text == "Anyone?"
    assert shell.window.isVisible()


def test_a_damaged_index_can_be_rebuilt_from_the_banner(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    def assemble(paths: Paths, settings: Settings) -> Any:
        application = WindowApplication(paths, settings)
        application.user_store.add_source(handbook)
        application.library.failure = IndexDamaged("index.db cannot be read.")
        return application

    shell = open_window(assemble=assemble, wait=False)
    qtbot.waitUntil(lambda: shell.window.banner.button.isVisible())

    shell.window.banner.button.click()

    qtbot.waitUntil(lambda: shell.window.library.model.ready_count == 1)
    assert not shell.window.banner.isVisible()


def test_other_models_make_another_application_between_jobs(open_window: Open, qtbot: QtBot) -> None:
    gate = Gate()
    shell = open_window([gate, *simple_run("One?", "One.")])
    old = shell.application
    ask(shell, "One?")
    qtbot.waitUntil(gate.reached.is_set)

    shell.apply_settings(Settings(models=ModelSettings(threads=1)))

    assert shell.application is old
    gate.open()
    qtbot.waitUntil(lambda: shell.application not in (old, None))
    assert old is not None and old.closed  # type: ignore[attr-defined]
    assert shell.application is not None and shell.application.settings.models.threads == 1
    qtbot.waitUntil(lambda: len(shell.window.conversation.transcript.cards) == 1)


def test_theme_and_language_change_at_once(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window(simple_run("One?", "One."))
    ask(shell, "One?")
    finished(shell, qtbot)

    shell.apply_settings(Settings(appearance=AppearanceSettings(theme="dark", language="zh_CN")))
    try:
        qtbot.waitUntil(lambda: shell.window.conversations.heading.text() == "对话")
        assert shell.window.palette().window().color().lightness() < 100
    finally:
        shell.apply_settings(Settings(appearance=AppearanceSettings(theme="light", language="en")))
    qtbot.waitUntil(lambda: shell.window.conversations.heading.text() == "Conversations")


def test_a_second_start_brings_the_window_and_its_files(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    shell = open_window()

    shell.second_start((handbook,))

    qtbot.waitUntil(lambda: shell.window.library.model.ready_count == 1)


def test_removing_a_file_interrupts_the_indexing_and_it_goes_on(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    other = handbook.parent / "other.txt"
    other.write_text("Other.", encoding="utf-8")
    shell = open_window()
    shell.add_paths([handbook, other])
    qtbot.waitUntil(lambda: shell.window.library.model.ready_count == 2 and not shell.library.busy)

    shell.window.library.remove_requested.emit(other)

    qtbot.waitUntil(lambda: shell.window.library.model.document_count == 1 and not shell.library.busy)
    assert shell.window.library.model.ready_count == 1


def test_a_closed_window_stops_everything_in_time(open_window: Open, qtbot: QtBot) -> None:
    gate = Gate()
    shell = open_window([AnswerText("half"), gate])
    application = shell.application
    ask(shell, "Long?")
    qtbot.waitUntil(gate.reached.is_set)

    assert shell.stop()

    assert application is not None and application.closed  # type: ignore[attr-defined]
    (turn,) = WindowApplication(shell.paths).user_store.turns(1)
    assert turn.state == "interrupted"


def test_every_control_has_a_name(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    text = handbook.read_text(encoding="utf-8")
    shell = open_window(files_run("a", "12 [1].", [citation(1, handbook, text, "12 weeks")]))
    ask(shell, "a")
    finished(shell, qtbot)

    unnamed = [
        type(widget).__name__
        for widget in shell.window.findChildren(QWidget)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isEnabled() and widget.isVisible()
        if not (widget.accessibleName() or getattr(widget, "text", str)())
        and widget.focusProxy() is None
        and type(widget).__name__ != "QMenuBar"
    ]

    assert unnamed == []


def test_keys_reach_everything(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window()
    window = shell.window
    keys = {action: action.shortcut().toString() for action in window.actions()}

    assert len(set(keys.values())) == len(keys)
    assert set(keys.values()) >= {"Ctrl+N", "Ctrl+O", "Ctrl+,", "Esc", "Ctrl+L", "F6", "F1"}
    window.activateWindow()
    window.focus_question_action.trigger()
    qtbot.waitUntil(lambda: window.conversation.question_box.edit.hasFocus())
    window.cycle_panes()
    assert not window.conversation.question_box.edit.hasFocus()


def test_about_says_what_is_promised(open_window: Open, qtbot: QtBot) -> None:
    shell = open_window()

    dialog = shell.open_about()

    assert dialog.isVisible()
    dialog.close()


def test_the_settings_dialog_is_followed(open_window: Open, qtbot: QtBot, paths: Paths) -> None:
    shell = open_window()
    dialog = shell.open_settings()

    dialog.settings_accepted.emit(Settings(web=WebSettings(mode="auto")))

    qtbot.waitUntil(lambda: load_settings(paths)[0].web.mode == "auto")
    dialog.close()


def test_an_old_answer_shows_its_steps_again(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    text = handbook.read_text(encoding="utf-8")
    first = open_window(files_run("Leave?", "12 [1].", [citation(1, handbook, text, "12 weeks")]))
    ask(first, "Leave?")
    finished(first, qtbot)
    assert first.stop()

    second = open_window()

    qtbot.waitUntil(lambda: len(second.window.details.trace.rows) == 5)
    assert second.window.details.trace.rows[2].details[0].text() == "“Leave?”"
    assert [row.citation.n for row in second.window.details.trace.sources] == [1]


def test_an_answer_can_be_copied_with_its_sources(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    text = handbook.read_text(encoding="utf-8")
    shell = open_window(files_run("Leave?", "12 [1].", [citation(1, handbook, text, "12 weeks")]))
    ask(shell, "Leave?")

    finished(shell, qtbot).copy_button.click()

    copied = QApplication.clipboard().text()
    assert copied.startswith("12 [1].") and str(handbook) in copied and "line 3" in copied


def test_a_stored_answer_that_cannot_be_read_still_shows_its_text(open_window: Open, qtbot: QtBot, paths: Paths) -> None:
    store = WindowApplication(paths).user_store
    conversation = store.create_conversation()
    turn = store.add_turn(conversation, "Old?")
    store.finish_turn(turn, answer_of("Old?", "An old answer."))
    store.close()
    import apsw

    connection = apsw.Connection(str(paths.user_database))
    connection.execute("UPDATE turns SET answer = '[]'")
    connection.close()

    shell = open_window()

    qtbot.waitUntil(lambda: len(shell.window.conversation.transcript.cards) == 1)
    assert newest(shell).body.toPlainText() == "An old answer."
    assert isinstance(answer_of("x", "y"), Answer)


def test_options_of_this_start_hold_and_are_not_saved(open_window: Open, qtbot: QtBot, paths: Paths) -> None:
    shell = open_window(options=StartOptions({("web", "mode"): "auto"}))
    assert shell.settings.web.mode == "auto"
    assert shell.application is not None and shell.application.settings.web.mode == "auto"

    shell.apply_settings(shell.settings.model_copy(update={"models": ModelSettings(threads=2)}))

    qtbot.waitUntil(lambda: load_settings(paths)[0].models.threads == 2)
    assert load_settings(paths)[0].web.mode == "off"
    assert shell.settings.web.mode == "auto"


def test_a_smaller_model_is_told_calmly_until_it_is_put_away(open_window: Open, qtbot: QtBot) -> None:
    smaller = SmallerModel("Large", "Small", "large-1")
    first = open_window(smaller_model=smaller)
    banner = first.window.banner
    qtbot.waitUntil(banner.isVisible)
    assert banner.is_calm and not banner.button.isVisible()
    assert "Large" in banner.title.text() and "Small" in banner.title.text() and "large-1" in banner.what_to_do.text()

    banner.findChild(IconButton).click()
    assert first.stop()

    second = open_window(smaller_model=smaller)
    assert not second.window.banner.isVisible()


def test_a_refusal_shows_its_closest_passages_and_no_sources(open_window: Open, qtbot: QtBot, handbook: Path) -> None:
    text = handbook.read_text(encoding="utf-8")
    near = [citation(1, handbook, text, "12 weeks")]
    shell = open_window(files_run("Pay?", "Your files do not say. Closest: [1]", near, origin="none", refused=True))
    ask(shell, "Pay?")
    card = finished(shell, qtbot)
    trace = shell.window.details.trace

    assert trace.sources_heading.text() == "Closest passages"
    assert [row.citation.n for row in trace.sources] == [1]
    assert trace.sources[0].accessibleName().startswith("Closest passage 1")
    assert "passage" not in card.strip.text()
    card.body.anchorClicked.emit(QUrl("cite:1"))
    assert shell.window.details.currentWidget() is shell.window.details.viewer
    card.copy_button.click()
    assert "Closest passages:" in QApplication.clipboard().text() and "Sources" not in QApplication.clipboard().text()


def test_the_log_has_numbers_and_no_words(open_window: Open, qtbot: QtBot, paths: Paths) -> None:
    log = EventLog(paths.logs / "window.log")
    crash = ChildCrashed("It crashed over zanzibar.", exit_code=-9)
    shell = open_window(simple_run("zanzibar?", "A zanzibar."), [crash], log=log)
    ask(shell, "zanzibar?")
    finished(shell, qtbot)
    ask(shell, "again zanzibar?")
    finished(shell, qtbot)

    written = (paths.logs / "window.log").read_text(encoding="utf-8")

    log.close()
    assert " answered seconds=" in written and " index_finished " in written
    assert " failure ChildCrashed/child_crashed" in written
    assert "zanzibar" not in written


def test_a_translation_that_must_be_compiled_is_kept_under_the_home(paths: Paths, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    caches: list[Path | None] = []
    monkeypatch.setattr("desktop.window_app.install_language", lambda app, language, *, cache=None: caches.append(cache))

    dress(paths, Settings())

    assert caches == [paths.home / "cache"]
