"""Paints the rows of the library: a folder as a heading; a file as its name above its state in words, with a drawing for the state."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop.library.document_list_model import DocumentListModel
from desktop.library.document_words import RowStatus, encoding_badge, state_line
from desktop.theme import current_colors, icon

AnyIndex = QModelIndex | QPersistentModelIndex
_SMALL = 0.88


class DocumentDelegate(QStyledItemDelegate):
    """Draws text letter by letter and shortens names in the middle, where they differ least."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        line = QFontMetrics(option.font).height()
        small = QFontMetrics(_small(option.font)).height()
        return QSize(line * 8, line + small + round(line * 0.8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRect(option.rect)
        self._paint_background(painter, option, area)
        status = index.data(DocumentListModel.STATUS)
        if status is None:
            self._paint_group(painter, option, area, index)
        else:
            self._paint_file(painter, option, area, index, status)
        painter.restore()

    def _paint_background(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect) -> None:
        colors = current_colors()
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(colors.selection))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(colors.hover))
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
        focused = state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange
        painter.setPen(QPen(QColor(colors.accent), 1.0) if focused else Qt.PenStyle.NoPen)
        corner = QFontMetrics(option.font).height() * 0.4
        painter.drawRoundedRect(QRectF(area).adjusted(1.5, 1.5, -1.5, -1.5), corner, corner)

    def _paint_group(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, index: AnyIndex) -> None:
        colors = current_colors()
        metrics = QFontMetrics(option.font)
        bold = QFont(option.font)
        bold.setWeight(QFont.Weight.DemiBold)
        bold_metrics = QFontMetrics(bold)
        gap = metrics.height() // 2
        content = self._paint_icon(painter, option, area, "folder", colors.muted_text)
        # A name keeps half of the row, or all that it needs.
        room = max(content.width() // 2, content.width() - gap - bold_metrics.horizontalAdvance(index.data()))
        count = index.data(DocumentListModel.MISSING) or f"{index.data(DocumentListModel.COUNT):,}"
        count = metrics.elidedText(count, Qt.TextElideMode.ElideRight, room)
        painter.setFont(option.font)
        painter.setPen(QColor(colors.muted_text))
        _line(painter, content, count, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(bold)
        painter.setPen(QColor(colors.text))
        name_area = content.adjusted(0, 0, -metrics.horizontalAdvance(count) - gap, 0)
        name = bold_metrics.elidedText(index.data(), Qt.TextElideMode.ElideMiddle, name_area.width())
        _line(painter, name_area, name, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def _paint_file(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, index: AnyIndex, status: RowStatus) -> None:
        colors = current_colors()
        drawing_color = {"ready": colors.files, "indexing": colors.accent, "failed": colors.error}.get(status.state, colors.muted_text)
        content = self._paint_icon(painter, option, area, status.state, drawing_color)
        metrics, small = QFontMetrics(option.font), _small(option.font)
        small_metrics = QFontMetrics(small)
        top = content.center().y() - (metrics.height() + small_metrics.height()) // 2
        name_area = QRect(content.left(), top, content.width(), metrics.height())
        state_area = QRect(content.left(), top + metrics.height(), content.width(), small_metrics.height())

        painter.setFont(option.font)
        painter.setPen(QColor(colors.text))
        _line(painter, name_area, metrics.elidedText(index.data(), Qt.TextElideMode.ElideMiddle, name_area.width()))
        painter.setFont(small)
        if badge := encoding_badge(status.encoding):
            state_area = self._paint_badge(painter, state_area, badge, small_metrics)
        painter.setPen(QColor(colors.error if status.state == "failed" else colors.muted_text))
        _line(painter, state_area, small_metrics.elidedText(state_line(status), Qt.TextElideMode.ElideRight, state_area.width()))

    def _paint_icon(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, name: str, color: str) -> QRect:
        """Draw the icon at the left and return what is left for text."""
        line = QFontMetrics(option.font).height()
        side = round(line * 1.15)
        margin = line // 3
        place = QRect(area.left() + margin, area.center().y() - side // 2, side, side)
        icon(name, color).paint(painter, place)
        return area.adjusted(margin * 2 + side, 0, -margin * 2, 0)

    def _paint_badge(self, painter: QPainter, area: QRect, badge: str, metrics: QFontMetrics) -> QRect:
        """Draw the badge at the right and return what is left for text."""
        colors = current_colors()
        pad = metrics.height() // 3
        width = min(metrics.horizontalAdvance(badge) + pad * 2, area.width() // 2)
        frame = QRect(area.right() - width, area.top(), width, area.height())
        painter.setPen(QPen(QColor(colors.outline), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(frame).adjusted(0.5, 0.5, -0.5, -0.5), pad, pad)
        painter.setPen(QColor(colors.muted_text))
        _line(painter, frame, metrics.elidedText(badge, Qt.TextElideMode.ElideRight, width - pad), Qt.AlignmentFlag.AlignCenter)
        return area.adjusted(0, 0, -width - pad, 0)


def _small(font: QFont) -> QFont:
    small = QFont(font)
    if font.pointSizeF() > 0:
        small.setPointSizeF(font.pointSizeF() * _SMALL)
    else:
        small.setPixelSize(max(1, round(font.pixelSize() * _SMALL)))
    return small


def _line(painter: QPainter, area: QRect, text: str, alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft) -> None:
    painter.drawText(area, int(alignment | Qt.TextFlag.TextSingleLine), text)
