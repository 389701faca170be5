"""The question "may this be sent?" on its way from the answering thread to the window and back."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject, Signal

from core.cancel import CancelToken


class AskInWindow(QObject):
    """A `WebConsent` that blocks the run until the person has answered in the window, or the run is cancelled."""

    wanted = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._settled: threading.Event | None = None
        self._text: str | None = None

    @property
    def waiting(self) -> bool:
        """Whether a run waits for an answer now."""
        with self._lock:
            return self._settled is not None

    def __call__(self, query: str, *, cancel: CancelToken) -> str | None:
        settled = threading.Event()
        with self._lock:
            self._settled, self._text = settled, None
        forget = cancel.on_cancel(settled.set)
        try:
            self.wanted.emit(query)
            settled.wait()
            cancel.check()
            with self._lock:
                return self._text
        finally:
            forget()
            with self._lock:
                self._settled = None

    def settle(self, text: str | None) -> None:
        """Let the waiting run go on with `text`, or without the web."""
        with self._lock:
            if self._settled is not None:
                self._text = text
                self._settled.set()
