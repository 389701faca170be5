"""Presentations (.pptx): each slide under its title, with its tables, diagrams and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator

from core.library.formats.markdown import MarkdownText, one_line
from core.library.formats.office_package import OfficePackage
from core.library.formats.parsed import ParsedDocument, damaged
from core.library.formats.xml_tree import Element, attribute, child, children, descendants, name_of

_TITLES = frozenset({"title", "ctrTitle"})
# What a layout repeats on every slide.
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})


def read_presentation(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unsupported, unpacks_too_large, too_large."""
    package = OfficePackage(data, "ppt/presentation.xml")
    main = package.main_part
    slides = child(package.tree(main), "sldIdLst")
    parts = {relation.id: relation.part for relation in package.relations(main)}
    text = MarkdownText()
    has_words = False
    for number, slide in enumerate(children(slides, "sldId") if slides is not None else [], start=1):
        part = parts.get(_relation_id(slide), "")
        if part not in package.archive:
            raise damaged("a slide is missing")
        text.begin_page(number)
        has_words = _slide(package, part, number, text) or has_words
    return ParsedDocument(text.text(), pages=text.pages) if has_words else ParsedDocument("")


def _slide(package: OfficePackage, part: str, number: int, text: MarkdownText) -> bool:
    """Write one slide; whether there is a word on it."""
    shapes = list(_shapes(child(package.tree(part), "cSld", "spTree")))
    titles = [one_line(" ".join(_paragraphs(shape))) for shape in shapes if _placeholder(shape) in _TITLES]
    title = next((words for words in titles if words), "")
    text.heading(2, title or f"Slide {number}")
    has_words = bool(title)
    for shape in shapes:
        kind = _placeholder(shape)
        if kind in _FURNITURE or (kind in _TITLES and one_line(" ".join(_paragraphs(shape))) == title):
            continue
        for table in descendants(shape, "tbl") if name_of(shape) == "graphicFrame" else ():
            text.table([[" ".join(_paragraphs(cell)) for cell in children(row, "tc")] for row in children(table, "tr")])
            has_words = True
        if name_of(shape) != "graphicFrame" and (words := "\n".join(_paragraphs(shape))).strip():
            text.paragraph(words)
            has_words = True
    for relation in package.relations(part):
        if relation.part not in package.archive:
            continue
        if relation.kind == "diagramData" and (words := "\n".join(_paragraphs(package.tree(relation.part)))).strip():
            text.paragraph(words)
            has_words = True
        elif relation.kind == "notesSlide" and (words := "\n".join(_notes(package, relation.part))).strip():
            text.paragraph(f"Notes: {words}")
            has_words = True
    return has_words


def _notes(package: OfficePackage, part: str) -> Iterator[str]:
    for shape in _shapes(child(package.tree(part), "cSld", "spTree")):
        if _placeholder(shape) not in _FURNITURE:
            yield from _paragraphs(shape)


def _shapes(tree: Element | None) -> Iterator[Element]:
    """Shapes in the order in which they lie on the slide, those of groups among them."""
    for item in tree if tree is not None else ():
        match name_of(item):
            case "sp" | "graphicFrame" | "cxnSp":
                yield item
            case "grpSp":
                yield from _shapes(item)
            case "AlternateContent":
                yield from _shapes(child(item, "Choice"))


def _placeholder(shape: Element) -> str:
    """Which place of the layout a shape fills ("title", "ftr"); "" if none in particular."""
    properties = child(shape, "nvSpPr", "nvPr", "ph")
    return attribute(properties, "type") if properties is not None else ""


def _paragraphs(node: Element) -> Iterator[str]:
    for paragraph in descendants(node, "p"):
        words = "".join("\n" if name_of(item) == "br" else item.text or "" for item in paragraph.iter("{*}t", "{*}br"))
        if words.strip():
            yield words


def _relation_id(slide: Element) -> str:
    """`r:id`, not the slide's own `id` without a namespace."""
    return next((str(value) for key, value in slide.attrib.items() if key.startswith("{") and key.endswith("}id")), "")
