"""What an empty conversation shows: how to begin, and that it all happens on this computer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop.theme import icon
from desktop.widgets.surface import Surface, SurfaceButton, TintedLabel, columns, discard, role_color

EXAMPLES = 3


class _Chip(SurfaceButton):
    def __init__(self, question: str, parent: QWidget) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 9, 14, 9)
        label = TintedLabel(question, "text", self)
        label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout.addWidget(label)
        self.question = question
        self.setAccessibleName(question)


class WelcomeView(QWidget):
    """First run: add files or try the sample library. With files: example questions."""

    add_files_requested = Signal()
    add_folder_requested = Signal()
    sample_requested = Signal()
    example_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files = 0
        self.chips: list[_Chip] = []
        self._titles: tuple[str, ...] = ()
        self.lamp = QLabel(self)
        self.lamp.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.title = TintedLabel("", "text", self, scale=1.8, bold=True)
        self.explanation = TintedLabel("", "muted_text", self, scale=1.08)
        for label in (self.title, self.explanation):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.drop_area = Surface("panel", border="border", parent=self)
        self.drop_words = TintedLabel("", "text", self.drop_area, scale=1.08)
        self.drop_words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.files_button, self.folder_button, self.sample_button = (QPushButton(self.drop_area) for _ in range(3))
        self.files_button.setProperty("primary", True)
        area = QVBoxLayout(self.drop_area)
        area.setContentsMargins(24, 22, 24, 20)
        area.setSpacing(16)
        area.addWidget(self.drop_words)
        self._buttons = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._buttons.setSpacing(8)
        self._buttons.addStretch(1)
        for button in (self.files_button, self.folder_button, self.sample_button):
            self._buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._buttons.addStretch(1)
        area.addLayout(self._buttons)
        self.examples_heading = TintedLabel("", "muted_text", self, scale=0.92)
        self.examples_heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._examples = QVBoxLayout()
        self._examples.setSpacing(8)
        self.promise = TintedLabel("", "muted_text", self, scale=0.92)
        self.promise.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._column = QWidget(self)
        self._column.setMaximumWidth(columns(self, 84))
        inner = QVBoxLayout(self._column)
        inner.setContentsMargins(22, 16, 22, 16)
        inner.setSpacing(12)
        inner.addStretch(3)
        for widget in (self.lamp, self.title, self.explanation):
            inner.addWidget(widget)
        inner.addSpacing(8)
        inner.addWidget(self.drop_area)
        inner.addWidget(self.examples_heading)
        inner.addLayout(self._examples)
        inner.addSpacing(4)
        inner.addWidget(self.promise)
        inner.addStretch(4)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addStretch(1)
        outer.addWidget(self._column, 100)
        outer.addStretch(1)
        self.files_button.clicked.connect(self.add_files_requested)
        self.folder_button.clicked.connect(self.add_folder_requested)
        self.sample_button.clicked.connect(self.sample_requested)
        self._retranslate()

    def show_library(self, files: int, titles: Sequence[str]) -> None:
        """Adapt to a library of `files` files; `titles` name some that are ready."""
        if (files, tuple(titles)) != (self._files, self._titles):
            self._files, self._titles = files, tuple(titles)
            self._retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn_buttons()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange) and hasattr(self, "promise"):
            self._retranslate()

    def _retranslate(self) -> None:
        side = self.fontMetrics().height() * 3
        self.lamp.setPixmap(icon("lamp", role_color("accent").name()).pixmap(side, side))
        self.files_button.setText(self.tr("Add files…"))
        self.files_button.setIcon(icon("add-file", role_color("lamp_text").name()))
        self.folder_button.setText(self.tr("Add a folder…"))
        self.folder_button.setIcon(icon("add-folder"))
        self.sample_button.setText(self.tr("Try the sample library"))
        for button in (self.files_button, self.folder_button, self.sample_button):
            button.setAccessibleName(button.text())
        self.drop_words.setText(self.tr("Drag files or folders here"))
        self.promise.setText(
            self.tr(
                "Everything happens on this computer and works without the internet. Your files are read, never changed, moved or sent."
            )
        )
        self.examples_heading.setText(self.tr("For example"))
        if self._files:
            self.title.setText(self.tr("What would you like to know?"))
            ready = (
                self.tr("1 file is ready.")
                if self._files == 1
                else self.tr("{count} files are ready.").replace("{count}", f"{self._files:,}")
            )
            self.explanation.setText(ready + " " + self.tr("Every answer shows where it comes from."))
        else:
            self.title.setText(self.tr("Ask your own files"))
            self.explanation.setText(
                self.tr(
                    "Add documents, notes, code or tables, ask in your own words, and check every answer against the passage it comes from."
                )
            )
        self.drop_area.setVisible(not self._files)
        self._turn_buttons()
        self._show_examples()

    def _turn_buttons(self) -> None:
        """Side by side where there is room for all they say, else one below the other."""
        layouts = (self._column.layout(), self.drop_area.layout())
        edges = sum(layout.contentsMargins().left() + layout.contentsMargins().right() for layout in layouts if layout is not None)
        buttons = (self.files_button, self.folder_button, self.sample_button)
        needed = sum(button.sizeHint().width() for button in buttons) + self._buttons.spacing() * (len(buttons) + 1)
        fits = needed + edges <= min(self.width(), self._column.maximumWidth())
        self._buttons.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)

    def _show_examples(self) -> None:
        for chip in self.chips:
            discard(chip)
        self.chips = []
        for title in self._titles[:EXAMPLES]:
            chip = _Chip(self.tr("What does “{title}” say?").replace("{title}", title), self)
            chip.clicked.connect(lambda _checked=False, chip=chip: self.example_chosen.emit(chip.question))
            self._examples.addWidget(chip)
            self.chips.append(chip)
        self.examples_heading.setVisible(bool(self._titles))
