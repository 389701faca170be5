"""What the library shows before there is a file: what it is for, and two ways to begin."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from desktop.theme import current_colors, icon
from desktop.widgets.safe_text import PlainLabel
from desktop.widgets.surface import TintedLabel


class EmptyLibrary(QWidget):
    """A drawing, two sentences and two buttons."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = QLabel()
        self._drawing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._title = TintedLabel(scale=1.1, bold=True)
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._words = PlainLabel()
        self._words.setProperty("muted", True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.add_folder = QPushButton()
        self.add_files = QPushButton()

        space = self.fontMetrics().height()
        layout = QVBoxLayout(self)
        layout.setSpacing(space // 2)
        layout.addStretch(2)
        layout.addWidget(self._drawing)
        layout.addSpacing(space // 4)
        layout.addWidget(self._title)
        layout.addWidget(self._words)
        layout.addSpacing(space // 2)
        layout.addWidget(self.add_folder, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self.add_files, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        self._retranslate()
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        elif event.type() == QEvent.Type.PaletteChange and hasattr(self, "_drawing"):
            self._draw()

    def _retranslate(self) -> None:
        self._title.setText(self.tr("Drop files or folders here"))
        self._words.setText(self.tr("PDF, Word, Excel, e-books, mail, any text. They stay on this computer, where they are."))
        self.add_folder.setText(self.tr("Add a folder…"))
        self.add_files.setText(self.tr("Add files…"))

    def _draw(self) -> None:
        self._drawing.setPixmap(icon("library", current_colors().accent).pixmap(self.fontMetrics().height() * 3))
