"""The window: places its panels and says what the person wants. It decides nothing."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QMenu, QSplitter, QToolButton, QVBoxLayout, QWidget

from desktop.conversation.conversation_list import ConversationList
from desktop.conversation.conversation_view import ConversationView
from desktop.conversation.details_panel import DetailsPanel
from desktop.library.library_panel import LibraryPanel
from desktop.theme import icon
from desktop.widgets.action_banner import ActionBanner
from desktop.widgets.drop_overlay import DropOverlay
from desktop.widgets.local_files import local_files
from desktop.widgets.safe_text import plain_tooltip
from desktop.widgets.surface import columns

NARROW_COLUMNS = 124
LEAST_LEFT_COLUMNS = 28
"""As narrow as the left pane may be made; nothing in the library may be cut off then."""


class MainWindow(QMainWindow):
    """Three panes: conversations over library, the conversation, and how an answer was made."""

    files_dropped = Signal(object)  # tuple[Path, ...]
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Lamplight")
        self.setAcceptDrops(True)
        self.banner = ActionBanner()
        self.conversations = ConversationList()
        self.library = LibraryPanel()
        self.conversation = ConversationView()
        self.details = DetailsPanel()
        self._narrow: bool | None = None
        self._place()
        self._make_actions()
        self._make_menus()
        self.overlay = DropOverlay(self._central)
        # A line edit takes a dropped file for text; the window takes it for a file.
        for child in self.findChildren(QWidget):
            child.setAcceptDrops(False)
        self.setAcceptDrops(True)
        self._retranslate()
        self._size()

    def _place(self) -> None:
        self.left = QSplitter(Qt.Orientation.Vertical)
        self.left.addWidget(self.conversations)
        self.left.addWidget(self.library)
        self.left.setSizes([300, 420])
        self.panes = QSplitter(Qt.Orientation.Horizontal)
        for pane in (self.left, self.conversation, self.details):
            self.panes.addWidget(pane)
        self.panes.setStretchFactor(1, 1)
        self.panes.setCollapsible(1, False)
        self.left.setChildrenCollapsible(False)
        self.left.setMinimumWidth(columns(self, LEAST_LEFT_COLUMNS))
        self.conversation.setMinimumWidth(columns(self, 44))
        self.details.setMinimumWidth(columns(self, 32))
        self.panes.setSizes([columns(self, 36), columns(self, 90), columns(self, 46)])
        self._central = QWidget()
        layout = QVBoxLayout(self._central)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        holder = QHBoxLayout()
        holder.setContentsMargins(12, 0, 12, 0)
        holder.addWidget(self.banner)
        layout.addLayout(holder)
        layout.addWidget(self.panes, 1)
        self.setCentralWidget(self._central)

    def _make_actions(self) -> None:
        def action(*keys: str | QKeySequence.StandardKey, checkable: bool = False) -> QAction:
            made = QAction(self)
            made.setShortcuts([QKeySequence(key) for key in keys])
            made.setCheckable(checkable)
            self.addAction(made)
            return made

        self.new_action = action("Ctrl+N")
        self.add_files_action = action("Ctrl+O")
        self.add_folder_action = action("Ctrl+Shift+O")
        self.settings_action = action("Ctrl+,")
        self.quit_action = action("Ctrl+Q")
        self.stop_action = action("Esc")
        self.focus_question_action = action("Ctrl+L")
        self.next_pane_action = action("F6")
        self.left_action = action("Ctrl+B", checkable=True)
        self.right_action = action("Ctrl+D", checkable=True)
        self.next_source_action = action("F3")
        self.previous_source_action = action("Shift+F3")
        self.about_action = action("F1")
        self.left_action.setChecked(True)
        self.right_action.setChecked(True)
        self.left_action.toggled.connect(self.left.setVisible)
        self.right_action.toggled.connect(self.details.setVisible)
        self.focus_question_action.triggered.connect(self.conversation.question_box.edit.setFocus)
        self.next_pane_action.triggered.connect(self.cycle_panes)
        self.next_source_action.triggered.connect(lambda: self.details.viewer.step(1))
        self.previous_source_action.triggered.connect(lambda: self.details.viewer.step(-1))
        self.quit_action.triggered.connect(self.close)

    def _make_menus(self) -> None:
        self._menus = [QMenu(self) for _ in range(4)]
        for menu in self._menus:
            self.menuBar().addMenu(menu)
        file, ask, view, about = self._menus
        file.addActions([self.new_action, self.add_files_action, self.add_folder_action])
        file.addSeparator()
        file.addActions([self.settings_action, self.quit_action])
        ask.addActions([self.focus_question_action, self.stop_action])
        view.addActions([self.left_action, self.right_action, self.next_pane_action])
        view.addSeparator()
        view.addActions([self.next_source_action, self.previous_source_action])
        about.addAction(self.about_action)
        corner = QWidget(self.menuBar())
        row = QHBoxLayout(corner)
        row.setContentsMargins(0, 2, 8, 4)
        row.setSpacing(2)
        self._corner_buttons = []
        for action in (self.left_action, self.right_action, self.settings_action):
            button = QToolButton(corner)
            button.setProperty("flat", True)
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            row.addWidget(button)
            self._corner_buttons.append(button)
        self.menuBar().setCornerWidget(corner, Qt.Corner.TopRightCorner)

    def show_details(self) -> None:
        """Bring the right-hand pane into sight; in a narrow window it takes the place of the left one."""
        if self._narrow:
            self.left_action.setChecked(False)
        self.right_action.setChecked(True)

    def cycle_panes(self) -> None:
        """Move the keyboard to the next visible pane."""
        stops = [
            self.conversations.view,
            self.library.tree,
            self.conversation.question_box.edit,
            self.details.trace,
            self.details.viewer.text,
        ]
        seen = [stop for stop in stops if stop.isVisible()] or [self.conversation.question_box.edit]
        focused = QApplication.focusWidget()
        here = next(
            (index for index, stop in enumerate(seen) if focused is not None and (stop is focused or stop.isAncestorOf(focused))), -1
        )
        seen[(here + 1) % len(seen)].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def geometry_state(self) -> tuple[QByteArray, QByteArray]:
        """Where the window is and how its panes are divided."""
        return self.saveGeometry(), self.panes.saveState()

    def restore_state(self, geometry: QByteArray, panes: QByteArray) -> None:
        """Put the window and its panes back."""
        self.restoreGeometry(geometry)
        if not self.panes.restoreState(panes):
            return
        self.left_action.setChecked(not self.left.isHidden())
        self.right_action.setChecked(not self.details.isHidden())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.overlay.appear()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if self.overlay.isVisible():
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.overlay.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.overlay.hide()
        files = local_files(event.mimeData())
        if files:
            # Never "move": the sender would delete the files.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.files_dropped.emit(files)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < columns(self, NARROW_COLUMNS)
        if narrow != self._narrow:
            self._narrow = narrow
            self.right_action.setChecked(not narrow)
            self.left_action.setChecked(True)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange) and hasattr(self, "overlay"):
            self._retranslate()

    def _size(self) -> None:
        wanted = (columns(self, 172), self.fontMetrics().height() * 48)
        screen = self.screen().availableSize() if self.screen() is not None else None
        if screen is not None:
            wanted = (min(wanted[0], int(screen.width() * 0.95)), min(wanted[1], int(screen.height() * 0.92)))
        self.resize(*wanted)

    def _retranslate(self) -> None:
        titles = [self.tr("&File"), self.tr("&Ask"), self.tr("&View"), self.tr("&Help")]
        for menu, title in zip(self._menus, titles, strict=True):
            menu.setTitle(title)
        words = {
            self.new_action: (self.tr("New conversation"), "new-conversation"),
            self.add_files_action: (self.tr("Add files…"), "add-file"),
            self.add_folder_action: (self.tr("Add a folder…"), "add-folder"),
            self.settings_action: (self.tr("Settings…"), "settings"),
            self.quit_action: (self.tr("Quit"), ""),
            self.stop_action: (self.tr("Stop this answer"), "stop"),
            self.focus_question_action: (self.tr("Write a question"), "edit"),
            self.next_pane_action: (self.tr("Next pane"), ""),
            self.left_action: (self.tr("Conversations and library"), "panel-left"),
            self.right_action: (self.tr("Steps and sources"), "panel-right"),
            self.next_source_action: (self.tr("Next source"), ""),
            self.previous_source_action: (self.tr("Previous source"), ""),
            self.about_action: (self.tr("About Lamplight"), "info"),
        }
        for action, (text, drawing) in words.items():
            action.setText(text)
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(plain_tooltip(f"{text} ({keys})" if keys else text))
            if drawing:
                action.setIcon(icon(drawing))
        for button, action in zip(self._corner_buttons, (self.left_action, self.right_action, self.settings_action), strict=True):
            button.setAccessibleName(action.text())
