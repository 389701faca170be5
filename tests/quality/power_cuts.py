"""Cuts the power of a simulated disk while the library works, at random writes, and looks what is left.

    python -m tests.quality.power_cuts [--rounds 60] [--files 60] [--seed 1]

A generated library (`changing_library.py`) is indexed run after run, with files changed in between, while questions are written into a conversation.
Both databases lie on a disk (`tests/fakes/power_cut.py`) that at a cut keeps all that was synced and a random part of everything else, sector by
sector. What such a disk would hold is opened as after a start, and compared with what had been acknowledged at the moment of the cut:

    lost        files said to be ready that are not in the index (they would be indexed again), questions said to be kept that are not there
    half        ready files whose text is not a whole version; `library check`
    unfinished  after the next run: files that are not ready, or still there though they are gone from the disk
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.cancel import CancelToken
from core.errors import LamplightError
from core.events import FileFinished
from core.paths import Paths
from core.settings import Settings
from core.store.user_store import UserStore
from desktop.assembly import Application, assemble
from tests.fakes.power_cut import PowerCutDisk
from tests.quality.changing_library import ChangingLibrary

WRITES_PER_CUT = 150
"""So many writes lie between two cuts, on average: a first run has about a thousand."""

CUTS_PER_RUN = 6
"""No more of a run: the first ones fall on its start, and the next run starts with other files."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What the disk held after a cut, and what the program had acknowledged before it."""

    home: Path
    files: frozenset[Path]
    questions: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """What all cuts found."""

    cuts: int = 0
    files: int = 0
    questions: int = 0
    cuts_with_losses: int = 0
    problems: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The result."""
        kinds = Counter(problem.split(": ")[1] for problem in self.problems)
        names = ("lost", "lost question", "half", "check", "unfinished", "failed")
        return [
            f"{self.cuts} cuts; {self.files} files and {self.questions} questions had been acknowledged before them;"
            f" {self.cuts_with_losses} cuts lost something acknowledged",
            ", ".join(f"{name} {kinds[name]}" for name in names),
            *self.problems,
        ]


class Working:
    """A home in use: it indexes and takes questions while the power is cut now and then."""

    def __init__(self, folder: Path, library: ChangingLibrary, cuts: int, draw: random.Random) -> None:
        self.cuts: list[Cut] = []
        self._folder = folder
        self._library = library
        self._wanted = cuts
        self._draw = draw
        self._ready: set[Path] = set()
        self._questions: list[str] = []

    def maybe_cut(self, disk: PowerCutDisk) -> None:
        """After a write: now and then, see what would be left."""
        if len(self.cuts) < self._wanted and self._draw.randrange(WRITES_PER_CUT) == 0:
            home = self._folder / f"cut-{len(self.cuts)}"
            home.mkdir(parents=True)
            disk.cut(home, self._draw)
            self.cuts.append(Cut(home, frozenset(self._ready), tuple(self._questions)))

    def run(self, home: Path) -> None:
        """One run of indexing with questions in between; `maybe_cut` is called by the disk meanwhile."""
        application = assemble(Paths(home), Settings(), use_echo=True)
        try:
            conversation = application.user_store.create_conversation("questions")
            application.library.add([self._library.folder])
            for event in application.library.index(CancelToken()):
                if isinstance(event, FileFinished) and event.file.state == "ready":
                    self._ready.add(event.file.path)
                    if self._draw.random() < 0.3:
                        self._ask(application.user_store, conversation)
        finally:
            application.close()

    def _ask(self, store: UserStore, conversation: int) -> None:
        question = f"question {len(self._questions)} " + "word " * self._draw.randrange(50)
        store.save_partial(store.add_turn(conversation, question), "some text " * self._draw.randrange(100))
        self._questions.append(question)


def looked_at(cut: Cut, library: ChangingLibrary) -> list[str]:
    """What is wrong after a cut, before and after the next run."""
    application = assemble(Paths(cut.home), Settings(), use_echo=True)
    try:
        problems = [*library.problems(application.library, cut.files), *_questions(application, cut)]
        application.library.add([library.folder])
        list(application.library.index(CancelToken()))
        wanted = [library.path(number) for number in library.versions]
        after = [*library.problems(application.library, wanted), *library.unfinished(application.library)]
        return problems + [f"unfinished: {problem}" for problem in after]
    except LamplightError as error:
        return [f"failed: {error.code}: {error.message}"]
    finally:
        application.close()


def _questions(application: Application, cut: Cut) -> list[str]:
    store = application.user_store
    there = {turn.question for conversation in store.conversations() for turn in store.turns(conversation.id)}
    lost = [question for question in cut.questions if question not in there]
    return [f"check: user.db: {line}" for line in store.integrity_problems()] + [f"lost question: {question[:40]}" for question in lost]


def measure(folder: Path, *, cuts: int, files: int, seed: int, tell: bool = False) -> Tally:
    """Cut the power `cuts` times, in `folder`, which must not exist."""
    library = ChangingLibrary(folder / "docs", files, seed=seed)
    draw = random.Random(seed)
    tally = Tally()
    number = 0
    while tally.cuts < cuts:
        number += 1
        library.change(0.4, absent=0.05)
        working = Working(folder / f"run-{number}", library, min(CUTS_PER_RUN, cuts - tally.cuts), draw)
        with PowerCutDisk(working.maybe_cut):
            working.run(folder / "home")
        for cut in working.cuts:
            problems = looked_at(cut, library)
            tally.cuts += 1
            tally.files += len(cut.files)
            tally.questions += len(cut.questions)
            tally.cuts_with_losses += any(problem.startswith("lost") for problem in problems)
            tally.problems += [f"cut {tally.cuts}: {problem}" for problem in problems]
            if tell:
                sys.stderr.write(f"\r{tally.cuts} of {cuts}, {len(tally.problems)} problems")
        library.settled()
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.power_cuts")
    parser.add_argument("--rounds", type=int, default=60, help="how many cuts")
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        tally = measure(Path(folder) / "cuts", cuts=options.rounds, files=options.files, seed=options.seed, tell=True)
    sys.stderr.write("\n")
    for line in tally.lines():
        sys.stdout.write(f"{line}\n")
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
