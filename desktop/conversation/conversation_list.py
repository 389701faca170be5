"""The conversations, newest first: choose, rename, delete, begin another."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListView, QMenu, QMessageBox, QPushButton, QVBoxLayout, QWidget

from core.store.user_store import ConversationSummary
from desktop.theme import icon
from desktop.widgets.safe_text import plain_tooltip
from desktop.widgets.surface import TintedLabel

TITLE_LIMIT = 200
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ConversationListModel(QAbstractListModel):
    """The titles as an item model; an edited title is reported, not kept."""

    renamed = Signal(int, str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[ConversationSummary] = []

    def show(self, conversations: Sequence[ConversationSummary]) -> None:
        """Show these conversations."""
        if list(conversations) != self._rows:
            self.beginResetModel()
            self._rows = list(conversations)
            self.endResetModel()

    def conversation_at(self, row: int) -> ConversationSummary | None:
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, conversation_id: int) -> int:
        return next((row for row, known in enumerate(self._rows) if known.id == conversation_id), -1)

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        known = self.conversation_at(index.row())
        if known is None:
            return None
        title = known.title or self.tr("New conversation")
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return " ".join(title.split())
        if role == Qt.ItemDataRole.EditRole:
            return known.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(title)
        return None

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        known = self.conversation_at(index.row())
        title = " ".join(str(value).split())[:TITLE_LIMIT]
        if known is None or role != Qt.ItemDataRole.EditRole or not title or title == known.title:
            return False
        self.renamed.emit(known.id, title)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable


class ConversationList(QWidget):
    """The list with its button for a new conversation."""

    new_requested = Signal()
    conversation_chosen = Signal(int)
    rename_requested = Signal(int, str)
    delete_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 8)
        layout.setSpacing(8)
        self.heading = TintedLabel("", "text", self, bold=True, wrap=False)
        self.new_button = QPushButton(self)
        row = QHBoxLayout()
        row.addWidget(self.heading, 1)
        row.addWidget(self.new_button)
        layout.addLayout(row)
        self.model = ConversationListModel()
        self.view = QListView(self)
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        layout.addWidget(self.view, 1)
        delete = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.view)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(lambda: self.confirm_delete(self.current_id))
        self.new_button.clicked.connect(self.new_requested)
        self.model.renamed.connect(self.rename_requested)
        self.view.selectionModel().currentChanged.connect(self._choose)
        self.view.customContextMenuRequested.connect(self._open_menu)
        self._showing = False
        self._retranslate()

    @property
    def current_id(self) -> int | None:
        """The conversation that is marked."""
        known = self.model.conversation_at(self.view.currentIndex().row())
        return known.id if known is not None else None

    def show_conversations(self, conversations: Sequence[ConversationSummary], chosen: int | None) -> None:
        """Show these, with `chosen` marked; choosing it by code reports nothing."""
        self._showing = True
        self.model.show(conversations)
        row = self.model.row_of(chosen) if chosen is not None else -1
        self.view.setCurrentIndex(self.model.index(row) if row >= 0 else QModelIndex())
        self._showing = False

    def confirm_delete(self, conversation_id: int | None) -> QMessageBox | None:
        """Ask whether a conversation may go for good; returns the open question."""
        row = self.model.row_of(conversation_id) if conversation_id is not None else -1
        known = self.model.conversation_at(row)
        if known is None:
            return None
        box = QMessageBox(self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Delete conversation"))
        box.setText(self.tr("Delete “{title}”?").replace("{title}", known.title or self.tr("New conversation")))
        box.setInformativeText(self.tr("Its questions and answers are erased from this computer. Your files stay as they are."))
        delete = box.addButton(self.tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(self.tr("Keep"), QMessageBox.ButtonRole.RejectRole))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        delete.clicked.connect(lambda: self.delete_requested.emit(known.id))
        box.open()
        return box

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange) and hasattr(self, "_showing"):
            self._retranslate()

    def _retranslate(self) -> None:
        self.heading.setText(self.tr("Conversations"))
        self.new_button.setText(self.tr("New"))
        self.new_button.setIcon(icon("new-conversation"))
        self.new_button.setAccessibleName(self.tr("New conversation"))
        self.new_button.setToolTip(plain_tooltip(self.tr("New conversation (Ctrl+N)")))
        self.view.setAccessibleName(self.tr("Conversations"))
        self.view.viewport().update()

    def _choose(self, index: QModelIndex) -> None:
        known = self.model.conversation_at(index.row())
        if known is not None and not self._showing:
            self.conversation_chosen.emit(known.id)

    def _open_menu(self, place: QPoint) -> None:
        index = self.view.indexAt(place)
        known = self.model.conversation_at(index.row())
        if known is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icon("edit"), self.tr("Rename")).triggered.connect(lambda: self.view.edit(index))
        menu.addAction(icon("remove"), self.tr("Delete…")).triggered.connect(lambda: self.confirm_delete(known.id))
        menu.popup(self.view.viewport().mapToGlobal(place))
