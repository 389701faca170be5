"""The text of a file as it was indexed, opened at a cited passage, with line numbers and the way to the next citation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QTextEdit, QToolButton, QVBoxLayout, QWidget

from core.documents import Citation
from desktop.conversation.source_place import line_of, page_of
from desktop.theme import icon
from desktop.widgets.safe_text import plain_tooltip, utf16_length
from desktop.widgets.surface import TintedLabel, role_color, scaled_font


def as_shown(text: str) -> str:
    """`text` with the line breaks that a text view makes of it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2029", "\n")


def shown_position(text: str, offset: int) -> int:
    """Where character `offset` of `text` stands in a text view, which counts UTF-16 units and one unit a line break."""
    return utf16_length(as_shown(text[:offset]))


class _LineNumbers(QWidget):
    def __init__(self, view: NumberedText) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        return QSize(self._view.number_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._view.paint_numbers(event)


class NumberedText(QPlainTextEdit):
    """Plain text with line numbers and one highlighted passage. A plain text view knows no HTML, no images and no links."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAcceptDrops(False)
        self.viewport().setAcceptDrops(False)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self.setStyleSheet("QPlainTextEdit { border: none; border-radius: 0; padding: 0; }")
        self._span: tuple[int, int] | None = None
        self._numbers = _LineNumbers(self)
        self.blockCountChanged.connect(lambda _count: self._make_room())
        self.updateRequest.connect(self._follow)
        self._make_room()

    def show_text(self, text: str, start: int, end: int) -> None:
        """Show `text` scrolled to its slice `[start:end]`, which is highlighted."""
        shown = as_shown(text)
        if shown != self.toPlainText():
            self.setPlainText(shown)
        self._span = (shown_position(text, start), shown_position(text, end))
        self.highlight()
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._span[0])
        self.setTextCursor(cursor)
        self.centerCursor()

    def clear_text(self) -> None:
        """Show nothing."""
        self._span = None
        self.setExtraSelections([])
        self.clear()

    @property
    def highlighted_text(self) -> str:
        """The passage that is highlighted."""
        return "\n".join(selection.cursor.selectedText().replace("\u2029", "\n") for selection in self.extraSelections())

    def highlight(self) -> None:
        """Draw the highlight in the colours of now."""
        if self._span is None:
            return
        selection = QTextEdit.ExtraSelection()
        selection.cursor = QTextCursor(self.document())
        selection.cursor.setPosition(self._span[0])
        selection.cursor.setPosition(self._span[1], QTextCursor.MoveMode.KeepAnchor)
        selection.format.setBackground(role_color("highlight"))
        selection.format.setForeground(role_color("text"))
        selection.format.setProperty(QTextFormat.Property.UserProperty, 1)
        self.setExtraSelections([selection])

    def number_width(self) -> int:
        digits = max(3, len(str(max(1, self.blockCount()))))
        return self.fontMetrics().horizontalAdvance("9") * (digits + 2)

    def paint_numbers(self, event: QPaintEvent) -> None:
        painter = QPainter(self._numbers)
        painter.fillRect(event.rect(), role_color("window"))
        painter.setPen(role_color("muted_text"))
        painter.setFont(scaled_font(self.font(), 0.9))
        block = self.firstVisibleBlock()
        right = self._numbers.width() - self.fontMetrics().horizontalAdvance("9")
        while block.isValid():
            area = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if area.top() > event.rect().bottom():
                break
            if block.isVisible() and area.bottom() >= event.rect().top():
                line = QRect(0, int(area.top()), right, self.fontMetrics().height())
                painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(block.blockNumber() + 1))
            block = block.next()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._numbers.setGeometry(QRect(inside.left(), inside.top(), self.number_width(), inside.height()))

    def _make_room(self) -> None:
        self.setViewportMargins(self.number_width() + 6, 0, 0, 0)

    def _follow(self, area: QRect, moved: int) -> None:
        if moved:
            self._numbers.scroll(0, moved)
        else:
            self._numbers.update(0, area.y(), self._numbers.width(), area.height())


class SourceViewer(QWidget):
    """Shows one cited file; asks for texts by signal and is told them, so it never waits for a disk."""

    closed = Signal()
    text_wanted = Signal(object)  # Path

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._citations: tuple[Citation, ...] = ()
        self._index = 0
        self._path: Path | None = None
        self._line = 0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(12, 10, 12, 10)
        head.setSpacing(4)
        row = QHBoxLayout()
        row.setSpacing(4)
        self.back_button, self.previous_button, self.next_button = (QToolButton(self) for _ in range(3))
        for button in (self.back_button, self.previous_button, self.next_button):
            button.setProperty("flat", True)
        self.back_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.position = TintedLabel("", "muted_text", self, scale=0.92, wrap=False)
        row.addWidget(self.back_button)
        row.addStretch(1)
        row.addWidget(self.position)
        row.addWidget(self.previous_button)
        row.addWidget(self.next_button)
        head.addLayout(row)
        self.title = TintedLabel("", "text", self, bold=True)
        self.place = TintedLabel("", "muted_text", self, scale=0.92)
        head.addWidget(self.title)
        head.addWidget(self.place)
        layout.addLayout(head)
        self.text = NumberedText(self)
        self.problem = TintedLabel("", "error", self)
        self.problem.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self.problem)
        layout.addWidget(self.text, 1)
        self.back_button.clicked.connect(self.closed)
        self.previous_button.clicked.connect(lambda: self.step(-1))
        self.next_button.clicked.connect(lambda: self.step(1))
        self._retranslate()

    @property
    def current(self) -> Citation | None:
        """The citation that is shown, if it came from an answer."""
        return self._citations[self._index] if self._citations else None

    def open_citation(self, citations: Sequence[Citation], n: int) -> None:
        """Open source number `n`; previous and next go through the file sources of `citations`."""
        self._citations = tuple(citation for citation in citations if citation.file is not None)
        self._index = next((index for index, citation in enumerate(self._citations) if citation.n == n), 0)
        self._ask()

    def open_file(self, path: Path) -> None:
        """Open a file from its beginning, without a passage."""
        self._citations = ()
        self._path = path
        self._ask()

    def step(self, by: int) -> None:
        """Go to the next or the previous citation, round the end."""
        if self._citations:
            self._index = (self._index + by) % len(self._citations)
            self._ask()

    def show_text(self, path: Path, text: str) -> None:
        """The text that was asked for; another file's is ignored."""
        if path != self._path:
            return
        self.problem.hide()
        self.text.show()
        citation = self.current
        self.text.show_text(text, *((citation.start, citation.end) if citation is not None else (0, 0)))

    def show_problem(self, path: Path, words: str) -> None:
        """The text cannot be shown."""
        if path != self._path:
            return
        self.text.clear_text()
        self.text.hide()
        self.problem.setText(words)
        self.problem.show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not hasattr(self, "problem"):
            return
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()
            self.text.highlight()

    def _ask(self) -> None:
        citation = self.current
        path = citation.file if citation is not None else self._path
        if path is None:
            return
        self._path = path
        self._show_head()
        self.problem.hide()
        self.text_wanted.emit(path)

    def _show_head(self) -> None:
        citation = self.current
        path = self._path
        if path is None:
            return
        self.title.setText(citation.title if citation is not None and citation.title else path.name)
        places = [page_of(citation), line_of(citation)] if citation is not None else []
        self.place.setText(" · ".join(part for part in (path.name, *places) if part))
        self.place.setToolTip(plain_tooltip(str(path)))
        several = len(self._citations) > 1
        self.position.setText(f"[{citation.n}] · {self._index + 1}/{len(self._citations)}" if citation is not None else "")
        self.previous_button.setVisible(several)
        self.next_button.setVisible(several)

    def _retranslate(self) -> None:
        self.back_button.setText(self.tr("Back"))
        self.back_button.setAccessibleName(self.tr("Back to steps and sources"))
        self.previous_button.setAccessibleName(self.tr("Previous source"))
        self.previous_button.setToolTip(plain_tooltip(self.tr("Previous source (Shift+F3)")))
        self.next_button.setAccessibleName(self.tr("Next source"))
        self.next_button.setToolTip(plain_tooltip(self.tr("Next source (F3)")))
        self.text.setAccessibleName(self.tr("Text of the file"))
        self._draw_icons()
        self._show_head()

    def _draw_icons(self) -> None:
        self.back_button.setIcon(icon("previous"))
        self.previous_button.setIcon(icon("up"))
        self.next_button.setIcon(icon("down"))
