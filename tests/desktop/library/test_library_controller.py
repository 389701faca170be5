from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.cancel import CancelToken
from core.documents import IndexedFile
from core.errors import NotEnoughDisk
from core.events import FileSearchable, IndexEvent
from core.paths import Paths
from desktop.library.library_controller import LibraryController
from desktop.library.library_panel import LibraryPanel
from tests.fakes.window import Gate, MemoryLibrary, WindowApplication


@pytest.fixture
def library(paths: Paths) -> Iterator[MemoryLibrary]:
    application = WindowApplication(paths)
    yield application.library
    application.close()


@pytest.fixture
def controller(qtbot: QtBot) -> Iterator[LibraryController]:
    panel = LibraryPanel()
    qtbot.addWidget(panel)
    made = LibraryController(panel)
    yield made
    assert made.worker.stop(2.0)
    made.deleteLater()


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = [tmp_path / f"{number}.txt" for number in range(4)]
    for file in made:
        file.write_text(f"text of {file.name}", encoding="utf-8")
    return made


def idle(qtbot: QtBot, controller: LibraryController) -> None:
    qtbot.waitUntil(lambda: not controller.busy)


def test_what_is_linked_is_read_at_the_start(
    qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, files: list[Path]
) -> None:
    library.add(files)

    with qtbot.waitSignal(controller.changed, check_params_cb=lambda count, titles: count == 4):
        controller.use(library)

    idle(qtbot, controller)


def test_a_file_can_be_asked_about_as_soon_as_its_words_are_there(
    qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()

    def index(cancel: CancelToken, paths: Sequence[Path] | None = None) -> Iterator[IndexEvent]:
        yield FileSearchable(IndexedFile(files[0], "waiting", chunks=3), 0, 2)
        gate.wait(cancel)

    monkeypatch.setattr(library, "index", index)

    with qtbot.waitSignal(controller.changed, check_params_cb=lambda count, titles: (count, titles) == (1, ("0",))):
        controller.use(library)

    gate.open()
    idle(qtbot, controller)


def test_adding_while_a_run_goes_on_interrupts_it_and_nothing_is_lost(
    qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, files: list[Path]
) -> None:
    library.add(files[:2])
    library.gate = gate = Gate()
    controller.use(library)
    qtbot.waitUntil(gate.reached.is_set)

    controller.add_paths(files[2:])
    library.gate = None

    qtbot.waitUntil(lambda: len(library.texts) == 4 and not controller.busy)


def test_pause_stops_and_resume_goes_on(qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, files: list[Path]) -> None:
    library.add(files)
    library.gate = gate = Gate()
    controller.use(library)
    qtbot.waitUntil(gate.reached.is_set)

    controller.pause()
    idle(qtbot, controller)
    assert library.texts == {}
    library.gate = None
    controller.resume()

    qtbot.waitUntil(lambda: len(library.texts) == 4 and not controller.busy)


def test_files_can_be_removed_while_paused(qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, files: list[Path]) -> None:
    library.add(files)
    controller.use(library)
    qtbot.waitUntil(lambda: len(library.texts) == 4 and not controller.busy)
    controller.pause()

    controller._panel.remove_requested.emit(files[0])

    qtbot.waitUntil(lambda: len(library.texts) == 3 and not controller.busy)


def test_a_failure_is_said_in_the_panel_and_the_next_wish_works(
    qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, files: list[Path]
) -> None:
    library.failure = NotEnoughDisk("The disk is full.")
    with qtbot.waitSignal(controller.failed):
        controller.use(library)
    idle(qtbot, controller)
    assert controller._panel.banner.title.text() == "The disk is full."

    library.failure = None
    controller.add_paths(files)

    qtbot.waitUntil(lambda: len(library.texts) == 4 and not controller.busy)
    assert not controller._panel.banner.title.text()
