from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2]

SCRIPT = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import desktop.app as app

shown = {}
show = app.WindowApp.show
def spy(self):
    show(self)
    shown["modules"] = set(sys.modules)
    QTimer.singleShot(1500, lambda: (shown.update(later=set(sys.modules)), self.window.close()))
app.WindowApp.show = spy
app.prepare_to_ask = lambda application: None
code = app.run(Path(sys.argv[1]), use_echo=True)
heavy = {"torch", "llama_cpp", "langgraph", "sentence_transformers", "transformers", "ddgs"}
print(code, sorted(heavy & shown["modules"]), sorted(heavy & shown["later"]))
"""


def test_the_window_is_shown_without_any_heavy_package(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(home)],
        cwd=PROGRAM,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )

    assert done.stdout.strip() == "0 [] []", done.stderr
