from __future__ import annotations

import json
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.paths import Paths
from core.settings import Settings
from core.settings_file import SettingsNotice, load_settings, save_settings

CHANGED = Settings.model_validate({"models": {"threads": 3}, "web": {"mode": "ask"}, "appearance": {"language": "zh_CN"}})


def test_without_a_file_every_setting_has_its_default(paths: Paths) -> None:
    assert load_settings(paths) == (Settings(), ())


def test_saved_settings_come_back(paths: Paths) -> None:
    save_settings(paths, CHANGED)

    assert load_settings(paths) == (CHANGED, ())


def test_only_what_differs_from_the_defaults_is_written(paths: Paths) -> None:
    save_settings(paths, CHANGED)

    assert json.loads(paths.settings_file.read_text(encoding="utf-8")) == {
        "appearance": {"language": "zh_CN"},
        "models": {"threads": 3},
        "web": {"mode": "ask"},
    }


def test_the_file_is_for_its_owner_alone(paths: Paths) -> None:
    save_settings(paths, CHANGED)

    assert stat.S_IMODE(paths.settings_file.stat().st_mode) == 0o600


def test_nothing_is_left_beside_the_file(paths: Paths) -> None:
    save_settings(paths, CHANGED)
    save_settings(paths, Settings())

    assert [file.name for file in paths.home.iterdir()] == ["settings.json"]


def test_a_bad_value_falls_back_alone_and_the_file_is_kept(paths: Paths) -> None:
    written = '{"models": {"threads": -4, "context_tokens": 8192}, "web": {"mode": "always"}, "answers": {"budget": "quick"}}'
    paths.settings_file.write_text(written, encoding="utf-8")

    loaded, notices = load_settings(paths)

    assert loaded.models.threads == 0
    assert loaded.models.context_tokens == 8192
    assert loaded.web.mode == "off"
    assert loaded.answers.budget == "quick"
    assert [(notice.code, notice.setting) for notice in notices] == [("setting_invalid", "models.threads"), ("setting_invalid", "web.mode")]
    kept = notices[0].kept
    assert kept is not None and kept.name.startswith("settings.json.bad-")
    assert kept.read_text(encoding="utf-8") == written
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_bad_file_is_told_once(paths: Paths) -> None:
    paths.settings_file.write_text('{"models": {"threads": "many", "context_tokens": 8192}}', encoding="utf-8")

    first, told = load_settings(paths)
    second, told_again = load_settings(paths)

    assert told and not told_again
    assert first == second


def test_two_bad_files_within_a_second_are_both_kept(paths: Paths) -> None:
    for written in ("first", "second"):
        paths.settings_file.write_text(written, encoding="utf-8")
        load_settings(paths)

    assert {file.read_text(encoding="utf-8") for file in paths.home.glob("settings.json.bad-*")} == {"first", "second"}


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe{}", b"[]", b"null", b"[" * 100_000, b"9" * 50_000, b'{"models": 3}', b" " * 1_000_001]
)
def test_a_file_that_is_no_settings_gives_the_defaults_and_a_notice(paths: Paths, raw: bytes) -> None:
    paths.settings_file.write_bytes(raw)

    loaded, notices = load_settings(paths)

    assert loaded == Settings()
    assert len(notices) == 1


def test_a_setting_of_a_later_version_is_named(paths: Paths) -> None:
    paths.settings_file.write_text('{"models": {"wings": 2}, "hats": {}}', encoding="utf-8")

    _, notices = load_settings(paths)

    assert {(notice.code, notice.setting) for notice in notices} == {("setting_unknown", "models.wings"), ("setting_unknown", "hats")}


def test_a_settings_file_that_is_a_folder_gives_the_defaults(paths: Paths) -> None:
    paths.settings_file.mkdir()

    assert load_settings(paths) == (Settings(), (SettingsNotice("settings_unreadable", "", None),))


def test_a_folder_that_cannot_be_written_is_an_error_with_its_path(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "missing")

    with pytest.raises(InvalidRequest) as caught:
        save_settings(paths, CHANGED)

    assert caught.value.code == "not_writable"
    assert caught.value.details["path"] == str(paths.settings_file)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
section_values = st.dictionaries(
    st.sampled_from(
        ["threads", "context_tokens", "chat_model", "embedder", "mode", "budget", "own_knowledge", "max_retrievals", "theme", "engine_url"]
    ),
    json_values,
    max_size=4,
)
trees = st.dictionaries(st.sampled_from(["models", "answers", "web", "appearance", "other"]), section_values | json_values, max_size=4)


@settings(max_examples=500)
@given(raw=st.binary(max_size=200) | trees.map(lambda tree: json.dumps(tree).encode()))
def test_any_bytes_give_settings_that_can_be_saved_and_loaded_again(raw: bytes) -> None:
    with TemporaryDirectory() as folder:
        paths = Paths(Path(folder))
        paths.settings_file.write_bytes(raw)

        loaded, notices = load_settings(paths)

        save_settings(paths, loaded)
        assert load_settings(paths) == (loaded, ())
        if notices:
            assert notices[0].kept is not None and notices[0].kept.read_bytes() == raw


def test_what_a_link_leads_to_keeps_its_mode(paths: Paths, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text("[]", encoding="utf-8")
    elsewhere.chmod(0o644)
    paths.settings_file.symlink_to(elsewhere)

    load_settings(paths)

    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o644
