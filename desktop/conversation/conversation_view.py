"""The middle pane: the conversation or the welcome, the question about the web when there is one, and the question box."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from desktop.conversation.question_box import QuestionBox
from desktop.conversation.transcript import TEXT_COLUMNS, Transcript
from desktop.conversation.web_consent_bar import WebConsentBar
from desktop.conversation.welcome_view import WelcomeView


class ConversationView(QWidget):
    """Places its parts; each speaks for itself by its own signals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.welcome = WelcomeView(self)
        self.transcript = Transcript(self)
        self.pages = QStackedWidget(self)
        self.pages.addWidget(self.welcome)
        self.pages.addWidget(self.transcript)
        self.consent_bar = WebConsentBar(self)
        self.question_box = QuestionBox(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.pages, 1)
        foot = QVBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.consent_bar)
        foot.addWidget(self.question_box)
        column = QWidget(self)
        column.setMaximumWidth(self.fontMetrics().averageCharWidth() * TEXT_COLUMNS)
        column.setLayout(foot)
        foot.setContentsMargins(0, 0, 0, 0)
        row = QHBoxLayout()
        row.setContentsMargins(22, 4, 22, 16)
        row.addStretch(1)
        row.addWidget(column, 100)
        row.addStretch(1)
        layout.addLayout(row)

    def show_welcome(self) -> None:
        """Nothing has been asked here yet."""
        self.pages.setCurrentWidget(self.welcome)

    def show_transcript(self) -> None:
        """Show the questions and answers."""
        self.pages.setCurrentWidget(self.transcript)
