"""Where a question is typed: Enter sends, Shift+Enter makes a line, Enter that confirms an input method's candidate does neither."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QFocusEvent, QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPlainTextEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from core.scope import Scope
from core.settings import WebMode
from desktop.conversation.days import DaysButton, days_of
from desktop.conversation.place_completer import PlaceCompleter
from desktop.conversation.places import Place
from desktop.conversation.scope_chips import MAX_PLACES, ScopeChips
from desktop.theme import icon
from desktop.widgets.local_files import local_files
from desktop.widgets.safe_text import plain_tooltip
from desktop.widgets.surface import Surface, TintedLabel, role_color

QUESTION_LIMIT = 20_000
MAX_LINES = 8
_KEYS_OF_LISTS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


class QuestionEdit(QPlainTextEdit):
    """The text field itself, as tall as its text up to eight lines. Only plain text goes in."""

    submitted = Signal()
    files_pasted = Signal(object)  # tuple[Path, ...]
    focus_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.places = PlaceCompleter(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QPlainTextEdit { border: none; background: transparent; padding: 0; }")
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)  # the whole window takes drops
        self.viewport().setAcceptDrops(False)
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self._fit()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._composing = False
        super().focusOutEvent(event)
        self.focus_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.places.is_open and event.key() in _KEYS_OF_LISTS:
            event.ignore()
            return
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        event.accept()
        if self._composing:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        elif not event.isAutoRepeat():
            self.submitted.emit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or bool(local_files(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = local_files(source)
        if files:
            self.files_pasted.emit(files)
        elif source.hasText():
            self.insertPlainText(source.text())

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def _fit(self) -> None:
        # A plain text document measures its height in lines.
        lines = min(MAX_LINES, max(1, int(self.document().size().height())))
        height = lines * self.fontMetrics().lineSpacing() + 6
        if height != self.height():
            self.setFixedHeight(height)


class QuestionBox(Surface):
    """The question field with Send or Stop, the web switch, and one quiet line for what hinders."""

    question_submitted = Signal(str)
    stop_requested = Signal()
    draft_changed = Signal()
    web_mode_chosen = Signal(str)
    files_pasted = Signal(object)
    places_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", border="outline", parent=parent)
        self._running = False
        self._web_mode: WebMode = "off"
        self._hint = ""
        self.edit = QuestionEdit(self)
        self.chips = ScopeChips(self)
        self.hint = TintedLabel("", "muted_text", self, scale=0.9)
        self.web_button = QToolButton(self)
        self.web_button.setProperty("flat", True)
        self.web_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.web_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.days_button = DaysButton(self)
        self.send_button = QPushButton(self)
        self.send_button.setProperty("primary", True)
        self.stop_button = QPushButton(self)
        self._build_menu()
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(14, 11, 9, 8)
        self._rows.setSpacing(6)
        self._rows.addWidget(self.chips)
        self._rows.addWidget(self.edit)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self._row.addWidget(self.web_button)
        self._row.addWidget(self.days_button)
        self._row.addStretch(0)
        self._row.addWidget(self.stop_button)
        self._row.addWidget(self.send_button)
        self._rows.addLayout(self._row)
        self._hint_is_beside: bool | None = None
        self.edit.submitted.connect(self.submit)
        self.edit.textChanged.connect(self._text_changed)
        self.edit.files_pasted.connect(self.files_pasted)
        self.edit.focus_changed.connect(self._show_focus)
        self.edit.places.wanted.connect(self.places_wanted)
        self.edit.places.chosen.connect(self._add_place)
        self.days_button.chosen.connect(self.chips.set_days)
        self.chips.changed.connect(lambda: self.days_button.show_days(days_of(self.chips.scope)))
        self.send_button.clicked.connect(self.submit)
        self.stop_button.clicked.connect(self.stop_requested)
        self.set_running(False)
        self._retranslate()

    def _build_menu(self) -> None:
        menu = QMenu(self.web_button)
        group = QActionGroup(menu)
        self._web_actions: dict[WebMode, QAction] = {}
        modes: tuple[WebMode, ...] = ("off", "ask", "auto")
        for mode in modes:
            action = menu.addAction("")
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, mode=mode: self.web_mode_chosen.emit(mode))
            group.addAction(action)
            self._web_actions[mode] = action
        self.web_button.setMenu(menu)

    @property
    def text(self) -> str:
        """What stands in the field."""
        return self.edit.toPlainText()

    def set_text(self, text: str) -> None:
        """Put a draft or an example into the field, the cursor at its end."""
        if text != self.text:
            self.edit.setPlainText(text)
            self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)
        self.show_hint("")

    @property
    def scope(self) -> Scope:
        """What the next question is restricted to. It stays for the questions after it until the person takes it away."""
        return self.chips.scope

    def set_scope(self, scope: Scope) -> None:
        """Show the restriction of a conversation's last question."""
        self.chips.set_scope(scope)

    def offer_places(self, places: Sequence[Place]) -> None:
        """The files and folders that may be named with an @."""
        self.edit.places.offer(places)

    def _add_place(self, path: Path) -> None:
        if not self.chips.add(path):
            self.show_hint(
                self.tr("A question can be restricted to {count} places at most.").replace("{count}", str(MAX_PLACES)), problem=True
            )

    def set_running(self, running: bool) -> None:
        """Offer Stop instead of Send while an answer is being made."""
        self._running = running
        self.stop_button.setVisible(running)
        self.send_button.setVisible(not running)
        self._enable_send()

    def set_web_mode(self, mode: WebMode) -> None:
        """Show how the web fallback is set."""
        self._web_mode = mode
        self._web_actions[mode].setChecked(True)
        self.chips.set_web(mode != "off")
        self._retranslate()

    def show_hint(self, words: str, *, problem: bool = False) -> None:
        """One line below the field; empty shows the usual one."""
        self._hint = words
        self.hint.set_role("error" if problem else "muted_text")
        self.hint.setText(words or self.tr("Enter sends, Shift+Enter starts a new line, @ names files to search"))
        self._place_hint()

    def _place_hint(self) -> None:
        """Between the buttons where it fits there on one line, else on lines of its own above them."""
        buttons = [button for button in (self.web_button, self.days_button, self.stop_button, self.send_button) if not button.isHidden()]
        taken = sum(button.sizeHint().width() + self._row.spacing() for button in buttons)
        margins = self._rows.contentsMargins()
        room = self.width() - margins.left() - margins.right() - taken
        beside = self.hint.fontMetrics().horizontalAdvance(self.hint.text()) < room
        if beside != self._hint_is_beside:
            self._hint_is_beside = beside
            (self._rows if beside else self._row).removeWidget(self.hint)
            if beside:
                self._row.insertWidget(2, self.hint, 1)
            else:
                self._rows.insertWidget(self._rows.indexOf(self._row), self.hint)

    def submit(self) -> None:
        """Send what stands in the field, if it is a question and none is being answered."""
        question = self.text.strip()
        if not question or self._running:
            return
        if len(question) > QUESTION_LIMIT:
            words = self.tr(
                "This question has {count} characters; at most {limit} can be asked at once. Please shorten it, or add the text as a file."
            )
            self.show_hint(words.replace("{count}", f"{len(question):,}").replace("{limit}", f"{QUESTION_LIMIT:,}"), problem=True)
            return
        self.question_submitted.emit(question)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_hint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange) and hasattr(self, "stop_button"):
            self._retranslate()

    def _retranslate(self) -> None:
        words = {
            "off": (self.tr("Web off"), self.tr("Never search the web")),
            "ask": (self.tr("Web: ask first"), self.tr("Ask me before every web search")),
            "auto": (self.tr("Web on"), self.tr("Search the web when my files do not say")),
        }
        for mode, action in self._web_actions.items():
            action.setText(words[mode][1])
        self.web_button.setText(words[self._web_mode][0])
        self.web_button.setIcon(icon("web", role_color("muted_text" if self._web_mode == "off" else "web").name()))
        self.web_button.setToolTip(plain_tooltip(self.tr("Whether the web may be searched when your files do not say")))
        self.web_button.setAccessibleName(self.web_button.text())
        self.send_button.setText(self.tr("Ask"))
        self.send_button.setIcon(icon("send", role_color("lamp_text").name()))
        self.send_button.setAccessibleName(self.tr("Send the question"))
        self.stop_button.setText(self.tr("Stop"))
        self.stop_button.setIcon(icon("stop"))
        self.stop_button.setToolTip(plain_tooltip(self.tr("Stop this answer (Esc)")))
        self.stop_button.setAccessibleName(self.tr("Stop this answer"))
        self.edit.setPlaceholderText(self.tr("Ask about your files…"))
        self.edit.setAccessibleName(self.tr("Question"))
        self.show_hint(self._hint)

    def _text_changed(self) -> None:
        if self._hint and not self._running:
            self.show_hint("")
        self._enable_send()
        self.draft_changed.emit()

    def _enable_send(self) -> None:
        self.send_button.setEnabled(not self._running and bool(self.text.strip()))

    def _show_focus(self) -> None:
        self.set_roles(border="accent" if self.edit.hasFocus() else "outline")
