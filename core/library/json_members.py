"""Members of JSON, without parsing it: what is cut off or has comments in it is cut into passages all the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.library.outline import Heading, title_of

# A string that is never closed goes on to the end: were it tried from each of its quotes, that would take for ever.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?+|[{}\[\]:,]', re.DOTALL)
_DEEPEST = 6
_SMALL_CHARACTERS = 200
"""Members that begin so near to the one before, on the same level, are no sections of their own."""


@dataclass(slots=True)
class _Container:
    is_object: bool
    name: str


def json_members(text: str) -> Iterator[Heading]:
    """Members that hold others, under their keys; the elements of a list, under the list's key."""
    inside: list[_Container] = []
    key, key_start = "", -1
    string, string_start = "", -1
    ended_block = False
    last_start, last_level = -_SMALL_CHARACTERS, 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign[0] == '"':
            string, string_start = sign, token.start()
            continue
        if sign == ":" and string_start >= 0:
            key, key_start = string, string_start
            if ended_block and len(inside) <= _DEEPEST:
                # What follows a member that held others belongs to their common parent again.
                yield Heading(key_start, len(inside) + 1, "")
                last_start, last_level, ended_block = key_start, len(inside) + 1, False
        elif sign in "{[":
            name = _words(key) if key_start >= 0 else ""
            start = key_start if key_start >= 0 else token.start()
            level = len(inside) + 1
            is_small = level == last_level and not name and start - last_start < _SMALL_CHARACTERS
            if inside and level <= _DEEPEST and not is_small:
                yield Heading(start, level, name)
                last_start, last_level, ended_block = start, level, False
            inside.append(_Container(sign == "{", name))
            key_start = -1
        elif sign in "}]":
            if inside:
                inside.pop()
            ended_block = bool(inside) and inside[-1].is_object
            key_start = -1
        else:
            key_start = -1
        # Only the string right before a colon is a key.
        string_start = -1


def record_starts(text: str) -> Iterator[Heading]:
    """Where the records of JSON Lines begin: each line is one."""
    place = 0
    while place < len(text):
        yield Heading(place, 1, "")
        end = text.find("\n", place)
        place = len(text) if end < 0 else end + 1


def _words(key: str) -> str:
    try:
        return title_of(str(json.loads(key)))
    except ValueError:
        return title_of(key.strip('"'))
