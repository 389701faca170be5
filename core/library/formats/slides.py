"""Slides of a presentation as text: each under its title, then what stands on it, then the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.library.formats.markdown import MarkdownText, one_line
from core.library.formats.parsed import ParsedDocument


@dataclass(frozen=True, slots=True)
class Slide:
    """`blocks` are texts and Markdown tables in the order in which they lie on the slide. What has no words may be among them."""

    title: str
    blocks: Sequence[str]
    notes: str = ""


def written(slides: Iterable[Slide]) -> ParsedDocument:
    """The document that these slides are; each is a page. Raises `DocumentUnreadable` (too_large)."""
    text = MarkdownText()
    has_words = False
    for number, slide in enumerate(slides, start=1):
        text.begin_page(number)
        title, blocks = one_line(slide.title), [block for block in slide.blocks if block.strip()]
        text.heading(2, title or f"Slide {number}")
        for block in blocks:
            text.paragraph(block)
        if slide.notes.strip():
            text.paragraph(f"Notes: {slide.notes}")
        has_words = has_words or bool(title or blocks or slide.notes.strip())
    return ParsedDocument(text.text(), pages=text.pages) if has_words else ParsedDocument("")
