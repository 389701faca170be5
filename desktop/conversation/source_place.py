"""Where a source stands in its file, in a person's words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.documents import Citation
from desktop.page_words import page_pattern

translate = QCoreApplication.translate


def page_of(citation: Citation) -> str:
    """The page that a quote begins on: "p. 12", "slide 3"; empty for a file without pages."""
    if citation.file is None or citation.page is None:
        return ""
    return translate("pages", page_pattern(citation.file)).replace("{page}", str(citation.page))


def line_of(citation: Citation) -> str:
    """The line of the text that a quote begins on."""
    return translate("SourcePlace", "line {line}").replace("{line}", str(citation.line))


def place_of(citation: Citation) -> str:
    """The page where there are pages: it is what the person sees in the file itself. Else the line."""
    return page_of(citation) or line_of(citation)
