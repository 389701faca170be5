"""The README's picture can be taken again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.home import prepare_home
from core.paths import Paths
from desktop.assembly import assemble
from desktop.window_app import SAMPLE_LIBRARY
from tests.quality.window_picture import QUESTION, SIZE, Sitter


def test_the_window_is_taken_with_the_library_ready_and_the_question_answered(qtbot: QtBot, paths: Paths, tmp_path: Path) -> None:
    prepare_home(paths)
    picture = tmp_path / "window.png"

    sitter = Sitter(paths, partial(assemble, use_echo=True), QUESTION, picture)
    window = sitter.shell.window
    qtbot.waitUntil(window.isHidden, timeout=60_000)

    taken = QImage(str(picture))
    (card,) = window.conversation.transcript.cards.values()
    assert (taken.width(), taken.height()) == SIZE
    assert window.library.model.ready_count == len(list(SAMPLE_LIBRARY.iterdir()))
    assert card.turn.answer is not None
    assert sitter.shell.stop()
    window.deleteLater()
    sitter.shell.deleteLater()
    QApplication.processEvents()
