"""A disk that fills up under the command line: one plain sentence, nothing lost, and it goes on when there is room."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine


def _write(docs: Path, numbers: range) -> None:
    for number in numbers:
        text = f"File {number}. " + f"It says something about lamp {number} and the sea. " * 120
        (docs / f"{number:03}.txt").write_text(text, encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are a POSIX thing")
def test_indexing_onto_a_full_disk_says_so_in_one_sentence_and_goes_on_when_there_is_room(home: Path, tmp_path: Path) -> None:
    import resource

    docs = tmp_path / "docs"
    docs.mkdir()
    command_line = CommandLine(home)
    _write(docs, range(30))
    assert command_line("index", docs).code == 0
    _write(docs, range(30, 120))

    done = subprocess.run(
        command_line.command("index", docs, "--json"),
        env=command_line.environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2_500_000, 2_500_000)),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )

    events = [json.loads(line) for line in done.stdout.splitlines()]
    finished = {event["file"] for event in events if event["event"] == "file"}
    assert done.returncode == 1
    assert done.stderr == f"lamplight: The disk that holds {home} is full. Free some space and try again.\n"
    assert events[-1]["event"] == "error" and events[-1]["code"] == "not_enough_disk"
    assert {str(docs / f"{number:03}.txt") for number in range(30)} <= finished and len(finished) < 120
    kept = {file["file"] for file in command_line("library", "list", "--json").last["files"] if file["state"] == "ready"}
    assert finished <= kept

    again = command_line("index", docs, "--json")

    assert again.code == 0
    assert [file["state"] for file in again.last["files"]] == ["ready"] * 120
    assert command_line("library", "check").code == 0
