from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from core.paths import PROGRAM
from desktop.setup.stamp import is_done, read_stamp, wanted_keys

LAMPLIGHT = PROGRAM / "lamplight.py"
WANTED = wanted_keys(testing=False, window=False)


def test_the_file_can_be_read_by_a_python_that_is_too_old_for_it() -> None:
    ast.parse(LAMPLIGHT.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_python_is_told_in_one_sentence_what_to_install() -> None:
    pretend = f"import sys, runpy; sys.version_info = (3, 8, 18); runpy.run_path({str(LAMPLIGHT)!r}, run_name='__main__')"

    answer = subprocess.run([sys.executable, "-c", pretend], capture_output=True, text=True, encoding="utf-8", check=False)

    assert answer.returncode == 1
    assert answer.stderr.startswith("Lamplight needs Python 3.11 or newer, and this is Python 3.8.")
    assert answer.stderr.count("\n") == 1


def test_a_start_imports_nothing_that_has_to_be_installed() -> None:
    modules = (
        "import desktop.setup.command, desktop.setup.steps, desktop.setup.launcher, desktop.setup.screen; import sys; print(*sys.modules)"
    )

    answer = subprocess.run(
        [sys.executable, "-S", "-c", modules], cwd=PROGRAM, capture_output=True, text=True, encoding="utf-8", check=True
    )

    assert {"pydantic", "numpy", "PySide6", "torch", "pip"}.isdisjoint(answer.stdout.split())


def test_a_finished_set_up_decides_without_the_modules_that_do_the_work() -> None:
    answer = subprocess.run(
        [sys.executable, "-S", "-c", "import desktop.setup.command, sys; print(*sys.modules)"],
        cwd=PROGRAM,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )

    assert {"desktop.setup.steps", "desktop.setup.environment", "tomllib"}.isdisjoint(answer.stdout.split())


def test_the_lock_files_name_no_host_and_pin_every_line() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        lines = [line for line in Path(PROGRAM / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]

        assert all("==" in line and "://" not in line and not line.startswith("-") for line in lines)
        assert len({line.split("==")[0] for line in lines}) == len(lines)


@pytest.mark.skipif(not all(is_done(step, WANTED, read_stamp()) for step in WANTED), reason="needs a tree that is set up")
def test_a_second_start_hands_over_at_once_and_says_nothing_of_set_up() -> None:
    answer = subprocess.run(
        [sys.executable, str(LAMPLIGHT), "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False
    )

    assert (answer.returncode, answer.stderr) == (0, "")
    assert "usage: lamplight" in answer.stdout
