"""What a page of a document is called: of a PDF a page, else a slide, a sheet or a part. Qt-free, because the command line says the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from desktop.error_text import QT_TRANSLATE_NOOP

_PAGE = QT_TRANSLATE_NOOP("pages", "p. {page}")
_SLIDE = QT_TRANSLATE_NOOP("pages", "slide {page}")
_SHEET = QT_TRANSLATE_NOOP("pages", "sheet {page}")
_PART = QT_TRANSLATE_NOOP("pages", "part {page}")
_BY_SUFFIX: Mapping[str, str] = {
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm", ".odp", ".otp", ".ppt", ".pps", ".dps", ".dpt"), _SLIDE),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm", ".ods", ".ots", ".xls", ".xlt", ".et", ".ett"), _SHEET),
    ".epub": _PART,
}


def page_pattern(path: PurePath) -> str:
    """The English words for a page of this file, `{page}` in place of its number; the window looks them up in the context "pages"."""
    return _BY_SUFFIX.get(path.suffix.lower(), _PAGE)


def page_text(path: PurePath, page: int) -> str:
    """A page of this file in English: "p. 12", "slide 3"."""
    return page_pattern(path).replace("{page}", str(page))
