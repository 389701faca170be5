"""Notices that a model repeats itself and would go on until it runs out of room."""

from __future__ import annotations

import re
from collections import deque

LONGEST_PERIOD = 64
_SHORT_PERIOD = 4
_SHORT_SPAN = 96
_SPAN = 48
_REPEATS = 3
_LINES = 8
_LETTERS_IN_LINE = 20
_WORDS_IN_LINE = 4


class LoopGuard:
    """Fed with every generated token, says when the output has become a loop.

    Two kinds are known: the same tokens over and over (a period of up to 64 tokens, three times and at least 48 tokens; very short
    periods, as in rules of tables, only after 96), and lines that differ in nothing but their numbers, eight in a row.
    """

    def __init__(self) -> None:
        self._recent: deque[int] = deque(maxlen=LONGEST_PERIOD)
        self._runs = [0] * (LONGEST_PERIOD + 1)
        self._line = ""
        self._same_lines = 0
        self._last_line = ""

    def loops(self, token: int, text: str) -> bool:
        """Take one more token and its text; true from the moment the output is a loop."""
        return self._tokens_repeat(token) or self._lines_repeat(text)

    def _tokens_repeat(self, token: int) -> bool:
        found = False
        newest_first = list(reversed(self._recent))
        for period in range(1, len(newest_first) + 1):
            self._runs[period] = self._runs[period] + 1 if newest_first[period - 1] == token else 0
            span = self._runs[period] + period
            needed = _SHORT_SPAN if period <= _SHORT_PERIOD else max(_SPAN, _REPEATS * period)
            found = found or (self._runs[period] > 0 and span >= needed)
        self._recent.append(token)
        return found

    def _lines_repeat(self, text: str) -> bool:
        self._line += text
        *whole, self._line = self._line.split("\n")
        for line in whole:
            shape = " ".join(re.sub(r"\d+", "0", line).split())
            if not shape:
                continue
            wordy = len(shape.split()) >= _WORDS_IN_LINE or not shape.isascii()
            telling = wordy and "|" not in shape and sum(character.isalpha() for character in shape) >= _LETTERS_IN_LINE
            self._same_lines = self._same_lines + 1 if telling and shape == self._last_line else 1
            self._last_line = shape
        return self._same_lines >= _LINES
