"""What a killed command had said is read from its lines, and a few real kills lose nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.quality.kills import Tally, descendants, finished_files, measure, still_there

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")


def test_only_whole_lines_about_ready_files_count_as_acknowledged() -> None:
    output = (
        b'{"event": "file_started", "file": "/a.txt"}\n'
        b'{"event": "file", "file": "/a.txt", "state": "ready"}\n'
        b'{"event": "file", "file": "/b.txt", "state": "failed"}\n'
        b'{"event": "file", "file": "/c.txt", "state": "rea'
    )

    assert finished_files(output) == [Path("/a.txt")]
    assert finished_files(b"") == []


def test_problems_are_counted_by_their_kind() -> None:
    tally = Tally(rounds=2, acknowledged=7)
    tally.killed.update(["command", "reader"])
    tally.add(2, ["lost: a.txt was acknowledged and is not there", "leftover: python"])

    assert tally.lines() == [
        "2 rounds, killed: 1 command, 1 reader; 7 files had been acknowledged",
        "lost 1, half 0, check 0, unfinished 0, leftover 1, hang 0, failed 0",
        "round 2: lost: a.txt was acknowledged and is not there",
        "round 2: leftover: python",
    ]


@LINUX
def test_a_process_that_lives_on_is_seen_until_it_ends() -> None:
    inner = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen(
        [sys.executable, "-c", f"import os; print(flush=True); {inner}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as outer:
        assert outer.stdout is not None and outer.stdin is not None
        outer.stdout.readline()
        while not (family := descendants(outer.pid)):
            pass
        outer.kill()
        outer.wait()
        assert still_there(family) == family

        outer.stdin.close()  # the inner one reads it and ends
        while still_there(family):
            pass


@LINUX
def test_a_few_kills_lose_nothing(tmp_path: Path) -> None:
    tally = measure(tmp_path / "kills", rounds=3, files=12, seed=3)

    assert tally.killed.total() == tally.rounds >= 3
    assert tally.problems == []
