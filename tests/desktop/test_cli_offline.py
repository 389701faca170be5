"""Offline means offline, looked at from outside the process: by the system's own trace, and in a network of nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from core.paths import PROGRAM
from tests.fakes.command_line import CommandLine

# What a person may have set for other work.
FOREIGN = {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_API_KEY": "secret",
    "LANGCHAIN_TRACING_V2": "true",
    "LANGCHAIN_ENDPOINT": "https://trace.example",
    "HTTPS_PROXY": "http://proxy.example:3128",
    "HF_HUB_OFFLINE": "0",
}


def traceable() -> bool:
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0


def without_network() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0


@pytest.fixture
def document(tmp_path: Path) -> Path:
    file = tmp_path / "handbook.md"
    file.write_text("# Notice\n\nThe notice period is six weeks.\n", encoding="utf-8")
    return file


# The smallest real model: what it answers does not matter here, what it loads does.
MODELS = [pytest.param("echo", id="echo"), pytest.param("smollm2-135m", id="real", marks=pytest.mark.real)]


@pytest.mark.skipif(not traceable(), reason="needs strace and the right to trace")
@pytest.mark.parametrize("model", MODELS)
def test_with_the_web_off_nothing_tries_to_reach_the_internet(tmp_path: Path, document: Path, model: str) -> None:
    lamplight = CommandLine(tmp_path / "home", model)
    trace = tmp_path / "trace"
    # Not `socket`: the requests package, which LangGraph brings along, makes one at import to see whether there is IPv6.
    command = ["strace", "-f", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", str(trace)]
    question = lamplight.command("ask", "What is the notice period?", "--add", str(document))

    done = subprocess.run(
        [*command, *question], cwd=PROGRAM, env=lamplight.environment(**FOREIGN), capture_output=True, check=False, timeout=250
    )

    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout
    assert [line for line in trace.read_text(encoding="utf-8", errors="replace").splitlines() if "AF_INET" in line] == []


@pytest.mark.skipif(not without_network(), reason="needs the right to make a network namespace")
def test_a_question_is_answered_where_there_is_no_network_at_all(tmp_path: Path, document: Path) -> None:
    lamplight = CommandLine(tmp_path / "home")
    question = lamplight.command("ask", "What is the notice period?", "--add", str(document))

    done = subprocess.run(
        ["unshare", "-rn", *question], cwd=PROGRAM, env=lamplight.environment(), capture_output=True, check=False, timeout=250
    )

    assert done.returncode == 0, done.stderr.decode()
    assert b"six weeks" in done.stdout


@pytest.mark.skipif(not without_network(), reason="needs the right to make a network namespace")
def test_a_web_search_without_a_network_is_told_and_costs_no_answer(tmp_path: Path, document: Path) -> None:
    lamplight = CommandLine(tmp_path / "home")
    question = lamplight.command("ask", "Who painted the zebra?", "--web", "auto")
    environment = {key: value for key, value in lamplight.environment().items() if key != "LAMPLIGHT_FORBID_NETWORK"}

    done = subprocess.run(["unshare", "-rn", *question], cwd=PROGRAM, env=environment, capture_output=True, check=False, timeout=250)

    assert done.returncode == 0, done.stderr.decode()
    assert b"The web search failed" in done.stdout
