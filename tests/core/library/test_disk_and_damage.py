"""A disk that fills up while indexing, and an index whose bytes have changed."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.errors import IndexDamaged, NotFound
from core.events import IndexFinished
from core.lease import ComputeLease
from core.library.library import Library
from core.retrieval.hybrid import HybridRetriever
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder

PROJECT = Path(__file__).resolve().parents[3]

INDEX = """
import sys
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from core.cancel import CancelToken
from core.errors import NotEnoughDisk
from core.events import FileFinished
from core.lease import ComputeLease
from core.library.library import Library
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder
home = Path(sys.argv[1])
library = Library(UserStore(home / "user.db"), IndexStore(home / "index.db"), FakeEmbedder(), ComputeLease())
library.add([Path(sys.argv[2])])
try:
    for event in library.index(CancelToken()):
        if isinstance(event, FileFinished):
            print(event.file.path.name)
except NotEnoughDisk as error:
    print("full")
print("sound" if library.check().ok else library.check().problems)
"""


def make_library(home: Path) -> Library:
    return Library(UserStore(home / "user.db"), IndexStore(home / "index.db"), FakeEmbedder(), ComputeLease())


def fill(docs: Path, files: int) -> list[str]:
    docs.mkdir()
    names = [f"{number:03}.txt" for number in range(files)]
    for number, name in enumerate(names):
        (docs / name).write_text(f"File number {number}. " + f"It says something about lamp {number} and the sea. " * 120, encoding="utf-8")
    return names


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are a POSIX thing")
@pytest.mark.parametrize("limit_bytes", [300_000, 900_000, 1_700_000])
def test_a_disk_that_fills_up_ends_the_run_in_plain_words_and_keeps_what_was_finished(home: Path, tmp_path: Path, limit_bytes: int) -> None:
    import resource

    names = fill(tmp_path / "docs", 200)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    child = subprocess.run(
        [sys.executable, "-c", INDEX, str(home), str(tmp_path / "docs"), str(PROJECT)],
        preexec_fn=limit,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )

    *finished, last, verdict = child.stdout.splitlines()
    assert (last, verdict) == ("full", "sound"), child.stderr
    library = make_library(home)
    ready = {document.path.name for document in library.documents() if document.state == "ready"}
    assert set(finished) <= ready
    assert len(ready) < len(names)

    *_, end = library.index(CancelToken())

    assert isinstance(end, IndexFinished)
    assert [file.path.name for file in end.report.files if file.state == "ready"] == names
    assert library.check().ok


def test_changed_bytes_are_an_error_with_a_name_or_no_harm(home: Path, tmp_path: Path) -> None:
    fill(tmp_path / "docs", 30)
    library = make_library(home)
    library.add([tmp_path / "docs"])
    list(library.index(CancelToken()))
    library.remove(tmp_path / "docs" / "000.txt")
    store = IndexStore(home / "index.db")
    store.erase_deleted()
    store.close()
    sound = (home / "index.db").read_bytes()
    chance = random.Random(11)
    named = 0

    for _ in range(60):
        raw = bytearray(sound)
        for _ in range(chance.choice([1, 8, 200])):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        place = tmp_path / "damaged.db"
        place.write_bytes(raw)
        damaged = IndexStore(place)
        retriever = HybridRetriever(damaged, FakeEmbedder())
        try:
            for passage in retriever.search("lamp 17 and the sea", k=20, cancel=CancelToken()):
                assert passage.chunk.end > passage.chunk.start
            for item in damaged.documents():
                if item.document.state == "ready":
                    damaged.text(item.document.path)
            if damaged.check().problems:
                named += 1
        except (IndexDamaged, NotFound):
            named += 1
        damaged.rebuild()
        assert damaged.check().problems == ()
        damaged.close()
        for file in tmp_path.glob("damaged.db*"):
            file.unlink()

    assert named > 20
