from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QSplitter, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from core.documents import IndexedFile, IndexReport
from core.events import (
    EmbedderLoading,
    EmbedderReady,
    FileFinished,
    FileSearchable,
    FileStarted,
    IndexFinished,
    IndexGoesOn,
    IndexHeld,
    IndexProgress,
    IndexStarted,
)
from core.settings import Language
from desktop.error_text import REASONS
from desktop.library.document_words import what_to_do
from desktop.library.library_panel import LibraryPanel
from desktop.main_window import LEAST_LEFT_COLUMNS
from desktop.theme import apply_theme
from desktop.translation import install_language
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.surface import columns
from tests.fakes.documents import HOSTILE_NAMES, document

NOTES = Path("/home/notes")


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def shown_folders() -> list[Path]:
    return []


@pytest.fixture
def panel(qtbot: QtBot, clock: _Clock, shown_folders: list[Path]) -> LibraryPanel:
    panel = LibraryPanel(show_folder=shown_folders.append, clock=clock)
    qtbot.addWidget(panel)
    panel.resize(320, 700)
    panel.show()
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    return panel


def test_an_empty_library_says_how_to_begin(panel: LibraryPanel, qtbot: QtBot) -> None:
    assert panel.empty.isVisible() and panel.tree.isHidden()
    assert panel.filter.isHidden()

    with qtbot.waitSignal(panel.add_folder_requested):
        qtbot.mouseClick(panel.empty.add_folder, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(panel.add_files_requested):
        qtbot.mouseClick(panel.add_files, Qt.MouseButton.LeftButton)


def test_documents_appear_with_a_count_of_those_ready(panel: LibraryPanel) -> None:
    panel.show_documents([document(NOTES / "a.txt"), document(NOTES / "b.txt", "waiting")], [NOTES])

    assert panel.tree.isVisible() and panel.empty.isHidden()
    assert panel.tree.isExpanded(panel.model.index(0, 0))
    assert panel.counts.text() == "1 of 2 ready"


def test_indexing_shows_how_far_it_is_how_fast_it_goes_and_how_long_it_takes(panel: LibraryPanel, clock: _Clock) -> None:
    panel.show_documents([document(NOTES / "a.txt", "waiting"), document(NOTES / "b.txt", "waiting")], [NOTES])

    panel.show_event(IndexStarted(40))
    clock.now = 4.0
    panel.show_event(FileStarted(NOTES / "b.txt", 0, 40))
    panel.show_event(IndexProgress(10, 40, 0, 500))
    assert panel.progress.isVisible()
    assert panel.progress.words == "10 of 40 files read · 25\u00a0%\nb.txt\n2.5 files/s"

    for embedded in range(0, 1500, 300):
        panel.show_event(IndexProgress(40, 40, embedded, 3000))
        clock.now += 5.0
    assert panel.progress.words == "1,200 of 3,000 passages · 40\u00a0%\nb.txt\n60 passages/s · 30 s left"

    panel.show_event(IndexFinished(IndexReport()))
    assert panel.progress.isHidden()


def test_files_that_a_run_lists_are_counted_before_the_first_is_ready(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_documents([], [NOTES])

    panel.show_event(IndexStarted(2))
    for name in ("a.txt", "b.txt"):
        panel.show_event(FileSearchable(IndexedFile(NOTES / name, "waiting", chunks=3), 0, 2))

    qtbot.waitUntil(lambda: panel.counts.text() == "0 of 2 ready")


def test_while_a_question_is_answered_the_bar_says_that_it_waits(panel: LibraryPanel) -> None:
    panel.show_event(IndexStarted(40))
    panel.show_event(IndexProgress(40, 40, 300, 3000))

    panel.show_event(IndexHeld())
    assert panel.progress.words == "300 of 3,000 passages · 10\u00a0%\nWaits while a question is answered\n"

    panel.show_event(IndexGoesOn())
    assert "Waits" not in panel.progress.words


def test_while_the_embedding_model_is_loaded_the_bar_says_so(panel: LibraryPanel) -> None:
    panel.show_event(IndexStarted(40))
    panel.show_event(IndexProgress(40, 40, 0, 3000))

    panel.show_event(EmbedderLoading())
    assert panel.progress.words == "0 of 3,000 passages · 0\u00a0%\nLoading the model that searches by meaning\n"

    panel.show_event(EmbedderReady())
    assert "Loading" not in panel.progress.words


def test_a_run_after_a_save_that_has_to_load_the_embedding_model_is_shown_at_once(panel: LibraryPanel) -> None:
    panel.show_event(IndexStarted(1), after_seconds=1.0)
    assert panel.progress.isHidden()

    panel.show_event(EmbedderLoading(), after_seconds=1.0)

    assert panel.progress.isVisible()


def test_a_run_after_a_save_shows_its_progress_only_if_it_takes_long(panel: LibraryPanel, clock: _Clock) -> None:
    panel.show_documents([document(NOTES / "a.txt")], [NOTES])
    done = FileFinished(IndexedFile(NOTES / "a.txt", "ready", chunks=3), 1, 2)

    panel.show_event(IndexStarted(2), after_seconds=1.0)
    panel.show_event(FileStarted(NOTES / "a.txt", 0, 2), after_seconds=1.0)
    assert panel.progress.isHidden()

    clock.now = 1.5
    panel.show_event(done, after_seconds=1.0)
    assert panel.progress.isVisible()

    panel.show_event(IndexFinished(IndexReport(())), after_seconds=1.0)
    assert panel.progress.isHidden()


def test_a_pause_stays_in_sight_until_it_is_ended(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_event(IndexStarted(4))
    with qtbot.waitSignal(panel.pause_requested):
        qtbot.mouseClick(panel.progress.button, Qt.MouseButton.LeftButton)

    panel.show_idle()

    assert panel.progress.isVisible()
    assert panel.progress.words == "0 of 4 files read · 0\u00a0%\nPaused. Questions work meanwhile with what is ready.\n"
    with qtbot.waitSignal(panel.resume_requested):
        qtbot.mouseClick(panel.progress.button, Qt.MouseButton.LeftButton)
    panel.show_idle()
    assert panel.progress.isHidden()


def test_after_a_pause_the_count_goes_on_where_it_stood(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_event(IndexStarted(4))
    panel.show_event(IndexProgress(4, 4, 300, 3000))
    qtbot.mouseClick(panel.progress.button, Qt.MouseButton.LeftButton)
    panel.show_idle()
    qtbot.mouseClick(panel.progress.button, Qt.MouseButton.LeftButton)

    panel.show_event(IndexStarted(4))
    panel.show_event(IndexProgress(4, 4, 0, 2700))

    assert panel.progress.words.startswith("300 of 3,000 passages · 10\u00a0%")


def test_a_single_file_read_during_a_pause_does_not_end_it(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_documents([document(NOTES / "a.txt", "waiting")], [NOTES])
    panel.show_event(IndexStarted(4))
    qtbot.mouseClick(panel.progress.button, Qt.MouseButton.LeftButton)

    panel.show_event(IndexStarted(1))
    panel.show_event(FileFinished(IndexedFile(NOTES / "a.txt", "ready", chunks=3), 1, 1))
    panel.show_event(IndexFinished(IndexReport()))
    panel.show_idle()

    assert panel.progress.words.startswith("0 of 4 files read · 0\u00a0%\nPaused.")
    assert panel.progress.isVisible()
    qtbot.waitUntil(lambda: panel.counts.text() == "1 file")


def test_a_failed_file_says_why_and_what_to_do_and_can_be_retried(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_documents([document(NOTES / "a.txt"), document(NOTES / "b.txt", "failed", reason="unreadable")], [NOTES])

    panel.select(NOTES / "a.txt")
    assert panel.details.isHidden()
    panel.select(NOTES / "b.txt")

    assert panel.details.words.startswith("b.txt\nFailed: The file cannot be opened.\nCheck that you are allowed")
    with qtbot.waitSignal(panel.retry_requested) as asked:
        qtbot.mouseClick(panel.details.retry, Qt.MouseButton.LeftButton)
    assert asked.args == [NOTES / "b.txt"]


def test_a_folder_that_is_not_found_says_what_to_do_until_it_is_back(panel: LibraryPanel) -> None:
    panel.show_documents([document(NOTES / "a.txt")], [NOTES], missing=[NOTES])
    panel.select(NOTES)

    assert panel.details.isVisible() and panel.details.retry.isHidden()
    assert panel.details.words.startswith("notes\n\nIt is not where it was.")

    panel.show_documents([document(NOTES / "a.txt")], [NOTES])
    assert panel.details.isHidden()


@pytest.mark.parametrize(
    ("key", "signal"),
    [(Qt.Key.Key_Return, "document_opened"), (Qt.Key.Key_Delete, "remove_requested"), (Qt.Key.Key_F5, "retry_requested")],
)
def test_every_action_has_a_key(panel: LibraryPanel, qtbot: QtBot, key: Qt.Key, signal: str) -> None:
    panel.show_documents([document(NOTES / "a.txt")], [NOTES])
    panel.select(NOTES / "a.txt")
    panel.tree.setFocus()

    with qtbot.waitSignal(getattr(panel, signal)) as sent:
        qtbot.keyClick(panel.tree, key)

    assert sent.args == [NOTES / "a.txt"]


def test_the_folder_of_a_file_is_shown(panel: LibraryPanel, shown_folders: list[Path]) -> None:
    panel.show_documents([document(NOTES / "a.txt")], [NOTES])
    panel.select(NOTES / "a.txt")

    panel.folder_action.trigger()

    assert shown_folders == [NOTES]


def test_return_on_a_folder_folds_it(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_documents([document(NOTES / "a.txt")], [NOTES])
    panel.select(NOTES)
    panel.tree.setFocus()

    qtbot.keyClick(panel.tree, Qt.Key.Key_Return)

    assert not panel.tree.isExpanded(panel.model.index(0, 0))


def _double_click(panel: LibraryPanel, qtbot: QtBot, path: Path) -> None:
    place = panel.tree.visualRect(panel.model.index_of(path)).center()
    qtbot.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_double_click_opens_a_file_and_folds_a_folder(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_documents([document(NOTES / "a.txt")], [NOTES])
    opened: list[Path] = []
    panel.document_opened.connect(opened.append)

    _double_click(panel, qtbot, NOTES / "a.txt")
    _double_click(panel, qtbot, NOTES)

    assert opened == [NOTES / "a.txt"]
    assert not panel.tree.isExpanded(panel.model.index(0, 0))


def test_what_the_filter_finds_is_seen_in_a_folded_folder_too(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_documents([document(NOTES / "a.txt"), document("/home/books/b.txt")], [NOTES, Path("/home/books")])
    panel.tree.collapse(panel.model.index_of(NOTES))

    panel.filter.setText("a.txt")
    qtbot.waitUntil(lambda: panel.model.shown_count == 1)
    assert panel.tree.isExpanded(panel.model.index_of(NOTES))

    panel.filter.clear()
    qtbot.waitUntil(lambda: panel.model.shown_count == 2)
    assert not panel.tree.isExpanded(panel.model.index_of(NOTES))
    assert panel.tree.isExpanded(panel.model.index_of(Path("/home/books")))


def test_the_folder_of_a_new_file_is_open(panel: LibraryPanel) -> None:
    panel.show_documents([document(NOTES / "a.txt")], [NOTES])

    panel.show_event(FileStarted(Path("/home/one.txt"), 0, 1))

    assert panel.tree.isExpanded(panel.model.index(1, 0))


def test_a_folded_folder_stays_folded_when_files_come_and_go(panel: LibraryPanel) -> None:
    panel.show_documents([document(NOTES / "a.txt")], [NOTES])
    panel.tree.collapse(panel.model.index(0, 0))

    panel.show_documents([document(NOTES / "a.txt"), document(NOTES / "b.txt")], [NOTES])

    assert not panel.tree.isExpanded(panel.model.index(0, 0))


def test_the_chosen_file_stays_chosen_when_files_come_and_go(panel: LibraryPanel) -> None:
    panel.show_documents([document(NOTES / "b.txt")], [NOTES])
    panel.select(NOTES / "b.txt")

    panel.show_documents([document(NOTES / "a.txt"), document(NOTES / "b.txt")], [NOTES])

    assert panel.model.path(panel.tree.currentIndex()) == NOTES / "b.txt"


@pytest.mark.parametrize("allowed", [True, False])
def test_a_whole_folder_is_removed_only_after_a_question(panel: LibraryPanel, monkeypatch: pytest.MonkeyPatch, allowed: bool) -> None:
    asked: list[tuple[str, int]] = []
    removed: list[Path] = []
    monkeypatch.setattr(panel, "_folder_may_go", lambda name, files: asked.append((name, files)) or allowed)
    panel.remove_requested.connect(removed.append)
    panel.show_documents([document(NOTES / "a.txt"), document(NOTES / "b.txt")], [NOTES])
    panel.select(NOTES)

    panel.remove_action.trigger()

    assert asked == [("notes", 2)]
    assert removed == ([NOTES] if allowed else [])


def test_the_context_menu_offers_what_fits_the_row(panel: LibraryPanel) -> None:
    panel.show_documents([document(NOTES / "a.txt"), document("/home/one.txt")], [NOTES])

    def words(path: Path | None) -> list[str]:
        index = panel.model.index_of(path) if path else panel.model.index(1, 0)
        return [action.text() for action in panel.menu(index).actions() if action.text()]

    assert words(NOTES / "a.txt") == ["Open text", "Show in folder", "Read again", "Encoding", "Remove from library"]
    assert words(NOTES) == ["Show in folder", "Read again", "Remove from library"]
    assert words(None) == []


def encoding_actions(panel: LibraryPanel, path: Path) -> list[QAction]:
    menu = next(action.menu() for action in panel.menu(panel.model.index_of(path)).actions() if action.text() == "Encoding")
    assert isinstance(menu, QMenu)
    return [action for action in menu.actions() if not action.isSeparator()]


def test_the_encoding_that_was_found_is_named_and_another_can_be_chosen(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_documents([document(NOTES / "a.txt", encoding="gb18030")], [NOTES])

    actions = encoding_actions(panel, NOTES / "a.txt")
    assert [action.text() for action in actions if action.isChecked()] == ["Automatic (GB18030)"]
    assert actions[1].text() == "UTF-8 · all languages"

    with qtbot.waitSignal(panel.encoding_chosen) as chosen:
        next(action for action in actions if action.text().startswith("Big5")).trigger()
    assert chosen.args == [NOTES / "a.txt", "big5hkscs"]


@pytest.mark.parametrize(("encoding", "shown"), [("cp932", "Shift JIS · Japanese"), ("mac_roman", "Mac Roman")])
def test_an_encoding_that_was_chosen_is_ticked_and_can_be_taken_back(panel: LibraryPanel, qtbot: QtBot, encoding: str, shown: str) -> None:
    panel.show_documents([replace(document(NOTES / "a.txt", encoding=encoding), encoding_is_chosen=True)], [NOTES])

    actions = encoding_actions(panel, NOTES / "a.txt")
    assert [action.text() for action in actions if action.isChecked()] == [shown]

    with qtbot.waitSignal(panel.encoding_chosen) as chosen:
        next(action for action in actions if action.text() == "Automatic").trigger()
    assert chosen.args == [NOTES / "a.txt", "auto"]


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.png"])
def test_what_says_itself_how_it_is_read_has_no_choice_of_encoding(panel: LibraryPanel, name: str) -> None:
    panel.show_documents([document(NOTES / name)], [NOTES])

    assert "Encoding" not in [action.text() for action in panel.menu(panel.model.index_of(NOTES / name)).actions()]


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_says_what_to_do_and_lets_the_file_be_read_again(panel: LibraryPanel, qtbot: QtBot, reason: str) -> None:
    panel.show_documents([document(NOTES / "a.txt", "failed", reason=reason)], [NOTES])
    panel.select(NOTES / "a.txt")

    assert len(panel.details.words.splitlines()) == 3 and all(panel.details.words.splitlines())
    with qtbot.waitSignal(panel.retry_requested):
        qtbot.mouseClick(panel.details.retry, Qt.MouseButton.LeftButton)


def test_the_context_menu_opens_by_key_at_the_current_row(panel: LibraryPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[QPoint] = []
    monkeypatch.setattr(QMenu, "popup", lambda _, place: places.append(place))
    panel.show_documents([document(NOTES / "a.txt")], [NOTES])
    panel.select(NOTES / "a.txt")

    panel.tree.customContextMenuRequested.emit(QPoint(10_000, 10_000))

    row = panel.tree.visualRect(panel.model.index_of(NOTES / "a.txt"))
    assert [panel.tree.viewport().mapFromGlobal(place) for place in places] == [row.center()]


def test_the_filter_says_when_nothing_fits(panel: LibraryPanel, qtbot: QtBot) -> None:
    panel.show_documents([document(NOTES / "a.txt")], [NOTES])

    qtbot.keyClicks(panel.filter, "<b>")
    qtbot.waitUntil(lambda: panel.nothing_found.isVisible() and panel.tree.isHidden())

    assert panel.nothing_found.text() == "No file has this in its name."
    panel.filter.clear()
    qtbot.waitUntil(panel.tree.isVisible)


def test_a_problem_is_said_in_the_panel_and_can_be_put_away(panel: LibraryPanel) -> None:
    panel.show_problem("<h1>The disk is full.</h1>", "Make room.")

    assert panel.banner.isVisible()
    assert panel.banner.title.textFormat() is Qt.TextFormat.PlainText
    panel.show_problem("", "")
    assert panel.banner.isHidden()


def test_hostile_names_are_painted_and_no_label_guesses_html(panel: LibraryPanel) -> None:
    documents = [document(NOTES / name, "failed", reason="unreadable") for name in HOSTILE_NAMES]
    panel.show_documents(documents, [NOTES])

    for one in documents:
        panel.select(one.path)
        panel.show_event(FileStarted(one.path, 0, 9))
        panel.grab()

    guessing = [label for label in panel.findChildren(QLabel) if label.text() and label.textFormat() is not Qt.TextFormat.PlainText]
    assert guessing == []


LONG_NAMES = (
    "Minutes of the extraordinary meeting of the harbour authority, corrected.docx",
    "关于加强灯塔维护与安全生产工作的意见" * 4 + ".docx",
    "x" * 200,
)
SOME = [document(NOTES / name, "failed", reason="unreadable") for name in LONG_NAMES]


def listed(panel: LibraryPanel, clock: _Clock) -> None:
    panel.show_documents(SOME, [NOTES])


def chosen(panel: LibraryPanel, clock: _Clock) -> None:
    panel.select(SOME[-1].path)


def problem(panel: LibraryPanel, clock: _Clock) -> None:
    panel.show_problem("The disk is full.", what_to_do("unreadable"))


def unwatched(panel: LibraryPanel, clock: _Clock) -> None:
    panel.show_unwatched(True)


def running(panel: LibraryPanel, clock: _Clock) -> None:
    """Numbers as large as they come, and a speed."""
    panel.show_event(IndexStarted(123_456))
    panel.show_event(FileStarted(SOME[1].path, 0, 123_456))
    for embedded in range(0, 1_500_000, 300_000):
        panel.show_event(IndexProgress(123_456, 123_456, embedded, 9_000_000))
        clock.now += 5_000.0


STATES: dict[str, Sequence[Callable[[LibraryPanel, _Clock], object]]] = {
    "empty": [],
    "problem": [problem],
    "filtered": [listed, lambda panel, _: panel.filter.setText("x" * 300)],
    "failed": [listed, chosen],
    "not found": [lambda panel, _: panel.show_documents(SOME, [NOTES], [NOTES]), lambda panel, _: panel.select(NOTES)],
    "unwatched": [listed, unwatched],
    "running": [listed, running],
    "loading": [listed, running, lambda panel, _: panel.show_event(EmbedderLoading())],
    "held": [listed, running, lambda panel, _: panel.show_event(IndexHeld())],
    "paused": [listed, running, lambda panel, _: panel.progress.button.click()],
    "all at once": [listed, chosen, problem, unwatched, running],
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_no_word_is_cut_off_in_the_narrowest_panel(
    qtbot: QtBot, app: QApplication, clock: _Clock, language: Language, scale: float, state: str
) -> None:
    font = QFont(app.font())
    font.setPointSizeF(font.pointSizeF() * scale)
    app.setFont(font)
    apply_theme(app, "light")
    install_language(app, language)
    panel, above, pane = LibraryPanel(clock=clock), QWidget(), QSplitter(Qt.Orientation.Vertical)  # as in the window
    qtbot.addWidget(pane)
    pane.addWidget(above)
    pane.addWidget(panel)
    pane.setChildrenCollapsible(False)
    pane.setMinimumWidth(columns(pane, LEAST_LEFT_COLUMNS))  # else a layout that needs more takes more
    pane.resize(pane.minimumWidth(), columns(pane, 120))
    pane.setSizes([300, 420])
    pane.show()

    for step in STATES[state]:
        step(panel, clock)
    qtbot.waitUntil(lambda: not panel.filter.text() or panel.nothing_found.isVisible())
    QApplication.processEvents()

    seen = [widget for widget in panel.findChildren(QWidget) if widget.isVisible() and not panel.tree.isAncestorOf(widget)]
    labels = [widget for widget in seen if isinstance(widget, QLabel) and widget.text()]
    names = {document.path.name for document in SOME}
    assert [widget for widget in seen if not panel.rect().contains(QRect(widget.mapTo(panel, QPoint()), widget.size()))] == []
    assert [label.text() for label in labels if label.wordWrap() and label.height() < label.heightForWidth(label.width())] == []
    assert [label.text() for label in labels if label.width() < label.minimumSizeHint().width()] == []
    assert {label.full_text for label in labels if isinstance(label, ElidedLabel) and label.text() != label.full_text} <= names
    assert [one.text() for one in seen if isinstance(one, QPushButton) and one.width() < one.sizeHint().width()] == []


def test_the_panel_speaks_another_language_at_once(panel: LibraryPanel, app: QApplication) -> None:
    panel.show_documents([document(NOTES / "a.txt"), document(NOTES / "b.txt", "failed", reason="unreadable")], [NOTES])
    panel.select(NOTES / "b.txt")

    install_language(app, "zh_CN")
    QApplication.processEvents()

    assert panel.title.text() == "资料库"
    assert panel.counts.text() == "已就绪 1/2"
    assert panel.details.words.startswith("b.txt\n失败：无法打开文件。")
    assert panel.remove_action.text() == "从资料库中移除"


def test_every_button_has_a_name_for_the_screen_reader(panel: LibraryPanel) -> None:
    buttons = [button for button in panel.findChildren(QToolButton) if button.parent() is not panel.filter]

    assert buttons
    assert all(button.accessibleName() for button in buttons)
