"""Names of files as a person may safely read them: one line, and in the order in which the letters stand."""

from __future__ import annotations

import unicodedata

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_DELETE = 0x7F
_CONTROL_PICTURES = 0x2400
_DELETE_PICTURE = "\u2421"


def shown_name(name: str) -> str:
    """`name` without anything that could break the line or turn the reading order round.

    Control characters become their pictures (a line feed is shown as its sign), direction marks and other invisible format
    characters, line separators and bytes that are no text become a replacement sign. Joiners stay: emoji and many scripts need them.
    """
    if name.isascii() and name.isprintable():
        return name
    return "".join(_shown(character) for character in name)


def _shown(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == _DELETE:
        return _DELETE_PICTURE
    if character in "\u200c\u200d":
        return character
    return _REPLACEMENT if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") else character
