"""OpenDocument presentations (.odp): the slides with their tables and the speaker's notes; `slides.py` writes them down."""

from __future__ import annotations

from collections.abc import Iterator

from core.library.formats.markdown import one_line, table
from core.library.formats.open_package import OpenPackage, Words
from core.library.formats.parsed import ParsedDocument
from core.library.formats.slides import Slide, written
from core.library.formats.xml_tree import Element, attribute, child, children, name_of

# What a layout repeats on every slide: shapes by their class, and the field for a slide's number, in whose place the file has "<number>".
_FURNITURE = frozenset({"date-time", "footer", "header", "page-number", "page"})
_FIELDS = frozenset({"page-number"})


def read_open_presentation(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unpacks_too_large, too_large."""
    package = OpenPackage(data, "presentation")
    words = Words(package.content, left_out=_FIELDS)
    return written(_slide(slide, words) for slide in children(package.body, "page"))


def _slide(slide: Element, words: Words) -> Slide:
    texts = [(attribute(shape, "class") == "title", _text(shape, words)) for shape in _shapes(slide, words)]
    title = next((one_line(text) for is_title, text in texts if is_title and text), "")
    blocks = [text for is_title, text in texts if not (is_title and one_line(text) == title)]
    notes = [text for page in children(slide, "notes") for shape in _shapes(page, words) if (text := _text(shape, words))]
    return Slide(title, blocks, "\n".join(notes))


def _shapes(parent: Element, words: Words) -> Iterator[Element]:
    """Shapes in the order in which they lie on the slide, those of groups and links among them, without those that the layout fills."""
    for item in parent:
        if words.is_unseen(item) or attribute(item, "class") in _FURNITURE or attribute(item, "placeholder") == "true":
            continue
        match name_of(item):
            case "g" | "a":
                yield from _shapes(item, words)
            case "notes":
                continue
            case _:
                yield item


def _text(shape: Element, words: Words) -> str:
    found = child(shape, "table")
    if found is not None:
        return table(words.table(found))
    return "\n".join(paragraph for paragraph in words.paragraphs(shape) if paragraph.strip())
