"""What a run of indexing has said is ready is on the disk, whenever the power goes."""

from __future__ import annotations

from pathlib import Path

from core.cancel import CancelToken
from core.events import FileFinished, IndexFinished
from core.lease import ComputeLease
from core.library.library import Library
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder
from tests.fakes.power_cut import EverythingLost, PowerCutDisk


def library_at(home: Path) -> Library:
    return Library(UserStore(home / "user.db"), IndexStore(home / "index.db"), FakeEmbedder(), ComputeLease())


def close(library: Library) -> None:
    library.close()
    library._index_store.close()
    library._user_store.close()


def left_by_a_cut(disk: PowerCutDisk, place: Path) -> Path:
    """The home that is left if the power goes now."""
    place.mkdir(parents=True)
    disk.cut(place, EverythingLost())
    return place


def write_files(docs: Path, count: int) -> list[Path]:
    docs.mkdir()
    paths = [docs / f"{number:02}.txt" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(f"File {number}. " + f"It says something about lamp {number}. " * (400 if number % 7 == 3 else 5), encoding="utf-8")
    return paths


def test_a_file_that_is_said_to_be_ready_survives_a_cut_at_that_very_moment(home: Path, tmp_path: Path) -> None:
    write_files(tmp_path / "docs", 90)
    left: list[tuple[Path, set[Path]]] = []
    acknowledged: set[Path] = set()

    with PowerCutDisk(lambda disk: None) as disk:
        library = library_at(home)
        library.add([tmp_path / "docs"])
        for event in library.index(CancelToken()):
            if isinstance(event, FileFinished):
                acknowledged.add(event.file.path)
                left.append((left_by_a_cut(disk, tmp_path / f"cut-{len(left)}"), set(acknowledged)))
        close(library)

    assert len(left) == 90
    for place, expected in left:
        store = IndexStore(place / "index.db")
        assert expected <= {item.document.path for item in store.documents() if item.document.state == "ready"}
        assert store.check().problems == ()
        store.close()


def test_a_file_that_a_killed_run_left_is_on_the_disk_before_it_is_called_unchanged(home: Path, tmp_path: Path) -> None:
    (path,) = write_files(tmp_path / "docs", 1)
    with PowerCutDisk(lambda disk: None) as disk:
        library = library_at(home)
        library.add([tmp_path / "docs"])
        embedder = FakeEmbedder()
        # What a run does that is killed before it has waited for the disk.
        text = path.read_text(encoding="utf-8")
        facts = FileFacts(path, "00", "utf-8")
        vectors = embedder.embed_passages([text], cancel=CancelToken())
        library._index_store.put(facts, text, [ChunkSpan(0, len(text), 1)], [b"k"], vectors, embedder.model_id)

        events = library.index(CancelToken())
        next(events)  # what is found
        next(events)  # the first file
        place = left_by_a_cut(disk, tmp_path / "cut")

        events.close()
        close(library)
    store = IndexStore(place / "index.db")
    assert [item.document.state for item in store.documents()] == ["ready"]
    store.close()


def test_after_a_run_everything_it_reported_is_on_the_disk(home: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "empty.txt").write_bytes(b"")
    with PowerCutDisk(lambda disk: None) as disk:
        library = library_at(home)
        library.add([tmp_path / "docs"])
        for event in library.index(CancelToken()):
            if isinstance(event, IndexFinished):
                place = left_by_a_cut(disk, tmp_path / "cut")
        close(library)

    store = IndexStore(place / "index.db")
    assert [item.document.state for item in store.documents()] == ["skipped"]
    store.close()
