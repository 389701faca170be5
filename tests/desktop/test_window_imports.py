from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.cli import main
from desktop.setup.screen import NO_DISPLAY
from desktop.start_options import StartOptions

PROGRAM = Path(__file__).resolve().parents[2]

SCRIPT = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import desktop.app as app
import desktop.warming as warming

shown = {}
show = app.WindowApp.show
def spy(self):
    show(self)
    shown["modules"] = set(sys.modules)
    QTimer.singleShot(1500, lambda: (shown.update(later=set(sys.modules)), self.window.close()))
app.WindowApp.show = spy
warming.prepare_to_ask = lambda application: None
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


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
def test_without_a_display_the_command_says_so_in_one_sentence(home: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    done = subprocess.run(
        [sys.executable, "-m", "desktop.cli", "--home", str(home)],
        cwd=PROGRAM,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        env={name: value for name, value in os.environ.items() if name not in hidden},
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == NO_DISPLAY + "\n"


def test_the_window_is_given_the_options_of_its_start(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Path | None, StartOptions | None, bool]] = []

    def run(home: Path | None = None, *, options: StartOptions | None = None, use_echo: bool = False) -> int:
        given.append((home, options, use_echo))
        return 0

    monkeypatch.setattr("desktop.app.run", run)

    code = main(["--home", str(home), "--model", "echo", "--web", "auto", "--budget", "quick"])

    assert code == 0
    assert given == [(home, StartOptions({("web", "mode"): "auto", ("answers", "budget"): "quick"}), True)]
