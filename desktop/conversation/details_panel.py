"""The right-hand pane: steps and sources of the chosen answer, or the file that one of the sources points to."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.conversation.source_viewer import SourceViewer
from desktop.conversation.trace_panel import TracePanel


class DetailsPanel(QStackedWidget):
    """Two pages, one of which shows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.trace = TracePanel(self)
        self.viewer = SourceViewer(self)
        self.addWidget(self.trace)
        self.addWidget(self.viewer)
        self.viewer.closed.connect(self.show_trace)

    def show_trace(self) -> None:
        """Show steps and sources."""
        self.setCurrentWidget(self.trace)

    def show_viewer(self) -> None:
        """Show the file."""
        self.setCurrentWidget(self.viewer)
