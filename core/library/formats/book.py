"""E-books (.epub): their chapters in reading order, each read as the web page it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from core.library.decoding import decode
from core.library.encodings import declared_encoding
from core.library.formats.archive import Archive, resolve
from core.library.formats.html_text import html_to_text
from core.library.formats.markdown import MarkdownText, one_line
from core.library.formats.parsed import ParsedDocument, damaged, needs_password
from core.library.formats.xml_tree import attribute, child, children, descendants, parse

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
# In XHTML any element may be closed in its own tag; a reader of HTML would take all that follows for its content.
_CLOSED_IN_ITSELF = re.compile(
    r"<(?!(?:br|hr|img|input|meta|link|col|area|base|wbr|source|track|param|embed)\b)([a-zA-Z][\w:-]{0,40})((?:\s[^<>]{0,2000})?)/>"
)


def read_book(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password (copy protection), unpacks_too_large, too_large."""
    archive = Archive(data)
    roots = [attribute(item, "full-path") for item in descendants(parse(archive.read("META-INF/container.xml")), "rootfile")]
    package_part = next((part for part in roots if part in archive), "")
    if not package_part:
        raise damaged("its table of contents is missing")
    package = parse(archive.read(package_part))
    title = next((one_line(item.text or "") for item in descendants(package, "title")), "")
    locked = _locked(archive)
    text = MarkdownText()
    for number, part in enumerate(_pages_in_order(archive, package_part, package), start=1):
        text.begin_page(number)
        if part in locked:
            raise needs_password()
        page = archive.read(part)
        if page.strip():
            text.paragraph(html_to_text(_CLOSED_IN_ITSELF.sub(r"<\1\2></\1>", decode(page, declared=declared_encoding(page)).text)).text)
    return ParsedDocument(text.text(), title, pages=text.pages)


def _pages_in_order(archive: Archive, package_part: str, package: object) -> Iterator[str]:
    manifest, spine = child(package, "manifest"), child(package, "spine")
    items = {attribute(item, "id"): item for item in children(manifest, "item")} if manifest is not None else {}
    seen: set[str] = set()
    for link in children(spine, "itemref") if spine is not None else []:
        item = items.get(attribute(link, "idref"))
        # The page that only repeats the table of contents would be found instead of the chapters it names.
        if item is None or attribute(item, "media-type") not in _PAGES or "nav" in attribute(item, "properties").split():
            continue
        part = resolve(package_part, unquote(attribute(item, "href").partition("#")[0]))
        if part in archive and part not in seen:
            seen.add(part)
            yield part


def _locked(archive: Archive) -> frozenset[str]:
    """Parts that are encrypted. Fonts often are, without the book being protected."""
    data = archive.read_if_there("META-INF/encryption.xml")
    if data is None:
        return frozenset()
    return frozenset(unquote(attribute(item, "URI")).lstrip("/") for item in descendants(parse(data), "CipherReference"))
