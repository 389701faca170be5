"""What set-up says: whole lines, and on a terminal one line that keeps changing. All of it on stderr; stdout is for results."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TextIO

_QUIET_SECONDS = 20.0


class SetupFailed(Exception):
    """Set-up cannot go on; the message is one plain sentence that says what to do next."""


class Console:
    """Writes progress. Where stderr is a file or a pipe, a changing line becomes a plain line every twenty seconds."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._changing = self._stream.isatty()
        self._last = clock()
        self._width = 0

    def line(self, text: str) -> None:
        """Print a line that stays."""
        self.clear()
        self._write(text + "\n")
        self._last = self._clock()

    def status(self, text: str) -> None:
        """Show how far the current step is."""
        if self._changing:
            room = max(20, shutil.get_terminal_size().columns - 1)
            shown = text if len(text) <= room else text[: room - 3] + "..."
            self._write("\r" + shown.ljust(self._width))
            self._width = len(shown)
        elif self._clock() - self._last >= _QUIET_SECONDS:
            self._write(text + "\n")
            self._last = self._clock()

    def clear(self) -> None:
        """Take the changing line away."""
        if self._changing and self._width:
            self._write("\r" + " " * self._width + "\r")
        self._width = 0

    def _write(self, text: str) -> None:
        encoding = self._stream.encoding or "ascii"
        self._stream.write(text.encode(encoding, "replace").decode(encoding))
        self._stream.flush()
