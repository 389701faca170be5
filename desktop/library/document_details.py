"""What is the matter with the chosen file, and what to do about it: shown only when there is something the matter."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from desktop.library.document_words import RowStatus, state_line, what_to_do
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.safe_text import PlainLabel


class DocumentDetails(QFrame):
    """A card under the list for a file that was skipped or failed."""

    retry_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._name, self._status = "", RowStatus("waiting")
        self._name_label = ElidedLabel()
        self._state = PlainLabel()
        self._what_to_do = PlainLabel()
        self._what_to_do.setProperty("muted", True)
        self.retry = QPushButton()
        self.retry.clicked.connect(self.retry_requested)

        space = self.fontMetrics().height()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space // 2, space // 2, space // 2, space // 2)
        layout.setSpacing(space // 4)
        for part in (self._name_label, self._state, self._what_to_do, self.retry):
            layout.addWidget(part)
        self.hide()

    @property
    def words(self) -> str:
        """All it says, as one text."""
        return "\n".join([self._name_label.full_text, self._state.text(), self._what_to_do.text()])

    def show_status(self, name: str, status: RowStatus | None) -> None:
        """Speak of this file, or fall silent if nothing is the matter with it."""
        troubled = status is not None and status.state in ("skipped", "failed")
        if status is not None and troubled:
            self._name, self._status = name, status
            self._say()
        self.setVisible(troubled)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._say()

    def _say(self) -> None:
        self._name_label.show_text(self._name)
        self._state.setText(state_line(self._status))
        self._what_to_do.setText(what_to_do(self._status.reason))
        self.retry.setText(self.tr("Read again"))
