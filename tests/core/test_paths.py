from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidRequest
from core.paths import default_home


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


@pytest.fixture(autouse=True)
def an_account_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LAMPLIGHT_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_an_account_without_a_home_folder_is_told_to_name_one(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.paths.sys.platform", platform)

    with pytest.raises(InvalidRequest, match="--home"):
        default_home()


@pytest.mark.parametrize("name", ["LAMPLIGHT_HOME", "XDG_DATA_HOME"])
def test_a_folder_that_is_named_needs_no_account(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.paths.sys.platform", "linux")
    monkeypatch.setenv(name, str(tmp_path))

    assert default_home().is_relative_to(tmp_path)
