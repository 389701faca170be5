from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, ChatsDamaged, ChildCrashed, ModelMissing, NotFound
from core.events import FileFinished, FileProgress, FileStarted, IndexFinished, IndexStarted
from tests.core.library.shelf import Shelf, long_text
from tests.fakes.hash_embedder import FakeEmbedder


def test_a_folder_is_indexed_and_its_text_is_what_the_offsets_count_in(shelf: Shelf) -> None:
    shelf.write("manual.md", "# Lamp\r\n\r\nThe lamp burns oil.\r\n")
    shelf.write("故事.txt", "第一回 灯火\n灯塔的守护人叫阿诺，他每天黄昏点亮灯火。".encode("gb18030"))
    shelf.write("page.html", "<html><head><title>Prices</title></head><body><p>Oil costs 4&euro;</p></body></html>")

    report = shelf.index()

    assert [(file.path.name, file.state, file.encoding, file.chunks) for file in report.files] == [
        ("manual.md", "ready", "utf-8", 1),
        ("page.html", "ready", "utf-8", 1),
        ("故事.txt", "ready", "gb18030", 1),
    ]
    assert shelf.library.text(shelf.docs / "manual.md") == "# Lamp\n\nThe lamp burns oil.\n"
    assert shelf.library.text(shelf.docs / "page.html") == "# Prices\n\nOil costs 4€"
    assert {document.path.name: document.title for document in shelf.library.documents()} == {
        "manual.md": "Lamp",
        "page.html": "Prices",
        "故事.txt": "第一回 灯火",
    }
    for document in shelf.library.documents():
        text = shelf.library.text(document.path)
        assert all(text[chunk.start : chunk.end] == chunk.text for chunk in shelf.index_store.chunks_of(document.path))
    assert report.chunks_per_second > 0


def test_events_come_in_order_and_count_up(shelf: Shelf) -> None:
    shelf.write("long.txt", long_text(80))
    shelf.write("short.txt", "short", age_seconds=90)

    events = shelf.events()

    assert events[0] == IndexStarted(2)
    assert isinstance(events[-1], IndexFinished)
    assert [event.path.name for event in events if isinstance(event, FileStarted)] == ["long.txt", "short.txt"]
    assert [(event.file.path.name, event.done, event.total) for event in events if isinstance(event, FileFinished)] == [
        ("long.txt", 1, 2),
        ("short.txt", 2, 2),
    ]
    progress = [event for event in events if isinstance(event, FileProgress)]
    assert progress
    assert [event.done for event in progress] == sorted(event.done for event in progress)
    assert all(event.done < event.total for event in progress)


def test_a_folder_that_cannot_be_listed_is_a_row_until_it_can_and_what_was_in_it_is_kept(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shelf.write("closed/in.txt", "inside")
    shelf.index()
    real_scandir = os.scandir

    def refuse(name: Path) -> Iterator[os.DirEntry[str]]:
        if Path(name) == path.parent:
            raise PermissionError(13, "Permission denied")
        return real_scandir(name)

    with monkeypatch.context() as patched:
        patched.setattr("core.library.scanning.os.scandir", refuse)
        assert shelf.rows() == {"closed": ("failed", "unreadable")}
        assert shelf.states() == {"closed": "failed", "in.txt": "ready"}

    assert shelf.rows() == {"in.txt": ("ready", "")}
    assert shelf.states() == {"in.txt": "ready"}


def test_a_deleted_file_leaves_no_words_behind(shelf: Shelf) -> None:
    path = shelf.write("secret.txt", "zanzibarcanary is the password")
    shelf.write("other.txt", "nothing here")
    shelf.index()

    path.unlink()
    shelf.index()

    assert shelf.states() == {"other.txt": "ready"}
    assert all(b"zanzibarcanary" not in file.read_bytes() for file in shelf.home.glob("index.db*"))


def test_files_on_a_drive_that_is_not_plugged_in_are_kept(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "drive" / "stick").mkdir(parents=True)
    (tmp_path / "drive" / "stick" / "a.txt").write_text("on the stick", encoding="utf-8")
    shelf.library.add([tmp_path / "drive" / "stick"])
    shelf.index()

    (tmp_path / "drive").rename(tmp_path / "elsewhere")
    shelf.index()
    assert shelf.states() == {"a.txt": "ready"}

    (tmp_path / "elsewhere").rename(tmp_path / "drive")
    (tmp_path / "drive" / "stick" / "a.txt").unlink()
    shelf.index()
    assert shelf.states() == {}


def test_only_the_named_paths_are_looked_at(shelf: Shelf) -> None:
    shelf.write("a.txt", "a")
    shelf.write("sub/b.txt", "b")

    assert shelf.rows(shelf.docs / "sub") == {"b.txt": ("ready", "")}
    assert shelf.states() == {"b.txt": "ready"}


def test_a_removed_file_stays_out_until_it_is_added_again(shelf: Shelf) -> None:
    path = shelf.write("a.txt", "a")
    shelf.write("b.txt", "b")
    shelf.index()

    assert shelf.library.remove(path) == 1
    shelf.index()
    assert shelf.states() == {"b.txt": "ready"}

    shelf.library.add([path])
    shelf.index()
    assert shelf.states() == {"a.txt": "ready", "b.txt": "ready"}


def test_a_removed_folder_takes_its_files_along(shelf: Shelf) -> None:
    shelf.write("a.txt", "a")
    kept = shelf.write("sub/b.txt", "b")
    shelf.library.add([kept.parent])
    shelf.index()

    assert shelf.library.remove(shelf.docs) == 1
    assert shelf.library.sources() == [kept.parent]
    assert shelf.rows() == {"b.txt": ("ready", "")}


def test_what_is_not_there_cannot_be_added_or_removed(shelf: Shelf, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        shelf.library.add([shelf.docs, tmp_path / "nowhere"])
    with pytest.raises(NotFound):
        shelf.library.remove(tmp_path / "nowhere")
    with pytest.raises(NotFound):
        shelf.library.text(tmp_path / "nowhere")


def test_a_cancelled_run_keeps_what_was_finished_and_the_next_one_does_the_rest(shelf: Shelf) -> None:
    for number in range(5):
        shelf.write(f"{number}.txt", f"{number} {long_text(70)}", age_seconds=60 + number)
    cancel = CancelToken()

    with pytest.raises(Cancelled):
        for event in shelf.library.index(cancel):
            if isinstance(event, FileFinished):
                cancel.cancel()

    assert shelf.states() == {"0.txt": "ready", "1.txt": "waiting", "2.txt": "waiting", "3.txt": "waiting", "4.txt": "waiting"}
    assert shelf.library.check().ok
    assert [file.unchanged for file in shelf.index().files] == [True, False, False, False, False]


def test_a_crash_of_the_embedder_ends_the_run_and_loses_nothing(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(70))
    shelf.write("b.txt", long_text(71))
    shelf.index(shelf.docs / "a.txt")

    def crash() -> None:
        raise ChildCrashed("The embedding process ended.")

    shelf.embedder.before_batch = crash
    with pytest.raises(ChildCrashed):
        shelf.events()

    assert shelf.states() == {"a.txt": "ready", "b.txt": "waiting"}
    assert shelf.library.check().ok


def test_indexing_pauses_while_a_question_is_answered(shelf: Shelf) -> None:
    shelf.write("a.txt", long_text(80))
    finished = threading.Event()
    shelf_thread = threading.Thread(target=lambda: (shelf.events(), finished.set()))

    with shelf.lease.asking():
        shelf_thread.start()
        assert not finished.wait(0.3)
        assert shelf.embedder.embedded == []
    shelf_thread.join(20)

    assert finished.is_set()
    assert shelf.states() == {"a.txt": "ready"}


def test_another_embedding_model_makes_files_wait_and_index_embeds_them_anew(shelf: Shelf) -> None:
    shelf.write("a.txt", "a")
    shelf.index()
    other = shelf.restarted(FakeEmbedder("fake-2", 16))

    assert other.states() == {"a.txt": "waiting"}
    assert [file.unchanged for file in other.index().files] == [False]
    assert other.states() == {"a.txt": "ready"}
    assert len(other.embedder.embedded) == 1


def test_files_can_be_listed_while_no_embedding_model_is_installed(shelf: Shelf) -> None:
    shelf.write("a.txt", "a")
    shelf.index()

    class Missing(FakeEmbedder):
        @property
        def model_id(self) -> str:
            raise ModelMissing("No embedding model is installed.")

        @model_id.setter
        def model_id(self, value: str) -> None:
            pass

    assert shelf.restarted(Missing()).states() == {"a.txt": "ready"}


def test_a_damaged_index_is_made_again_from_the_linked_files(shelf: Shelf) -> None:
    shelf.write("a.txt", "a")
    shelf.index()
    shelf.index_store.close()
    (shelf.home / "index.db").write_bytes(b"\0" * 50_000)

    aside = shelf.library.rebuild()
    assert aside is not None and aside.exists()
    report = shelf.index()

    assert [(file.path.name, file.state) for file in report.files] == [("a.txt", "ready")]
    assert not aside.exists()


def test_a_damaged_index_is_kept_until_the_new_one_can_hold_all_that_it_held(shelf: Shelf, tmp_path: Path) -> None:
    drive = tmp_path / "drive"
    (drive / "notes").mkdir(parents=True)
    (drive / "notes" / "b.txt").write_text("on a drive", encoding="utf-8")
    shelf.write("a.txt", "a")
    shelf.library.add([drive / "notes"])
    shelf.index()
    drive.rename(tmp_path / "unplugged")

    aside = shelf.library.rebuild()
    shelf.index()

    assert aside is not None and aside.exists()


def test_a_damaged_index_is_kept_while_no_file_is_linked_to_make_it_from(shelf: Shelf) -> None:
    shelf.write("a.txt", "a")
    shelf.index()
    for source in shelf.library.sources():
        shelf.user_store.remove_source(source)

    aside = shelf.library.rebuild()
    shelf.index()

    assert aside is not None and aside.exists()


def test_what_is_removed_does_not_stay_in_a_damaged_copy(shelf: Shelf) -> None:
    path = shelf.write("a.txt", "zanzibar")
    shelf.index()
    aside = shelf.library.rebuild()

    shelf.library.remove(shelf.docs)

    assert aside is not None and not aside.exists()
    assert path.exists()


def test_the_person_s_files_are_never_touched(shelf: Shelf) -> None:
    for number in range(5):
        shelf.write(f"{number}.txt", f"file {number}")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode) for path in shelf.docs.iterdir()}

    shelf.index()
    shelf.library.remove(shelf.docs / "1.txt")

    assert {path: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode) for path in shelf.docs.iterdir()} == before


def test_check_looks_into_both_databases(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.write("a.txt", "a")
    shelf.index()
    monkeypatch.setattr(shelf.user_store, "integrity_problems", lambda: ["row missing"])

    assert shelf.library.check().problems == ("user.db: row missing",)
    assert not shelf.library.check().ok


def test_a_replaced_text_leaves_nothing_in_any_of_our_files(shelf: Shelf) -> None:
    shelf.write("a.txt", "zanzibarcanary is the old password")
    shelf.index()

    shelf.write("a.txt", "the new one is kept elsewhere")
    shelf.index()

    assert all(b"zanzibarcanary" not in file.read_bytes() for file in shelf.home.glob("index.db*"))


def test_the_index_does_not_grow_with_every_change(shelf: Shelf) -> None:
    for number in range(120):
        shelf.write(f"{number}.txt", f"round 0 file {number} " + "word " * 300)
    shelf.index()
    fresh = (shelf.home / "index.db").stat().st_size

    for turn in range(1, 11):
        for number in range(turn % 3, 120, 3):
            shelf.write(f"{number}.txt", f"round {turn} file {number} " + "word " * 300)
        shelf.index()

    assert (shelf.home / "index.db").stat().st_size <= fresh * 1.5


@pytest.mark.parametrize("content", [b"\0" * 8192, b"no database"])
def test_the_index_stays_where_it_is_while_nothing_can_say_what_to_make_it_from(shelf: Shelf, content: bytes) -> None:
    path = shelf.write("a.txt", "zanzibar")
    shelf.index()
    shelf.user_store.close()
    (shelf.home / "user.db").write_bytes(content)

    with pytest.raises(ChatsDamaged):
        shelf.library.rebuild()

    assert shelf.library.text(path) == "zanzibar"


def test_a_removal_that_is_cancelled_has_happened_and_the_next_run_deletes_the_rest(shelf: Shelf) -> None:
    path = shelf.write("a.txt", "zanzibarcanary " * 50_000)
    shelf.write("b.txt", "b")
    shelf.index()
    cancel = CancelToken()
    cancel.cancel()

    assert shelf.library.remove(path, cancel) == 1

    assert shelf.states() == {"b.txt": "ready"}
    assert any(b"zanzibarcanary" in file.read_bytes() for file in shelf.home.glob("index.db*"))
    shelf.index()
    assert shelf.states() == {"b.txt": "ready"}
    assert all(b"zanzibarcanary" not in file.read_bytes() for file in shelf.home.glob("index.db*"))
