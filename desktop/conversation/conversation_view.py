"""The middle pane: the conversation or the welcome, the question about the web when there is one, and the question box."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from desktop.conversation.question_box import QuestionBox
from desktop.conversation.transcript import SIDE, TEXT_COLUMNS, Transcript
from desktop.conversation.web_consent_bar import WebConsentBar
from desktop.conversation.welcome_view import WelcomeView
from desktop.widgets.surface import columns


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
        column.setMaximumWidth(columns(self, TEXT_COLUMNS))
        column.setLayout(foot)
        foot.setContentsMargins(0, 0, 0, 0)
        self._foot = QHBoxLayout()
        self._foot.addStretch(1)
        self._foot.addWidget(column, 100)
        self._foot.addStretch(1)
        layout.addLayout(self._foot)
        self.transcript.verticalScrollBar().rangeChanged.connect(self._align)
        self.pages.currentChanged.connect(self._align)
        self._align()

    def _align(self) -> None:
        """Keep the question box in line with the transcript's column, which gives way to its scroll bar."""
        bar = self.transcript.verticalScrollBar()
        scrolls = self.pages.currentWidget() is self.transcript and bar.maximum() > 0
        self._foot.setContentsMargins(SIDE, 4, SIDE + (bar.sizeHint().width() if scrolls else 0), 16)

    def show_welcome(self) -> None:
        """Nothing has been asked here yet."""
        self.pages.setCurrentWidget(self.welcome)

    def show_transcript(self) -> None:
        """Show the questions and answers."""
        self.pages.setCurrentWidget(self.transcript)
