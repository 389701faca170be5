"""The names of encodings: what a page says it is in, and what a person may choose."""

from __future__ import annotations

import codecs
import json
import re

from core.errors import InvalidRequest

AUTO = "auto"
"""The word for letting the program find the encoding."""

USUAL_ENCODINGS = (
    "utf-8", "utf-16", "gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "cp1252", "cp1250", "cp1251", "koi8-r", "cp1253", "cp1254", "cp1255", "cp1256", "cp874",
)  # fmt: skip
"""The ones that most files are in, as Python names them, the commonest first. Each is the widest of its family."""

_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})|^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{2,40})""",
    re.IGNORECASE,
)
_DECLARED_WITHIN = 4096
# Names that pages use for an older encoding than the one they are written in, as browsers read them.
_WEB_NAMES = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949", "big5": "big5hkscs", "iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "us-ascii": "cp1252", "iso-8859-9": "cp1254",
    "tis-620": "cp874",
}  # fmt: skip
# Codecs that Python calls encodings of text, and in which no file is written.
_NOT_OF_FILES = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"})


def declared_encoding(data: bytes) -> str:
    """The encoding that a page says it is in, or "". Says nothing about whether that is true."""
    match = _DECLARED.search(data[:_DECLARED_WITHIN])
    if not match:
        return ""
    name = (match[1] or match[2]).decode("ascii").lower()
    return _WEB_NAMES.get(name, name)


def known_encoding(name: str) -> str:
    """The encoding that a person means by `name`, as Python calls it; for an older name the wider encoding that browsers take it for.

    Raises `InvalidRequest` (encoding_unknown).
    """
    word = name.strip().lower()
    try:
        # An embedded NUL or a surrogate is no name either, and the look-up says so in its own ways.
        found = codecs.lookup(_WEB_NAMES.get(word, word))
    except (LookupError, ValueError):
        raise _unknown(name) from None
    if not getattr(found, "_is_text_encoding", True) or found.name.replace("-", "_") in _NOT_OF_FILES:
        raise _unknown(name)
    return found.name


def _unknown(name: str) -> InvalidRequest:
    return InvalidRequest(f"There is no encoding called {json.dumps(name, ensure_ascii=False)}.", code="encoding_unknown", encoding=name)
