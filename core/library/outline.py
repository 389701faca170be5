"""What a document's structure is told in: headings with a level, in the order of the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

TITLE_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Heading:
    """A section begins at `start`. `level` 1 is the highest. Without a title it only ends the section before and names none."""

    start: int
    level: int
    title: str


def title_of(text: str) -> str:
    """A heading's words on one line, cut where they are too many."""
    words = " ".join(text.split())
    return words if len(words) <= TITLE_CHARACTERS else words[: TITLE_CHARACTERS - 1] + "…"


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Each line without its end, and where it begins. Not all at once: the lines of a large file take many times its size."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, text[start:end]
        start = end + 1
    yield start, text[start:]


def heading_paths(headings: Iterable[Heading]) -> Iterator[str]:
    """The titles above each heading and its own: "A > B"."""
    above: list[Heading] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield " > ".join(item.title for item in above if item.title)
