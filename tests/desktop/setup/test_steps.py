from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.setup import stamp, steps
from desktop.setup.console import Console, SetupFailed
from desktop.setup.steps import Step


@pytest.fixture
def said() -> io.StringIO:
    return io.StringIO()


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of its own in which each step only notes its name; `done` lists them."""
    (tmp_path / ".venv").mkdir()
    for module in (stamp, steps):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(steps, "_LOCK", tmp_path / ".setup.lock")
    monkeypatch.setattr(steps, "wanted_keys", lambda *, testing, window: {"packages": "p", "project": "q"})
    monkeypatch.setattr(steps, "read_stamp", lambda: stamp.read_stamp(tmp_path / "stamp"))
    monkeypatch.setattr(steps, "record", lambda name, key: stamp.record(name, key, tmp_path / "stamp"))
    monkeypatch.setattr(steps.environment, "works", lambda python: True)
    return tmp_path


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(
        steps,
        "all_steps",
        lambda wanted: [Step(name, f"Doing {name}", 1e9, 2e9, 5, lambda console, title, name=name: names.append(name)) for name in wanted],
    )
    return names


def set_up(said: io.StringIO) -> int:
    return steps.set_up(testing=False, window=False, console=Console(said))


def test_every_missing_step_is_done_and_remembered(said: io.StringIO, done: list[str]) -> None:
    assert set_up(said) == 0
    assert set_up(said) == 0

    assert done == ["packages", "project"]
    assert "about 2.0 GB to download, 4.0 GB on disk, 10 minutes" in said.getvalue()


def test_a_virtual_environment_that_no_longer_works_is_made_from_the_start(
    said: io.StringIO, done: list[str], tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp.record("packages", "p", tree / "stamp")
    monkeypatch.setattr(steps.environment, "works", lambda python: False)

    assert set_up(said) == 0

    assert done == ["packages", "project"]


def test_an_interrupted_set_up_says_so_and_goes_on_where_it_was(said: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def run(name: str) -> None:
        names.append(name)
        if names == ["packages", "project"]:
            raise KeyboardInterrupt

    monkeypatch.setattr(
        steps, "all_steps", lambda wanted: [Step(name, name, 0, 0, 0, lambda console, title, name=name: run(name)) for name in wanted]
    )

    assert set_up(said) == 130
    assert set_up(said) == 0

    assert names == ["packages", "project", "project"]
    assert "the next start goes on from there" in said.getvalue()


def test_a_failure_is_its_sentence_and_no_traceback(said: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(console: Console, title: str) -> None:
        raise SetupFailed("Install a compiler.")

    monkeypatch.setattr(steps, "all_steps", lambda wanted: [Step("packages", "Packages", 0, 0, 0, fail)])

    assert set_up(said) == 1

    assert said.getvalue().splitlines()[-1] == "Install a compiler."


def test_a_disk_that_is_too_small_is_said_before_the_work_starts(
    said: io.StringIO, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 1e9})())

    assert set_up(said) == 1

    assert done == []
    assert "needs about 4.0 GB free" in said.getvalue()


def test_a_disk_error_in_the_middle_is_one_sentence(said: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(console: Console, title: str) -> None:
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setattr(steps, "all_steps", lambda wanted: [Step("packages", "Packages", 0, 0, 0, fail)])

    assert set_up(said) == 1

    assert "No space left on device (x)" in said.getvalue()


@pytest.mark.skipif(os.name != "posix", reason="the other set-up is played with flock")
def test_a_second_set_up_waits_for_the_first(said: io.StringIO, done: list[str], tree: Path) -> None:
    hold = "import fcntl, sys; f = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.readline()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(tree / ".setup.lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout and other.stdin and other.stdout.readline() == "held\n"
        console = Console(said)
        line = console.line

        def let_go(text: str) -> None:
            line(text)
            if "waiting" in text:
                other.stdin.write("\n")
                other.stdin.flush()

        console.line = let_go  # type: ignore[method-assign]

        assert steps.set_up(testing=False, window=False, console=console) == 0

    assert done == ["packages", "project"]
    assert "Another set-up of Lamplight is at work" in said.getvalue()


def test_the_models_are_counted_in_the_estimate_only_while_they_are_missing(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.paths import PROGRAM

    monkeypatch.setattr(steps, "ROOT", PROGRAM)
    monkeypatch.setenv("LAMPLIGHT_MODELS", str(tree / "none"))

    download, disk = steps._model_bytes(["qwen2.5-coder-1.5b", "multilingual-e5-small"])

    assert download == 1117320768 + 71622400
    assert disk == pytest.approx((1117320768 + 470637448) * 1.1)
