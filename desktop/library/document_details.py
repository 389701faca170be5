"""What is the matter with the chosen file or folder, and what to do about it: shown only when there is something the matter."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.safe_text import PlainLabel


class DocumentDetails(QFrame):
    """A card under the list for a file that was skipped or failed, or a folder that is not found."""

    retry_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
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
        self._retranslate()
        self.hide()

    @property
    def words(self) -> str:
        """All it says, as one text."""
        return "\n".join([self._name_label.full_text, self._state.text(), self._what_to_do.text()])

    def show_trouble(self, name: str, what_to_do: str, *, state: str = "") -> None:
        """Speak of this file, whose state says why it is not ready, or of a folder, which has none. The texts are translated already."""
        self._name_label.show_text(name)
        self._state.setText(state)
        self._state.setVisible(bool(state))
        self._what_to_do.setText(what_to_do)
        self.retry.setVisible(bool(state))
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _retranslate(self) -> None:
        self.retry.setText(self.tr("Read again"))
