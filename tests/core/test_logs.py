from __future__ import annotations

import stat
import warnings
from pathlib import Path

import pytest

from core.errors import ChildCrashed
from core.logs import EventLog, code_lines, quiet_libraries
from core.paths import Paths
from core.settings import Settings
from core.settings_file import save_settings

CANARY = "zebra-secret"


@pytest.fixture
def file(paths: Paths) -> Path:
    return paths.logs / "command.log"


def test_an_event_is_a_name_and_numbers(file: Path) -> None:
    log = EventLog(file)

    log.event("index_finished", files=12, seconds=8.21449)
    log.close()

    assert file.read_text(encoding="utf-8").split(maxsplit=2)[2] == "index_finished files=12 seconds=8.214\n"


def test_a_library_s_warning_that_quotes_paths_is_not_shown(recwarn: pytest.WarningsRecorder) -> None:
    quiet_libraries()

    warnings.warn_explicit(f"a callback for {CANARY} exists", RuntimeWarning, "inotify.py", 365, module="watchdog.observers.inotify")

    assert not recwarn.list


def test_a_text_is_refused(file: Path) -> None:
    log = EventLog(file)

    with pytest.raises(ValueError):
        log.event("asked", question=CANARY)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        log.event(f"asked {CANARY}")

    assert not file.exists()


def test_a_failure_is_its_type_and_our_own_lines_without_its_message(file: Path, tmp_path: Path) -> None:
    log = EventLog(file)

    try:
        save_settings(Paths(tmp_path / CANARY), Settings())
    except Exception as error:
        log.failure(error)
    log.close()

    text = file.read_text(encoding="utf-8")
    assert "failure InvalidRequest/not_writable from FileNotFoundError core/settings_file.py:" in text
    assert CANARY not in text


def test_a_code_that_came_over_a_wire_cannot_carry_text(file: Path) -> None:
    log = EventLog(file)

    log.failure(ChildCrashed("x", code=f"crash of {CANARY}"))
    log.close()

    assert CANARY not in file.read_text(encoding="utf-8")


def test_log_and_folder_are_for_their_owner_alone(file: Path) -> None:
    log = EventLog(file)

    log.event("started")
    log.close()

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_old_lines_go_before_the_logs_grow_large(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.logs.FILE_BYTES", 1000)
    log = EventLog(file)

    for number in range(500):
        log.event("tick", number=number)
    log.close()

    files = list(file.parent.iterdir())
    assert len(files) == 5
    assert sum(found.stat().st_size for found in files) <= 5 * 1000
    assert {stat.S_IMODE(found.stat().st_mode) for found in files} == {0o600}


def test_a_log_that_cannot_be_written_is_none(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").touch()
    log = EventLog(tmp_path / "logs" / "command.log")

    log.event("started")
    log.close()

    assert capfd.readouterr() == ("", "")


def test_foreign_code_is_left_out_of_a_failure() -> None:
    try:
        raise RuntimeError
    except RuntimeError as error:
        assert code_lines(error.__traceback__) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_by_whoever_needed_it_and_not_by_the_log(capfd: pytest.CaptureFixture[str]) -> None:
    log = EventLog(Path("/dev/full"))

    log.event("started")
    log.close()
    log.event("started")
    log.close()

    assert capfd.readouterr() == ("", "")
