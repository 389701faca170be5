"""What is generated has the sizes it should have, and the whole measurement runs over a little of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.quality.many_files import own_bytes, resident_bytes
from tests.quality.memory import generate, main

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="memory is looked up in /proc")


def test_the_text_has_about_the_size_that_was_asked_for_and_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    sizes = [generate(tmp_path / name, 1_000_000) for name in ("one", "other")]

    assert sizes[0] == sizes[1] and 900_000 < sizes[0] < 1_100_000
    one, other = ({path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.*")} for name in ("one", "other"))
    assert one == other and len(one) > 40
    assert all(data.decode("utf-8") for data in one.values())


@LINUX
def test_shared_memory_counts_for_no_process_alone() -> None:
    assert 0 < own_bytes(os.getpid()) <= resident_bytes(os.getpid())
    assert own_bytes(2**30) == 0


@LINUX
def test_a_little_text_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--megabytes", "0.2"])

    out = capsys.readouterr().out
    assert "files: peak memory of all processes" in out
    assert "0 not, the command ended with 0" in out
    assert code == 0
