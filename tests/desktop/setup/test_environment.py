from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from desktop.setup import environment
from desktop.setup.console import Console, SetupFailed
from desktop.setup.environment import PipTeller, read_lock, run_lines


class Recorder(Console):
    """A console that keeps what was said."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self.said: list[str] = []

    def line(self, text: str) -> None:
        self.said.append(text)

    def status(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture
def fake_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Stands in for every child: remembers commands; a pip that is asked for "+cpu" does not find it."""
    commands: list[list[str]] = []

    def run(command: list[str], hear: environment.Callable[[str], None], extra: dict[str, str] | None = None) -> int:
        commands.append(command)
        if command[-1].endswith("+cpu"):
            hear("ERROR: No matching distribution found for torch\n")
            return 1
        hear("Collecting x\n")
        return 0

    monkeypatch.setattr(environment, "run_lines", run)
    monkeypatch.setattr(environment, "_LOG", tmp_path / "setup.log")
    return commands


def test_a_lock_file_is_read_by_package(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("# why\n\nnumpy==2\ncolorama==1 ; sys_platform == 'win32'\n", encoding="utf-8")

    assert read_lock(tmp_path / "lock") == {"numpy": "numpy==2", "colorama": "colorama==1 ; sys_platform == 'win32'"}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has two kinds of torch to choose from")
def test_torch_without_cuda_is_tried_first_and_the_plain_one_taken_if_there_is_none(fake_pip: list[list[str]]) -> None:
    console = Recorder()

    environment.install_packages(console, "Installing")

    torch = [command[-1] for command in fake_pip if command[-1].startswith("torch")]
    assert torch == ["torch==2.13.0+cpu", "torch==2.13.0"]
    assert any("several GB" in text for text in console.said)
    assert not any("llama-cpp-python" in argument for argument in fake_pip[-1])


def test_without_a_compiler_and_without_a_ready_runtime_the_build_is_not_started(
    fake_pip: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "find_compiler", lambda: None)
    monkeypatch.setattr(environment, "_built_already", lambda wanted: False)

    with pytest.raises(SetupFailed, match="no C\\+\\+ compiler"):
        environment.build_runtime(Recorder(), "Building")

    assert fake_pip == []


def test_a_runtime_that_pip_already_built_needs_no_compiler(fake_pip: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "find_compiler", lambda: None)
    monkeypatch.setattr(environment, "_built_already", lambda wanted: True)
    monkeypatch.setattr(environment, "_runs", lambda: True)

    environment.build_runtime(Recorder(), "Building")

    assert len(fake_pip) == 1


def test_a_cached_runtime_that_does_not_start_here_is_built_again(fake_pip: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([False, True])
    monkeypatch.setattr(environment, "find_compiler", lambda: "c++")
    monkeypatch.setattr(environment, "_runs", lambda: next(answers))

    environment.build_runtime(Recorder(), "Building")

    assert ["--no-cache-dir" in command for command in fake_pip] == [False, True]


def test_pips_lines_become_words_for_people() -> None:
    teller = PipTeller("Installing packages", 3)

    assert teller.hear("Collecting numpy==2.4.6\n") == "Installing packages 1 of 3"
    assert teller.hear("  Downloading https/x/numpy-2.4.6-cp311.whl (16.5 MB)\n") == "Installing packages: numpy (16.5 MB)"
    assert teller.hear("Progress 50 of 200\n") == "Installing packages: numpy (16.5 MB) 25 %"
    assert teller.hear("  [81/83] /usr/bin/g++ -O3 x.cpp\n") == "Installing packages: building, 97 %"
    assert teller.hear("Installing collected packages: numpy\n") == "Installing packages: putting them in place"
    assert teller.hear("anything else\n") is None


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("NewConnectionError\nERROR: No matching distribution found", "internet connection"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("ERROR: No matching distribution found for x==1", "does not offer x==1"),
        ("ERROR: Failed building wheel for x", "Failed building wheel"),
        ("", "no reason given"),
    ],
)
def test_each_failure_of_pip_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, output: str, words: str) -> None:
    def run(command: list[str], hear: environment.Callable[[str], None], extra: dict[str, str] | None = None) -> int:
        for line in output.splitlines(keepends=True):
            hear(line)
        return 1

    monkeypatch.setattr(environment, "run_lines", run)
    monkeypatch.setattr(environment, "_LOG", tmp_path / "setup.log")

    with pytest.raises(SetupFailed, match=words) as failure:
        environment.pip(Recorder(), "Installing", ["install", "x==1"])

    assert "\n" not in str(failure.value)


def test_a_persons_own_python_and_pip_settings_do_not_lead_packages_astray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_TARGET", "/elsewhere")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    lines: list[str] = []

    code = run_lines(
        [sys.executable, "-c", "import os; print(sorted(set(os.environ) & {'PIP_TARGET', 'PYTHONPATH', 'MINE'}))"],
        lines.append,
        {"MINE": "1"},
    )

    assert (code, lines) == (0, ["['MINE']\n"])


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_an_interruption_ends_the_child_and_what_it_started(tmp_path: Path) -> None:
    import fcntl

    hold = "import fcntl, signal, sys; f = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); signal.pause()"
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]])"

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_lines([sys.executable, "-c", child, hold, str(tmp_path / "lock")], interrupt)

    # The grandchild's lock is free only once it has ended.
    with (tmp_path / "lock").open("a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
