"""The one progress bar of the library: files read or passages done, the current name, speed, time left, and pause or resume."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QProgressBar, QWidget

from core.events import IndexEvent, IndexFinished, IndexStarted
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
        self._count = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._name = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self._name.setProperty("muted", True)
        self._time = PlainLabel(wrap=False)
        self._time.setProperty("muted", True)
        self.button = IconButton("pause")
        self.button.clicked.connect(self._toggle)

        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setVerticalSpacing(self.fontMetrics().height() // 4)
        layout.addWidget(self._count, 0, 0, 1, 2)
        layout.addWidget(self.button, 0, 2, 2, 1)
        layout.addWidget(self._bar, 1, 0, 1, 2)
        layout.addWidget(self._name, 2, 0)
        layout.addWidget(self._time, 2, 1, 1, 2)
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
        return "\n".join([self._count.full_text, self._name.full_text, self._time.text()])

    def show_event(self, event: IndexEvent, *, after_seconds: float = 0.0) -> None:
        """Take over what an indexing run reports; a pause stands still, whatever single file is read during it.

        A run that is over within `after_seconds` is not shown.
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
        self._count.show_text(" · ".join(self._counts()))
        self._time.setText("" if self._paused or pace.held else " · ".join(self._speeds()))
        self._name.show_text(self._reason_it_stands() or shown_name(pace.name))
        self.setToolTip(
            plain_tooltip(
                self.tr("First all files are read, and found by their words. Then their passages are made ready for the search by meaning.")
            )
        )
        self._bar.setAccessibleName(self.tr("Indexing progress"))
        self._bar.setAccessibleDescription(f"{self._count.full_text} {self._time.text()}".strip())
        self.button.set_icon("play" if self._paused else "pause")
        self.button.set_words(self.tr("Resume indexing") if self._paused else self.tr("Pause indexing"))

    def _counts(self) -> list[str]:
        pace = self._pace
        words = self.tr("{done} of {total} passages") if pace.counts_passages else self.tr("{done} of {total} files read")
        count = words.format(done=f"{pace.done:,}", total=f"{pace.total:,}")
        if self._paused:
            return [self.tr("Paused"), count]
        return [count, f"{int(pace.fraction * 100)} %"]

    def _reason_it_stands(self) -> str:
        if self._paused:
            return self.tr("Questions work meanwhile with what is ready.")
        return self.tr("Waits while a question is answered") if self._pace.held else ""

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
