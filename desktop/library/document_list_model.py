"""The library as Qt sees it: source folders, and under each its files.

Made for 20,000 rows: what Qt asks about every row (its place, its flags, whether it passes the filter) is answered by Qt's own
code; only what it asks about the rows in sight is answered here.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel

from core.documents import Document
from core.events import FileFinished, FileProgress, FileSearchable, FileStarted, IndexEvent
from desktop.library.document_words import RowStatus, encoding_badge, encoding_line, files_text, state_line, what_to_do
from desktop.shown_name import shown_name
from desktop.widgets.safe_text import plain_tooltip

AnyIndex = QModelIndex | QPersistentModelIndex
_SINGLE_FILES = ""
_NUMBER = re.compile("([0-9]+)")


@dataclass(slots=True, eq=False)
class DocumentRow:
    """One file as a row. `name` is its path below the source folder, safe to show; rows stand in the order of `key`."""

    path: Path
    name: str
    key: tuple[list[str | int], str]
    status: RowStatus


@dataclass(slots=True, eq=False)
class SourceGroup:
    """A source folder and its files in order. `source` is empty for the files that were added one by one."""

    source: str
    rows: list[DocumentRow] = field(default_factory=list)


class DocumentListModel(QSortFilterProxyModel):
    """Two levels: source folders in the order they were added, files by name. Item data is plain text, never HTML."""

    STATUS = Qt.ItemDataRole.UserRole + 1
    COUNT = Qt.ItemDataRole.UserRole + 2
    _ENTRY = Qt.ItemDataRole.UserRole + 3
    MISSING = Qt.ItemDataRole.UserRole + 4

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sources: list[str] = []
        self._missing: frozenset[str] = frozenset()
        self._groups: list[SourceGroup] = []
        self._rows: dict[str, tuple[SourceGroup, DocumentRow]] = {}
        self._items = QStandardItemModel(self)
        self.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setRecursiveFilteringEnabled(True)
        self.setAutoAcceptChildRows(True)
        self.setSourceModel(self._items)

    # What the panel tells it

    def show_documents(self, documents: Sequence[Document], sources: Sequence[Path], missing: Collection[Path] = ()) -> None:
        """Show these documents, and which sources are `missing`. If the files are the same as before, rows are changed in place and nothing jumps."""
        self._missing = frozenset(str(source) for source in missing)
        source_names = [str(source) for source in sources]
        if source_names == self._sources and {str(document.path) for document in documents} == self._rows.keys():
            for document in documents:
                self._rows[str(document.path)][1].status = _status_of(document)
            self.retranslate()
            return
        self._sources, self._rows = source_names, {}
        folders = {source: SourceGroup(source) for source in source_names}
        single = SourceGroup(_SINGLE_FILES)
        for document in documents:
            group, row = self._place(document.path, _status_of(document), folders, single)
            group.rows.append(row)
        files_alone = {str(row.path) for row in single.rows}
        # A source with nothing in it is shown too, unless it is one of the files that were added one by one.
        self._groups = [group for group in folders.values() if group.rows or group.source not in files_alone]
        if single.rows:
            self._groups.append(single)
        self._fill()

    def show_event(self, event: IndexEvent) -> None:
        """Take over what an indexing run reports about one file; a file not seen before gets a row."""
        match event:
            case FileStarted(path):
                self._set_status(path, RowStatus("indexing"))
            case FileProgress(path, done, total):
                self._set_status(path, RowStatus("indexing", done=done, total=total))
            case FileSearchable(file) | FileFinished(file):
                self._set_status(file.path, RowStatus(file.state, file.reason, file.encoding, file.chunks))

    def set_filter(self, text: str) -> None:
        """Show only files whose name, or whose folder's name, contains `text` in whatever case; empty shows all."""
        self.setFilterFixedString(text)

    def retranslate(self) -> None:
        """Say everything again: in another language, or because every status may have changed."""
        for at in range(self.rowCount()):
            top = self.index(at, 0)
            self.dataChanged.emit(top, top)
            if rows := self.rowCount(top):
                self.dataChanged.emit(self.index(0, 0, top), self.index(rows - 1, 0, top))

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
    def is_empty(self) -> bool:
        """Whether there is neither a file nor a source folder."""
        return not self._groups

    @property
    def shown_count(self) -> int:
        """Files that pass the filter."""
        return sum(self.rowCount(self.index(at, 0)) for at in range(self.rowCount()))

    def path(self, index: AnyIndex) -> Path | None:
        """The file of a row or the folder of a group; None for the group of single files."""
        match self._entry(index):
            case DocumentRow(path):
                return path
            case SourceGroup(source) if source:
                return Path(source)
        return None

    def status(self, index: AnyIndex) -> RowStatus | None:
        """How far the file of a row has come; None for a group."""
        entry = self._entry(index)
        return entry.status if isinstance(entry, DocumentRow) else None

    def advice(self, index: AnyIndex) -> str:
        """What to do about a source that is not found; empty for all else."""
        entry = self._entry(index)
        return self._advice(entry) if isinstance(entry, SourceGroup) else ""

    def is_group(self, index: AnyIndex) -> bool:
        """Whether the row is a source folder."""
        return isinstance(self._entry(index), SourceGroup)

    def group_size(self, index: AnyIndex) -> int:
        """How many files a source folder holds, shown or not."""
        entry = self._entry(index)
        return len(entry.rows) if isinstance(entry, SourceGroup) else 0

    def index_of(self, path: Path) -> QModelIndex:
        """Where a file or source stands now; invalid when it is not shown."""
        if found := self._rows.get(str(path)):
            group, row = found
            return self.mapFromSource(self._items.index(_position(group.rows, row), 0, self._items.index(self._groups.index(group), 0)))
        at = next((at for at, group in enumerate(self._groups) if group.source == str(path)), -1)
        return self.mapFromSource(self._items.index(at, 0))

    # What Qt asks it

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self._entry(index)
        if isinstance(entry, DocumentRow):
            return self._row_data(entry, role)
        if isinstance(entry, SourceGroup):
            return self._group_data(entry, role)
        return None

    def _group_data(self, group: SourceGroup, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _group_name(group) or self.tr("Single files")
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(f"{shown_name(group.source)}\n{self._advice(group)}".strip())
            case Qt.ItemDataRole.AccessibleTextRole:
                said = [self._group_data(group, Qt.ItemDataRole.DisplayRole), files_text(len(group.rows)), self._advice(group)]
                return ", ".join(word for word in said if word)
            case self.COUNT:
                return len(group.rows)
            case self.MISSING:
                return self.tr("not found") if group.source in self._missing else ""
        return None

    def _advice(self, group: SourceGroup) -> str:
        """What to do about a source that is not there; its files are gone from the library, unless they are on a drive that may come back."""
        if group.source not in self._missing:
            return ""
        return self.tr("It is not where it was. Put it back or plug in its drive; if it was renamed, add it anew and remove this one.")

    def _row_data(self, row: DocumentRow, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case self.STATUS:
                return row.status
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip("\n".join([shown_name(str(row.path)), *_full_words(row.status, encoding_line(row.status))]))
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join([row.name, *_full_words(row.status, _unusual_encoding(row.status))])
        return None

    # Inside

    def _entry(self, index: AnyIndex) -> DocumentRow | SourceGroup | None:
        found: DocumentRow | SourceGroup | None = super().data(index, self._ENTRY) if index.isValid() else None
        return found

    def _fill(self) -> None:
        """Build all rows apart from the view and hand them over at once: one reset instead of a signal per row."""
        items = QStandardItemModel(self)
        for group in self._groups:
            group.rows.sort(key=lambda row: row.key)
            top = self._item(_group_name(group), group)
            top.appendRows([self._item(row.name, row) for row in group.rows])
            items.appendRow(top)
        before, self._items = self._items, items
        self.setSourceModel(items)
        before.deleteLater()

    def _item(self, name: str, entry: DocumentRow | SourceGroup) -> QStandardItem:
        item = QStandardItem(name)
        item.setData(entry, self._ENTRY)
        item.setFlags(_ROW_FLAGS if isinstance(entry, DocumentRow) else _GROUP_FLAGS)
        return item

    def _place(
        self, path: Path, status: RowStatus, folders: dict[str, SourceGroup], single: SourceGroup
    ) -> tuple[SourceGroup, DocumentRow]:
        full = str(path)
        group = _source_of(full, folders) or single
        name = os.path.basename(full) if group is single else full[len(group.source) :].lstrip("/\\")
        row = DocumentRow(path, shown_name(name), (_natural_order(name), full), status)
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
        folders = {group.source: group for group in self._groups if group.source}
        single = next((group for group in self._groups if not group.source), None)
        group, row = self._place(path, status, folders, single or SourceGroup(_SINGLE_FILES))
        if group not in self._groups:
            self._groups.append(group)
            self._items.appendRow(self._item(_group_name(group), group))
        at = _position(group.rows, row)
        group.rows.insert(at, row)
        # As a list: PySide leaves a single item to the garbage collector.
        self._items.item(self._groups.index(group)).insertRow(at, [self._item(row.name, row)])


_GROUP_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_ROW_FLAGS = _GROUP_FLAGS | Qt.ItemFlag.ItemNeverHasChildren


def _natural_order(name: str) -> list[str | int]:
    """A sort key by which "note 2" comes before "note 10". Text and numbers alternate, so two keys can always be compared."""
    return [int(part) if at % 2 else part for at, part in enumerate(_NUMBER.split(name.casefold()))]


def _status_of(document: Document) -> RowStatus:
    return RowStatus(
        document.state, document.reason, document.encoding, document.chunk_count, encoding_is_chosen=document.encoding_is_chosen
    )


def _group_name(group: SourceGroup) -> str:
    return shown_name(os.path.basename(group.source) or group.source)


def _full_words(status: RowStatus, encoding: str) -> list[str]:
    words = [state_line(status), encoding]
    if status.reason and status.state in ("skipped", "failed"):
        words.append(what_to_do(status.reason))
    return [word for word in words if word]


def _unusual_encoding(status: RowStatus) -> str:
    """What is said aloud of every file must be worth it."""
    return encoding_line(status) if status.encoding_is_chosen or encoding_badge(status.encoding) else ""


def _source_of(path: str, folders: dict[str, SourceGroup]) -> SourceGroup | None:
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
