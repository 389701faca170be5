"""Other ways to write the same code, number or compound word, by which a search finds it too.

People write P-02 and P02, 1,280 and 1280, v2.3.1 and 2.3.1, wi-fi and WiFi, maxRetryCount and max_retry_count. What a word may be split into
is added to the index (`parts_and_wholes`), everything else to the query (`other_spellings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_ADDED = 64
"""At most so many words are added to the index for one chunk."""

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_UNGROUPED = re.compile(r"([1-9]\d{3,11})(\.\d+)?")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_VERSION = re.compile(r"([vV]?)(\d{1,4}(?:\.\d{1,6}){1,4}[A-Za-z0-9-]{0,12})")
_CODE = re.compile(r"([A-Za-z]{1,6})(-?)(\d{1,8}[A-Za-z]?)")
_COMPOUND = re.compile(r"[A-Za-z]{1,24}(?:[-_][A-Za-z]{1,24}){1,4}")
_HYPHENATED = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z]{1,24}(?:-[A-Za-z]{1,24}){1,2}(?![A-Za-z0-9_-])")
_CAMEL = re.compile(r"(?<![A-Za-z])(?=[A-Za-z]{5})[A-Za-z]{0,24}[a-z][A-Z][A-Za-z]{0,40}(?![A-Za-z])")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_EDGES = re.compile(r"^[^A-Za-z0-9]+|[^A-Za-z0-9]+$")


def other_spellings(word: str) -> tuple[str, ...]:
    """How else `word` (no white space) may be written, each once; none for an ordinary word. A bare year has no thousands."""
    return tuple(dict.fromkeys(spelling for spelling in _spellings(_EDGES.sub("", word)) if spelling != word))


def parts_and_wholes(text: str) -> str:
    """The humps of the camelCase words of `text` and the hyphenated words of it in one piece, each once."""
    found = dict.fromkeys(" ".join(_HUMP.findall(match[0])) for match in _CAMEL.finditer(text))
    found |= dict.fromkeys(match[0].replace("-", "") for match in _HYPHENATED.finditer(text))
    return " ".join(list(found)[:MAX_ADDED])


def _spellings(word: str) -> Iterator[str]:
    if _GROUPED.fullmatch(word):
        yield word.replace(",", "")
    elif (number := _UNGROUPED.fullmatch(word)) and (number[2] or not _YEAR.fullmatch(word)):
        yield f"{int(number[1]):,}{number[2] or ''}"
    if version := _VERSION.fullmatch(word):
        yield version[2] if version[1] else f"v{word}"
    if code := _CODE.fullmatch(word):
        yield f"{code[1]}{'' if code[2] else '-'}{code[3]}"
    if _COMPOUND.fullmatch(word):
        yield re.sub("[-_]", "", word)
    elif _CAMEL.fullmatch(word):
        yield " ".join(_HUMP.findall(word))
