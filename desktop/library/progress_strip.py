"""The one progress bar of the library: files read or passages done, the current name, speed, time left, and pause or resume."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QGridLayout, QProgressBar, QVBoxLayout, QWidget

from core.events import EmbedderLoading, IndexEvent, IndexFinished, IndexStarted
from desktop.library.document_words import duration_text
from desktop.library.index_pace import IndexPace
from desktop.shown_name import shown_name
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.icon_button import IconButton
from desktop.widgets.safe_text import PlainLabel, plain_tooltip

_STEPS = 10_000


class ProgressStrip(QWidget):
    """Hidden while nothing happens. A pause stays in sight until the person ends it, even if the run behind it has stopped."""

    pause_requested = Signal()
    resume_requested = Signal()

    def __init__(self, parent: QWidget | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self._clock = clock
        self._shown_from = 0.0
        self._pace = IndexPace(clock)
        self._paused = False
        self._bar = QProgressBar()
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._count, self._name, self._speed, self._reason = PlainLabel(), ElidedLabel(), PlainLabel(), PlainLabel()
        for label in (self._name, self._speed, self._reason):
            label.setProperty("muted", True)
        self.button = IconButton("pause")
        self.button.clicked.connect(self._toggle)

        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setVerticalSpacing(self.fontMetrics().height() // 4)
        layout.addWidget(self._count, 0, 0)
        layout.addWidget(self.button, 0, 1, 2, 1)
        layout.addWidget(self._bar, 1, 0)
        below = QVBoxLayout()
        below.setSpacing(0)
        for label in (self._name, self._speed, self._reason):
            below.addWidget(label)
        below.addStretch()
        layout.addLayout(below, 2, 0, 1, 2)
        # As high as a name and a speed, also before there is a speed: the list above should not jump.
        layout.setRowMinimumHeight(2, self._name.sizeHint().height() * 2)
        layout.setColumnStretch(0, 1)
        self._say()
        self.hide()

    @property
    def paused(self) -> bool:
        """Whether the person asked for a pause that has not ended."""
        return self._paused

    @property
    def words(self) -> str:
        """All it says, as one text."""
        return "\n".join([self._count.text(), self._reason.text() or self._name.full_text, self._speed.text()])

    def show_event(self, event: IndexEvent, *, after_seconds: float = 0.0) -> None:
        """Take over what an indexing run reports; a pause stands still, whatever single file is read during it.

        A run that is over within `after_seconds` is not shown; one that has to load the embedder is not over so soon.
        """
        if self._paused:
            return
        self._pace.follow(event)
        match event:
            case IndexStarted(total):
                self._shown_from = self._clock() + after_seconds
                self.setVisible(total > 0 and not after_seconds)
            case IndexFinished():
                self.hide()
            case EmbedderLoading():
                self.show()
            case _:
                self.setVisible(self._clock() >= self._shown_from)
        self._say()

    def show_idle(self) -> None:
        """Nothing is being indexed: hide, unless a pause is the reason."""
        if not self._paused:
            self._pace.end()
        self.setVisible(self._paused)
        self._say()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._say()

    def _toggle(self) -> None:
        self._paused = not self._paused
        if self._paused:
            self._pace.pause()
            self.pause_requested.emit()
        else:
            self._pace.resume()
            self.resume_requested.emit()
        self._say()

    def _say(self) -> None:
        pace = self._pace
        self._bar.setValue(round(pace.fraction * _STEPS))
        self._count.setText(self._counts())
        reason = self._reason_it_stands()
        self._reason.setText(reason)
        self._name.show_text(shown_name(pace.name))
        self._speed.setText("" if reason else " · ".join(self._speeds()))
        self._reason.setVisible(bool(reason))
        self._name.setVisible(not reason)
        self._speed.setVisible(not reason)
        self.setToolTip(
            plain_tooltip(
                self.tr("First all files are read, and found by their words. Then their passages are made ready for the search by meaning.")
            )
        )
        self._bar.setAccessibleName(self.tr("Indexing progress"))
        self._bar.setAccessibleDescription(f"{self._count.text()} {self._reason.text()}{self._speed.text()}".strip())
        self.button.set_icon("play" if self._paused else "pause")
        self.button.set_words(self.tr("Resume indexing") if self._paused else self.tr("Pause indexing"))

    def _counts(self) -> str:
        pace = self._pace
        words = self.tr("{done} of {total} passages") if pace.counts_passages else self.tr("{done} of {total} files read")
        count = words.format(done=f"{pace.done:,}", total=f"{pace.total:,}")
        return f"{count} · {int(pace.fraction * 100)}\u00a0%"

    def _reason_it_stands(self) -> str:
        if self._paused:
            return self.tr("Paused. Questions work meanwhile with what is ready.")
        if self._pace.held:
            return self.tr("Waits while a question is answered")
        return self.tr("Loading the model that searches by meaning") if self._pace.loading else ""

    def _speeds(self) -> list[str]:
        pace = self._pace
        said = []
        if pace.files_per_second is not None:
            said.append(self.tr("{speed} files/s").format(speed=_rounded(pace.files_per_second)))
        if pace.chunks_per_second is not None:
            said.append(self.tr("{speed} passages/s").format(speed=_rounded(pace.chunks_per_second)))
        if pace.seconds_left is not None:
            said.append(self.tr("{time} left").format(time=duration_text(pace.seconds_left)))
        return said


def _rounded(speed: float) -> str:
    return f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}"
