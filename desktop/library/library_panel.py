"""The library as a person sees it: their files and how far each has come, and what they may do with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QSignalBlocker, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QLineEdit, QMenu, QMessageBox, QTreeView, QVBoxLayout, QWidget

from core.documents import Document
from core.events import FileFinished, FileSearchable, IndexEvent, IndexFinished
from core.library.file_kinds import may_choose_encoding
from desktop.library.document_delegate import DocumentDelegate
from desktop.library.document_details import DocumentDetails
from desktop.library.document_list_model import DocumentListModel
from desktop.library.document_words import files_text, state_line, what_to_do
from desktop.library.empty_library import EmptyLibrary
from desktop.library.encoding_menu import encoding_menu
from desktop.library.progress_strip import ProgressStrip
from desktop.shown_name import shown_name
from desktop.theme import icon
from desktop.widgets.banner import Banner
from desktop.widgets.icon_button import IconButton
from desktop.widgets.safe_text import PlainLabel
from desktop.widgets.surface import TintedLabel

_FILTER_DELAY_MS = 120


class LibraryPanel(QWidget):
    """Speaks in the person's words: signals say what they want, methods say what there is to show. It reads and changes nothing."""

    add_files_requested = Signal()
    add_folder_requested = Signal()
    document_opened = Signal(object)
    remove_requested = Signal(object)
    retry_requested = Signal(object)
    encoding_chosen = Signal(object, str)  # path, encoding or "auto"
    pause_requested = Signal()
    resume_requested = Signal()

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        show_folder: Callable[[Path], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._show_folder = show_folder or _show_in_file_manager
        self._collapsed: set[Path | None] = set()
        self.model = DocumentListModel(self)
        self._make_parts(clock)
        self._make_actions()
        self._lay_out()
        self._connect()
        self._retranslate()
        self._show_counts()

    # What the controller tells it

    def show_documents(self, documents: Sequence[Document], sources: Sequence[Path], missing: Collection[Path] = ()) -> None:
        """Show these documents under these source folders and files, and which of these are `missing` on the disk."""
        self.model.show_documents(documents, sources, missing)
        self._show_counts()
        self._show_details()

    def show_event(self, event: IndexEvent, *, after_seconds: float = 0.0) -> None:
        """Show what an indexing run reports, as it happens; its progress only if it takes longer than `after_seconds`."""
        self.model.show_event(event)
        self.progress.show_event(event, after_seconds=after_seconds)
        if isinstance(event, FileSearchable | FileFinished | IndexFinished) and not self._counts_due.isActive():
            self._counts_due.start()  # not anew with every file: while many end in a row it would never be due

    def show_idle(self) -> None:
        """No indexing run is going on."""
        self.progress.show_idle()

    def show_problem(self, title: str, what_to_do: str) -> None:
        """Say in the panel that something failed; two empty texts take it away."""
        self.banner.show_words(title, what_to_do)

    def show_unwatched(self, some: bool) -> None:
        """Say, or no longer say, that some folders cannot be watched all the time."""
        self.unwatched.setVisible(some)

    def select(self, path: Path) -> None:
        """Make the row of a file the current one and bring it into sight."""
        index = self.model.index_of(path)
        if index.isValid():
            self.tree.setCurrentIndex(index)

    # Making

    def _make_parts(self, clock: Callable[[], float]) -> None:
        self.title = TintedLabel(bold=True, wrap=False)
        self.counts = PlainLabel()
        self.counts.setProperty("muted", True)
        self.add_files = IconButton("add-file")
        self.add_folder = IconButton("add-folder")
        self.filter = QLineEdit()
        self.filter.setClearButtonEnabled(True)
        self.banner = Banner()
        self.tree = QTreeView()
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(DocumentDelegate(self.tree))
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setRootIsDecorated(True)
        self.tree.setIndentation(round(self.fontMetrics().height() * 0.9))
        self.tree.setMouseTracking(True)
        self.tree.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.nothing_found = PlainLabel()
        self.nothing_found.setProperty("muted", True)
        self.nothing_found.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.empty = EmptyLibrary()
        self.unwatched = PlainLabel()
        self.unwatched.setProperty("muted", True)
        self.unwatched.hide()
        self.details = DocumentDetails()
        self.progress = ProgressStrip(clock=clock)
        self._filter_due = _single_shot(self, _FILTER_DELAY_MS)
        self._counts_due = _single_shot(self, _FILTER_DELAY_MS)

    def _make_actions(self) -> None:
        self.open_action = self._action([Qt.Key.Key_Return, Qt.Key.Key_Enter], self._open)
        self.folder_action = self._action(["Ctrl+Shift+E"], self._open_folder)
        self.retry_action = self._action(["Ctrl+R", "F5"], self._retry)
        self.remove_action = self._action([QKeySequence.StandardKey.Delete], self._remove)

    def _action(self, keys: Sequence[object], perform: Callable[[], None]) -> QAction:
        action = QAction(self.tree)
        action.setShortcuts([QKeySequence(key) for key in keys])  # type: ignore[call-overload]
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(perform)
        self.tree.addAction(action)
        return action

    def _lay_out(self) -> None:
        space = self.fontMetrics().height()
        words = QVBoxLayout()  # one below the other: beside each other, large numbers leave no room in a narrow panel
        words.setSpacing(0)
        words.addWidget(self.title)
        words.addWidget(self.counts)
        head = QHBoxLayout()
        head.setSpacing(space // 3)
        head.addLayout(words, 1)
        head.addWidget(self.add_files)
        head.addWidget(self.add_folder)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, space // 2, 12, space // 2)  # in line with the conversations above
        layout.setSpacing(space // 2)
        layout.addLayout(head)
        layout.addWidget(self.filter)
        layout.addWidget(self.banner)
        for page in (self.empty, self.tree, self.nothing_found):  # one at a time; a stack would always be as high as the highest of them
            layout.addWidget(page, 1)
        layout.addWidget(self.details)
        layout.addWidget(self.unwatched)
        layout.addWidget(self.progress)

    def _connect(self) -> None:
        for button in (self.add_files, self.empty.add_files):
            button.clicked.connect(self.add_files_requested)
        for button in (self.add_folder, self.empty.add_folder):
            button.clicked.connect(self.add_folder_requested)
        self.filter.textChanged.connect(self._filter_due.start)
        self._filter_due.timeout.connect(self._filter_now)
        self._counts_due.timeout.connect(self._counts_now)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self.tree.doubleClicked.connect(self._open_document)
        self.tree.collapsed.connect(lambda index: self._collapsed.add(self.model.path(index)))
        self.tree.expanded.connect(lambda index: self._collapsed.discard(self.model.path(index)))
        self.tree.selectionModel().currentChanged.connect(self._show_details)
        self.model.modelAboutToBeReset.connect(self._remember)
        self.model.modelReset.connect(self._restore)
        self.model.rowsInserted.connect(lambda parent: self._unfold() if not parent.isValid() else None)
        self.details.retry_requested.connect(self._retry)
        self.progress.pause_requested.connect(self.pause_requested)
        self.progress.resume_requested.connect(self.resume_requested)

    # Keeping the view steady

    def _remember(self) -> None:
        self._current = self.model.path(self.tree.currentIndex())
        self._scrolled = self.tree.verticalScrollBar().value()

    def _restore(self) -> None:
        self._unfold()
        if self._current is not None:
            self.select(self._current)
        self.tree.verticalScrollBar().setValue(self._scrolled)

    def _unfold(self) -> None:
        """Open the folders that the person has not closed; while a filter is set, all: what it finds must be seen."""
        with QSignalBlocker(self.tree):
            for row in range(self.model.rowCount()):
                index = self.model.index(row, 0)
                self.tree.setExpanded(index, bool(self.filter.text()) or self.model.path(index) not in self._collapsed)

    def _filter_now(self) -> None:
        self.model.set_filter(self.filter.text())
        self._unfold()
        self._show_counts()
        self._show_details()

    def _counts_now(self) -> None:
        self._show_counts()
        self._show_details()

    def _show_counts(self) -> None:
        all_files, ready = self.model.document_count, self.model.ready_count
        empty = self.model.is_empty
        self.filter.setVisible(not empty)
        if empty:
            self.counts.setText("")
        elif ready == all_files:
            self.counts.setText(files_text(all_files))
        else:
            self.counts.setText(self.tr("{ready} of {total} ready").format(ready=f"{ready:,}", total=f"{all_files:,}"))
        nothing_found = bool(self.filter.text()) and all_files > 0 and self.model.shown_count == 0
        self.counts.setVisible(not empty)
        self.empty.setVisible(empty)
        self.nothing_found.setVisible(nothing_found)
        self.tree.setVisible(not empty and not nothing_found)

    def _show_details(self) -> None:
        index = self.tree.currentIndex()
        status, advice = self.model.status(index), self.model.advice(index)
        if status is not None and status.state in ("skipped", "failed"):
            self.details.show_trouble(str(index.data()), what_to_do(status.reason), state=state_line(status))
        elif advice:
            self.details.show_trouble(str(index.data()), advice)
        else:
            self.details.hide()

    # What the person does

    def _open(self) -> None:
        index = self.tree.currentIndex()
        if self.model.is_group(index):
            self.tree.setExpanded(index, not self.tree.isExpanded(index))
        else:
            self._open_document(index)

    def _open_document(self, index: QModelIndex) -> None:
        path = self.model.path(index)
        if path is not None and not self.model.is_group(index):
            self.document_opened.emit(path)

    def _open_folder(self) -> None:
        index = self.tree.currentIndex()
        if (path := self.model.path(index)) is not None:
            self._show_folder(path if self.model.is_group(index) else path.parent)

    def _retry(self) -> None:
        if (path := self.model.path(self.tree.currentIndex())) is not None:
            self.retry_requested.emit(path)

    def _remove(self) -> None:
        index = self.tree.currentIndex()
        path = self.model.path(index)
        if path is None:
            return
        if self.model.is_group(index) and not self._folder_may_go(shown_name(path.name), self.model.group_size(index)):
            return
        self.remove_requested.emit(path)

    def _folder_may_go(self, name: str, files: int) -> bool:
        """Ask before a whole folder leaves the library: reading it again may take long."""
        box = QMessageBox(self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setIconPixmap(icon("folder").pixmap(self.fontMetrics().height() * 2))
        box.setText(self.tr("Remove “{name}” with {files} from the library?").format(name=name, files=files_text(files)))
        box.setInformativeText(self.tr("The files themselves stay where they are. Adding the folder again reads them anew."))
        remove = box.addButton(self.tr("Remove"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.exec()
        return box.clickedButton() is remove

    def _show_menu(self, place: QPoint) -> None:
        index = self.tree.indexAt(place)
        if not index.isValid():
            index = self.tree.currentIndex()  # asked for by key: the place is not the row's
            place = self.tree.visualRect(index).center()
        if index.isValid():
            self.tree.setCurrentIndex(index)
            self.menu(index).popup(self.tree.viewport().mapToGlobal(place))

    def menu(self, index: QModelIndex) -> QMenu:
        """The context menu of a row; it goes away by itself when closed."""
        menu = QMenu(self.tree)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not self.model.is_group(index):
            menu.addAction(self.open_action)
        if self.model.path(index) is not None:
            menu.addActions([self.folder_action, self.retry_action])
            self._add_encodings(menu, index)
            menu.addSeparator()
            menu.addAction(self.remove_action)
        return menu

    def _add_encodings(self, menu: QMenu, index: QModelIndex) -> None:
        path, status = self.model.path(index), self.model.status(index)
        if path is not None and status is not None and may_choose_encoding(path):
            encoding_menu(
                menu,
                status.encoding,
                is_chosen=status.encoding_is_chosen,
                choose=lambda encoding: self.encoding_chosen.emit(path, encoding),
            )

    # Room for its words

    def minimumSizeHint(self) -> QSize:
        """As high as it has to be at its width: what wraps must not be squeezed by a splitter, which asks for no height at a width."""
        least, layout = super().minimumSizeHint(), self.layout()
        return QSize(least.width(), layout.minimumHeightForWidth(self.width())) if layout is not None else least

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    # Words and drawings

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self.model.retranslate()
            self._show_counts()
            self._show_details()
        elif event.type() == QEvent.Type.PaletteChange and hasattr(self, "remove_action"):
            self._tint()

    def _retranslate(self) -> None:
        self.title.setText(self.tr("Library"))
        self.add_files.set_words(self.tr("Add files"))
        self.add_folder.set_words(self.tr("Add a folder"))
        self.filter.setPlaceholderText(self.tr("Filter by file name"))
        self.filter.setAccessibleName(self.tr("Filter by file name"))
        self.tree.setAccessibleName(self.tr("Files of the library"))
        self.nothing_found.setText(self.tr("No file has this in its name."))
        self.unwatched.setText(
            self.tr("The system cannot watch all of your folders, so Lamplight looks for changes there every two minutes.")
        )
        self.open_action.setText(self.tr("Open text"))
        self.folder_action.setText(self.tr("Show in folder"))
        self.retry_action.setText(self.tr("Read again"))
        self.remove_action.setText(self.tr("Remove from library"))
        self._tint()

    def _tint(self) -> None:
        for action, name in (
            (self.open_action, "file"),
            (self.folder_action, "folder"),
            (self.retry_action, "retry"),
            (self.remove_action, "remove"),
        ):
            action.setIcon(icon(name))


def _single_shot(parent: QWidget, milliseconds: int) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    return timer


def _show_in_file_manager(folder: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
