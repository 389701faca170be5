"""A log that cannot give anything away: event names and numbers, never a text, a name or a path of the person's.

    2026-11-30T10:15:02Z 4711 index_finished files=12 failed=1 seconds=8.214
    2026-11-30T10:15:09Z 4711 failure ChildCrashed child_crashed core/process/host.py:120

An exception is its type, its code and the lines of our own code it passed: its message may hold a question or a path.
"""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import os
import re
import time
import traceback
import warnings
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType

from core.errors import LamplightError
from core.paths import PROGRAM

FILE_BYTES = 1_000_000
OLD_FILES = 4
"""Two front ends keep one log each: 2 x 5 x 1 MB is the 10 MB that all logs may take."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_CODE_LINES = 6


class EventLog:
    """Writes to one rotating file; safe from any thread. A log that cannot be written is silently none: it never stops the app."""

    def __init__(self, file: Path) -> None:
        self._handler: _PrivateRotatingFile | None = None
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._handler = _PrivateRotatingFile(file, maxBytes=FILE_BYTES, backupCount=OLD_FILES, encoding="utf-8", delay=True)
        except OSError:
            return

    def event(self, name: str, **numbers: int | float) -> None:
        """Write one line. `name` is a word of our own; anything else, and anything that is not a number, is a programming error.

        Raises:
            ValueError: the name is not a plain lower-case word, or a value is not a number.
        """
        if not _NAME.fullmatch(name):
            raise ValueError("an event's name is a fixed lower-case word")
        if not all(isinstance(value, int | float) for value in numbers.values()):
            raise ValueError("an event carries numbers only")
        values = " ".join(f"{key}={_number(value)}" for key, value in numbers.items())
        self._write(f"{name} {values}".rstrip())

    def failure(self, error: BaseException) -> None:
        """Write what failed and where in our own code."""
        kinds: list[str] = []
        lines: list[str] = []
        current: BaseException | None = error
        while current is not None and len(kinds) < 4:
            code = f"/{current.code}" if isinstance(current, LamplightError) and _NAME.fullmatch(current.code) else ""
            kinds.append(f"{type(current).__name__}{code}")
            lines = lines or code_lines(current.__traceback__)  # an error that was made to wrap another one has none of its own
            current = current.__cause__
        self._write(f"failure {' from '.join(kinds)} {' '.join(lines)}".rstrip())

    def close(self) -> None:
        """Close the file; later lines open it again."""
        if self._handler is not None:
            # A line that found no room is tried again here, and again when the file object goes.
            with contextlib.suppress(OSError, ValueError):
                self._handler.close()

    def _write(self, line: str) -> None:
        if self._handler is None:
            return
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        record = logging.LogRecord("lamplight", logging.INFO, "", 0, f"{stamp} {os.getpid()} {line}", None, None)
        self._handler.handle(record)


def code_lines(trace: TracebackType | None) -> list[str]:
    """The last few `folder/file.py:line` of our own code in a traceback, outermost first. Foreign files are left out."""
    lines = []
    for frame, number in traceback.walk_tb(trace):
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(PROGRAM / "core") or file.is_relative_to(PROGRAM / "models") or file.is_relative_to(PROGRAM / "desktop"):
            lines.append(f"{file.relative_to(PROGRAM).as_posix()}:{number}")
    return lines[-_CODE_LINES:]


def quiet_libraries() -> None:
    """Keep libraries' own log lines and warnings, which may quote texts or paths, from stderr."""
    warnings.filterwarnings("ignore", module=r"watchdog\.")
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())


class _PrivateRotatingFile(logging.handlers.RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing: a full disk is told by whoever needed the disk, not by the log."""


def _number(value: int | float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"
