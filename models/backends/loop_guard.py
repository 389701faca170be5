"""Notices that a model repeats itself and would go on until it runs out of room."""

from __future__ import annotations

import re
from collections import deque
from itertools import islice

LONGEST_PERIOD = 64
_REPEATS = 3
_SPAN = 48
_SHORT_PERIOD = 4
_SHORT_SPAN = 96
_SIGNS_SPAN = 160
_SAME_LINES = 6
_LETTERS_IN_LINE = 10
_COUNTER = re.compile(r"^\W*\d+\W*")


class LoopGuard:
    """Fed with every generated token, says when the output has become a loop.

    Two kinds are known. The same tokens over and over: a period of up to 64 tokens, three times and at least 48 tokens long (96 for
    periods of a few tokens, 160 for signs and numbers, as in rules, tables and matrices). And lines that differ in nothing but the
    number they begin with, six in a row.
    """

    def __init__(self) -> None:
        self._recent: deque[tuple[int, str]] = deque(maxlen=LONGEST_PERIOD + 1)
        self._runs = [0] * (LONGEST_PERIOD + 1)
        self._line = ""
        self._same_lines = 0
        self._last_line = ""

    def loops(self, token: int, text: str) -> bool:
        """Take one more token and its text; true from the moment the output is a loop."""
        return self._tokens_repeat(token, text) or self._lines_repeat(text)

    def _tokens_repeat(self, token: int, text: str) -> bool:
        self._recent.appendleft((token, text))
        found = False
        for period, (earlier, _text) in enumerate(islice(self._recent, 1, None), 1):
            self._runs[period] = self._runs[period] + 1 if earlier == token else 0
            span = self._runs[period] + period
            if self._runs[period] > period and span >= max(_SPAN, _REPEATS * period):
                found = found or span >= self._needed(period)
        return found

    def _needed(self, period: int) -> int:
        if not any(character.isalpha() for _token, text in islice(self._recent, period) for character in text):
            return max(_SIGNS_SPAN, _REPEATS * period)
        return _SHORT_SPAN if period <= _SHORT_PERIOD else max(_SPAN, _REPEATS * period)

    def _lines_repeat(self, text: str) -> bool:
        self._line += text
        *whole, self._line = self._line.split("\n")
        for line in whole:
            words = _COUNTER.sub("", line).strip()
            if not words:
                continue
            telling = "|" not in words and sum(character.isalpha() for character in words) >= _LETTERS_IN_LINE
            self._same_lines = self._same_lines + 1 if telling and words == self._last_line else 1
            self._last_line = words
        return self._same_lines >= _SAME_LINES
