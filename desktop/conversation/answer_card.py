"""One answer in the transcript: where it comes from, its text as it is written, what went wrong, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from desktop.conversation.turn_view import Problem, TurnView, copied_text, origin_role, origin_words, sources_strip
from desktop.theme import icon
from desktop.widgets.safe_text import SafeTextBrowser, plain_tooltip
from desktop.widgets.surface import Surface, TintedLabel, role_color

FLUSH_MS = 40


def _flat_button(parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setProperty("flat", True)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button


class _OwnKnowledge(Surface):
    """What the model itself knows, set plainly apart from what the files say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("window", stripe="own_knowledge", parent=parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 12, 12)
        layout.setSpacing(6)
        self.heading = TintedLabel("", "own_knowledge", self, scale=0.92, bold=True)
        self.body = SafeTextBrowser(self)
        layout.addWidget(self.heading)
        layout.addWidget(self.body)


class AnswerCard(Surface):
    """Shows a `TurnView`. While it runs, text is added in pieces and reaches the screen every 40 ms; Markdown is rendered once, at the end."""

    citation_chosen = Signal(int)
    address_chosen = Signal(str)
    retry_requested = Signal()
    chosen = Signal()

    def __init__(self, turn: TurnView, parent: QWidget | None = None) -> None:
        super().__init__("panel", border="border", parent=parent)
        self.turn = turn
        self._status = ""
        self._mark_color = role_color("accent")
        self._selected = False
        self._pending = {False: "", True: ""}
        self._timer = QTimer(self)
        self._timer.setInterval(FLUSH_MS)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.flush)
        self._build()
        self.show_turn(turn)

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 12, 14, 8)
        layout.setSpacing(8)
        header = QHBoxLayout()
        header.setSpacing(12)
        self.origin = TintedLabel("", "muted_text", self, scale=0.92, bold=True)
        self.strip = TintedLabel("", "muted_text", self, scale=0.92)
        self.strip.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        header.addWidget(self.origin, 3)
        header.addWidget(self.strip, 2)
        layout.addLayout(header)
        self.body = SafeTextBrowser(self)
        self.knowledge = _OwnKnowledge(self)
        self.problem_title = TintedLabel("", "error", self, bold=True)
        self.problem_help = TintedLabel("", "muted_text", self)
        self.note = TintedLabel("", "muted_text", self, scale=0.9)
        for widget in (self.body, self.knowledge, self.problem_title, self.problem_help, self.note):
            layout.addWidget(widget)
        actions = QHBoxLayout()
        actions.setSpacing(2)
        actions.setContentsMargins(-9, 0, 0, 0)
        self.copy_button, self.retry_button, self.details_button = (_flat_button(self) for _ in range(3))
        for button in (self.copy_button, self.retry_button, self.details_button):
            actions.addWidget(button)
        actions.addStretch(1)
        layout.addLayout(actions)
        self.copy_button.clicked.connect(self._copy)
        self.retry_button.clicked.connect(self.retry_requested)
        self.details_button.clicked.connect(self.chosen)
        for text in (self.body, self.knowledge.body):
            text.citation_chosen.connect(self.citation_chosen)
            text.address_chosen.connect(self.address_chosen)

    def show_turn(self, turn: TurnView) -> None:
        """Show another state of this turn. A finished answer replaces what was streamed."""
        self.turn = turn
        self._pending = {False: "", True: ""}
        self._timer.stop()
        if turn.answer is not None:
            marks = frozenset(citation.n for citation in turn.answer.citations)
            color = self._mark_color = role_color("accent")
            self.body.show_markdown(turn.answer.text, marks, color)
            self.knowledge.body.show_markdown(turn.answer.own_knowledge, frozenset(), color)
        else:
            self.body.show_plain(turn.text)
            self.knowledge.body.show_plain(turn.own_text)
        self._refresh()

    def show_status(self, words: str) -> None:
        """Say in the heading what is being done now."""
        self._status = words
        if self.turn.state == "running":
            self.origin.setText(words)

    def add_text(self, text: str, *, own_knowledge: bool) -> None:
        """Take streamed text; it is shown with the next flush."""
        self._pending[own_knowledge] += text
        if not self._timer.isActive():
            self._timer.start()

    def clear_text(self) -> None:
        """Forget the streamed text of the answer: it is written again."""
        self._pending[False] = ""
        self.body.show_plain("")

    def flush(self) -> None:
        """Show what was streamed since the last time. Appends only: the cost does not grow with the answer."""
        for own_knowledge, text in self._pending.items():
            if text:
                target = self.knowledge.body if own_knowledge else self.body
                target.append_text(text)
                (self.knowledge if own_knowledge else self.body).show()
        self._pending = {False: "", True: ""}

    def set_selected(self, selected: bool) -> None:
        """Mark the card whose steps and sources the details show."""
        self._selected = selected
        self.set_roles(border="accent" if selected else "border")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.chosen.emit()
        super().mousePressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not hasattr(self, "details_button"):
            return
        if event.type() == QEvent.Type.LanguageChange:
            self._refresh()
        elif event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()
            if self.turn.answer is not None and self._mark_color != role_color("accent"):
                self.show_turn(self.turn)  # the source marks carry a colour of their own

    def _refresh(self) -> None:
        turn = self.turn
        running = turn.state == "running"
        role = origin_role(turn.answer) if turn.answer is not None else ("error" if turn.state == "failed" else "")
        self.set_roles(stripe=role)
        self.origin.set_role(role or "muted_text")
        self.origin.setText(self._heading())
        self.strip.setText(sources_strip(turn.answer, turn.library_size) if turn.answer is not None else "")
        self.strip.setVisible(bool(self.strip.text()))
        self.body.setVisible(bool(self.body.document().characterCount() > 1))
        self.knowledge.heading.setText(self.tr("From the model's own knowledge, not from your files"))
        self.knowledge.setVisible(self.knowledge.body.document().characterCount() > 1)
        self._show_problem(turn.problem)
        # What the sources do not bear out is no small print.
        self.note.set_role("refusal" if turn.answer is not None and turn.answer.doubts else "muted_text")
        self.note.setText(turn.note)
        self.note.setVisible(bool(turn.note))
        self._name_buttons()
        self.copy_button.setVisible(turn.answer is not None or bool(turn.text))
        self.retry_button.setVisible(turn.state in ("failed", "interrupted") and (turn.problem is None or turn.problem.retry))
        self.details_button.setVisible(turn.answer is not None)
        self.copy_button.setEnabled(not running)
        self.setAccessibleName(self.tr("Answer to: {question}").replace("{question}", turn.question))
        self.body.setAccessibleName(self.tr("Text of the answer"))

    def _heading(self) -> str:
        turn = self.turn
        if turn.state == "running":
            return self._status or self.tr("Waiting for the model…")
        if turn.state == "failed":
            return self.tr("No answer")
        words = origin_words(turn.answer) if turn.answer is not None else ""
        if turn.state == "interrupted":
            stopped = self.tr("Stopped before the end")
            return f"{words} · {stopped}" if words and turn.answer is not None and turn.answer.text else stopped
        return words

    def _show_problem(self, problem: Problem | None) -> None:
        self.problem_title.setText(problem.title if problem else "")
        self.problem_help.setText(problem.what_to_do if problem else "")
        self.problem_title.setVisible(bool(problem and problem.title))
        self.problem_help.setVisible(bool(problem and problem.what_to_do))

    def _name_buttons(self) -> None:
        self.copy_button.setText(self.tr("Copy"))
        self.copy_button.setToolTip(plain_tooltip(self.tr("Copy the answer with its sources")))
        self.retry_button.setText(self.tr("Ask again"))
        self.details_button.setText(self.tr("Steps and sources"))
        for button in (self.copy_button, self.retry_button, self.details_button):
            button.setAccessibleName(button.text())
        self._draw_icons()

    def _draw_icons(self) -> None:
        self.copy_button.setIcon(icon("copy"))
        self.retry_button.setIcon(icon("retry"))
        self.details_button.setIcon(icon("steps"))

    def _copy(self) -> None:
        answer = self.turn.answer
        QGuiApplication.clipboard().setText(copied_text(answer) if answer is not None else self.turn.text)
