"""One file among many is saved: how long until it is found by its words and by its meaning, and how much is encoded for it.

    python -m tests.quality.edited_file [--files 10000] [--rounds 10] [--weights] [--folder FOLDER] [--seed 1]

Generates files of one passage and a few of many, indexes them with hashed vectors, and opens the window (without a screen, otherwise as it is:
`watching_window.py`), which watches them. Then, so many times: a paragraph of a file is changed, a new file is saved, a file is renamed, a file is deleted.
A search in another process looks again and again. With `--weights` the window and the search have the embedding model of the settings, and whatever is saved
is encoded by it; only the vectors of the files as they were at first are hashed ones, under its name: encoding 10,000 files is another measurement.

    words       seconds from the end of the save until the search for a word that only this paragraph has brings it
    meaning     the same until it is among the 50 nearest passages, which a search looks at, to a sentence that says about the same
                (with hashed vectors: to the passage itself)
    gone        for what was deleted or replaced: until neither search, nor the text of the file, brings it
    erased      until its bytes are in no file of the index either: neither the text nor its vectors
    encoded     texts that were given to the encoder, beside the passages of the file that are new in it (a rename has none)

`--folder` keeps the files and the index there for the next time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core.cancel import CancelToken
from core.errors import NotFound
from core.library.library import Library
from core.paths import PROGRAM, Paths
from core.protocols import Embedder, Vectors
from core.retrieval.hybrid import CANDIDATES
from core.settings import Settings
from core.store.records import embedding_text
from core.store.words import match_query
from desktop.assembly import Application, assemble
from models.backends.echo import HashEmbedder

WORDS_SECONDS, MEANING_SECONDS = 2.0, 10.0
"""What is wanted."""

_PATIENCE_SECONDS = 60.0
_START_SECONDS = 300.0
_POLL_SECONDS = 0.02
_HITS, _NEIGHBOURS = 10, CANDIDATES
_SLICE_BYTES, _LEAST_NUMBERS = 128, 5
_LONG_EVERY = 100
_LOOK = """
import pathlib, sys
remains = [bytes.fromhex(line) for line in sys.stdin.read().split()]
sys.exit(any(remain in path.read_bytes() for path in pathlib.Path(sys.argv[1]).glob("index.db*") for remain in remains))
"""
_PLACES = ("harbour", "mill", "chapel", "railway station", "observatory", "quarry", "market hall", "school", "library", "ferry")
_PEOPLE = ("the keeper", "a clerk", "two masons", "the watchmaker", "a surveyor", "the postmistress", "an engineer", "the gardener")
_DEEDS = (
    "repaired the roof after the storm", "counted the boats that came in", "wrote a letter about the water", "measured the depth of the well",
    "painted the doors in green", "found an old map of the valley", "planted a row of lime trees", "complained about the noise at night",
)  # fmt: skip
_SUBJECTS = (
    ("{} jars of apricot jam were sold to a hotel in the mountains", "A hotel bought jars of apricot jam"),
    ("{} violins were tuned before the concert in the cathedral", "Violins were tuned for the concert in the cathedral"),
    ("{} penguins were counted on the island by a biologist", "A biologist counted penguins on an island"),
    ("{} patients were given the new vaccine against measles", "Patients got a vaccine against measles"),
    ("{} solar panels were mounted on the stadium", "Solar panels were mounted on a stadium"),
    ("{} chess players met in the town for the championship", "Chess players met for a championship"),
    ("{} bicycles were stolen near the university in June", "Bicycles were stolen near the university"),
    ("{} bottles of red wine broke when the lorry fell over", "Bottles of red wine broke in a lorry"),
    ("{} telescopes were lent to pupils for the eclipse", "Pupils got telescopes for the eclipse"),
    ("{} sacks of cement were missing at the bridge", "Sacks of cement were missing at a bridge"),
)


def file_text(number: int, seed: int) -> str:
    """What stands in a file before anything is changed: a paragraph or two, in every hundredth file many."""
    draw = random.Random(seed * 1_000_003 + number)
    parts = [f"Notes of day {number}", ""]
    for part in range(60 if number % _LONG_EVERY == 0 else draw.choice((1, 2))):
        said = (f"In the {draw.choice(_PLACES)} {draw.choice(_PEOPLE)} {draw.choice(_DEEDS)}." for _ in range(3))
        parts += [f"{' '.join(said)} Entry {number}-{part} is closed with code {mark(draw)}.", ""]
    return "\n".join(parts)


def mark(draw: random.Random) -> str:
    """A word that nothing else has."""
    return "q" + "".join(draw.choices("bcdfghjkmnprstvwxz", k=11))


def news(draw: random.Random, number: int) -> tuple[str, str, str]:
    """A paragraph about something that no file tells of, the one word that only it has, and a sentence that says about the same."""
    said, asked = _SUBJECTS[number % len(_SUBJECTS)]
    word = mark(draw)
    return f"{said.format(draw.randrange(10, 99))}. It is filed under {word}.", word, asked


def edited(text: str, paragraph: str) -> str:
    """`text` with its middle paragraph replaced."""
    parts = text.split("\n\n")
    place = 1 + (len(parts) - 1) // 2 if len(parts) > 2 else 1
    return "\n\n".join([*parts[:place], paragraph, *parts[place + 1 :]])


def generate(folder: Path, files: int, seed: int) -> None:
    """Write the files that are not there yet."""
    for number in range(files):
        path = folder / f"{number // 500:03}" / f"{number:05}.txt"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file_text(number, seed), encoding="utf-8")


class StandIn(HashEmbedder):
    """Hashed vectors under the name of another model of the same dimension, which also counts the tokens."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        if embedder.dimension != super().dimension:
            raise ValueError(f"hashed vectors have {super().dimension} numbers, those of {embedder.model_id} {embedder.dimension}")

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)


def index(application: Application, folder: Path) -> None:
    """Index a folder with hashed vectors under the name of the application's model."""
    library = Library(application.user_store, application.index_store, StandIn(application.embedder), application.lease)
    try:
        library.add([folder])
        for _ in library.index(CancelToken()):
            pass
    finally:
        library.close()


@dataclass(slots=True)
class Tally:
    """Seconds, by what was done and what was waited for; and what was encoded, beside what was new."""

    seconds: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    encoded: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, deed: str, what: str, seconds: float | None) -> None:
        """Note how long was waited; None if in vain."""
        if seconds is None:
            self.problems.append(f"{deed}: {what} not within {_PATIENCE_SECONDS:g} s")
        else:
            self.seconds.setdefault((deed, what), []).append(seconds)

    def add_encoded(self, deed: str, encoded: int, new: int) -> None:
        """Note what was encoded."""
        self.encoded.setdefault(deed, []).append((encoded, new))
        if encoded != new:
            self.problems.append(f"{deed}: {encoded} texts encoded, {new} passages are new")

    def lines(self) -> list[str]:
        """The result."""
        waits = [
            f"{deed}: {what} after p50 {middle(seconds):.2f} s, at most {max(seconds):.2f} s ({len(seconds)} times)"
            for (deed, what), seconds in self.seconds.items()
        ]
        counts = [
            f"{deed}: {sum(encoded for encoded, _ in pairs)} texts encoded, {sum(new for _, new in pairs)} passages new, in"
            f" {sum(encoded == new for encoded, new in pairs)} of {len(pairs)} the same"
            for deed, pairs in self.encoded.items()
        ]
        return [*waits, *counts, *self.problems]


def middle(values: Sequence[float]) -> float:
    """The median; of two middle ones the later."""
    return sorted(values)[len(values) // 2]


def slices(vector: bytes) -> list[bytes]:
    """The parts of a vector to look for in a file, whose pages cut it anywhere; parts of hashed vectors that are mostly 0 are left out."""
    parts = [vector[start : start + _SLICE_BYTES] for start in range(0, len(vector), _SLICE_BYTES)]
    return [part for part in parts if np.count_nonzero(np.frombuffer(part, dtype="<f4")) >= _LEAST_NUMBERS]


class Window:
    """The window in a process of its own."""

    def __init__(self, home: Path, *, weights: bool) -> None:
        command = [sys.executable, "-m", "tests.quality.watching_window", str(home), *(["--weights"] if weights else [])]
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "LAMPLIGHT_FORBID_NETWORK": "1"}
        self._child = subprocess.Popen(command, cwd=PROGRAM, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self._lines: queue.SimpleQueue[dict[str, object]] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self._lines.put(json.loads(line))

    def encoded_until_ended(self, seconds: float) -> int:
        """How many texts were encoded until the run that goes on ended, or the next one. Raises `queue.Empty` if none does."""
        encoded = 0
        deadline = time.monotonic() + seconds
        while True:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            encoded += int(str(line.get("encoded", 0)))
            if "ended" in line:
                return encoded

    def encoded_meanwhile(self) -> int:
        """How many texts were encoded that nobody asked about yet."""
        encoded = 0
        with contextlib.suppress(queue.Empty):
            while True:
                encoded += int(str(self._lines.get_nowait().get("encoded", 0)))
        return encoded

    def close(self) -> None:
        """Close it as a person does."""
        self._child.send_signal(signal.SIGTERM)
        try:
            self._child.wait(30)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._reader.join()
        assert self._child.stdout is not None
        self._child.stdout.close()


class Measurement:
    """Changes files, and looks for them until they are found."""

    def __init__(self, application: Application, window: Window, seed: int, *, weights: bool) -> None:
        self.tally = Tally()
        self._application = application
        self._store = application.index_store
        self._embedder = application.embedder
        self._window = window
        self._weights = weights
        self._draw = random.Random(f"{seed} {time.time_ns()}")  # other words each time: the folder may be kept

    def edit(self, number: int, path: Path) -> None:
        """Change a paragraph."""
        text = path.read_text(encoding="utf-8")
        paragraph, word, asked = news(self._draw, number)
        before, doomed = self._passages(path), self._remains(path)
        saved = edited(text, paragraph)
        old = min((part for part in text.split("\n\n") if part not in saved), key=len, default="")
        wanted = self._vector(asked)
        self._save(path, saved, in_place=bool(number % 2))
        since = time.monotonic()
        self._found("edited", since, path, word, wanted)
        self._count("edited", path, before)
        if old:
            # Vectors of passages that stayed are still wanted.
            kept = self._remains(path)
            self._wait("edited", "old text erased", since, lambda: not self._is_in_files([old.encode(), *(doomed - kept)]))

    def add(self, number: int, path: Path) -> None:
        """Save a new file."""
        paragraph, word, asked = news(self._draw, number)
        wanted = self._vector(asked)
        self._save(path, f"A new file\n\n{paragraph}\n", in_place=bool(number % 2))
        since = time.monotonic()
        self._found("new", since, path, word, wanted)
        self._count("new", path, set())

    def rename(self, path: Path, target: Path) -> None:
        """Rename a file."""
        word = path.read_text(encoding="utf-8").rpartition(" ")[2].strip().strip(".")
        before = self._passages(path)
        path.rename(target)
        since = time.monotonic()
        self._wait("renamed", "words", since, lambda: target in self._by_words(word))
        self._wait("renamed", "old name gone", since, lambda: path not in self._by_words(word) and not self._has_text(path))
        self.tally.add_encoded("renamed", self._window.encoded_until_ended(_PATIENCE_SECONDS), 0)
        if not before:
            self.tally.problems.append(f"renamed: {path.name} was not in the index")

    def delete(self, path: Path) -> None:
        """Delete a file."""
        text = path.read_text(encoding="utf-8")
        word = text.rpartition(" ")[2].strip().strip(".")
        vector = self._embedder.embed_query(text, cancel=CancelToken())
        doomed = self._remains(path)
        path.unlink()
        since = time.monotonic()
        self._wait(
            "deleted",
            "gone",
            since,
            lambda: not self._by_words(word) and path not in self._by_meaning(vector) and not self._has_text(path),
        )
        self._wait("deleted", "erased", since, lambda: not self._is_in_files([word.encode(), *doomed]))
        self.tally.add_encoded("deleted", self._window.encoded_until_ended(_PATIENCE_SECONDS), 0)

    def _save(self, path: Path, text: str, *, in_place: bool) -> None:
        """As editors do: over the old file, or a new one in its place."""
        if in_place:
            path.write_text(text, encoding="utf-8")
        else:
            beside = path.with_name(f".{path.name}.new")
            beside.write_text(text, encoding="utf-8")
            beside.replace(path)

    def _vector(self, asked: str) -> Vectors | None:
        """What is searched for; hashed vectors know nothing of meaning. Made before the save: the encoder here may be about to start."""
        return self._embedder.embed_query(asked, cancel=CancelToken()) if self._weights else None

    def _found(self, deed: str, since: float, path: Path, word: str, vector: Vectors | None) -> None:
        self._wait(deed, "words", since, lambda: path in self._by_words(word))
        if vector is None:
            passage = next((text for text in self._passages(path) if word in text), word)
            vector = self._embedder.embed_query(passage, cancel=CancelToken())
        self._wait(deed, "meaning", since, lambda: path in self._by_meaning(vector, word))

    def _count(self, deed: str, path: Path, before: set[str]) -> None:
        encoded = self._window.encoded_until_ended(_PATIENCE_SECONDS)
        self.tally.add_encoded(deed, encoded, len(self._passages(path) - before))

    def _wait(self, deed: str, what: str, since: float, is_so: Callable[[], bool]) -> None:
        while not is_so():
            if time.monotonic() - since > _PATIENCE_SECONDS:
                self.tally.add(deed, what, None)
                return
            time.sleep(_POLL_SECONDS)
        self.tally.add(deed, what, time.monotonic() - since)

    def _by_words(self, word: str) -> set[Path]:
        hits = self._store.search_words(match_query(word), _HITS)
        return {chunk.path for chunk in self._store.chunks([chunk_id for chunk_id, _ in hits]) if word in chunk.text}

    def _by_meaning(self, vector: Vectors, word: str = "") -> set[Path]:
        hits = self._store.search_vectors(vector, _NEIGHBOURS, self._embedder.model_id)
        return {chunk.path for chunk in self._store.chunks([chunk_id for chunk_id, _ in hits]) if word in chunk.text}

    def _has_text(self, path: Path) -> bool:
        with contextlib.suppress(NotFound):
            return bool(self._store.text(path))
        return False

    def _passages(self, path: Path) -> set[str]:
        return {embedding_text(chunk.title, chunk.heading_path, chunk.text) for chunk in self._store.chunks_of(path)}

    def _remains(self, path: Path) -> set[bytes]:
        """Slices of the vectors of a file as they lie in the index, without those that nearly any vector could have."""
        found = [item.document for item in self._store.documents() if item.document.path == path]
        known = self._store.vectors_by_content(found[0].sha256, found[0].encoding, self._embedder.model_id) if found else []
        return {part for item in known if item.vector for part in slices(item.vector)}

    def _is_in_files(self, remains: Sequence[bytes]) -> bool:
        # In a process of its own: closing a file here would drop the locks that SQLite holds on it for this process.
        command = [sys.executable, "-S", "-c", _LOOK, str(self._application.paths.home)]
        asked = "\n".join(remain.hex() for remain in remains)
        return subprocess.run(command, input=asked, text=True, check=False).returncode == 1


def measure(folder: Path, *, files: int, rounds: int, weights: bool, seed: int) -> tuple[Tally, list[str]]:
    """All rounds over a library in `folder`, which is made if it is not there; and the lines about the library."""
    docs, home = folder / "docs", folder / "home"
    generate(docs, files, seed)
    application = assemble(Paths(home), Settings(), use_echo=not weights)
    try:
        index(application, docs)
    except BaseException:
        application.close()
        raise
    window = Window(home, weights=weights)
    try:
        window.encoded_until_ended(_START_SECONDS)
        counts = application.library.check().counts
        measurement = Measurement(application, window, seed, weights=weights)
        application.embedder.embed_query("Hello", cancel=CancelToken())
        window.encoded_meanwhile()
        for number, path in enumerate(_chosen(docs, rounds, seed)):
            measurement.edit(number, path)
            added = path.with_name(f"{path.stem} new {number}.txt")
            measurement.add(number, added)
            moved = path.with_name(f"{path.stem} renamed {number}.txt")
            measurement.rename(path, moved)
            measurement.delete(added)
            measurement.delete(moved)
            sys.stderr.write(f"\r{number + 1} of {rounds}, {len(measurement.tally.problems)} problems")
        problems = application.library.check().problems
        measurement.tally.problems += [f"check: {problem}" for problem in problems]
    finally:
        application.close()
        window.close()
    return measurement.tally, [
        f"{counts.ready} files ready, {counts.chunks} passages, {'the encoder of the settings' if weights else 'hashed vectors'}"
    ]


def _chosen(docs: Path, rounds: int, seed: int) -> Iterator[Path]:
    """Every fourth one is a long file; none that an earlier measurement has changed."""
    draw = random.Random(seed)
    paths = sorted(path for path in docs.rglob("*.txt") if " " not in path.name)
    long = [path for path in paths if int(path.stem) % _LONG_EVERY == 0]
    short = [path for path in paths if int(path.stem) % _LONG_EVERY]
    for number in range(rounds):
        kind = long if long and number % 4 == 0 else short
        yield kind.pop(draw.randrange(len(kind)))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.edited_file")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", action="store_true", help="with the embedding model of the settings")
    parser.add_argument("--folder", type=Path, help="where files and index are kept for the next time")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        tally, about = measure(
            options.folder or Path(folder), files=options.files, rounds=options.rounds, weights=options.weights, seed=options.seed
        )
    sys.stderr.write("\n")
    sys.stdout.write("".join(f"{line}\n" for line in (*about, *tally.lines())))
    late = any(
        max(seconds) > {"words": WORDS_SECONDS, "meaning": MEANING_SECONDS}.get(what, _PATIENCE_SECONDS)
        for (_, what), seconds in tally.seconds.items()
    )
    return 1 if tally.problems or late else 0


if __name__ == "__main__":
    sys.exit(main())
