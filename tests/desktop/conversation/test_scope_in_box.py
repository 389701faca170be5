"""Naming files in the question box with an @."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.scope import EVERYTHING, Scope
from desktop.conversation.places import places
from desktop.conversation.question_box import QuestionBox
from desktop.conversation.scope_chips import MAX_PLACES

FILES = [Path("/w/合同 2026.md"), Path("/w/notes.md"), Path("/h/notes.md"), Path(os.fsdecode(b"/w/caf\xe9.md"))]


@pytest.fixture
def box(qtbot: QtBot) -> Iterator[QuestionBox]:
    made = QuestionBox()
    qtbot.addWidget(made)
    made.places_wanted.connect(lambda: made.offer_places(places(FILES, [Path("/w"), Path("/h")])))
    made.show()
    made.edit.setFocus()
    qtbot.waitUntil(made.edit.hasFocus)
    yield made
    made.edit.places.popup.hide()


def choose(qtbot: QtBot, box: QuestionBox) -> None:
    qtbot.keyClick(box.edit.places.popup, Qt.Key.Key_Return)


def test_what_is_chosen_after_an_at_sign_becomes_a_chip_and_leaves_the_question(qtbot: QtBot, box: QuestionBox) -> None:
    box.edit.insertPlainText("🙂 看看")
    box.edit.insertPlainText("@合同")
    assert box.edit.places.is_open

    choose(qtbot, box)

    assert box.text == "🙂 看看"
    assert box.scope == Scope((FILES[0],))
    assert [button.text() for button in box.chips.buttons] == ["合同 2026.md  ✕"]
    assert box.chips.isVisible()


def test_enter_in_the_list_sends_nothing(qtbot: QtBot, box: QuestionBox) -> None:
    sent: list[str] = []
    box.question_submitted.connect(sent.append)
    box.edit.insertPlainText("What is due? @notes")

    choose(qtbot, box)
    assert sent == []
    qtbot.keyClick(box.edit, Qt.Key.Key_Return)

    assert sent == ["What is due?"]


def test_a_question_that_is_sent_keeps_the_restriction_for_the_next_one(qtbot: QtBot, box: QuestionBox) -> None:
    box.set_scope(Scope((FILES[1],)))
    box.set_text("")

    assert box.scope == Scope((FILES[1],))


def test_two_files_of_one_name_have_two_chips_that_say_which(qtbot: QtBot, box: QuestionBox) -> None:
    for _ in range(2):
        box.edit.insertPlainText("@notes.md")
        completer = box.edit.places.completer
        row = next(
            n for n in range(completer.completionCount()) if completer.completionModel().index(n, 0).data().endswith(["/h", "/w"][_])
        )
        box.edit.places.popup.setCurrentIndex(completer.completionModel().index(row, 0))
        choose(qtbot, box)

    assert box.scope.paths == (FILES[2], FILES[1])
    assert [button.text() for button in box.chips.buttons] == ["h/notes.md  ✕", "w/notes.md  ✕"]


def test_a_folder_and_a_name_of_broken_bytes_can_be_chosen(qtbot: QtBot, box: QuestionBox) -> None:
    box.edit.insertPlainText("@w/")
    choose(qtbot, box)
    box.edit.insertPlainText("@caf")
    choose(qtbot, box)

    assert box.scope.paths == (Path("/w"), FILES[3])


def test_pressing_a_chip_takes_the_restriction_away(qtbot: QtBot, box: QuestionBox) -> None:
    box.set_scope(Scope((FILES[0],)))

    qtbot.mouseClick(box.chips.buttons[0], Qt.MouseButton.LeftButton)

    assert box.scope == EVERYTHING
    assert not box.chips.isVisible()


@pytest.mark.parametrize("text", ["write to a@notes", "@ notes", "@nothing-is-called-this", "notes"])
def test_other_text_opens_no_list(box: QuestionBox, text: str) -> None:
    box.edit.insertPlainText(text)

    assert not box.edit.places.is_open


def test_escape_closes_the_list_and_leaves_the_text(qtbot: QtBot, box: QuestionBox) -> None:
    box.edit.insertPlainText("@notes")

    qtbot.keyClick(box.edit.places.popup, Qt.Key.Key_Escape)

    assert not box.edit.places.is_open
    assert (box.text, box.scope) == ("@notes", EVERYTHING)


def test_there_are_only_so_many_chips_and_the_box_says_so(box: QuestionBox) -> None:
    for number in range(MAX_PLACES + 1):
        box.edit.places.chosen.emit(Path(f"/w/{number}.md"))

    assert len(box.scope.paths) == MAX_PLACES
    assert str(MAX_PLACES) in box.hint.text()
