"""Shows, while files are dragged over the window, that they may be dropped anywhere."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop.theme import icon
from desktop.widgets.surface import RADIUS, role_color, scaled_font


class DropOverlay(QWidget):
    """Covers its parent without taking part in anything."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._covered = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        parent.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self._covered:
            self.setGeometry(self._covered.rect())
        return False

    def appear(self) -> None:
        """Cover the parent."""
        self.setGeometry(self._covered.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = role_color("window")
        veil.setAlphaF(0.9)
        painter.fillRect(self.rect(), veil)
        margin = self.fontMetrics().height()
        area = QRectF(self.rect()).adjusted(margin, margin, -margin, -margin)
        painter.setPen(QPen(role_color("accent"), 2.0, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(area, RADIUS * 1.5, RADIUS * 1.5)
        side = margin * 3
        picture = icon("add-file", role_color("accent").name()).pixmap(side, side)
        middle = area.center()
        painter.drawPixmap(int(middle.x() - side / 2), int(middle.y() - side), picture)
        painter.setFont(scaled_font(self.font(), 1.4, bold=True))
        painter.setPen(role_color("text"))
        words = QRectF(area.left(), middle.y() + margin * 0.5, area.width(), margin * 3)
        painter.drawText(words, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, self.tr("Drop to add to your library"))
