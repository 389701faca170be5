from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.errors import LamplightError
from core.logs import EventLog
from desktop.last_resort import MOST_LOGGED, LastResort


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "window.log"


@pytest.fixture
def last_resort(file: Path, qtbot: QtBot) -> Iterator[LastResort]:
    log = EventLog(file)
    made = LastResort(log)
    yield made
    made.remove()
    log.close()


def surprise() -> Exception:
    try:
        raise KeyError("a secret of the person's")
    except KeyError as caught:
        return caught


def test_what_nobody_caught_is_logged_and_said_once_without_its_message(
    last_resort: LastResort, file: Path, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[LamplightError] = []
    last_resort.surprised.connect(said.append)
    failure = surprise()

    sys.excepthook(KeyError, failure, failure.__traceback__)

    qtbot.waitUntil(lambda: len(said) == 1)
    assert said[0].code == "defect"
    assert "failure KeyError" in file.read_text(encoding="utf-8")
    assert "secret" not in file.read_text(encoding="utf-8") + said[0].message
    assert capsys.readouterr().err == ""


def test_other_threads_are_heard_too(last_resort: LastResort, qtbot: QtBot) -> None:
    def fail() -> None:
        raise ValueError("no")

    with qtbot.waitSignal(last_resort.surprised, timeout=5000):
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()


def test_a_mistake_that_comes_back_with_every_frame_does_not_fill_the_log(last_resort: LastResort, file: Path) -> None:
    failure = surprise()

    for _ in range(MOST_LOGGED + 50):
        sys.excepthook(KeyError, failure, failure.__traceback__)

    assert len(file.read_text(encoding="utf-8").splitlines()) == MOST_LOGGED


def test_the_hooks_are_given_back(file: Path, qtbot: QtBot) -> None:
    before = (sys.excepthook, threading.excepthook)
    log = EventLog(file)

    LastResort(log).remove()

    assert (sys.excepthook, threading.excepthook) == before
    log.close()
