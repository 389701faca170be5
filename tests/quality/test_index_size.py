"""Sizes are those of what is there, and the whole measurement runs over a few files."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.quality.index_size import Shelf, Size, main, read_texts, tables, texts


def test_the_ratio_is_that_to_vectors_and_text_together() -> None:
    size = Size(files=2, chunks=10, index_bytes=42_000, vector_bytes=15_360, text_bytes=5_640)

    assert size.ratio == 2.0
    assert size.line() == "2 files, 10 passages: 0.0 MB for 0.0 MB of vectors and 0.0 MB of text: 2.00 times"


def test_each_table_is_listed_with_what_it_takes(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE large (text); CREATE TABLE small (text); INSERT INTO large VALUES (zeroblob(100000))")
    connection.execute("CREATE TABLE gone (text); INSERT INTO gone VALUES (zeroblob(40000)); DROP TABLE gone")
    connection.close()

    found = {table.name: table.bytes for table in tables(path)}

    assert next(iter(found)) == "large"
    assert found["large"] > 100_000 > 4096 >= found["small"]
    assert found["(free pages)"] >= 40_000
    assert sum(found.values()) == path.stat().st_size


def test_changes_edit_a_fifth_delete_a_tenth_and_bring_back_what_was_deleted_before(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, texts(40, 1), 1)
    before = {path: path.read_text(encoding="utf-8") for path in shelf.paths}

    shelf.change()
    after = {path: path.read_text(encoding="utf-8") for path in shelf.paths}
    shelf.change()

    assert len(before) == 40 and len(after) == 36 and len(shelf.paths) == 37
    assert sum(text != before[path] for path, text in after.items()) == 8
    assert before.keys() - after.keys() <= set(shelf.paths)


def test_a_little_library_is_measured_before_and_after_changes(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--files", "10", "--rounds", "1"])

    out = capsys.readouterr().out
    assert out.startswith("generated:\n10 files, ")
    assert "words_data" in out
    assert "after 1 rounds of changes: " in out


def test_text_files_of_a_folder_are_read_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("text", encoding="utf-8")
    (tmp_path / "b.png").write_bytes(b"\x89PNG")

    assert list(read_texts(tmp_path)) == [(str(Path("in") / "a.txt"), "text")]
