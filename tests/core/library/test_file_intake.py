"""One file into the index: when it is read, what becomes of it, and what need not be embedded again."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.documents import IndexedFile
from core.errors import Cancelled
from core.events import FileStarted
from core.library import file_intake
from core.library.file_intake import LARGE
from core.store.records import ChunkSpan
from tests.core.library.shelf import Shelf, long_text


def test_title_and_headings_are_embedded_in_front_of_the_text(shelf: Shelf) -> None:
    shelf.write("a.md", "# Lamp\n\n## Oil\n\nIt burns.")

    shelf.index()

    assert shelf.embedder.embedded == ["Lamp > Lamp > Oil\n# Lamp\n\n## Oil\n\nIt burns."]


def test_unchanged_files_cost_nothing(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.write("a.txt", "one")
    shelf.write("b.bin", b"\0\1\2")
    shelf.write("empty.txt", b"")
    shelf.index()
    shelf.embedder.embedded.clear()
    monkeypatch.setattr("core.library.file_intake.read_file", lambda *arguments, **options: pytest.fail("an unchanged file was opened"))

    report = shelf.index()

    assert [(file.path.name, file.state, file.unchanged) for file in report.files] == [
        ("a.txt", "ready", True),
        ("b.bin", "skipped", True),
        ("empty.txt", "skipped", True),
    ]
    assert shelf.embedder.embedded == []


def test_other_rules_of_reading_look_at_unchanged_files_again_and_encode_only_what_they_change(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.write("a.txt", "one")
    shelf.write("b.key", b"PK")
    shelf.index()
    shelf.embedder.embedded.clear()
    monkeypatch.setattr("core.library.file_intake.READER_VERSION", 999)
    monkeypatch.setattr("core.library.file_intake.is_unsupported", lambda path: False)

    report = shelf.index()

    assert [(file.path.name, file.state, file.unchanged) for file in report.files] == [
        ("a.txt", "ready", False),
        ("b.key", "ready", False),
    ]
    assert shelf.embedder.embedded == ["b\nPK"]


def test_a_file_changed_within_the_same_moment_is_seen(shelf: Shelf) -> None:
    path = shelf.write("a.txt", "first words", age_seconds=0)
    stamp = path.stat().st_mtime_ns
    shelf.index()

    path.write_bytes(b"other words")
    os.utime(path, ns=(stamp, stamp))
    shelf.index()

    assert shelf.library.text(path) == "other words"


def test_a_new_time_without_new_content_encodes_nothing(shelf: Shelf) -> None:
    path = shelf.write("a.txt", "words")
    shelf.index()
    shelf.embedder.embedded.clear()
    os.utime(path)

    report = shelf.index()

    assert report.files[0].unchanged
    assert shelf.embedder.embedded == []


def test_an_edit_embeds_only_what_changed(shelf: Shelf) -> None:
    parts = [f"## Part {number}\n\n" + f"Sentence number {number} about the lamp. " * 30 for number in range(6)]
    shelf.write("a.md", "# Title\n\n" + "\n\n".join(parts))
    shelf.index()
    shelf.embedder.embedded.clear()

    parts[3] = "## Part 3\n\n" + "Now it is about herring. " * 30
    shelf.write("a.md", "# Title\n\n" + "\n\n".join(parts))
    shelf.index()

    assert len(shelf.embedder.embedded) == 1
    assert "herring" in shelf.embedder.embedded[0]


def test_a_moved_and_a_renamed_file_embed_nothing(shelf: Shelf) -> None:
    first = shelf.write("a.txt", long_text(5))
    shelf.index()
    shelf.embedder.embedded.clear()

    moved = shelf.docs / "sub" / "another name.txt"
    moved.parent.mkdir()
    first.rename(moved)
    shelf.index()

    assert shelf.embedder.embedded == []
    assert shelf.states() == {"another name.txt": "ready"}
    assert shelf.library.documents()[0].title == "another name"


def test_a_copy_embeds_nothing(shelf: Shelf) -> None:
    first = shelf.write("a.txt", long_text(5))
    shelf.index()
    shelf.embedder.embedded.clear()

    shutil.copy(first, shelf.docs / "b.txt")
    shelf.index()

    assert shelf.embedder.embedded == []
    assert shelf.states() == {"a.txt": "ready", "b.txt": "ready"}


def test_a_bad_file_is_a_row_with_a_reason_and_stops_nothing(shelf: Shelf) -> None:
    shelf.write("a good.txt", "good")
    shelf.write("binary.txt", b"\x00\x01\x02\x03" * 100)
    shelf.write("blank.md", " \n\t\n")
    shelf.write("empty.txt", b"")
    shelf.write("image.png", b"\x89PNG\r\n\x1a\n")
    shelf.write("letter.doc", b"\xd0\xcf\x11\xe0")
    shelf.write("script.html", "<html><script>x()</script></html>")
    shelf.write("z good.txt", "good too")
    (shelf.docs / "broken link.txt").symlink_to(shelf.docs / "nothing")
    os.mkfifo(shelf.docs / "pipe.txt")

    assert shelf.rows() == {
        "a good.txt": ("ready", ""),
        "binary.txt": ("skipped", "binary"),
        "blank.md": ("skipped", "empty"),
        "broken link.txt": ("failed", "vanished"),
        "empty.txt": ("skipped", "empty"),
        "image.png": ("skipped", "unsupported"),
        "letter.doc": ("skipped", "unsupported"),
        "pipe.txt": ("skipped", "not_a_file"),
        "script.html": ("skipped", "no_text"),
        "z good.txt": ("ready", ""),
    }


def test_a_huge_file_is_refused_by_its_size(shelf: Shelf) -> None:
    with (shelf.docs / "huge.txt").open("wb") as file:
        file.truncate(51 * 1024 * 1024)

    assert shelf.rows() == {"huge.txt": ("skipped", "too_large")}


def test_an_unreadable_file_fails_and_is_tried_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shelf.write("locked.txt", "now readable")
    real_open = os.open

    def refuse(name: str | Path, flags: int, *rest: int) -> int:
        if Path(name) == path:
            raise PermissionError(13, "Permission denied")
        return real_open(name, flags, *rest)

    with monkeypatch.context() as patched:
        patched.setattr("core.library.reading.os.open", refuse)
        assert shelf.rows() == {"locked.txt": ("failed", "unreadable")}

    assert shelf.rows() == {"locked.txt": ("ready", "")}


def test_a_file_that_vanishes_between_listing_and_reading_is_said_so(shelf: Shelf) -> None:
    shelf.write("a.txt", "a")
    path = shelf.write("b.txt", "b")
    run = shelf.library.index(CancelToken())

    for event in run:
        if isinstance(event, FileStarted) and event.path.name == "a.txt":
            path.unlink()

    assert [document.reason for document in shelf.library.documents() if document.path == path] == ["vanished"]
    assert shelf.rows() == {"a.txt": ("ready", "")}
    assert shelf.states() == {"a.txt": "ready"}


def test_names_of_any_bytes_are_indexed(shelf: Shelf) -> None:
    name = os.fsdecode(b"caf\xe9 \xff.txt")
    path = shelf.write(name, "strange name")

    report = shelf.index()

    assert report.files == (IndexedFile(path, "ready", "", "utf-8", 1, report.files[0].seconds),)
    assert shelf.library.text(path) == "strange name"


def test_a_link_that_the_person_named_is_followed(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("behind a link", encoding="utf-8")
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "real.txt")
    shelf.library.add([link])

    assert shelf.rows() == {"link.txt": ("ready", "")}


def test_a_stop_is_obeyed_in_the_middle_of_a_large_file(shelf: Shelf) -> None:
    path = shelf.write("large.txt", long_text(300))
    shelf.index()
    shelf.write("large.txt", long_text(301).replace("lamp", "bell"))
    cancel = CancelToken()
    count = shelf.embedder.count_tokens

    def count_and_stop(texts: Sequence[str]) -> list[int]:
        cancel.cancel()
        return count(texts)

    shelf.embedder.count_tokens = count_and_stop  # type: ignore[method-assign]
    with pytest.raises(Cancelled):
        shelf.events(cancel=cancel)

    assert shelf.library.text(path) == long_text(300)
    assert shelf.library.check().ok


def test_a_cancel_is_obeyed_while_a_large_file_is_being_cut(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.write("a.txt", "All of it is large. " * (LARGE // 20 + 1))
    cancel, may_end = CancelToken(), threading.Event()

    def cut(text: str, *_given: object) -> list[ChunkSpan]:
        cancel.cancel()
        assert may_end.wait(20)
        return [ChunkSpan(0, len(text), 1)]

    monkeypatch.setattr(file_intake, "chunk", cut)
    with pytest.raises(Cancelled):
        shelf.events(cancel=cancel)

    may_end.set()
    assert shelf.library.check().counts.chunks == 0
