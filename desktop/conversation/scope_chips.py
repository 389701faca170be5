"""What the next question is restricted to, as buttons that take it away again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from desktop.conversation.places import short_names
from desktop.shown_name import shown_name
from desktop.widgets.safe_text import plain_tooltip
from desktop.widgets.surface import TintedLabel

MAX_PLACES = 4
_NAME_CHARACTERS = 28


class ScopeChips(QWidget):
    """A row with one chip for each file or folder; hidden while there is none."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._paths: tuple[Path, ...] = ()
        self.buttons: list[QToolButton] = []
        self.label = TintedLabel("", "muted_text", self, scale=0.9, wrap=False)
        # Long names must not make the window wider.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(6)
        self._row.addWidget(self.label)
        self._row.addStretch(1)
        self._show()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files and folders, in the order in which they were chosen."""
        return self._paths

    def set_paths(self, paths: Sequence[Path]) -> None:
        """Show these."""
        if tuple(paths) != self._paths:
            self._paths = tuple(paths)
            self._show()
            self.changed.emit()

    def add(self, path: Path) -> bool:
        """Add one more; whether there was room for it."""
        if path not in self._paths and len(self._paths) >= MAX_PLACES:
            return False
        self.set_paths(dict.fromkeys((*self._paths, path)))  # type: ignore[arg-type]
        return True

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show()

    def _show(self) -> None:
        for button in self.buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        names = short_names(self._paths)
        self.buttons = [self._chip(path, names[path]) for path in self._paths]
        for place, button in enumerate(self.buttons, start=1):
            self._row.insertWidget(place, button)
        self.label.setText(self.tr("Only in:"))
        self.setVisible(bool(self._paths))

    def _chip(self, path: Path, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(f"{name if len(name) <= _NAME_CHARACTERS else '…' + name[-_NAME_CHARACTERS:]}  ✕")
        everywhere = self.tr("Press to search everywhere again")
        button.setToolTip(plain_tooltip(f"{shown_name(str(path))}\n{everywhere}"))
        button.setAccessibleName(self.tr("Restricted to {name}. Press to remove the restriction.").replace("{name}", name))
        button.clicked.connect(lambda: self.set_paths([other for other in self._paths if other != path]))
        return button
