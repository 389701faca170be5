"""Asks before anything leaves the computer: the very words, which may be changed, and yes or no."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from desktop.widgets.surface import Surface, TintedLabel


class WebConsentBar(Surface):
    """Shown above the question box while a run waits for the person's word."""

    answered = Signal(object)  # the text that may be sent, or None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", border="web", stripe="web", parent=parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 12, 14, 12)
        layout.setSpacing(8)
        self.heading = TintedLabel("", "text", self, bold=True)
        self.explanation = TintedLabel("", "muted_text", self, scale=0.92)
        self.query = QLineEdit(self)
        self.query.setMaxLength(500)
        self.refuse_button = QPushButton(self)
        self.send_button = QPushButton(self)
        self.send_button.setProperty("primary", True)
        layout.addWidget(self.heading)
        layout.addWidget(self.explanation)
        layout.addWidget(self.query)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.refuse_button)
        row.addWidget(self.send_button)
        layout.addLayout(row)
        self.send_button.clicked.connect(self._send)
        self.query.returnPressed.connect(self._send)
        self.refuse_button.clicked.connect(lambda: self._answer(None))
        self.query.textChanged.connect(lambda text: self.send_button.setEnabled(bool(text.strip())))
        self._retranslate()
        self.hide()

    def ask(self, query: str) -> None:
        """Show exactly what would be sent."""
        self.query.setText(query)
        self.query.setCursorPosition(0)
        self.show()
        self.query.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "send_button"):
            self._retranslate()

    def _retranslate(self) -> None:
        self.heading.setText(self.tr("Your files do not say enough. Search the web?"))
        self.explanation.setText(
            self.tr("Only these words are sent to the search engine. You can change them first. Nothing from your files is sent.")
        )
        self.query.setAccessibleName(self.tr("Words to send to the search engine"))
        self.refuse_button.setText(self.tr("Don't send"))
        self.send_button.setText(self.tr("Send once"))
        for button in (self.refuse_button, self.send_button):
            button.setAccessibleName(button.text())

    def _send(self) -> None:
        if text := self.query.text().strip():
            self._answer(text)

    def _answer(self, text: str | None) -> None:
        self.hide()
        self.answered.emit(text)
