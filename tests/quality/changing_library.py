"""A folder of generated files that change, vanish and come back: what durability is measured over. The same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from core.library.library import Library
from tests.fakes.office_files import paragraph, word_file

_WORDS = ("lamp", "oil", "sea", "keeper", "log", "storm", "herring", "灯塔", "看守人", "风暴", "油灯", "航海日志")
_ENDINGS = (".txt", ".md", ".docx", ".txt", ".eml", ".txt")


class ChangingLibrary:
    """Files with a number and a version; `versions` says which version lies on the disk, and lacks a file that does not."""

    def __init__(self, folder: Path, files: int, *, seed: int = 1) -> None:
        self.folder = folder
        self.versions: dict[int, int] = {}
        self._before: dict[int, set[int]] = {number: set() for number in range(files)}
        self._draw = random.Random(seed)
        self._version = 0
        folder.mkdir(parents=True)

    @property
    def files(self) -> range:
        """The numbers of all files, there or not."""
        return range(len(self._before))

    def path(self, number: int) -> Path:
        """Where a file lies, if it does."""
        return self.folder / f"{number:05}{_ENDINGS[number % len(_ENDINGS)]}"

    def change(self, share: float, *, absent: float = 0.0) -> None:
        """Write a share of the files anew, and let a share of all be gone until the next change."""
        self._version += 1
        for number in self.files:
            if self._draw.random() < absent:
                self.path(number).unlink(missing_ok=True)
                self.versions.pop(number, None)
            elif number not in self.versions or self._draw.random() < share:
                self.versions[number] = self._version
                self._before[number].add(self._version)
                self.path(number).write_bytes(content(number, self._version))

    def settled(self) -> None:
        """Everything that lies on the disk is indexed: older versions may no longer be found."""
        for number in self.files:
            self._before[number] = {self.versions[number]} if number in self.versions else set()

    def problems(self, library: Library, acknowledged: Iterable[Path]) -> list[str]:
        """What is wrong with the index: a file that was acknowledged and is not there as it lies on the disk, or a file that is not whole.

        A file that was not acknowledged may be indexed in an older version, but as a whole; `check` of the library must pass, too.
        """
        report = library.check()
        found = [f"check: {line}" for line in report.problems]
        ready = {document.path for document in library.documents() if document.state == "ready"}
        texts = {path: library.text(path) for path in ready}
        numbers = {self.path(number): number for number in self.files}
        for path in sorted(set(acknowledged)):
            number = numbers[path]
            if texts.get(path) != text(number, self.versions[number]):
                found.append(f"lost: {path.name} was acknowledged and is {'another version' if path in texts else 'not there'}")
        for path in sorted(ready):
            number = numbers[path]
            if texts[path] not in {text(number, version) for version in self._before[number]}:
                found.append(f"half: {path.name} is ready, but not whole")
        return found

    def unfinished(self, library: Library) -> list[str]:
        """What a run that ended well should have left in the index, and did not."""
        wanted = {self.path(number) for number in self.versions}
        ready = {document.path for document in library.documents() if document.state == "ready"}
        return [f"unfinished: {path.name} is {'not ready' if path in wanted else 'gone from the disk'}" for path in sorted(wanted ^ ready)]


def text(number: int, version: int) -> str:
    """What is indexed of a file, to the letter: mostly a few paragraphs, sometimes many."""
    head = f"# File {number}" if _ENDINGS[number % len(_ENDINGS)] == ".eml" else f"File {number}"
    return "\n\n".join([head, *_paragraphs(number, version)])


def content(number: int, version: int) -> bytes:
    """The bytes of a file."""
    match _ENDINGS[number % len(_ENDINGS)]:
        case ".docx":
            return word_file("".join(paragraph(part) for part in (f"File {number}", *_paragraphs(number, version))))
        case ".eml":
            body = "\n\n".join(_paragraphs(number, version))
            return f"Subject: File {number}\nContent-Type: text/plain; charset=utf-8\n\n{body}".encode()
        case _:
            return text(number, version).encode("utf-8")


def _paragraphs(number: int, version: int) -> list[str]:
    draw = random.Random(number * 100_003 + version)
    count = draw.choice((1, 2, 3, 5, 8, 40))
    return [f"Part {part} of version {version}: {' '.join(draw.choices(_WORDS, k=draw.randrange(5, 60)))}." for part in range(count)]
