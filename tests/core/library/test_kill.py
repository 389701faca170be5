"""Killing a process in the middle of indexing loses nothing that was finished, and the next start does the rest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.events import IndexFinished
from core.lease import ComputeLease
from core.library.library import Library
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder

PROJECT = Path(__file__).resolve().parents[3]

INDEX = """
import sys
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from core.cancel import CancelToken
from core.events import FileFinished
from core.lease import ComputeLease
from core.library.library import Library
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder
home = Path(sys.argv[1])
library = Library(UserStore(home / "user.db"), IndexStore(home / "index.db"), FakeEmbedder(), ComputeLease())
library.add([Path(sys.argv[2])])
for event in library.index(CancelToken()):
    if isinstance(event, FileFinished) and not event.file.unchanged:
        print(event.file.path.name, flush=True)
print("end", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is a POSIX thing")
def test_files_reported_as_finished_survive_kill_9(home: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    names = [f"{number:04}.txt" for number in range(1200)]
    for name in names:
        (docs / name).write_text(
            f"file {name}. " + "It says something about the sea. " * (200 if name.endswith("7.txt") else 20), encoding="utf-8"
        )
    acknowledged: list[str] = []

    for lines_before_the_kill in (1, 17, 40, 90, 61):
        child = subprocess.Popen(
            [sys.executable, "-c", INDEX, str(home), str(docs), str(PROJECT)], stdout=subprocess.PIPE, encoding="utf-8"
        )
        assert child.stdout is not None
        for _ in range(lines_before_the_kill):
            # A run that had little left to do may be over before the kill.
            acknowledged += [line for line in [child.stdout.readline().strip()] if line.endswith(".txt")]
        child.send_signal(signal.SIGKILL)
        acknowledged += [line.strip() for line in child.stdout.read().splitlines() if line.endswith(".txt")]
        child.wait(20)
        child.stdout.close()

    index_store, user_store = IndexStore(home / "index.db"), UserStore(home / "user.db")
    library = Library(user_store, index_store, FakeEmbedder(), ComputeLease())
    report = library.check()
    ready = {document.path.name for document in library.documents() if document.state == "ready"}
    assert report.problems == ()
    assert len(acknowledged) >= 209
    assert set(acknowledged) <= ready
    assert len(acknowledged) == len(set(acknowledged)), "a finished file was indexed again"

    *_, finished = library.index(CancelToken())

    assert isinstance(finished, IndexFinished)
    assert [file.path.name for file in finished.report.files if file.state == "ready"] == names
    assert library.check().ok
    index_store.close()
    user_store.close()
