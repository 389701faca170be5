"""A tool button whose icon follows the theme, and whose words reach the tool tip and the screen reader alike."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.theme import icon


class IconButton(QToolButton):
    """A flat button that shows a line icon. Give it words with `set_words`: an icon alone says nothing to a screen reader."""

    def __init__(self, icon_name: str, parent: QWidget | None = None, *, flat: bool = True) -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self.setProperty("flat", flat)
        self._draw()

    def set_icon(self, icon_name: str) -> None:
        """Show another drawing of `resources/icons`."""
        self._icon_name = icon_name
        self._draw()

    def set_words(self, words: str) -> None:
        """What the button does, already translated; fixed text of the program, never data."""
        self.setToolTip(words)
        self.setAccessibleName(words)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._draw()

    def _draw(self) -> None:
        side = round(QFontMetrics(self.font()).height() * 1.2)
        self.setIcon(icon(self._icon_name))
        self.setIconSize(QSize(side, side))
