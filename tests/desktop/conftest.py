"""Qt in tests: warnings of Qt fail a test, and a window leaves nothing behind."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLocale
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.paths import Paths
from core.settings import Settings
from desktop.theme import apply_theme
from desktop.translation import install_language
from desktop.warming import load_models
from desktop.window_app import WindowApp
from tests.fakes.window import ScriptedSession, WindowApplication

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            # The offscreen platform says this of every window that is shown, and of every list that opens.
            item.add_marker(
                pytest.mark.qt_log_ignore(r"propagateSizeHints", r"does not support raise", r"grabbing the keyboard", extend=True)
            )


def let_go() -> None:
    """Carry out what was put off with `deleteLater`."""
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
    gc.collect()


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    """The application; font, theme and language are put back afterwards."""
    font, locale = QFont(qapp.font()), QLocale()
    yield qapp
    qapp.setFont(font)
    apply_theme(qapp, "light")
    install_language(qapp, "en")
    QLocale.setDefault(locale)


Open = Callable[..., WindowApp]


@pytest.fixture
def open_window(qtbot: QtBot, paths: Paths) -> Iterator[Open]:
    """Opens windows over scripted sessions: `open_window(*scripts, settings=..., application=..., assemble=...)`; all are closed at the end."""
    opened: list[WindowApp] = []
    threads_before = set(threading.enumerate())

    def open_one(
        *scripts: Any, settings: Settings | None = None, assemble: Any = None, wait: bool = True, smaller_model: Any = None, **rest: Any
    ) -> WindowApp:
        def assemble_fake(paths: Paths, settings: Settings) -> Any:
            return WindowApplication(paths, settings, ScriptedSession(*scripts), smaller_model=smaller_model)

        shell = WindowApp(paths, settings or Settings(), assemble or assemble_fake, warm=load_models, **rest)
        opened.append(shell)
        shell.show()
        if wait:
            qtbot.waitUntil(lambda: shell.window.conversations.current_id is not None and not shell.library.busy, timeout=10_000)
        return shell

    yield open_one
    for shell in opened:
        assert shell.stop(), "a thread did not end"
        shell.window.deleteLater()
        shell.deleteLater()
    opened.clear()
    let_go()
    assert set(threading.enumerate()) <= threads_before, "a thread was left behind"
    assert not [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()], "a window was left behind"
