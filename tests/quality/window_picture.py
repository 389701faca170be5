"""The README's picture: a real window over the sample library, with a real answer. Not collected by pytest.

    python -m tests.quality.window_picture docs/pictures/window.png

Offscreen, in the font that the system calls sans (Noto Sans in the picture that is there). The times in it are those of this run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from core.cancel import CancelToken
from core.home import prepare_home
from core.paths import Paths
from core.settings import AppearanceSettings, Settings
from desktop.warming import warm_up
from desktop.window_app import SAMPLE_LIBRARY, Assemble, WindowApp, dress

if TYPE_CHECKING:
    from desktop.assembly import Application

QUESTION = "What has to be done when the lamp shows E44?"
SIZE = (1280, 800)
SETTINGS = Settings(appearance=AppearanceSettings(theme="light", language="en"))
_LOOK_MS = 100


class Sitter:
    """A window that adds the sample library, asks a question once it is warm, has its picture taken and closes."""

    def __init__(self, paths: Paths, assemble: Assemble, question: str, picture: Path) -> None:
        self._question, self._picture = question, picture
        self._is_warm = threading.Event()
        self._asked = False
        self.shell = WindowApp(paths, SETTINGS, assemble, warm=self._warm)
        self.shell.window.resize(*SIZE)
        self.shell.add_paths([SAMPLE_LIBRARY])
        self.shell.show()
        self._looks = QTimer(self.shell)
        self._looks.timeout.connect(self._look)
        self._looks.start(_LOOK_MS)

    def _warm(self, application: Application, cancel: CancelToken) -> Iterator[None]:
        yield from warm_up(application, cancel)
        self._is_warm.set()

    def _look(self) -> None:
        shell = self.shell
        if not self._is_warm.is_set() or shell.library.busy or shell.conversation.running:
            return
        if not self._asked:
            self._asked = True
            shell.conversation.ask(self._question)
        elif not shell.conversation.worker.busy:
            self._looks.stop()
            shell.window.grab().save(str(self._picture))
            shell.window.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.window_picture")
    parser.add_argument("picture", type=Path)
    parser.add_argument("--question", default=QUESTION)
    options = parser.parse_args(arguments)
    from desktop.assembly import assemble

    app = QApplication([])
    app.setFont(QFont(app.font().family(), 9))
    with tempfile.TemporaryDirectory() as folder:
        paths = Paths(Path(folder))
        prepare_home(paths)
        dress(paths, SETTINGS)
        sitter = Sitter(paths, assemble, options.question, options.picture)
        app.exec()
        sitter.shell.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
