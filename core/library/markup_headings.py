"""Headings of the lesser markups: reStructuredText, Org, AsciiDoc, Textile and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.library.outline import TITLE_CHARACTERS, Heading, lines_of, title_of

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_ORG = re.compile(r"(\*{1,8})[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#[A-Z]\][ \t]+)?(.*?)(?:[ \t]+:[\w@#%:]+:)?[ \t]*$")
_ORG_BLOCK = re.compile(r"[ \t]*#\+(begin|end)_", re.IGNORECASE)
_ORG_TITLE = re.compile(r"^#\+title:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
_ASCIIDOC = re.compile(r"(={1,6})[ \t]+(\S.*?)(?:[ \t]+=+)?[ \t]*$")
_ASCIIDOC_BLOCK = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})[ \t]*$")
_TEXTILE = re.compile(r"h([1-6])(?:\([^)\n]{0,80}\))?\.[ \t]+(\S.*)$")
_LATEX = re.compile(
    r"^[ \t]*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?[ \t]*(?:\[[^\]\n]{0,200}\])?\{([^\n]{1,200}?)\}", re.MULTILINE
)
_LATEX_LEVELS = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6}
_LATEX_COMMAND = re.compile(r"\\[a-zA-Z]+\*?|[{}~]")


def rst_headings(text: str) -> Iterator[Heading]:
    """A title has signs below it, or below and above; which signs mean which level is told by their order in the document."""
    levels: dict[tuple[str, bool], int] = {}
    # Four lines back to here: what stands above the title, the line above it, the title, its adornment.
    window: list[tuple[int, str]] = [(0, ""), (0, "")]
    for start, line in lines_of(text):
        window = [*window[-3:], (start, line)]
        if len(window) < 4:
            continue
        (_, before), (above_start, above), (title_start, title), (_, below) = window
        under = _ADORNMENT.match(below)
        if under is None or not title.strip() or len(title) > TITLE_CHARACTERS * 2 or _ADORNMENT.match(title):
            continue
        over = _ADORNMENT.match(above)
        is_overlined = over is not None and over[1] == under[1] and not before.strip()
        if is_overlined or (not above.strip() and not title[0].isspace() and len(below.rstrip()) >= min(len(title.rstrip()), 4)):
            level = levels.setdefault((under[1], is_overlined), len(levels) + 1)
            yield Heading(above_start if is_overlined else title_start, level, title_of(title))


def org_headings(text: str) -> Iterator[Heading]:
    """Lines that begin with stars, outside blocks of code. Keywords, priorities and tags are no part of the title."""
    in_block = False
    for start, line in lines_of(text):
        if block := _ORG_BLOCK.match(line):
            in_block = block[1].lower() == "begin"
        elif not in_block and len(line) <= 400 and (found := _ORG.match(line)) and found[2].strip():
            yield Heading(start, len(found[1]), title_of(found[2]))


def org_title(text: str) -> str:
    """What an Org file says it is called, or nothing."""
    found = _ORG_TITLE.search(text)
    return title_of(found[1]) if found else ""


def asciidoc_headings(text: str) -> Iterator[Heading]:
    """Lines that begin with equals signs, outside blocks."""
    block = ""
    for start, line in lines_of(text):
        if found := _ASCIIDOC_BLOCK.match(line):
            mark = found[1][0]
            block = "" if block == mark else block or mark
        elif not block and len(line) <= 400 and (found := _ASCIIDOC.match(line)):
            yield Heading(start, len(found[1]), title_of(found[2]))


def textile_headings(text: str) -> Iterator[Heading]:
    """Lines such as "h2. Title"."""
    for start, line in lines_of(text):
        if len(line) <= 400 and (found := _TEXTILE.match(line)):
            yield Heading(start, int(found[1]), title_of(found[2]))


def latex_headings(text: str) -> Iterator[Heading]:
    """The commands that begin a part, chapter or section, with the words in their title."""
    for found in _LATEX.finditer(text):
        yield Heading(found.start(), _LATEX_LEVELS[found[1]], title_of(_LATEX_COMMAND.sub(" ", found[2])))
