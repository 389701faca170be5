"""What nobody caught: a line in the log and one sentence for the person, never a traceback on their screen."""

from __future__ import annotations

import os
import sys
import threading
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal

from core.errors import Permanent
from core.logs import EventLog

MOST_LOGGED = 100
"""A mistake in something that is painted comes back with every frame: the log must not fill up with it."""


class LastResort(QObject):
    """Takes over the hooks for uncaught exceptions of all threads until `remove`."""

    surprised = Signal(object)  # LamplightError with the code "defect"

    _caught = Signal(object)

    def __init__(self, log: EventLog, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._log = log
        self._logged = 0
        self._before = (sys.excepthook, threading.excepthook)
        self._caught.connect(self._say, Qt.ConnectionType.QueuedConnection)  # from whatever thread
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook

    def remove(self) -> None:
        """Give the hooks back."""
        sys.excepthook, threading.excepthook = self._before

    def _hook(self, kind: type[BaseException], failure: BaseException, trace: TracebackType | None) -> None:
        if not isinstance(failure, Exception):
            self._before[0](kind, failure, trace)
            return
        if os.environ.get("LAMPLIGHT_DEBUG"):
            self._before[0](kind, failure, trace)
        self._take(failure)

    def _thread_hook(self, caught: threading.ExceptHookArgs) -> None:
        if os.environ.get("LAMPLIGHT_DEBUG"):
            self._before[1](caught)
        if isinstance(caught.exc_value, Exception):
            self._take(caught.exc_value)

    def _take(self, failure: Exception) -> None:
        self._logged += 1
        if self._logged <= MOST_LOGGED:
            self._log.failure(failure)
        try:
            self._caught.emit(failure)
        except RuntimeError:  # the window is gone already
            return

    def _say(self, failure: Exception) -> None:
        error = Permanent(f"Something went wrong inside Lamplight: {type(failure).__name__}.", code="defect")
        self.surprised.emit(error)
