"""A banner with a button for what can be done about the problem."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from desktop.widgets.banner import Banner


class ActionBanner(Banner):
    """Says one problem at a time; the newest stays."""

    action_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = QPushButton(self)
        self._action = ""
        layout = self.layout()
        assert isinstance(layout, QHBoxLayout)
        layout.insertWidget(2, self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.button.clicked.connect(self._act)
        self.button.hide()

    def show_problem(self, title: str, what_to_do: str, action: str, label: str) -> None:
        """Say a problem; without a label there is no button."""
        self._action = action
        self.button.setText(label)
        self.button.setAccessibleName(label)
        self.button.setVisible(bool(action and label))
        self.show_words(title, what_to_do)

    def show_notice(self, title: str, text: str) -> None:
        """Say something that is good to know. A problem that is being said has precedence."""
        if self.isHidden():
            self.button.hide()
            self.show_words(title, text, calm=True)

    def _act(self) -> None:
        self.hide()
        self.action_requested.emit(self._action)
