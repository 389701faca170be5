"""What was read of prompts, on disk: it comes back whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from models.backends.saved_beginnings import SavedBeginnings, model_identity

TOKENS = list(range(400))
STATE = bytes(range(256)) * 40
MODEL: dict[str, str | int | bool] = {"file": "model.gguf", "bytes": 12, "flash_attention": True}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "engine" / "beginnings"


@pytest.fixture
def saved(folder: Path) -> SavedBeginnings:
    return SavedBeginnings(folder, MODEL)


def only_file(folder: Path) -> Path:
    [file] = folder.iterdir()
    return file


def test_a_state_comes_back_in_another_run(saved: SavedBeginnings, folder: Path) -> None:
    saved.write(TOKENS, STATE)

    assert SavedBeginnings(folder, MODEL).read(TOKENS) == STATE


def test_nothing_is_known_before_something_was_kept(saved: SavedBeginnings, folder: Path) -> None:
    assert saved.read(TOKENS) is None
    assert not folder.exists()


@pytest.mark.parametrize("tokens", [TOKENS[:-1], [*TOKENS, 1], TOKENS[::-1], []])
def test_other_tokens_have_no_state(saved: SavedBeginnings, tokens: list[int]) -> None:
    saved.write(TOKENS, STATE)

    assert saved.read(tokens) is None


@pytest.mark.parametrize("changed", [{"bytes": 13}, {"flash_attention": False}, {"engine": "2"}])
def test_another_model_or_engine_has_no_state(saved: SavedBeginnings, folder: Path, changed: dict[str, str | int | bool]) -> None:
    saved.write(TOKENS, STATE)

    assert SavedBeginnings(folder, MODEL | changed).read(TOKENS) is None


@pytest.mark.parametrize("place", [0, 8, 40, 71, 72, 5000, -1])
def test_a_file_with_one_wrong_bit_is_as_good_as_none_and_is_written_anew(saved: SavedBeginnings, folder: Path, place: int) -> None:
    saved.write(TOKENS, STATE)
    data = bytearray(only_file(folder).read_bytes())
    data[place] ^= 1
    only_file(folder).write_bytes(data)

    assert saved.read(TOKENS) is None
    saved.write(TOKENS, STATE)
    assert saved.read(TOKENS) == STATE


@pytest.mark.parametrize("length", [0, 7, 72, 100, len(STATE) + 71])
def test_a_file_that_was_cut_off_is_as_good_as_none(saved: SavedBeginnings, folder: Path, length: int) -> None:
    saved.write(TOKENS, STATE)
    os.truncate(only_file(folder), length)

    assert saved.read(TOKENS) is None


def test_the_state_of_other_tokens_under_this_name_is_not_taken(saved: SavedBeginnings, folder: Path) -> None:
    saved.write(TOKENS, STATE)
    own = only_file(folder)
    saved.write(TOKENS[1:], STATE[1:])
    other = next(file for file in folder.iterdir() if file != own)
    os.replace(other, own)

    assert saved.read(TOKENS) is None


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
def test_only_the_owner_may_read_it(saved: SavedBeginnings, folder: Path) -> None:
    saved.write(TOKENS, STATE)

    assert stat.S_IMODE(only_file(folder).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_state_that_was_not_used_for_the_longest_time_gives_way(folder: Path) -> None:
    saved = SavedBeginnings(folder, MODEL, max_bytes=3 * (len(STATE) + 72))
    for first in range(3):
        saved.write([first, *TOKENS], STATE)
    for age, file in enumerate(sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)):
        os.utime(file, ns=(age, age))
    assert saved.read([0, *TOKENS]) == STATE

    saved.write([3, *TOKENS], STATE)

    assert [saved.read([first, *TOKENS]) is not None for first in range(4)] == [True, False, True, True]


def test_what_a_killed_process_left_half_written_is_cleared_away(saved: SavedBeginnings, folder: Path) -> None:
    folder.mkdir(parents=True)
    half = folder / ".abc.state"
    half.write_bytes(b"half")

    saved.write(TOKENS, STATE)

    assert not half.exists()
    assert saved.read(TOKENS) == STATE


def test_a_folder_that_cannot_be_made_costs_only_the_saving(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    saved = SavedBeginnings(tmp_path / "file" / "beginnings", MODEL)

    saved.write(TOKENS, STATE)

    assert saved.read(TOKENS) is None


def test_model_files_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    first = model_identity(file)
    file.write_bytes(b"GGUF" + bytes(99) + b"x")
    os.utime(file, ns=(first["changed_ns"], first["changed_ns"]))  # type: ignore[arg-type]

    assert model_identity(file) != first
    assert model_identity(file) == model_identity(file)
