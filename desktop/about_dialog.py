"""What Lamplight is and what it promises."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.theme import icon
from desktop.widgets.surface import TintedLabel, columns, role_color


class AboutDialog(QDialog):
    """Promises that are kept by the program's design and proved by its tests, one a line."""

    def __init__(self, model: str, home: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About Lamplight"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(26, 24, 26, 18)
        layout.setSpacing(10)
        head = QHBoxLayout()
        head.setSpacing(14)
        lamp = QLabel(self)
        side = self.fontMetrics().height() * 3
        lamp.setPixmap(icon("lamp", role_color("accent").name()).pixmap(side, side))
        head.addWidget(lamp, 0, Qt.AlignmentFlag.AlignTop)
        names = QVBoxLayout()
        names.addWidget(TintedLabel("Lamplight", "text", self, scale=1.5, bold=True))
        names.addWidget(TintedLabel(self.tr("Ask your own files, offline."), "muted_text", self))
        head.addLayout(names, 1)
        layout.addLayout(head)
        layout.addSpacing(6)
        layout.addWidget(TintedLabel(self.tr("What it promises"), "text", self, bold=True))
        for promise in self._promises():
            row = QHBoxLayout()
            row.setSpacing(10)
            sign = QLabel(self)
            small = self.fontMetrics().height()
            sign.setPixmap(icon("ready", role_color("files").name()).pixmap(small, small))
            row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(TintedLabel(promise, "text", self), 1)
            layout.addLayout(row)
        layout.addSpacing(6)
        if model:
            layout.addWidget(TintedLabel(self.tr("Chat model: {model}").replace("{model}", model), "muted_text", self, scale=0.92))
        layout.addWidget(
            TintedLabel(self.tr("Everything it keeps of yours lies in {folder}").replace("{folder}", home), "muted_text", self, scale=0.92)
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout.addSpacing(6)
        layout.addWidget(buttons)
        self.setMinimumWidth(columns(self, 64))

    def _promises(self) -> list[str]:
        return [
            self.tr("With the web switched off it opens no network connection. It works with the cable pulled."),
            self.tr(
                "With the web switched on, only words that you have written are sent, never text from your files. The steps show them afterwards."
            ),
            self.tr("Your files are read where they are. They are never changed, moved or uploaded."),
            self.tr("Every quote from a file is the text of that file as it was read, word for word."),
            self.tr("A question you have sent is on the disk before anything is done about it."),
            self.tr("What you delete here is erased from Lamplight's databases, not just hidden."),
        ]
