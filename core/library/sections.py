"""Where the sections of a text begin, told by the rules of its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from core.library.code_blocks import code_blocks, settings_sections, yaml_sections
from core.library.file_kinds import Kind
from core.library.headings import text_headings
from core.library.json_members import json_members, record_starts
from core.library.markup_headings import asciidoc_headings, latex_headings, org_headings, org_title, rst_headings, textile_headings
from core.library.outline import Heading, heading_paths

_BY_KIND: Mapping[Kind, Callable[[str], Iterator[Heading]]] = {
    "markdown": partial(text_headings, underlined=True),
    "prose": partial(text_headings, underlined=False),
    "other": partial(text_headings, underlined=False),
    "rst": rst_headings,
    "org": org_headings,
    "asciidoc": asciidoc_headings,
    "textile": textile_headings,
    "latex": latex_headings,
    "code": code_blocks,
    "settings": settings_sections,
    "yaml": yaml_sections,
    "json": json_members,
    "records": record_starts,
}
# What a section of these is called says nothing about the whole.
_WITHOUT_TITLE: frozenset[Kind] = frozenset({"code", "settings", "yaml", "json", "records", "table", "log"})
_TITLE_WITHIN = 4000


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of text under one heading. `heading_path` names the headings above and the section's own: "A > B"."""

    start: int
    end: int
    heading_path: str


def sections(text: str, kind: Kind) -> list[Section]:
    """Cut `text` into sections that follow each other without gaps. Tables and logs are one section."""
    find = _BY_KIND.get(kind)
    headings = list(find(text)) if find is not None else []
    borders = [0, *(heading.start for heading in headings), len(text)]
    paths = ["", *heading_paths(headings)]
    return [Section(start, end, path) for start, end, path in zip(borders, borders[1:], paths, strict=False) if text[start:end].strip()]


def first_heading(text: str, kind: Kind) -> str:
    """The first heading of a document if it has one near its beginning, for use as its title."""
    find = _BY_KIND.get(kind)
    if find is None or kind in _WITHOUT_TITLE:
        return ""
    if kind == "org" and (title := org_title(text[:_TITLE_WITHIN])):
        return title
    return next((heading.title for heading in find(text[:_TITLE_WITHIN]) if not text[: heading.start].strip()), "")
