from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.library.drives import is_unplugged


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    folder = tmp_path / "media"
    folder.mkdir()
    return folder


def unplugged(source: Path, mounts: Path) -> bool:
    return is_unplugged(source, [mounts])


def test_a_source_whose_parent_is_gone_is_on_a_drive_that_is_gone(tmp_path: Path, mounts: Path) -> None:
    assert unplugged(tmp_path / "drive" / "docs", mounts)
    assert not unplugged(tmp_path / "docs", mounts)


def test_a_whole_drive_that_took_its_folder_along_or_left_an_empty_one_is_unplugged(mounts: Path) -> None:
    assert unplugged(mounts / "stick", mounts)

    (mounts / "stick").mkdir()
    assert unplugged(mounts / "stick", mounts)
    assert unplugged(mounts / "stick" / "docs", mounts)
    assert unplugged(mounts / "stick" / "letter.txt", mounts)


def test_a_folder_that_holds_something_is_there(mounts: Path) -> None:
    (mounts / "stick" / "docs").mkdir(parents=True)
    (mounts / "stick" / "letter.txt").write_text("Dear", encoding="utf-8")

    assert not unplugged(mounts / "stick", mounts)
    assert not unplugged(mounts / "stick" / "letter.txt", mounts)


def test_what_was_emptied_or_deleted_on_a_drive_that_is_there_is_gone(mounts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (mounts / "stick" / "docs").mkdir(parents=True)
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == mounts / "stick")

    assert not unplugged(mounts / "stick" / "docs", mounts)
    assert not unplugged(mounts / "stick" / "deleted", mounts)
    assert not unplugged(mounts / "stick", mounts)
