"""Quiet building blocks in the theme's colours: a rounded surface, a tinted label, a button made of other widgets."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QSizePolicy, QWidget

from desktop.theme import current_colors
from desktop.widgets.safe_text import PlainLabel

RADIUS = 8.0
STRIPE = 3.0


def role_color(role: str) -> QColor:
    """The current theme's colour for `role` (a field of `desktop.theme.Colors`)."""
    return QColor(getattr(current_colors(), role))


def scaled_font(base: QFont, scale: float = 1.0, *, bold: bool = False) -> QFont:
    """`base` in another size, relative so that the person's own text size stays in force."""
    font = QFont(base)
    if base.pointSizeF() > 0:
        font.setPointSizeF(base.pointSizeF() * scale)
    else:
        font.setPixelSize(max(1, round(base.pixelSize() * scale)))
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def columns(widget: QWidget, count: int) -> int:
    """The width of `count` average Latin letters; Qt's own average is twice that in a font made for Chinese."""
    return widget.fontMetrics().horizontalAdvance("n") * count


def discard(widget: QWidget) -> None:
    """Take a widget out of its layout and off the screen for good."""
    widget.hide()
    widget.setParent(None)
    widget.deleteLater()


class Surface(QFrame):
    """A rounded area filled with one theme colour; optionally a stripe on its left edge and a border, each a theme colour."""

    def __init__(self, fill: str = "", *, border: str = "", stripe: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fill, self._border, self._stripe = fill, border, stripe

    def set_roles(self, *, fill: str | None = None, border: str | None = None, stripe: str | None = None) -> None:
        """Change the colours that are named; an empty name draws nothing."""
        self._fill = self._fill if fill is None else fill
        self._border = self._border if border is None else border
        self._stripe = self._stripe if stripe is None else stripe
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(role_color(self._border), 1.0) if self._border else Qt.PenStyle.NoPen)
        painter.setBrush(role_color(self._fill) if self._fill else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(area, RADIUS, RADIUS)
        if self._stripe:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(role_color(self._stripe))
            painter.drawRoundedRect(QRectF(area.left(), area.top() + 6, STRIPE, area.height() - 12), STRIPE / 2, STRIPE / 2)


class TintedLabel(PlainLabel):
    """Plain text in one of the theme's colours, which follows a change of theme."""

    def __init__(
        self,
        text: str = "",
        role: str = "text",
        parent: QWidget | None = None,
        *,
        scale: float = 1.0,
        bold: bool = False,
        wrap: bool = True,
    ) -> None:
        super().__init__(text, parent, wrap=wrap)
        self._role = role
        self._tinting = False
        self.setForegroundRole(QPalette.ColorRole.WindowText)  # inside a button it would be the button's own
        self.setFont(scaled_font(self.font(), scale, bold=bold))
        self._tint()

    def set_role(self, role: str) -> None:
        """Show the text in another theme colour."""
        self._role = role
        self._tint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) and hasattr(self, "_role"):
            self._tint()

    def _tint(self) -> None:
        if self._tinting:
            return
        self._tinting = True
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, role_color(self._role))
        self.setPalette(palette)
        self._tinting = False


class SurfaceButton(QAbstractButton):
    """A button whose face is a layout of other widgets: reached by Tab, pressed by Space or Enter, seen by screen readers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout is not None else QSize(80, 32)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self.underMouse() or self.isChecked() or self.isDown()
        painter.setBrush(role_color("user_bubble") if lit else role_color("window"))
        strong = self.hasFocus() or self.isChecked()
        painter.setPen(QPen(role_color("accent" if strong else "border"), 1.5 if strong else 1.0))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
