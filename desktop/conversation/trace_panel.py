"""How the chosen answer was made: its steps in words with seconds, live, and the sources it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from core.documents import Citation, Step
from desktop.conversation.source_place import place_of
from desktop.conversation.step_words import StepText, is_rewritten, running_title, seconds_text, step_text
from desktop.plain_words import shortened
from desktop.theme import icon
from desktop.widgets.safe_text import plain_tooltip
from desktop.widgets.surface import SurfaceButton, TintedLabel, discard, role_color, scaled_font

SNIPPET_CHARACTERS = 160


class StepRow(QWidget):
    """One step: a sign, its title, its seconds, and its details below."""

    def __init__(self, words: StepText, seconds: float | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 5, 0, 5)
        layout.setSpacing(9)
        running = seconds is None
        self.sign = QLabel(self)
        size = self.fontMetrics().height()
        name, role = ("indexing", "accent") if running else ("failed", "error") if words.failed else ("ready", "files")
        self.sign.setPixmap(icon(name, role_color(role).name()).pixmap(size, size))
        self.sign.setFixedWidth(size)
        layout.addWidget(self.sign, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout()
        self._column.setSpacing(2)
        self.title = TintedLabel(words.title + ("…" if running else ""), "text", self)
        self._column.addWidget(self.title)
        self.details = [TintedLabel(line, "muted_text", self, scale=0.92) for line in words.details]
        for label in self.details:
            self._column.addWidget(label)
        layout.addLayout(self._column, 1)
        self.seconds = TintedLabel("" if running else seconds_text(seconds or 0.0), "muted_text", self, scale=0.92, wrap=False)
        layout.addWidget(self.seconds, 0, Qt.AlignmentFlag.AlignTop)
        said = ", ".join([self.title.text(), *words.details, self.seconds.text()])
        self.setAccessibleName(said)

    def add_button(self, button: QPushButton) -> None:
        """Offer something to do about the step, below its details."""
        self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)


class SourceRow(SurfaceButton):
    """One source: its number, where it is, and how the passage begins. Pressing it opens the place."""

    def __init__(self, citation: Citation, parent: QWidget | None = None, *, closest: bool = False) -> None:
        super().__init__(parent)
        self.citation = citation
        layout = QHBoxLayout(self)
        layout.setContentsMargins(11, 9, 11, 9)
        layout.setSpacing(9)
        number = TintedLabel(f"[{citation.n}]", "accent", self, bold=True, wrap=False)
        layout.addWidget(number, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setSpacing(3)
        name = citation.title or (citation.file.name if citation.file is not None else citation.url)
        if citation.url:
            place = citation.url
        else:
            where = place_of(citation)
            place = f"{citation.file.name} · {where}" if citation.file is not None and citation.file.name != name else where
        self.title = TintedLabel(name, "text", self, bold=True)
        self.place = TintedLabel(place if len(place) <= 90 else place[:89] + "…", "web" if citation.url else "muted_text", self, scale=0.92)
        column.addWidget(self.title)
        column.addWidget(self.place)
        snippet = " ".join(citation.quote.split())
        if snippet:
            short = snippet if len(snippet) <= SNIPPET_CHARACTERS else snippet[: SNIPPET_CHARACTERS - 1] + "…"
            column.addWidget(TintedLabel(short, "muted_text", self, scale=0.92))
        layout.addLayout(column, 1)
        for label in self.findChildren(QLabel):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setToolTip(plain_tooltip(citation.url or str(citation.file or "")))
        spoken = self.tr("Closest passage {n}: {title}, {place}") if closest else self.tr("Source {n}: {title}, {place}")
        self.setAccessibleName(spoken.replace("{n}", str(citation.n)).replace("{title}", name).replace("{place}", place))


class TracePanel(QScrollArea):
    """The steps and sources of one answer. What it shows is set from outside; it only says what was chosen."""

    source_chosen = Signal(int)
    as_typed_requested = Signal()  # the question once more, not rewritten

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._steps: list[tuple[str, float | None, Mapping[str, object]]] = []
        self._citations: tuple[Citation, ...] = ()
        self.rows: list[StepRow] = []
        self.sources: list[SourceRow] = []
        self.as_typed_button: QPushButton | None = None
        self._question = ""
        self._answering = False
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.setSpacing(6)
        self.steps_heading = TintedLabel("", "text", body, bold=True)
        self.steps_total = TintedLabel("", "muted_text", body, scale=0.92, wrap=False)
        self.empty = TintedLabel("", "muted_text", body)
        self._step_rows = QVBoxLayout()
        self._step_rows.setSpacing(0)
        self.sources_heading = TintedLabel("", "text", body, bold=True)
        self.no_sources = TintedLabel("", "muted_text", body)
        self._source_rows = QVBoxLayout()
        self._source_rows.setSpacing(7)
        head = QHBoxLayout()
        head.addWidget(self.steps_heading, 1)
        head.addWidget(self.steps_total, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(head)
        layout.addWidget(self.empty)
        layout.addLayout(self._step_rows)
        layout.addSpacing(12)
        layout.addWidget(self.sources_heading)
        layout.addWidget(self.no_sources)
        layout.addLayout(self._source_rows)
        layout.addStretch(1)
        self.setWidget(body)
        self._total: float | None = None
        self._finished = False
        self._closest = False
        self._retranslate()

    def show_nothing(self) -> None:
        """No answer is chosen."""
        self._question = ""
        self._steps, self._citations, self._total, self._finished = [], (), None, False
        self._rebuild()

    def set_answering(self, answering: bool) -> None:
        """While any answer is being made, no other can be asked for from here."""
        self._answering = answering
        if self.as_typed_button is not None:
            self.as_typed_button.setEnabled(not answering)

    def show_run(self, question: str, steps: Sequence[tuple[Step, Mapping[str, object]]], running: str = "") -> None:
        """Show a run that goes on: the question as it was typed, its finished steps, and the node that works now."""
        self._question = question
        self._steps = [(step.node, step.seconds, detail) for step, detail in steps]
        if running:
            self._steps.append((running, None, {}))
        self._citations, self._total, self._finished = (), None, False
        self._rebuild()

    def start_step(self, node: str) -> None:
        """Add the node that works now."""
        self._steps.append((node, None, {}))
        self._add_step(*self._steps[-1])
        self._show_emptiness()

    def finish_step(self, step: Step, detail: Mapping[str, object]) -> None:
        """Replace the working node by what became of it."""
        for index in reversed(range(len(self._steps))):
            if self._steps[index][0] == step.node and self._steps[index][1] is None:
                self._steps[index] = (step.node, step.seconds, detail)
                discard(self.rows.pop(index))
                self._add_step(step.node, step.seconds, detail, at=index)
                return
        self._steps.append((step.node, step.seconds, detail))
        self._add_step(*self._steps[-1])
        self._show_emptiness()

    def show_answer(
        self,
        question: str,
        steps: Sequence[tuple[Step, Mapping[str, object]]],
        citations: Sequence[Citation],
        seconds: float | None,
        *,
        closest: bool = False,
    ) -> None:
        """Show a finished answer. With `closest` the passages are those that came nearest and still do not say: no sources of anything."""
        self._closest = closest
        self._question = question
        self._steps = [(step.node, step.seconds, detail) for step, detail in steps]
        self._citations, self._total, self._finished = tuple(citations), seconds, True
        self._rebuild()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange) and hasattr(self, "_finished"):
            self._retranslate()

    def _retranslate(self) -> None:
        self.steps_heading.setText(self.tr("How this answer was made"))
        self.empty.setText(self.tr("Ask something: every step appears here as it happens."))
        self.setAccessibleName(self.tr("Steps and sources"))
        self._rebuild()

    def _rebuild(self) -> None:
        for row in (*self.rows, *self.sources):
            discard(row)
        self.rows, self.sources = [], []
        self.as_typed_button = None
        for node, seconds, detail in self._steps:
            self._add_step(node, seconds, detail)
        for citation in self._citations:
            source = SourceRow(citation, self.widget(), closest=self._closest)
            source.clicked.connect(lambda _checked=False, n=citation.n: self.source_chosen.emit(n))
            self._source_rows.addWidget(source)
            self.sources.append(source)
        self._show_emptiness()

    def _add_step(self, node: str, seconds: float | None, detail: Mapping[str, object], at: int | None = None) -> None:
        words = StepText(running_title(node)) if seconds is None else step_text(node, detail)
        row = StepRow(words, seconds, self.widget())
        if node == "rewrite_question" and is_rewritten(self._question, detail):
            self.as_typed_button = self._make_as_typed_button(row)
            row.add_button(self.as_typed_button)
        place = len(self.rows) if at is None else at
        self._step_rows.insertWidget(place, row)
        self.rows.insert(place, row)

    def _make_as_typed_button(self, parent: QWidget) -> QPushButton:
        button = QPushButton(parent)
        button.setProperty("link", True)
        button.setFont(scaled_font(button.font(), 0.92))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setText(self.tr("Ask as I typed it"))
        button.setAccessibleName(button.text())
        asks = self.tr("Asks again, word for word: “{question}”").replace("{question}", shortened(self._question))
        button.setToolTip(plain_tooltip(asks))
        button.setEnabled(not self._answering)
        button.clicked.connect(self.as_typed_requested)
        return button

    def _show_emptiness(self) -> None:
        self.empty.setVisible(not self._steps and not self._finished)
        self.steps_total.setVisible(self._total is not None)
        self.steps_total.setText(self.tr("{seconds} in all").replace("{seconds}", seconds_text(self._total or 0.0)))
        self.sources_heading.setText(self.tr("Closest passages") if self._closest else self.tr("Sources"))
        self.no_sources.setText(self.tr("No passage comes close.") if self._closest else self.tr("This answer names no source."))
        self.sources_heading.setVisible(self._finished)
        self.no_sources.setVisible(self._finished and not self._citations)
