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
from desktop.library.document_list_model import DocumentListModel
from desktop.library.library_controller import LibraryController
from desktop.library.library_panel import LibraryPanel
from tests.fakes.window import FakeWatch, Gate, MemoryLibrary, WindowApplication


@pytest.fixture
def library(paths: Paths) -> Iterator[MemoryLibrary]:
    application = WindowApplication(paths)
    yield application.library
    application.close()


@pytest.fixture
def watch() -> FakeWatch:
    return FakeWatch()


@pytest.fixture
def panel(qtbot: QtBot) -> LibraryPanel:
    panel = LibraryPanel()
    qtbot.addWidget(panel)
    return panel


@pytest.fixture
def controller(panel: LibraryPanel, watch: FakeWatch) -> Iterator[LibraryController]:
    made = LibraryController(panel, make_watch=watch.make)
    yield made
    assert made.stop(2.0)
    assert watch.stopped
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

    def index(cancel: CancelToken, paths: Sequence[Path] | None = None, *, changed: object = None) -> Iterator[IndexEvent]:
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


def test_a_file_whose_encoding_was_chosen_is_read_again_at_once(
    qtbot: QtBot, controller: LibraryController, panel: LibraryPanel, library: MemoryLibrary, files: list[Path]
) -> None:
    library.add(files)
    controller.use(library)
    idle(qtbot, controller)

    panel.encoding_chosen.emit(files[1], "gb18030")

    qtbot.waitUntil(lambda: (files[1],) in library.runs and not controller.busy)
    assert library.encodings == {files[1]: "gb18030"}


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


def test_a_removed_file_leaves_the_list_before_all_of_it_is_deleted(
    qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add(files)
    controller.use(library)
    qtbot.waitUntil(lambda: len(library.texts) == 4 and not controller.busy)
    gate = Gate()
    monkeypatch.setattr(library, "finish_removals", gate.wait)

    controller._panel.remove_requested.emit(files[0])

    qtbot.waitUntil(gate.reached.is_set)
    qtbot.waitUntil(lambda: controller._panel.model.document_count == 3)
    gate.open()
    idle(qtbot, controller)


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


@pytest.fixture
def open_library(qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, files: list[Path]) -> MemoryLibrary:
    """A library of the files, as it is when the first run is over."""
    library.add([files[0].parent])
    controller.use(library)
    qtbot.waitUntil(lambda: len(library.texts) == 4 and not controller.busy)
    library.runs.clear()
    return library


def test_sources_are_watched_before_they_are_looked_at(
    qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, watch: FakeWatch, files: list[Path]
) -> None:
    library.add(files[:2])
    watched_at_the_look: list[int] = []
    read = library._read
    library._read = lambda *given: watched_at_the_look.append(len(watch.sources)) or read(*given)  # type: ignore[method-assign, func-returns-value]

    controller.use(library)

    qtbot.waitUntil(lambda: bool(library.runs) and not controller.busy)
    assert watched_at_the_look == [1] and watch.sources == [tuple(files[:2])]


def test_a_source_that_is_added_or_removed_is_watched_or_not(
    qtbot: QtBot, controller: LibraryController, library: MemoryLibrary, watch: FakeWatch, files: list[Path]
) -> None:
    controller.use(library)
    controller.add_paths(files[:2])
    qtbot.waitUntil(lambda: len(library.texts) == 2 and not controller.busy)
    assert watch.sources[-1] == tuple(files[:2])

    controller.pause()
    controller._panel.remove_requested.emit(files[0])

    qtbot.waitUntil(lambda: watch.sources[-1] == (files[1],))
    idle(qtbot, controller)


def test_what_changes_is_read_and_what_goes_is_forgotten(
    qtbot: QtBot, controller: LibraryController, open_library: MemoryLibrary, watch: FakeWatch, files: list[Path]
) -> None:
    files[0].write_text("new words", encoding="utf-8")
    files[1].unlink()

    watch.say_changed(files[0], files[1])

    qtbot.waitUntil(lambda: controller._panel.model.document_count == 3)
    idle(qtbot, controller)
    assert open_library.texts[files[0]] == "new words" and files[1] not in open_library.texts
    assert open_library.runs == [(files[0], files[1])]


def test_what_changes_during_a_run_is_read_by_that_run(
    qtbot: QtBot, controller: LibraryController, open_library: MemoryLibrary, watch: FakeWatch, files: list[Path]
) -> None:
    open_library.gate = gate = Gate()
    watch.say_changed(files[0])
    qtbot.waitUntil(gate.reached.is_set)

    files[3].write_text("new words", encoding="utf-8")
    watch.say_changed(files[3])
    watch.say_changed(files[2])
    qtbot.waitUntil(lambda: len(controller._meanwhile.left) == 2)
    open_library.gate = None
    gate.open()

    qtbot.waitUntil(lambda: open_library.texts[files[3]] == "new words" and not controller.busy)
    assert (open_library.runs, open_library.taken) == ([(files[0],)], [(files[2], files[3])])


def test_what_a_run_did_not_take_up_any_more_gets_a_run_of_its_own(
    qtbot: QtBot,
    controller: LibraryController,
    open_library: MemoryLibrary,
    watch: FakeWatch,
    files: list[Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_library.gate = gate = Gate()
    watch.say_changed(files[0])
    qtbot.waitUntil(gate.reached.is_set)

    monkeypatch.setattr("core.library.changed_paths.ChangedPaths.take", lambda changed: ())
    watch.say_changed(files[1])
    qtbot.waitUntil(lambda: bool(controller._meanwhile.left))
    open_library.gate = None
    gate.open()

    qtbot.waitUntil(lambda: len(open_library.runs) == 2 and not controller.busy)
    assert open_library.runs == [(files[0],), (files[1],)]


def test_a_wish_of_the_person_goes_before_changes_and_covers_them(
    qtbot: QtBot, controller: LibraryController, open_library: MemoryLibrary, watch: FakeWatch, files: list[Path]
) -> None:
    open_library.gate = gate = Gate()
    watch.say_changed(files[0])
    qtbot.waitUntil(gate.reached.is_set)

    watch.say_changed(files[1])
    controller.rebuild_index()
    open_library.gate = None

    qtbot.waitUntil(lambda: len(open_library.texts) == 4 and not controller.busy)
    assert open_library.runs == [(files[0],), None]


def test_while_paused_nothing_is_read_and_after_it_everything_is_looked_at(
    qtbot: QtBot, controller: LibraryController, open_library: MemoryLibrary, watch: FakeWatch, files: list[Path]
) -> None:
    controller.pause()
    idle(qtbot, controller)

    files[0].write_text("new words", encoding="utf-8")
    watch.say_changed(files[0])
    qtbot.wait(1)
    assert open_library.runs == [] and not controller.busy

    controller.resume()
    qtbot.waitUntil(lambda: open_library.texts[files[0]] == "new words" and not controller.busy)
    assert open_library.runs == [None]


def test_a_run_after_changes_that_fails_again_and_again_is_said_once_and_made_up_for(
    qtbot: QtBot, controller: LibraryController, open_library: MemoryLibrary, watch: FakeWatch, files: list[Path]
) -> None:
    failures: list[object] = []
    controller.failed.connect(failures.append)
    open_library.failure = NotEnoughDisk("The disk is full.")
    for count, file in enumerate(files[:3], start=1):
        watch.say_changed(file)
        qtbot.waitUntil(lambda count=count: len(open_library.runs) == count and not controller.busy)  # type: ignore[misc]
    assert len(failures) == 1
    assert controller._panel.banner.title.text() == "The disk is full."

    open_library.failure = None
    watch.say_changed(files[3])

    qtbot.waitUntil(lambda: len(open_library.runs) == 4 and not controller.busy)
    assert open_library.runs[-1] == tuple(files)
    assert not controller._panel.banner.title.text()


def test_what_cannot_be_watched_is_said_in_the_panel(
    qtbot: QtBot, controller: LibraryController, open_library: MemoryLibrary, watch: FakeWatch, files: list[Path]
) -> None:
    with qtbot.waitSignal(controller.unwatched, check_params_cb=lambda count: count == 1):
        watch.say_unwatched(files[0].parent)
    assert not controller._panel.unwatched.isHidden()

    with qtbot.waitSignal(controller.unwatched):
        watch.say_unwatched()
    assert controller._panel.unwatched.isHidden()


def test_changes_are_left_alone_after_the_library_was_released(
    qtbot: QtBot, controller: LibraryController, open_library: MemoryLibrary, watch: FakeWatch, files: list[Path]
) -> None:
    controller.release()

    watch.say_changed(files[0])
    qtbot.wait(1)

    assert open_library.runs == [] and not controller.busy


def test_a_linked_folder_that_was_renamed_is_shown_as_not_found_beside_what_is_there(
    qtbot: QtBot, controller: LibraryController, panel: LibraryPanel, library: MemoryLibrary, watch: FakeWatch, tmp_path: Path
) -> None:
    folder, elsewhere = tmp_path / "notes", tmp_path / "other"
    folder.mkdir()
    (folder / "a.txt").write_text("the otter", encoding="utf-8")
    library.add([folder])
    controller.use(library)
    idle(qtbot, controller)
    assert panel.model.index(0, 0).data(DocumentListModel.MISSING) == ""

    folder.rename(elsewhere)
    controller.add_paths([elsewhere])
    qtbot.waitUntil(lambda: panel.model.index(0, 0).data(DocumentListModel.MISSING) == "not found")
    idle(qtbot, controller)
    assert panel.model.index(1, 0).data(DocumentListModel.MISSING) == ""
