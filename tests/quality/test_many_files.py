"""Good and bad files are told apart by what becomes of them, and memory is that of all processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.quality.many_files import BAD, READY, deviations, generate, main, resident_bytes


def row(file: str, state: str, reason: str = "") -> dict[str, str]:
    return {"event": "file", "file": file, "state": state, "reason": reason}


def test_every_other_outcome_than_the_wanted_one_is_a_deviation() -> None:
    expected = {"/good": READY, "/also good": READY, "/bad": "empty", "/worse": "damaged", "/gone": READY}
    events = [
        row("/good", "ready"),
        row("/also good", "failed", "reader_crashed"),
        row("/bad", "skipped", "empty"),
        row("/worse", "skipped", "empty"),
        row("/new", "ready"),
        {"event": "index_started", "file": "/gone"},
    ]

    assert deviations(expected, events) == [
        "'/also good': failed reader_crashed, not ready",
        "'/worse': skipped empty, not damaged",
        "'/gone': missing , not ready",
        "'/new': not expected",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is looked up in /proc")
def test_memory_of_a_process_is_what_it_holds() -> None:
    # In processes of their own: this one may still hold memory that was freed, and take from that.
    lean, fat = (_resident(f"kept = bytearray(b'x') * {size}") for size in (1, 40_000_000))

    assert fat > lean + 30_000_000
    assert resident_bytes(2**30) == 0


def _resident(code: str) -> int:
    """What a Python process holds after `code`."""
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; print(flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        child.stdout.readline()
        found = resident_bytes(child.pid)
        child.communicate(b"\n")
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="modes, pipes and links")
def test_each_kind_of_bad_file_has_its_reason_and_each_good_one_is_ready(capsys: pytest.CaptureFixture[str]) -> None:
    files = 2 * len(BAD)

    code = main(["--files", str(files), "--bad", str(len(BAD)), "--compare", "0"])

    out = capsys.readouterr().out
    assert f"{files} files, {len(BAD)} of them bad (12 reasons): 0 not as they must be" in out
    assert code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="modes, pipes and links")
def test_the_same_seed_makes_the_same_files(tmp_path: Path) -> None:
    one, other = generate(tmp_path / "one", 60, 20, seed=4), generate(tmp_path / "other", 60, 20, seed=4)

    assert [path.removeprefix(str(tmp_path / "one")) for path in one] == [path.removeprefix(str(tmp_path / "other")) for path in other]
    assert list(one.values()) == list(other.values()) and sum(reason != READY for reason in one.values()) == 20
    for path in [*(tmp_path / "one").rglob("*folder"), *(tmp_path / "other").rglob("*folder")]:
        path.chmod(0o700)
