"""The judge of durability finds each kind of loss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.lease import ComputeLease
from core.library.library import Library
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts
from core.store.user_store import UserStore
from models.backends.echo import HashEmbedder
from tests.quality.changing_library import ChangingLibrary


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    user_store, index_store = UserStore(home / "user.db"), IndexStore(home / "index.db")
    library = Library(user_store, index_store, HashEmbedder(), ComputeLease())
    yield library
    library.close()
    index_store.close()
    user_store.close()


@pytest.fixture
def made(tmp_path: Path) -> ChangingLibrary:
    made = ChangingLibrary(tmp_path / "docs", 12)
    made.change(1.0)
    return made


def index(library: Library, made: ChangingLibrary) -> None:
    library.add([made.folder])
    list(library.index(CancelToken()))


def test_what_is_indexed_of_a_generated_file_is_known_to_the_letter(library: Library, made: ChangingLibrary) -> None:
    index(library, made)

    assert made.problems(library, [made.path(number) for number in made.files]) == []
    assert made.unfinished(library) == []


def test_a_file_that_is_not_there_or_in_an_older_version_is_lost(library: Library, made: ChangingLibrary) -> None:
    index(library, made)
    library.remove(made.path(0))
    made.change(1.0)

    problems = made.problems(library, [made.path(0), made.path(1)])

    assert problems == [
        "lost: 00000.txt was acknowledged and is not there",
        "lost: 00001.md was acknowledged and is another version",
    ]


def test_an_older_version_is_whole_until_a_run_has_ended(library: Library, made: ChangingLibrary) -> None:
    index(library, made)
    made.change(1.0)
    assert made.problems(library, []) == []

    made.settled()

    assert len(made.problems(library, [])) == 12
    assert all(problem.startswith("half: ") for problem in made.problems(library, []))


def test_a_text_that_no_file_ever_had_is_half_a_file(library: Library, made: ChangingLibrary) -> None:
    index(library, made)
    embedder = HashEmbedder()
    vectors = embedder.embed_passages(["File 0"], cancel=CancelToken())
    library._index_store.put(FileFacts(made.path(0)), "File 0", [ChunkSpan(0, 6, 1)], [b"k"], vectors, embedder.model_id)

    assert made.problems(library, []) == ["half: 00000.txt is ready, but not whole"]


def test_a_run_that_left_out_a_file_or_kept_one_that_is_gone_is_unfinished(library: Library, made: ChangingLibrary) -> None:
    index(library, made)
    library.remove(made.path(3))
    made.path(4).unlink()
    del made.versions[4]

    assert made.unfinished(library) == ["unfinished: 00003.txt is not ready", "unfinished: 00004.eml is gone from the disk"]


def test_the_same_seed_makes_the_same_files(tmp_path: Path) -> None:
    one, other = (ChangingLibrary(tmp_path / name, 20, seed=5) for name in ("one", "other"))
    for made in (one, other):
        made.change(1.0)
        made.change(0.5, absent=0.2)

    assert one.versions == other.versions
    assert set(one.versions.values()) == {1, 2} and len(one.versions) < 20
    assert {path.name: path.read_bytes() for path in one.folder.iterdir() if path.suffix != ".docx"} == {
        path.name: path.read_bytes() for path in other.folder.iterdir() if path.suffix != ".docx"
    }
