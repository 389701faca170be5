"""The library as Qt sees it: source folders, and under each its files. Made for 20,000 rows: one small object per file, no widget."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.documents import Document
from core.events import FileFinished, FileProgress, FileStarted, IndexEvent
from desktop.library.document_words import RowStatus, encoding_badge, files_text, state_line, what_to_do
from desktop.widgets.safe_text import plain_tooltip
from desktop.widgets.shown_name import shown_name

AnyIndex = QModelIndex | QPersistentModelIndex
_SINGLE_FILES = ""
_GROUP_ID = 0


@dataclass(slots=True, eq=False)
class DocumentRow:
    """One file as a row. `name` is its path below the source folder, safe to show; `key` sorts and finds it."""

    path: Path
    name: str
    key: tuple[str, str]
    status: RowStatus


@dataclass(slots=True, eq=False)
class _Group:
    """A source folder and its rows in order; `shown` are those that pass the filter. `source` is empty for files added one by one."""

    source: str
    rows: list[DocumentRow] = field(default_factory=list)
    shown: list[DocumentRow] = field(default_factory=list)


class DocumentListModel(QAbstractItemModel):
    """Two levels: source folders in the order they were added, files by name. Item data is plain text, never HTML."""

    PATH = Qt.ItemDataRole.UserRole
    STATUS = Qt.ItemDataRole.UserRole + 1
    COUNT = Qt.ItemDataRole.UserRole + 2

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sources: list[str] = []
        self._all_groups: list[_Group] = []
        self._groups: list[_Group] = []  # those with a row to show
        self._rows: dict[str, tuple[_Group, DocumentRow]] = {}
        self._filter = ""

    # What the panel tells it

    def show_documents(self, documents: Sequence[Document], sources: Sequence[Path]) -> None:
        """Show these documents. If the files are the same as before, rows are changed in place and nothing jumps."""
        source_names = [str(source) for source in sources]
        if source_names == self._sources and {str(document.path) for document in documents} == self._rows.keys():
            for document in documents:
                self._rows[str(document.path)][1].status = _status_of(document)
            self._tell_all_changed()
            return
        self.beginResetModel()
        self._sources = source_names
        self._rows = {}
        folders = {source: _Group(source) for source in source_names}
        single = _Group(_SINGLE_FILES)
        for document in documents:
            self._place(document.path, _status_of(document), folders, single)
        files_alone = {str(row.path) for row in single.rows}
        # A source with nothing in it is shown too, unless it is one of the files that were added one by one.
        self._all_groups = [group for group in folders.values() if group.rows or group.source not in files_alone]
        if single.rows:
            self._all_groups.append(single)
        for group in self._all_groups:
            group.rows.sort(key=lambda row: row.key)
        self._apply_filter()
        self.endResetModel()

    def show_event(self, event: IndexEvent) -> None:
        """Take over what an indexing run reports about one file; a file not seen before gets a row."""
        match event:
            case FileStarted(path):
                self._set_status(path, RowStatus("indexing"))
            case FileProgress(path, done, total):
                self._set_status(path, RowStatus("indexing", done=done, total=total))
            case FileFinished(file):
                self._set_status(file.path, RowStatus(file.state, file.reason, file.encoding, file.chunks))

    def set_filter(self, text: str) -> None:
        """Show only files whose name contains `text`, in whatever case; empty shows all."""
        if text.casefold() == self._filter:
            return
        self.beginResetModel()
        self._filter = text.casefold()
        self._apply_filter()
        self.endResetModel()

    def retranslate(self) -> None:
        """Say everything again in the language that is now in use."""
        self._tell_all_changed()

    # What the panel asks it

    @property
    def document_count(self) -> int:
        """All files, shown or not."""
        return len(self._rows)

    @property
    def ready_count(self) -> int:
        """Files that can be asked about."""
        return sum(row.status.state == "ready" for _, row in self._rows.values())

    @property
    def shown_count(self) -> int:
        """Files that pass the filter."""
        return sum(len(group.shown) for group in self._groups)

    def path(self, index: AnyIndex) -> Path | None:
        """The file of a row or the folder of a group; None for the group of single files."""
        if not index.isValid():
            return None
        if index.internalId() == _GROUP_ID:
            source = self._groups[index.row()].source
            return Path(source) if source else None
        return self._row(index).path

    def status(self, index: AnyIndex) -> RowStatus | None:
        """How far the file of a row has come; None for a group."""
        return self._row(index).status if index.isValid() and index.internalId() != _GROUP_ID else None

    def is_group(self, index: AnyIndex) -> bool:
        """Whether the row is a source folder."""
        return index.isValid() and index.internalId() == _GROUP_ID

    def index_of(self, path: Path) -> QModelIndex:
        """Where a file or source stands now; invalid when it is not shown."""
        name = str(path)
        if name in self._rows:
            group, row = self._rows[name]
            at = _position(group.shown, row)
            if at < len(group.shown) and group.shown[at] is row:
                return self.createIndex(at, 0, self._groups.index(group) + 1)
            return QModelIndex()
        return next((self.createIndex(at, 0, _GROUP_ID) for at, group in enumerate(self._groups) if group.source == name), QModelIndex())

    # What Qt asks it

    def index(self, row: int, column: int, parent: AnyIndex = QModelIndex()) -> QModelIndex:  # noqa: B008
        if column or row < 0:
            return QModelIndex()
        if not parent.isValid():
            return self.createIndex(row, 0, _GROUP_ID) if row < len(self._groups) else QModelIndex()
        if parent.internalId() == _GROUP_ID and row < len(self._groups[parent.row()].shown):
            return self.createIndex(row, 0, parent.row() + 1)
        return QModelIndex()

    def parent(self, index: AnyIndex = QModelIndex()) -> Any:  # noqa: B008
        if not index.isValid() or index.internalId() == _GROUP_ID:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, _GROUP_ID)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return len(self._groups)
        return len(self._groups[parent.row()].shown) if parent.internalId() == _GROUP_ID else 0

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 1

    def hasChildren(self, parent: AnyIndex = QModelIndex()) -> bool:  # noqa: B008
        return self.rowCount(parent) > 0

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        usable = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usable if index.internalId() == _GROUP_ID else usable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if index.internalId() == _GROUP_ID:
            return self._group_data(self._groups[index.row()], role)
        return self._row_data(self._row(index), role)

    # Inside

    def _row(self, index: AnyIndex) -> DocumentRow:
        return self._groups[index.internalId() - 1].shown[index.row()]

    def _group_data(self, group: _Group, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return shown_name(os.path.basename(group.source) or group.source) if group.source else self.tr("Single files")
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(shown_name(group.source))
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self._group_data(group, Qt.ItemDataRole.DisplayRole)}, {files_text(len(group.rows))}"
            case self.COUNT:
                return len(group.rows)
        return None

    def _row_data(self, row: DocumentRow, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case self.STATUS:
                return row.status
            case self.PATH:
                return row.path
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip("\n".join([shown_name(str(row.path)), *_full_words(row.status)]))
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join([row.name, *_full_words(row.status)])
        return None

    def _place(self, path: Path, status: RowStatus, folders: dict[str, _Group], single: _Group) -> tuple[_Group, DocumentRow]:
        full = str(path)
        group = _source_of(full, folders) or single
        name = full[len(group.source) :].lstrip("/\\") if group is not single else os.path.basename(full)
        row = DocumentRow(path, shown_name(name), (name.casefold(), full), status)
        group.rows.append(row)
        self._rows[full] = (group, row)
        return group, row

    def _set_status(self, path: Path, status: RowStatus) -> None:
        if str(path) not in self._rows:
            self._insert(path, status)
            return
        self._rows[str(path)][1].status = status
        index = self.index_of(path)
        if index.isValid():
            self.dataChanged.emit(index, index)

    def _insert(self, path: Path, status: RowStatus) -> None:
        folders = {group.source: group for group in self._all_groups if group.source}
        single = next((group for group in self._all_groups if not group.source), _Group(_SINGLE_FILES))
        group, row = self._place(path, status, folders, single)
        group.rows.pop()
        group.rows.insert(_position(group.rows, row), row)
        if self._filter not in row.key[0]:
            return
        if group not in self._groups:
            self.beginResetModel()
            if group not in self._all_groups:
                self._all_groups.append(group)
            self._apply_filter()
            self.endResetModel()
            return
        at = _position(group.shown, row)
        self.beginInsertRows(self.createIndex(self._groups.index(group), 0, _GROUP_ID), at, at)
        group.shown.insert(at, row)
        self.endInsertRows()

    def _apply_filter(self) -> None:
        for group in self._all_groups:
            group.shown = [row for row in group.rows if self._filter in row.key[0]] if self._filter else list(group.rows)
        self._groups = [group for group in self._all_groups if group.shown or not self._filter]

    def _tell_all_changed(self) -> None:
        for at, group in enumerate(self._groups):
            top = self.createIndex(at, 0, _GROUP_ID)
            self.dataChanged.emit(top, top)
            if group.shown:
                self.dataChanged.emit(self.createIndex(0, 0, at + 1), self.createIndex(len(group.shown) - 1, 0, at + 1))


def _status_of(document: Document) -> RowStatus:
    return RowStatus(document.state, document.reason, document.encoding, document.chunk_count)


def _full_words(status: RowStatus) -> list[str]:
    words = [state_line(status)]
    if badge := encoding_badge(status.encoding):
        words.append(badge)
    if status.reason and status.state in ("skipped", "failed"):
        words.append(what_to_do(status.reason))
    return words


def _source_of(path: str, folders: dict[str, _Group]) -> _Group | None:
    """The innermost source folder that holds `path`."""
    folder = os.path.dirname(path)
    while folder not in folders:
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folders[folder]


def _position(rows: list[DocumentRow], row: DocumentRow) -> int:
    return bisect_left(rows, row.key, key=lambda other: other.key)
