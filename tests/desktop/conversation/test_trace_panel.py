from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.documents import Citation, Step
from desktop.conversation.trace_panel import TracePanel
from desktop.translation import install_language

TYPED = "And when is it due?"
UNDERSTOOD = (Step("rewrite_question", 0.4), {"standalone_question": "When is the annual fee due?"})


@pytest.fixture
def panel(qtbot: QtBot) -> Iterator[TracePanel]:
    made = TracePanel()
    qtbot.addWidget(made)
    made.resize(340, 400)
    made.show()
    yield made


@pytest.mark.parametrize(
    "step",
    [
        pytest.param((Step("rewrite_question", 0.4), {"standalone_question": f"{TYPED}\n"}), id="it stood alone"),
        pytest.param((Step("rewrite_question", 0.4), {"notes": ["rewrite_failed"]}), id="it could not be rewritten"),
        pytest.param((Step("retrieve", 0.4), {"query": "When is the annual fee due?"}), id="nothing was rewritten"),
    ],
)
def test_without_a_rewriting_there_is_nothing_to_undo(panel: TracePanel, step: tuple[Step, dict[str, object]]) -> None:
    panel.show_answer(TYPED, [UNDERSTOOD], (), 1.0)
    assert panel.as_typed_button is not None

    panel.show_answer(TYPED, [step], (), 1.0)

    assert panel.as_typed_button is None


def test_the_button_stands_below_the_rewriting_and_says_what_it_asks(panel: TracePanel, qtbot: QtBot) -> None:
    panel.show_answer(TYPED, [UNDERSTOOD, (Step("retrieve", 0.2), {})], (), 1.0)

    button = panel.as_typed_button

    assert button is not None and panel.rows[0].isAncestorOf(button)
    assert button.accessibleName() == button.text() == "Ask as I typed it"
    assert TYPED in button.toolTip()
    qtbot.waitUntil(lambda: button.y() > panel.rows[0].details[0].geometry().bottom() > 0)


def test_a_question_is_never_markup_in_the_tool_tip(panel: TracePanel) -> None:
    panel.show_answer("<b>And</b> when?", [UNDERSTOOD], (), 1.0)

    assert panel.as_typed_button is not None
    assert "<b>" not in panel.as_typed_button.toolTip()


def test_the_button_appears_with_the_rewriting_and_waits_for_the_answer(panel: TracePanel) -> None:
    panel.set_answering(True)
    panel.show_run(TYPED, [])
    panel.start_step("rewrite_question")
    assert panel.as_typed_button is None

    panel.finish_step(*UNDERSTOOD)

    assert panel.as_typed_button is not None and not panel.as_typed_button.isEnabled()
    panel.set_answering(False)
    assert panel.as_typed_button.isEnabled()


def test_the_button_works_with_the_keyboard(panel: TracePanel, qtbot: QtBot) -> None:
    panel.show_answer(TYPED, [UNDERSTOOD], (), 1.0)
    button = panel.as_typed_button
    assert button is not None
    qtbot.waitUntil(button.isVisible)
    panel.activateWindow()
    panel.setFocus()

    qtbot.keyClick(panel, Qt.Key.Key_Tab)

    qtbot.waitUntil(button.hasFocus)
    with qtbot.waitSignal(panel.as_typed_requested):
        qtbot.keyClick(button, Qt.Key.Key_Space)


def test_the_button_follows_the_language_of_the_window(panel: TracePanel, qtbot: QtBot, app: QApplication) -> None:
    panel.show_answer(TYPED, [UNDERSTOOD], (), 1.0)

    install_language(app, "zh_CN")

    qtbot.waitUntil(lambda: panel.as_typed_button is not None and panel.as_typed_button.accessibleName() == "按原话再问")


@pytest.mark.parametrize(
    ("name", "page", "english", "chinese"),
    [
        ("log.pdf", 12, "log.pdf · p. 12", "log.pdf · 第 12 页"),
        ("talk.PPTX", 3, "talk.PPTX · slide 3", "talk.PPTX · 第 3 张幻灯片"),
        ("costs.xlsx", 2, "costs.xlsx · sheet 2", "costs.xlsx · 第 2 个工作表"),
        ("book.epub", 4, "book.epub · part 4", "book.epub · 第 4 部分"),
        ("notes.md", None, "notes.md · line 7", "notes.md · 第 7 行"),
    ],
)
def test_a_source_is_placed_by_its_page_where_the_file_has_pages(
    panel: TracePanel, qapp: QApplication, tmp_path: Path, name: str, page: int | None, english: str, chinese: str
) -> None:
    citation = Citation(1, "Oil.", tmp_path / name, "Oil", 0, 4, 7, page=page)
    panel.show_answer("?", [], [citation], 1.0)
    assert panel.sources[0].place.text() == english

    try:
        install_language(qapp, "zh_CN")
        panel.show_answer("?", [], [citation], 1.0)
        assert panel.sources[0].place.text() == chinese
    finally:
        install_language(qapp, "en")
