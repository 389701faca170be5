"""How large the index is beside what must be in it, and how much it grows when files change again and again.

    python -m tests.quality.index_size [FOLDER ...] [--files 1000] [--rounds 10] [--seed 1]

Indexes generated English and Chinese files with hashed vectors (as many numbers as the starter embedding model has), or copies of the text files
in each FOLDER. Then, so many times: a fifth of the files is edited (one paragraph, or all of it), a tenth deleted, and another tenth comes back.

    size        bytes of index.db and the files beside it, over those of the vectors (chunks x dimension x 4) and of the texts in UTF-8
    growth      the same bytes after the rounds, over those of a new index of the same files

And where the bytes are: each table with what lies in its pages, and what of them is empty.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.cancel import CancelToken
from core.paths import Paths
from core.settings import Settings
from core.store.connection import fetch_all
from desktop.assembly import assemble
from tests.quality.generated_text import Language, chinese, english

WANTED_SIZE, WANTED_GROWTH = 2.2, 1.5
_ENDINGS = frozenset({".txt", ".md", ".csv", ".html", ".py", ".rst"})


@dataclass(frozen=True, slots=True)
class Size:
    """An index and what must be in it, in bytes."""

    files: int
    chunks: int
    index_bytes: int
    vector_bytes: int
    text_bytes: int

    @property
    def ratio(self) -> float:
        """Of the index to what must be in it."""
        return self.index_bytes / max(1, self.vector_bytes + self.text_bytes)

    def line(self) -> str:
        """The result."""
        return (
            f"{self.files} files, {self.chunks} passages: {self.index_bytes / 1e6:.1f} MB for {self.vector_bytes / 1e6:.1f} MB of vectors and"
            f" {self.text_bytes / 1e6:.1f} MB of text: {self.ratio:.2f} times"
        )


@dataclass(frozen=True, slots=True)
class TableSize:
    """The pages of one table or index of the file, in bytes."""

    name: str
    bytes: int
    empty_bytes: int

    def line(self) -> str:
        return f"  {self.bytes / 1e6:8.2f} MB, {self.empty_bytes / 1e6:6.2f} of them empty  {self.name}"


def texts(files: int, seed: int) -> Iterator[tuple[str, str]]:
    """Name and text of each generated file: most are of a few pages, some of many, every other one Chinese."""
    draw = random.Random(seed)
    languages = english(), chinese()
    for number in range(files):
        characters = int(min(80_000, draw.lognormvariate(8.3, 1.0)))
        language = languages[number % 2]
        yield f"{number:05}.md", language.document(draw, max(300, characters // (1, 3)[number % 2]))


class Shelf:
    """A folder of text files that are edited, deleted and brought back."""

    def __init__(self, folder: Path, contents: Iterable[tuple[str, str]], seed: int) -> None:
        self.folder = folder
        self._draw = random.Random(seed)
        self._languages: tuple[Language, Language] = (english(), chinese())
        self._away: dict[Path, str] = {}
        for name, text in contents:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    @property
    def paths(self) -> list[Path]:
        """The files that are there."""
        return sorted(path for path in self.folder.rglob("*") if path.is_file())

    def change(self) -> None:
        """Edit a fifth of the files, delete a tenth of them, and bring back what was deleted the time before."""
        paths = self.paths
        back, self._away = self._away, {}
        self._draw.shuffle(paths)
        tenth = max(1, len(paths) // 10)
        for path in paths[:tenth]:
            self._away[path] = path.read_text(encoding="utf-8")
            path.unlink()
        for path in paths[tenth : 3 * tenth]:
            path.write_text(self._edited(path.read_text(encoding="utf-8")), encoding="utf-8")
        for path, text in back.items():
            path.write_text(text, encoding="utf-8")

    def _edited(self, text: str) -> str:
        language = self._languages[sum(character > "\u2e80" for character in text[:500]) > 100]
        if self._draw.random() < 0.3:
            return language.document(self._draw, len(text))
        parts = text.split("\n\n")
        parts[self._draw.randrange(len(parts))] = language.paragraph(self._draw)
        return "\n\n".join(parts)


def index(home: Path, folder: Path) -> Size:
    """Bring the index at `home` in step with `folder`, as the program does, and measure it when it is closed."""
    application = assemble(Paths(home), Settings(), use_echo=True)
    try:
        application.library.add([folder])
        for _ in application.library.index(CancelToken()):
            pass
        report = application.library.check()
        if report.problems:
            raise AssertionError(report.problems)
        ready = [document.path for document in application.library.documents() if document.state == "ready"]
        text_bytes = sum(len(application.library.text(path).encode("utf-8")) for path in ready)
        vector_bytes = report.counts.chunks * application.embedder.dimension * 4
    finally:
        application.close()
    index_bytes = sum(path.stat().st_size for path in home.glob("index.db*"))
    return Size(len(ready), report.counts.chunks, index_bytes, vector_bytes, text_bytes)


def tables(path: Path) -> list[TableSize]:
    """What each table and index takes of a database, the largest first."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = fetch_all(connection, "SELECT name, sum(pgsize), sum(unused) FROM dbstat GROUP BY name ORDER BY 2 DESC")
        free = sum(
            row[0] for row in fetch_all(connection, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
        )
    finally:
        connection.close()
    return [*(TableSize(*row) for row in rows), TableSize("(free pages)", free, free)]


def measure(folder: Path, contents: Iterable[tuple[str, str]], *, rounds: int, seed: int) -> tuple[list[str], float, float]:
    """The lines to show, the size and the growth, over files made in `folder`, which must not exist."""
    shelf = Shelf(folder / "docs", contents, seed)
    home = folder / "home"
    first = index(home, shelf.folder)
    lines = [first.line(), *(table.line() for table in tables(Paths(home).index_database)[:12])]
    growth = 1.0
    if rounds:
        last = first
        for number in range(rounds):
            shelf.change()
            last = index(home, shelf.folder)
            sys.stderr.write(f"\rround {number + 1} of {rounds}: {last.index_bytes / 1e6:.1f} MB")
        sys.stderr.write("\n")
        fresh = index(folder / "fresh", shelf.folder)
        growth = last.index_bytes / fresh.index_bytes
        lines += [
            f"after {rounds} rounds of changes: {last.index_bytes / 1e6:.1f} MB, a new index of the same files: {fresh.index_bytes / 1e6:.1f} MB:"
            f" {growth:.2f} times",
            *(table.line() for table in tables(Paths(home).index_database)[:12]),
        ]
    return lines, first.ratio, growth


def read_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of the text files in a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix.lower() in _ENDINGS:
            yield str(path.relative_to(folder)), path.read_text(encoding="utf-8", errors="replace")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.index_size")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    too_large = False
    sets = [(str(folder), read_texts(folder)) for folder in options.folders] or [("generated", texts(options.files, options.seed))]
    for name, contents in sets:
        folder = Path(tempfile.mkdtemp())
        try:
            lines, size, growth = measure(folder / "size", contents, rounds=options.rounds, seed=options.seed)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        sys.stdout.write("".join(f"{line}\n" for line in (f"{name}:", *lines)))
        too_large = too_large or size > WANTED_SIZE or growth > WANTED_GROWTH
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
