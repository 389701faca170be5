"""Sums are told from everything else without asking a model."""

from __future__ import annotations

import re

_SUM = re.compile(r"(?:[\d\s.,()%]|[+*/×÷^=](?!=)|-)+(?:等于几|等于多少|是多少)?\s*[?？=]*\s*")
_OPERATION = re.compile(r"\d%?\s*[+*/×÷^]\s*[(\d]|\d%?\s+-\s+[(\d]|\d\s*-\s*\d+\s*=")


def is_arithmetic(question: str) -> bool:
    """Whether the question is nothing but a sum. A bare minus between figures is a date or a number, not a sum, unless `=` follows."""
    text = question.strip()
    return bool(_SUM.fullmatch(text)) and bool(_OPERATION.search(text))
