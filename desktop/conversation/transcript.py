"""The conversation as it is read: questions to the right, answers below them, newest at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from desktop.conversation.answer_card import AnswerCard
from desktop.conversation.turn_view import TurnView
from desktop.widgets.safe_text import SafeTextBrowser
from desktop.widgets.surface import Surface, columns, discard

LIVE_TURNS = 40
NEAR_BOTTOM = 24
TEXT_COLUMNS = 92
LONG_LINE = 400
SIDE = 22


class QuestionBubble(QWidget):
    """A question as it was asked."""

    def __init__(self, question: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self._bubble = Surface("user_bubble", parent=self)
        self._bubble.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        inner = QVBoxLayout(self._bubble)
        inner.setContentsMargins(14, 9, 14, 9)
        self.text = SafeTextBrowser(self._bubble)
        self.text.show_plain(question)
        self.text.setAccessibleName(self.tr("Your question"))
        inner.addWidget(self.text)
        layout.addStretch(1)
        layout.addWidget(self._bubble)
        metrics = self.text.fontMetrics()
        self._ideal_width = max(metrics.horizontalAdvance(line[:LONG_LINE]) for line in question.split("\n")) + 34

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bubble.setFixedWidth(min(self._ideal_width, event.size().width() * 4 // 5))


class Transcript(QScrollArea):
    """Shows turns; of a long conversation the newest, with a button for more. Never moves what somebody reads further up."""

    citation_chosen = Signal(int, int)  # turn key, source number
    address_chosen = Signal(str)
    retry_requested = Signal(int)
    turn_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._turns: list[TurnView] = []
        self._cards: dict[int, AnswerCard] = {}
        self._bubbles: list[QuestionBubble] = []
        self._following = True
        self._column = QWidget()
        self._layout = QVBoxLayout(self._column)
        self._layout.setContentsMargins(0, 18, 0, 18)
        self._layout.setSpacing(14)
        self._earlier = QPushButton(self._column)
        self._earlier.clicked.connect(self._show_earlier)
        self._layout.addWidget(self._earlier, 0, Qt.AlignmentFlag.AlignHCenter)
        self._layout.addStretch(1)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(SIDE, 0, SIDE, 0)
        row.addStretch(1)
        row.addWidget(self._column, 100)
        row.addStretch(1)
        self._column.setMaximumWidth(columns(self, TEXT_COLUMNS))
        self.setWidget(holder)
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._scrolled)
        bar.rangeChanged.connect(self._grown)
        self._retranslate()
        self._earlier.hide()

    @property
    def cards(self) -> dict[int, AnswerCard]:
        """The answers on screen by turn key."""
        return dict(self._cards)

    def show_turns(self, turns: Sequence[TurnView]) -> None:
        """Show another conversation, its end first."""
        self._clear()
        self._turns = list(turns)
        first = max(0, len(self._turns) - LIVE_TURNS)
        for turn in self._turns[first:]:
            self._append(turn)
        self._earlier.setVisible(first > 0)
        self._following = True
        self.scroll_to_end()

    def add_turn(self, turn: TurnView) -> None:
        """Add a question that was just asked and go to the end."""
        self._turns.append(turn)
        self._append(turn)
        self._following = True
        self.scroll_to_end()

    def update_turn(self, turn: TurnView) -> None:
        """Show another state of a turn, if it is here."""
        self._turns = [turn if known.key == turn.key else known for known in self._turns]
        if turn.key in self._cards:
            self._cards[turn.key].show_turn(turn)

    def rename_turn(self, key: int, new_key: int) -> None:
        """Give a turn its lasting key once it is stored."""
        self._turns = [replace(turn, key=new_key) if turn.key == key else turn for turn in self._turns]
        if key in self._cards:
            card = self._cards.pop(key)
            card.turn = replace(card.turn, key=new_key)
            self._cards[new_key] = card

    def select(self, key: int | None) -> None:
        """Mark the turn whose details are shown."""
        for known, card in self._cards.items():
            card.set_selected(known == key)

    def scroll_to_end(self) -> None:
        """Go to the newest turn, now and once the layout has settled."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())
        QTimer.singleShot(0, self, lambda: bar.setValue(bar.maximum()) if self._following else None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "_earlier"):
            self._retranslate()

    def _retranslate(self) -> None:
        self._earlier.setText(self.tr("Show earlier questions"))
        self.setAccessibleName(self.tr("Conversation"))

    def _append(self, turn: TurnView, at: int | None = None) -> None:
        place = self._layout.count() - 1 if at is None else at
        bubble = QuestionBubble(turn.question, self._column)
        self._layout.insertWidget(place, bubble)
        self._bubbles.append(bubble)
        card = AnswerCard(turn, self._column)
        card.citation_chosen.connect(lambda number, card=card: self.citation_chosen.emit(card.turn.key, number))
        card.retry_requested.connect(lambda card=card: self.retry_requested.emit(card.turn.key))
        card.chosen.connect(lambda card=card: self.turn_chosen.emit(card.turn.key))
        card.address_chosen.connect(self.address_chosen)
        self._layout.insertWidget(place + 1, card)
        self._cards[turn.key] = card

    def _clear(self) -> None:
        for widget in (*self._bubbles, *self._cards.values()):
            discard(widget)
        self._bubbles.clear()
        self._cards.clear()

    def _show_earlier(self) -> None:
        shown = len(self._cards)
        first = max(0, len(self._turns) - shown - LIVE_TURNS)
        hidden = self._turns[first : len(self._turns) - shown]
        anchor = self._cards[self._turns[-shown].key]
        before = anchor.mapTo(self.viewport(), QPoint(0, 0)).y()
        for offset, turn in enumerate(hidden):
            self._append(turn, at=1 + 2 * offset)
        self._earlier.setVisible(first > 0)
        self._following = False
        QTimer.singleShot(0, self, lambda: self._keep(anchor, before))

    def _keep(self, anchor: QWidget, before: int) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + anchor.mapTo(self.viewport(), QPoint(0, 0)).y() - before)

    def _scrolled(self, value: int) -> None:
        self._following = self.verticalScrollBar().maximum() - value <= NEAR_BOTTOM

    def _grown(self, _minimum: int, maximum: int) -> None:
        if self._following:
            self.verticalScrollBar().setValue(maximum)
