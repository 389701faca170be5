from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from desktop.conversation.link_question import ask_to_open, carries_text, warnings_for

PASSAGE = "The quarterly result of the northern branch was better than expected."


def buttons(box: QMessageBox, role: QMessageBox.ButtonRole) -> list[object]:
    return [button for button in box.buttons() if box.buttonRole(button) == role]


@pytest.mark.parametrize(
    "address",
    ["file:///home/x.desktop", "smb://server/share", "javascript:alert(1)", "vscode://file/x", "cite:1", "//server/x", "about:blank", ""],
)
def test_nothing_but_web_addresses_is_even_asked_about(qtbot: QtBot, address: str) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)

    assert ask_to_open(parent, address) is None


def test_nothing_opens_after_a_no(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    opened: list[object] = []

    box = ask_to_open(parent, "https://example.org/%3Cb%3Ex?y=1", open_url=opened.append)

    assert box is not None and box.textFormat() == Qt.TextFormat.PlainText
    (refuse,) = buttons(box, QMessageBox.ButtonRole.RejectRole)
    assert box.defaultButton() is refuse
    refuse.click()  # type: ignore[attr-defined]
    assert opened == []


def test_long_addresses_and_addresses_with_text_of_a_file_are_warned_about() -> None:
    assert warnings_for("https://example.org/short", [PASSAGE]) == []
    assert len(warnings_for("https://example.org/" + "x" * 200, [PASSAGE])) == 1
    assert len(warnings_for("https://example.org/?q=quarterly%20result+of-the_northern%20branch", [PASSAGE])) == 1
    assert len(warnings_for("https://example.org/?q=" + "quarterly-result-of-the-northern-branch" * 6, [PASSAGE])) == 2


def test_a_few_common_letters_are_no_warning() -> None:
    assert not carries_text("https://example.org/the-quarterly-result", [PASSAGE])
