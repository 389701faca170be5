"""Pictures and other files that stand in a text as letters (base64): thousands of passages that nobody can read or would look for."""

from __future__ import annotations

import re

_LEAST_CHARACTERS = 1_000
"""Shorter ones, such as keys and signatures, stay: they make few passages, and somebody may look for one."""

# Possessive: a line of fifty million letters is looked at once. JSON writes the ends of lines inside it as "\\n".
_LETTERS = r"(?:[A-Za-z0-9+/]|\\[nr/])"
# What is said to be data may go on in lines of its own, which are long but for the last; that one ends with "=" or what it is quoted with.
_NEXT_LINE = rf"\n[ \t]*+(?:{_LETTERS}{{60,}}+|{_LETTERS}++(?:={{1,2}}|(?=[\"')>])))"
_ANNOUNCED = re.compile(rf"(data:[\w.+-]{{1,60}}/[\w.+;=-]{{1,100}};base64,)({_LETTERS}++(?:{_NEXT_LINE})*+={{0,2}})")
_UNANNOUNCED = re.compile(rf"(?<![A-Za-z0-9+/])({_LETTERS}{{{_LEAST_CHARACTERS},}}+={{0,2}}(?:\\[nr])*+)")
_KINDS = tuple(re.compile(kind) for kind in ("[A-Z]", "[a-z]", "[0-9]"))
_LEAST_SHARE = 0.03
"""Each kind of letter has more than this share of any encoded data that is not all zeros, and hardly ever of anything else so long."""


def without_encoded_data(text: str) -> str:
    """The text with "…" for each long stretch of encoded data. Every line stays the line it was."""
    if ";base64," in text:
        text = _ANNOUNCED.sub(_left_out, text)
    return _UNANNOUNCED.sub(lambda found: "…" if _is_data(found[1]) else found[1], text)


def _left_out(found: re.Match[str]) -> str:
    return found[1] + "…" + "\n" * found[2].count("\n") if len(found[2]) >= _LEAST_CHARACTERS else found[0]


def _is_data(letters: str) -> bool:
    return all(sum(1 for _ in kind.finditer(letters)) > len(letters) * _LEAST_SHARE for kind in _KINDS)
