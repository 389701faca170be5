"""Where sections begin: Markdown headings, underlined headings, and chapter lines as Chinese and English books have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.library.file_kinds import Kind

_MARKDOWN = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_CHINESE_CHAPTER = re.compile(
    r"^[ \t\u3000]*第[ 〇零一二三四五六七八九十百千两0-90-9]{1,9}([卷部篇集]|[回章]|[节節])(?:[ \t\u3000：:、.．]|$).{0,60}$"
)
_ENGLISH_CHAPTER = re.compile(
    r"^[ \t]*(book|part|chapter|section)[ \t]+(?:[ivxlcdm]{1,8}|[0-9]{1,4}|one|two|three|four|five|six|seven|eight|nine|ten)\b[.:—–-]?.{0,60}$",
    re.IGNORECASE,
)
_UNDERLINES = {"=": 1, "-": 2, "~": 3}
_LEVELS = {"卷": 1, "部": 1, "篇": 1, "集": 1, "回": 2, "章": 2, "节": 3, "節": 3, "book": 1, "part": 1, "chapter": 2, "section": 3}
_TITLE_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of text under one heading. `heading_path` names the headings above and the section's own: "A > B"."""

    start: int
    end: int
    heading_path: str


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    level: int
    title: str


def sections(text: str, kind: Kind) -> list[Section]:
    """Cut `text` into sections that follow each other without gaps. Code and tables are one section."""
    headings = list(_headings(text, kind)) if kind not in ("code", "table") else []
    borders = [0, *(heading.start for heading in headings), len(text)]
    paths = ["", *_paths(headings)]
    return [Section(start, end, path) for start, end, path in zip(borders, borders[1:], paths, strict=False) if text[start:end].strip()]


def first_heading(text: str, kind: Kind) -> str:
    """The first heading of a document if it has one near its beginning, for use as its title."""
    if kind in ("code", "table"):
        return ""
    return next((heading.title for heading in _headings(text[:4000], kind) if not text[: heading.start].strip()), "")


def _headings(text: str, kind: Kind) -> Iterator[_Heading]:
    fence = ""
    previous_start, previous = 0, ""
    for start, line in _lines(text):
        if len(line) > 400:
            previous = ""
            continue
        if found := _FENCE.match(line):
            if not fence:
                fence = found[1]
            elif found[1].startswith(fence):
                fence = ""
        elif not fence:
            if found := _MARKDOWN.match(line):
                if found[2]:
                    yield _Heading(start, len(found[1]), _title(found[2]))
                line = ""
            elif found := _CHINESE_CHAPTER.match(line) or _ENGLISH_CHAPTER.match(line):
                yield _Heading(start, _LEVELS[found[1].lower()], _title(line))
                line = ""
            elif kind == "markdown" and previous and (level := _underline_level(line, previous)):
                yield _Heading(previous_start, level, _title(previous))
                line = ""
        previous_start, previous = start, line.strip()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line and where it begins. Not all at once: the lines of a large file take many times its size."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, text[start:end]
        start = end + 1
    yield start, text[start:]


def _underline_level(line: str, above: str) -> int:
    mark = line.strip()
    if (
        len(mark) < 3
        or mark[0] not in _UNDERLINES
        or mark.strip(mark[0])
        or len(above) > _TITLE_CHARACTERS
        or above.startswith(("|", "-", "*", ">"))
    ):
        return 0
    return _UNDERLINES[mark[0]]


def _paths(headings: list[_Heading]) -> Iterator[str]:
    above: list[_Heading] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield " > ".join(item.title for item in above)


def _title(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _TITLE_CHARACTERS else words[: _TITLE_CHARACTERS - 1] + "…"
