from __future__ import annotations

import stat
from pathlib import Path

import pytest

from core.errors import InvalidRequest
from core.home import prepare_home
from core.paths import Paths


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_missing_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "deep" / "home")

    prepare_home(paths)

    assert mode(paths.home) == 0o700


def test_rights_of_others_are_taken_from_what_lamplight_keeps(paths: Paths) -> None:
    paths.logs.mkdir(mode=0o755)
    for file in (paths.user_database, paths.index_database, paths.settings_file, paths.logs / "window.log"):
        file.touch()
        file.chmod(0o644)
    paths.home.chmod(0o755)

    prepare_home(paths)

    assert mode(paths.home) == mode(paths.logs) == 0o700
    assert {mode(file) for file in paths.home.rglob("*") if file.is_file()} == {0o600}


def test_a_folder_with_other_things_in_it_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch(0o644)
    tmp_path.chmod(0o755)

    prepare_home(Paths(tmp_path))

    assert mode(tmp_path) == 0o755
    assert mode(tmp_path / "letter.txt") == 0o644


def test_a_home_that_is_a_file_is_refused_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "home").touch()

    with pytest.raises(InvalidRequest) as caught:
        prepare_home(Paths(tmp_path / "home"))

    assert caught.value.code == "home_unusable"
