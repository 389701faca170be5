"""The real thing, whole: the command line, real weights, the sample library, both languages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.paths import PROGRAM, RESOURCES

pytestmark = [pytest.mark.real, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, starter_models: Path) -> Path:
    """A home in which the sample library is indexed with the real embedder."""
    home = tmp_path_factory.mktemp("home")
    lamplight(home, "index", str(RESOURCES / "sample_library"))
    return home


def lamplight(home: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "desktop.cli", "--home", str(home), *arguments]
    done = subprocess.run(command, cwd=PROGRAM, capture_output=True, encoding="utf-8", env={**os.environ, "LC_ALL": "C"}, timeout=800)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def asked(home: Path, question: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(lamplight(home, "ask", question, "--json").splitlines()[-1])
    assert answer["event"] == "answer"
    return answer


@pytest.mark.parametrize(
    ("question", "says"),
    [("How many days of paid leave does every employee have?", "27"), ("TL-40 的透镜多久清洁一次？", "90")],
)
def test_a_question_is_answered_from_the_files_and_every_quote_is_true(library: Path, question: str, says: str) -> None:
    answer = asked(library, question)

    assert answer["strategy"] == "complex"
    assert says in answer["answer"]
    assert not answer["refused"]
    assert answer["citations"]
    for citation in answer["citations"]:
        text = lamplight(library, "library", "text", citation["file"])
        assert text[citation["start"] : citation["end"]] == citation["quote"]
        assert text.count("\n", 0, citation["start"]) + 1 == citation["line"]
    assert answer["web"]["searched"] is False
    assert sum(step["tokens_reused"] for step in answer["steps"]) > 0


def test_what_the_files_do_not_say_is_refused(library: Path) -> None:
    answer = asked(library, "What is the salary of Petra Quill?")

    assert answer["refused"]
    assert answer["answer"].startswith("Your files do not say.")


def test_a_simple_question_is_answered_without_an_index(tmp_path: Path, starter_models: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "index.db").write_bytes(bytes(8192))

    answer = asked(home, "js写一个add函数")

    assert answer["strategy"] == "simple"
    assert answer["documents"] == []
    assert "add" in answer["answer"]
