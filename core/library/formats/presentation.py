"""Presentations (.pptx): each slide under its title, with its tables, diagrams and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator

from core.library.formats.markdown import one_line, table
from core.library.formats.office_package import OfficePackage
from core.library.formats.parsed import ParsedDocument, damaged
from core.library.formats.slides import Slide, written
from core.library.formats.xml_tree import Element, attribute, child, children, descendants, name_of

_TITLES = frozenset({"title", "ctrTitle"})
# What a layout repeats on every slide.
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})


def read_presentation(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unsupported, unpacks_too_large, too_large."""
    return written(_slides(OfficePackage(data, "ppt/presentation.xml")))


def _slides(package: OfficePackage) -> Iterator[Slide]:
    main = package.main_part
    slides = child(package.tree(main), "sldIdLst")
    parts = {relation.id: relation.part for relation in package.relations(main)}
    for slide in children(slides, "sldId") if slides is not None else []:
        part = parts.get(_relation_id(slide), "")
        if part not in package.archive:
            raise damaged("a slide is missing")
        yield _slide(package, part)


def _slide(package: OfficePackage, part: str) -> Slide:
    shapes = list(_shapes(child(package.tree(part), "cSld", "spTree")))
    titles = [one_line(" ".join(_paragraphs(shape))) for shape in shapes if _placeholder(shape) in _TITLES]
    title = next((words for words in titles if words), "")
    blocks: list[str] = []
    for shape in shapes:
        kind = _placeholder(shape)
        if kind in _FURNITURE or (kind in _TITLES and one_line(" ".join(_paragraphs(shape))) == title):
            continue
        if name_of(shape) == "graphicFrame":
            blocks += (_table(found) for found in descendants(shape, "tbl"))
        else:
            blocks.append("\n".join(_paragraphs(shape)))
    notes: list[str] = []
    for relation in package.relations(part):
        if relation.part not in package.archive:
            continue
        if relation.kind == "diagramData":
            blocks.append("\n".join(_paragraphs(package.tree(relation.part))))
        elif relation.kind == "notesSlide":
            notes += _notes(package, relation.part)
    return Slide(title, blocks, "\n".join(notes))


def _table(found: Element) -> str:
    return table([[" ".join(_paragraphs(cell)) for cell in children(row, "tc")] for row in children(found, "tr")])


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
