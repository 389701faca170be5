"""Text that SQLite keeps exactly."""

from __future__ import annotations

import re

_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """`text` with U+FFFD in place of lone surrogates (UTF-8 has none) and NULs (they end a text for some of SQLite's functions)."""
    return _NOT_STORABLE.sub("\ufffd", text)
