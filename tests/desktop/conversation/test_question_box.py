from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.conversation.question_box import QUESTION_LIMIT, QuestionBox

ENTER = Qt.Key.Key_Return


@pytest.fixture
def box(qtbot: QtBot) -> Iterator[QuestionBox]:
    made = QuestionBox()
    qtbot.addWidget(made)
    made.show()
    yield made


@pytest.fixture
def sent(box: QuestionBox) -> list[str]:
    questions: list[str] = []
    box.question_submitted.connect(questions.append)
    return questions


def compose(box: QuestionBox, text: str) -> None:
    QApplication.sendEvent(box.edit, QInputMethodEvent(text, []))


def commit(box: QuestionBox, text: str) -> None:
    event = QInputMethodEvent("", [])
    event.setCommitString(text)
    QApplication.sendEvent(box.edit, event)


def test_enter_sends_and_shift_enter_makes_a_line(qtbot: QtBot, box: QuestionBox, sent: list[str]) -> None:
    qtbot.keyClicks(box.edit, "one")
    qtbot.keyClick(box.edit, ENTER, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(box.edit, "two")

    qtbot.keyClick(box.edit, ENTER)
    qtbot.keyClick(box.edit, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)

    assert sent == ["one\ntwo", "one\ntwo"]


@pytest.mark.parametrize(("preedit", "committed"), [("ni hao", "你好"), ("nihon", "日本"), ("ㅎㅏㄴ", "한")])
def test_enter_that_confirms_a_candidate_does_not_send(
    qtbot: QtBot, box: QuestionBox, sent: list[str], preedit: str, committed: str
) -> None:
    compose(box, preedit)

    qtbot.keyClick(box.edit, ENTER)

    assert sent == [] and box.text == ""
    commit(box, committed)
    assert sent == []
    qtbot.keyClick(box.edit, ENTER)
    assert sent == [committed]


def test_a_cancelled_composition_does_not_block_enter(qtbot: QtBot, box: QuestionBox, sent: list[str]) -> None:
    qtbot.keyClicks(box.edit, "a")
    compose(box, "ni")
    compose(box, "")

    qtbot.keyClick(box.edit, ENTER)

    assert sent == ["a"]


def test_an_empty_question_does_nothing(qtbot: QtBot, box: QuestionBox, sent: list[str]) -> None:
    for text in ("", "   \n\t "):
        box.set_text(text)
        qtbot.keyClick(box.edit, ENTER)

    assert sent == []
    assert not box.send_button.isEnabled()


def test_a_question_that_is_too_long_stays_with_a_sentence(qtbot: QtBot, box: QuestionBox, sent: list[str]) -> None:
    text = "a" * 100_000
    box.set_text(text)

    qtbot.keyClick(box.edit, ENTER)

    assert sent == []
    assert box.text == text
    assert "100,000" in box.hint.text() and f"{QUESTION_LIMIT:,}" in box.hint.text()
    box.set_text("short")
    assert "100,000" not in box.hint.text()


def test_while_an_answer_runs_stop_takes_the_place_of_send(qtbot: QtBot, box: QuestionBox, sent: list[str]) -> None:
    box.set_text("next")

    box.set_running(True)
    qtbot.keyClick(box.edit, ENTER)

    assert sent == [] and box.text == "next"
    assert box.stop_button.isVisible() and not box.send_button.isVisible()
    with qtbot.waitSignal(box.stop_requested):
        box.stop_button.click()


def test_pasted_files_are_added_and_pasted_text_is_plain(qtbot: QtBot, box: QuestionBox, tmp_path: Path) -> None:
    files, text = QMimeData(), QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    text.setHtml("<b>bold</b>")
    text.setText("<b>plain</b>")

    with qtbot.waitSignal(box.files_pasted) as pasted:
        box.edit.insertFromMimeData(files)
    box.edit.insertFromMimeData(text)

    assert pasted.args == [(tmp_path,)]
    assert box.text == "<b>plain</b>"


def test_the_field_grows_up_to_eight_lines(qtbot: QtBot, box: QuestionBox) -> None:
    heights = []
    for lines in (1, 4, 8, 30):
        box.set_text("\n".join(["x"] * lines))
        heights.append(box.edit.height())

    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_the_web_mode_is_shown_and_chosen(qtbot: QtBot, box: QuestionBox) -> None:
    chosen: list[str] = []
    box.web_mode_chosen.connect(chosen.append)

    box.set_web_mode("auto")
    box._web_actions["off"].trigger()

    assert chosen == ["off"]
    assert box.web_button.text() == "Web on"


def test_in_a_narrow_box_the_buttons_say_all_they_say_and_the_hint_has_lines_of_its_own(box: QuestionBox) -> None:
    box.resize(280, box.sizeHint().height())
    QApplication.processEvents()

    assert box.web_button.width() >= box.web_button.sizeHint().width()
    assert box.hint.geometry().bottom() < box.web_button.geometry().top()
    assert box.hint.height() <= 3 * box.hint.fontMetrics().lineSpacing()


def test_in_a_wide_box_the_hint_stands_between_the_buttons_again(box: QuestionBox) -> None:
    box.resize(280, box.sizeHint().height())
    QApplication.processEvents()
    box.resize(1000, box.sizeHint().height())
    QApplication.processEvents()

    assert box.web_button.geometry().right() < box.hint.geometry().left() < box.hint.geometry().right() < box.send_button.geometry().left()
    assert box.hint.geometry().center().y() == pytest.approx(box.web_button.geometry().center().y(), abs=3)


def test_a_long_problem_is_shown_whole(box: QuestionBox) -> None:
    box.resize(600, box.sizeHint().height())
    box.show_hint("This is more than fits between the buttons of a box of this width, by far, and all of it has to be read.", problem=True)
    QApplication.processEvents()

    assert box.hint.geometry().bottom() < box.web_button.geometry().top()
    assert box.hint.height() >= box.hint.heightForWidth(box.hint.width())
