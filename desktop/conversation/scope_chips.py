"""What the next question is restricted to, as buttons that take it away again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from core.scope import EVERYTHING, Scope
from desktop.conversation.days import Days, days_of, days_words
from desktop.conversation.places import short_names
from desktop.shown_name import shown_name
from desktop.widgets.safe_text import plain_tooltip
from desktop.widgets.surface import TintedLabel

MAX_PLACES = 4
_NAME_CHARACTERS = 28


class ScopeChips(QWidget):
    """A row with one chip for each file or folder and one for days; hidden while there is none."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scope = EVERYTHING
        self._web_may_be_asked = False
        self.buttons: list[QToolButton] = []
        self.label = TintedLabel("", "muted_text", self, scale=0.9, wrap=False)
        self.web_label = TintedLabel("", "web", self, scale=0.9)
        # Long names must not make the window wider.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout()
        self._row.setSpacing(6)
        self._row.addWidget(self.label)
        self._row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(self._row)
        layout.addWidget(self.web_label)
        self._show()

    @property
    def scope(self) -> Scope:
        """What is chosen, the files and folders in the order in which they were."""
        return self._scope

    def set_scope(self, scope: Scope) -> None:
        """Show this."""
        if scope != self._scope:
            self._scope = scope
            self._show()
            self.changed.emit()

    def add(self, path: Path) -> bool:
        """Add one more file or folder; whether there was room for it."""
        paths = self._scope.paths
        if path not in paths and len(paths) >= MAX_PLACES:
            return False
        self.set_scope(replace(self._scope, paths=tuple(dict.fromkeys((*paths, path)))))
        return True

    def set_days(self, days: Days) -> None:
        """Restrict to these days, or to none."""
        self.set_scope(replace(self._scope, since=days.since, until=days.until))

    def set_web(self, may_be_asked: bool) -> None:
        """Whether a question may be put to the web, too: no restriction holds there, which is said."""
        self._web_may_be_asked = may_be_asked
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show()

    def _show(self) -> None:
        for button in self.buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        names = short_names(self._scope.paths)
        self.buttons = [self._place_chip(path, names[path]) for path in self._scope.paths]
        if days := days_of(self._scope):
            self.buttons.append(self._chip(days_words(days), days_words(days), lambda: self.set_days(Days())))
        for place, button in enumerate(self.buttons, start=1):
            self._row.insertWidget(place, button)
        self.label.setText(self.tr("Only in:") if self._scope.paths else self.tr("Only:"))
        self.web_label.setText(self.tr("A web search is not restricted by this."))
        self.web_label.setVisible(self._web_may_be_asked)
        self.setVisible(not self._scope.is_everything)

    def _place_chip(self, path: Path, name: str) -> QToolButton:
        shown = name if len(name) <= _NAME_CHARACTERS else "…" + name[-_NAME_CHARACTERS:]
        paths = tuple(other for other in self._scope.paths if other != path)
        return self._chip(shown, shown_name(str(path)), lambda: self.set_scope(replace(self._scope, paths=paths)), name)

    def _chip(self, words: str, tooltip: str, remove: Callable[[], None], name: str = "") -> QToolButton:
        button = QToolButton(self)
        button.setText(f"{words}  ✕")
        everywhere = self.tr("Press to search everywhere again")
        button.setToolTip(plain_tooltip(f"{tooltip}\n{everywhere}"))
        button.setAccessibleName(self.tr("Restricted to {name}. Press to remove the restriction.").replace("{name}", name or words))
        button.clicked.connect(remove)
        return button
