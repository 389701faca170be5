"""Where the command line speaks: results on stdout, everything else on stderr, UTF-8 on both whatever the locale says."""

from __future__ import annotations

import io
import os
import sys
import unicodedata
from pathlib import Path
from typing import Any, TextIO

from core.errors import InvalidRequest
from desktop.answer_json import json_line
from desktop.shown_name import shown_name


class Terminal:
    """The two output streams of a command.

    With `as_json` every result and event is one JSON object a line on stdout. A reader of stdout that goes away raises
    `BrokenPipeError`, which the command line's root ends quietly on; where nothing more can be written for another reason
    (a full disk) every method that writes a result raises `InvalidRequest`. stderr may vanish without any harm.
    """

    def __init__(self, *, as_json: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._shows_progress = self._err.isatty()
        self._progress_width = 0
        self.is_live = self._out.isatty() and not as_json

    def result(self, text: str) -> None:
        """Write a line of the result, without characters that steer a terminal."""
        self._write_out(printable(text) + "\n")

    def stream(self, text: str) -> None:
        """Write a piece of the result at once, on the line that is being written."""
        self.clear_progress()
        self._write_out(printable(text))

    def raw(self, text: str) -> None:
        """Write exactly this, not one character more."""
        self._write_out(text)

    def json(self, value: dict[str, Any]) -> None:
        """Write one JSON object as one line."""
        self._write_out(json_line(value) + "\n")

    def note(self, text: str) -> None:
        """Tell the person something on stderr."""
        self.clear_progress()
        self._write_err(printable(text) + "\n")

    def progress(self, text: str) -> None:
        """Show how far the work is: one line that is written over. Nothing is shown where stderr is no terminal."""
        if not self._shows_progress:
            return
        columns = _columns()
        shown = printable(text).replace("\n", " ")[: columns - 1]
        self._write_err("\r" + shown.ljust(min(self._progress_width, columns - 1)))
        self._progress_width = len(shown)

    def clear_progress(self) -> None:
        """Take the progress line away."""
        if self._progress_width:
            self._write_err("\r" + " " * self._progress_width + "\r")
            self._progress_width = 0

    @property
    def can_ask(self) -> bool:
        """Whether a person is there to answer."""
        return sys.stdin is not None and sys.stdin.isatty() and self._err.isatty()

    def ask_yes_no(self, question: str) -> bool:
        """Ask on the terminal; no without one, and no unless the answer is yes."""
        if not self.can_ask:
            return False
        self.clear_progress()
        self._write_err(printable(question) + " [y/N] ")
        try:
            return sys.stdin.readline().strip().lower() in {"y", "yes", "j", "ja", "是"}
        except (OSError, ValueError):
            return False

    def _write_out(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InvalidRequest(
                f"The result cannot be written: {error.strerror or error}. Free some space, or write it somewhere else.",
                code="output_unwritable",
            ) from error

    def _write_err(self, text: str) -> None:
        try:
            self._err.write(text)
            self._err.flush()
        except (OSError, ValueError):
            return


def use_utf8() -> None:
    """Make stdout and stderr UTF-8 with plain line ends, and let names with undecodable bytes through as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def printable(text: str) -> str:
    """The text without what would move the cursor, change colours or hide letters; line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if character in "\n\t" or unicodedata.category(character) not in _STEERING else "\ufffd" for character in text)


_STEERING = frozenset({"Cc", "Zl", "Zp"})


def shown_path(path: Path) -> str:
    """A path on one line, safe to print."""
    return shown_name(os.fspath(path))


def _columns() -> int:
    try:
        return max(20, os.get_terminal_size(2).columns)
    except OSError:
        return 80
