from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from core.documents import Document, IndexedFile
from core.events import FileFinished, FileProgress, FileSearchable, FileStarted
from desktop.library.document_list_model import DocumentListModel
from desktop.library.document_words import RowStatus, state_line
from tests.fakes.documents import HOSTILE_NAMES, document

NOTES, BOOKS = Path("/home/notes"), Path("/home/books")


@pytest.fixture
def model(qtbot: QtBot) -> DocumentListModel:
    model = DocumentListModel()
    # Checks on every signal that the model keeps Qt's rules.
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    assert tester.model() is model
    return model


def _children(model: QAbstractItemModel, parent: QModelIndex | None = None) -> list[str]:
    parent = parent or QModelIndex()
    return [model.index(row, 0, parent).data() for row in range(model.rowCount(parent))]


def _tree(model: DocumentListModel) -> dict[str, list[str]]:
    return {model.index(row, 0).data(): _children(model, model.index(row, 0)) for row in range(model.rowCount())}


def test_files_stand_under_their_source_in_order_of_name(model: DocumentListModel) -> None:
    documents = [document(NOTES / "b.txt"), document(BOOKS / "deep" / "er.txt"), document(NOTES / "A.txt"), document("/home/one.py")]

    model.show_documents(documents, [NOTES, BOOKS, Path("/home/one.py")])

    assert _tree(model) == {"notes": ["A.txt", "b.txt"], "books": ["deep/er.txt"], "Single files": ["one.py"]}


def test_numbers_in_names_count_as_numbers(model: DocumentListModel) -> None:
    names = ["note 10.md", "note 2.md", "note 1.md", "10.txt", "9.txt", "a.txt", "\u0663.txt"]

    model.show_documents([document(NOTES / name) for name in names], [NOTES])

    assert _tree(model)["notes"] == ["9.txt", "10.txt", "a.txt", "note 1.md", "note 2.md", "note 10.md", "\u0663.txt"]


def test_a_file_belongs_to_the_innermost_source(model: DocumentListModel) -> None:
    model.show_documents([document(NOTES / "work" / "plan.txt")], [NOTES, NOTES / "work"])

    assert _tree(model) == {"notes": [], "work": ["plan.txt"]}


def test_a_folder_whose_name_begins_like_a_source_is_not_in_it(model: DocumentListModel) -> None:
    model.show_documents([document("/home/notes2/x.txt")], [NOTES])

    assert _tree(model) == {"notes": [], "Single files": ["x.txt"]}


def test_an_event_changes_one_row_in_place(model: DocumentListModel, qtbot: QtBot) -> None:
    model.show_documents([document(NOTES / "a.txt", "waiting"), document(NOTES / "b.txt", "waiting")], [NOTES])

    with qtbot.waitSignal(model.dataChanged):
        model.show_event(FileProgress(NOTES / "a.txt", 12, 40))
    running = model.status(model.index_of(NOTES / "a.txt"))
    model.show_event(FileFinished(IndexedFile(NOTES / "a.txt", "ready", encoding="gb18030", chunks=40), 1, 2))
    ready = model.status(model.index_of(NOTES / "a.txt"))

    assert running is not None and (running.state, running.done, running.total) == ("indexing", 12, 40)
    assert ready is not None and (ready.state, ready.encoding, ready.passages) == ("ready", "gb18030", 40)
    assert model.ready_count == 1


def test_a_file_that_was_read_says_that_its_words_find_it(model: DocumentListModel) -> None:
    model.show_documents([document(NOTES / "a.txt", "waiting")], [NOTES])

    model.show_event(FileSearchable(IndexedFile(NOTES / "a.txt", "waiting", encoding="gb18030", chunks=40), 0, 2))

    status = model.status(model.index_of(NOTES / "a.txt"))
    assert status is not None and (status.state, status.encoding, status.passages) == ("waiting", "gb18030", 40)
    assert state_line(status) == "Found by its words so far"
    assert state_line(RowStatus("waiting")) == "Waiting"


def test_a_file_nobody_knew_gets_a_row_in_its_place(model: DocumentListModel) -> None:
    model.show_documents([document(NOTES / "a.txt"), document(NOTES / "c.txt")], [NOTES])

    model.show_event(FileStarted(NOTES / "b.txt", 0, 2))
    model.show_event(FileStarted(Path("/elsewhere/x.txt"), 0, 2))

    assert _tree(model) == {"notes": ["a.txt", "b.txt", "c.txt"], "Single files": ["x.txt"]}
    assert model.document_count == 4


def test_the_same_files_again_do_not_reset_the_view(model: DocumentListModel, qtbot: QtBot) -> None:
    model.show_documents([document(NOTES / "a.txt", "waiting")], [NOTES])

    with qtbot.assertNotEmitted(model.modelReset):
        model.show_documents([document(NOTES / "a.txt", "ready")], [NOTES])

    status = model.status(model.index_of(NOTES / "a.txt"))
    assert status is not None and status.state == "ready"


def test_the_filter_keeps_files_and_folders_whose_name_fits(model: DocumentListModel) -> None:
    model.show_documents([document(NOTES / "Plan.txt"), document(NOTES / "other.txt"), document(BOOKS / "novel.txt")], [NOTES, BOOKS])

    model.set_filter("PLAN")
    assert _tree(model) == {"notes": ["Plan.txt"]}
    assert not model.index_of(BOOKS / "novel.txt").isValid()

    model.set_filter("books")
    assert _tree(model) == {"books": ["novel.txt"]}

    model.set_filter("")
    assert model.shown_count == 3


def test_the_filter_is_plain_text_not_a_pattern(model: DocumentListModel) -> None:
    model.show_documents([document(NOTES / "a[1].txt"), document(NOTES / "a1.txt")], [NOTES])

    model.set_filter("[1]")

    assert _tree(model) == {"notes": ["a[1].txt"]}


def test_an_event_for_a_hidden_file_is_not_lost(model: DocumentListModel) -> None:
    model.show_documents([document(NOTES / "a.txt", "waiting"), document(NOTES / "b.txt", "waiting")], [NOTES])
    model.set_filter("b.txt")

    model.show_event(FileFinished(IndexedFile(NOTES / "a.txt", "ready", chunks=3), 1, 2))
    model.set_filter("")

    status = model.status(model.index_of(NOTES / "a.txt"))
    assert status is not None and status.state == "ready"


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_hostile_name_stays_one_line_and_its_path_stays_true(model: DocumentListModel, name: str) -> None:
    model.show_documents([document(NOTES / name, "failed", reason="unreadable")], [NOTES])

    index = model.index_of(NOTES / name)
    assert "\n" not in index.data()
    assert "\u202e" not in index.data()
    assert model.path(index) == NOTES / name


def test_a_tooltip_shows_tags_as_text(model: DocumentListModel) -> None:
    model.show_documents([document(NOTES / "<b>x<b>.txt")], [NOTES])

    tip = model.index_of(NOTES / "<b>x<b>.txt").data(Qt.ItemDataRole.ToolTipRole)

    assert "<b>" not in tip
    assert "&lt;b&gt;x" in tip


def test_the_screen_reader_hears_the_state_and_what_to_do(model: DocumentListModel) -> None:
    model.show_documents([document(NOTES / "x.txt", "skipped", reason="empty"), document(NOTES / "y.txt", encoding="gb18030")], [NOTES])

    first = model.index_of(NOTES / "x.txt").data(Qt.ItemDataRole.AccessibleTextRole)
    second = model.index_of(NOTES / "y.txt").data(Qt.ItemDataRole.AccessibleTextRole)

    assert first == "x.txt, Skipped: The file is empty., Nothing to do. When it has text, it is read by itself."
    assert second == "y.txt, Ready · 14 passages, Encoding: GB18030"
    assert model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "notes, 2 files"


@pytest.mark.parametrize(
    ("encoding", "is_chosen", "tip", "spoken"),
    [
        ("utf-8", False, "Encoding: UTF-8", ""),
        ("cp932", False, "Encoding: Shift JIS", "Encoding: Shift JIS"),
        ("utf-8", True, "Encoding: UTF-8, chosen by you", "Encoding: UTF-8, chosen by you"),
        ("", False, "", ""),
    ],
)
def test_the_encoding_of_a_text_file_is_shown_and_who_said_so(
    model: DocumentListModel, encoding: str, is_chosen: bool, tip: str, spoken: str
) -> None:
    model.show_documents([replace(document(NOTES / "x.txt", encoding=encoding), encoding_is_chosen=is_chosen)], [NOTES])

    index = model.index_of(NOTES / "x.txt")

    assert (tip or "Ready") in index.data(Qt.ItemDataRole.ToolTipRole)
    assert ("Encoding" in index.data(Qt.ItemDataRole.ToolTipRole)) == bool(tip)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == ", ".join(["x.txt", "Ready · 14 passages", *([spoken] if spoken else [])])


def test_twenty_thousand_files_stay_quick(qtbot: QtBot) -> None:
    model = DocumentListModel()
    documents: list[Document] = [document(NOTES / f"folder{number % 100}" / f"file{number}.txt", "waiting") for number in range(20_000)]

    started = time.process_time()
    model.show_documents(documents, [NOTES])
    shown = time.process_time()
    for number, one in enumerate(documents[:1000]):
        model.show_event(FileFinished(IndexedFile(one.path, "ready", chunks=3), number, 20_000))
    followed = time.process_time()
    model.set_filter("file777")
    filtered = time.process_time()

    # Ten times what they take; processor time, so that a busy machine does not count.
    assert shown - started < 3
    assert followed - shown < 1
    assert filtered - followed < 1
    assert model.shown_count == 11


def test_a_source_that_is_not_there_says_so_and_what_to_do_until_it_is_back() -> None:
    model = DocumentListModel()
    model.show_documents([], [NOTES], missing=[NOTES])
    group = model.index(0, 0)

    assert group.data(DocumentListModel.MISSING) == "not found"
    assert "Put it back" in group.data(Qt.ItemDataRole.ToolTipRole)
    assert "Put it back" in group.data(Qt.ItemDataRole.AccessibleTextRole)

    model.show_documents([], [NOTES])

    assert group.data(DocumentListModel.MISSING) == ""
    assert "Put it back" not in group.data(Qt.ItemDataRole.ToolTipRole)
