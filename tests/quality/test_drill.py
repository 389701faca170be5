"""Changes are held against what the library says, and the whole drill runs over the sample library."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from core.paths import RESOURCES
from tests.quality.drill import Changes, Run, change, main


def test_what_does_not_stand_as_it_should_is_a_problem() -> None:
    changes = Changes(edited={"/a": "za", "/b": "zb"}, renamed={"/c": "/d", "/e": "/f"}, deleted={"/g", "/h"})
    states = {"/a": "ready", "/b": "ready", "/c": "ready", "/d": "waiting", "/f": "ready", "/h": "ready"}

    problems = changes.problems(states, lambda word: ["/a"])

    assert sorted(problems) == [
        "unfinished: '/b' was edited and is not found",
        "unfinished: '/c' was renamed and is still there",
        "unfinished: '/d', a new name, is waiting",
        "unfinished: '/h' was deleted and is still there",
    ]


def test_files_are_edited_renamed_and_deleted_and_a_folder_is_renamed(tmp_path: Path) -> None:
    for number in range(60):
        path = tmp_path / f"{number % 6}" / f"{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("text", encoding="utf-8")
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "table.csv").write_text("a,b", encoding="utf-8")
    paths = sorted(path for path in tmp_path.rglob("*") if path.is_file())

    changes = change(tmp_path, paths, random.Random(1))

    assert (len(changes.edited), len(changes.renamed), len(changes.deleted)) == (20, 11, 10)
    assert all(word in Path(path).read_text(encoding="utf-8") for path, word in changes.edited.items())
    assert all(Path(after).exists() and not Path(before).exists() for before, after in changes.renamed.items())
    assert str(tmp_path / "renamed whole" / "table.csv") in changes.renamed.values()
    assert not any(Path(path).exists() for path in changes.deleted)


def test_a_run_that_was_killed_says_what_was_ready() -> None:
    events = [{"event": "file_started", "file": "/a"}, {"event": "file", "file": "/a", "state": "ready"}]

    assert Run(-9, events, 1.0).line() == "1 files were ready when it ended; 1 files read, 0 passages encoded a second, 1.0 s"
    assert Run(0, [*events, {"event": "indexed", "files": [events[1]], "chunks_per_second": 7.2}], 1.0).ready == {"/a"}


def test_the_drill_over_the_sample_library_finds_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    code = main([str(RESOURCES / "sample_library"), "--kills", "1"])

    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "lost 0, check 0, unfinished 0, again 0, failed 0", out
    assert "two runs at once" in out
    assert code == 0
