"""A one-line label that gives way: it shortens its text to the room there is, and tells the rest in its tool tip."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.widgets.safe_text import PlainLabel, plain_tooltip


class ElidedLabel(PlainLabel):
    """Plain text on one line. `full_text` is what it would say with room enough."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle) -> None:
        super().__init__("", parent, wrap=False)
        self._mode = mode
        self.full_text = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.show_text(text)

    def show_text(self, text: str) -> None:
        """Say something else."""
        self.full_text = text
        self.setAccessibleName(text)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 4, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.full_text) + 2, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "full_text"):
            self._fit()

    def _fit(self) -> None:
        shortened = self.fontMetrics().elidedText(self.full_text, self._mode, self.width())
        self.setText(shortened)
        self.setToolTip(plain_tooltip(self.full_text) if shortened != self.full_text else "")
