"""Which parser reads which file, and what becomes of everything that can go wrong in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePath

from core.errors import DocumentUnreadable, LamplightError
from core.library.decoding import decode
from core.library.encodings import declared_encoding
from core.library.extraction import begins_like_a_page
from core.library.file_kinds import is_packed, kind_of, unpacked
from core.library.formats.book import read_book
from core.library.formats.html_text import html_to_text
from core.library.formats.mail import read_mail
from core.library.formats.notebook import read_notebook
from core.library.formats.office_package import OLD_OFFICE
from core.library.formats.old_office import read_old_office
from core.library.formats.open_document import read_open_document
from core.library.formats.open_presentation import read_open_presentation
from core.library.formats.open_workbook import read_open_workbook
from core.library.formats.packed import unpack
from core.library.formats.parsed import ParsedDocument, damaged
from core.library.formats.pdf import read_pdf
from core.library.formats.presentation import read_presentation
from core.library.formats.rich_text import is_rich_text, read_rich_text
from core.library.formats.subtitles import read_subtitles
from core.library.formats.word import read_word
from core.library.formats.workbook import read_workbook


def _by_content(data: bytes, *, newer: Callable[[bytes], ParsedDocument]) -> ParsedDocument:
    """Under the endings of old Office lie newer documents, Rich Text and web pages, too: many programs export those under such names."""
    if data.startswith(OLD_OFFICE):
        return read_old_office(data)
    if data.startswith(b"PK"):
        return newer(data)
    if is_rich_text(data):
        return read_rich_text(data)
    if begins_like_a_page(data):
        return _read_page(decode(data, declared=declared_encoding(data)).text)
    raise DocumentUnreadable("The file is not of any kind that has this ending.", code="unsupported")


def _read_page(text: str) -> ParsedDocument:
    page = html_to_text(text)
    return ParsedDocument(page.text, page.title)


PARSERS: Mapping[str, Callable[[bytes], ParsedDocument]] = {
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), read_word),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), read_workbook),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"), read_presentation),
    **dict.fromkeys((".odt", ".ott"), read_open_document),
    **dict.fromkeys((".ods", ".ots"), read_open_workbook),
    **dict.fromkeys((".odp", ".otp"), read_open_presentation),
    ".epub": read_book,
    ".eml": read_mail,
    ".pdf": read_pdf,
    ".rtf": read_rich_text,
    **dict.fromkeys((".doc", ".dot", ".wps", ".wpt"), partial(_by_content, newer=read_word)),
    **dict.fromkeys((".xls", ".xlt", ".et", ".ett"), partial(_by_content, newer=read_workbook)),
    **dict.fromkeys((".ppt", ".pps", ".dps", ".dpt"), partial(_by_content, newer=read_presentation)),
}
"""By the ending of the name, in lower case. Macros are data like any other here: nothing in a file is ever run."""


TEXT_PARSERS: Mapping[str, Callable[[str], ParsedDocument]] = {
    **dict.fromkeys((".html", ".htm", ".xhtml", ".shtml", ".xht"), _read_page),
    **dict.fromkeys((".srt", ".vtt", ".ass", ".ssa", ".sub"), read_subtitles),
    ".ipynb": read_notebook,
}
"""The same for files that are text themselves, and are decoded first."""


def read_document(suffix: str, data: bytes, encoding: str = "") -> ParsedDocument:
    """The text of a document without characters that nobody can see. `encoding` is what a person has chosen for one that is text itself.

    The `suffix` of a packed file has that of its content before its own (".log.gz"); what has no parser then is plain text.

    Raises:
        DocumentUnreadable: empty, binary, wrong_encoding, needs_password, no_text_layer, no_text, damaged, unpacks_too_large, too_large, unsupported.
        MemoryError: this process may not have as much memory as the file needs.
    """
    name = PurePath(f"file{suffix}")
    plain: Callable[[str], ParsedDocument] | None = None
    if is_packed(name):
        name, data = unpacked(name), unpack(data)
        plain = partial(ParsedDocument, kind=kind_of(name))
    parser, text_parser = PARSERS.get(name.suffix), TEXT_PARSERS.get(name.suffix, plain)
    if parser is None and text_parser is None:
        raise DocumentUnreadable("There is no parser for files of this kind.", code="unsupported")
    if not data.strip():
        raise DocumentUnreadable("The file has nothing in it.", code="empty")
    try:
        if parser is not None:
            document = parser(data)
        elif text_parser is not None:
            decoded = decode(data, declared=declared_encoding(data), chosen=encoding)
            document = replace(text_parser(decoded.text), encoding=decoded.encoding)
    except (LamplightError, MemoryError):
        raise
    except Exception as error:
        # Parsers raise everything from KeyError to RecursionError for a file that is not what they expect.
        raise damaged(f"its parser stopped with {type(error).__name__}") from error
    document = document.cleaned()
    if not document.text.strip():
        raise DocumentUnreadable("The document has no text in it.", code="no_text")
    return document
