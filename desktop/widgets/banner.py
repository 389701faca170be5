"""A problem said inside the window instead of in a box that interrupts: a title, what to do, and a way to put it away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.theme import current_colors, icon
from desktop.widgets.icon_button import IconButton
from desktop.widgets.safe_text import PlainLabel


class Banner(QFrame):
    """Hidden while there is nothing to say."""

    put_away = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("banner", "problem")
        self._calm = False
        self._drawing = QLabel()
        self.title = PlainLabel()
        self.what_to_do = PlainLabel()
        self.what_to_do.setProperty("muted", True)
        self._close = IconButton("close")
        self._close.clicked.connect(self.hide)
        self._close.clicked.connect(self.put_away)

        space = self.fontMetrics().height()
        words = QVBoxLayout()
        words.setSpacing(space // 5)
        words.addWidget(self.title)
        words.addWidget(self.what_to_do)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(space // 2, space // 2, space // 4, space // 2)
        layout.setSpacing(space // 2)
        layout.addWidget(self._drawing, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)
        layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._retranslate()
        self._draw()
        self.hide()

    def show_words(self, title: str, what_to_do: str, *, calm: bool = False) -> None:
        """Say it, or fall silent when both texts are empty. The texts are already translated and shown letter by letter.

        What is `calm` is good to know and no problem.
        """
        self._calm = calm
        self.setProperty("banner", "calm" if calm else "problem")
        self.style().polish(self)  # a rule that names the property is looked up anew
        self._draw()
        self.title.setText(title)
        self.what_to_do.setText(what_to_do)
        self.what_to_do.setVisible(bool(what_to_do))
        self.setAccessibleName(title)
        self.setAccessibleDescription(what_to_do)
        self.setVisible(bool(title or what_to_do))

    @property
    def is_calm(self) -> bool:
        """Whether what it says last is good to know and no problem."""
        return self._calm

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        elif event.type() == QEvent.Type.PaletteChange and hasattr(self, "_drawing"):
            self._draw()

    def _retranslate(self) -> None:
        self._close.set_words(self.tr("Close"))

    def _draw(self) -> None:
        sign = icon("info", current_colors().accent) if self._calm else icon("warning", current_colors().error)
        self._drawing.setPixmap(sign.pixmap(round(self.fontMetrics().height() * 1.2)))
