"""Where sections begin: Markdown headings, underlined headings, and chapter lines as Chinese and English books have them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.library.outline import TITLE_CHARACTERS, Heading, lines_of, title_of

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


def text_headings(text: str, *, underlined: bool) -> Iterator[Heading]:
    """Headings of Markdown and of plain text; `underlined` takes a line above a row of signs for one, too."""
    fence = ""
    previous_start, previous = 0, ""
    for start, line in lines_of(text):
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
                    yield Heading(start, len(found[1]), title_of(found[2]))
                line = ""
            elif found := _CHINESE_CHAPTER.match(line) or _ENGLISH_CHAPTER.match(line):
                yield Heading(start, _LEVELS[found[1].lower()], title_of(line))
                line = ""
            elif underlined and previous and (level := _underline_level(line, previous)):
                yield Heading(previous_start, level, title_of(previous))
                line = ""
        previous_start, previous = start, line.strip()


def _underline_level(line: str, above: str) -> int:
    mark = line.strip()
    if (
        len(mark) < 3
        or mark[0] not in _UNDERLINES
        or mark.strip(mark[0])
        or len(above) > TITLE_CHARACTERS
        or above.startswith(("|", "-", "*", ">"))
    ):
        return 0
    return _UNDERLINES[mark[0]]
