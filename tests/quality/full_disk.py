"""Indexes onto a disk that is too small, and goes on when there is room.

    python -m tests.quality.full_disk [--rounds 10] [--files 60] [--seed 1]        as root on Linux: it mounts small disks in memory

Each round mounts a disk of a random size for the program's own files, and indexes a generated library (`changing_library.py`) with the real
command line until it is full; then the disk grows and the command runs again. In every other round the library was indexed before, with room enough,
and half of its files have changed: the disk is too small only for the rest.

    sentence    the command did not end with one plain sentence that names the folder, or another command on the full disk had no plain words
    lost        files said to be ready that are not in the index when there is room again
    half        ready files whose text is not a whole version; `library check`
    unfinished  after the second run: files that are not ready
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.paths import Paths
from core.settings import Settings
from desktop.assembly import assemble
from tests.fakes.command_line import CommandLine, Ran
from tests.quality.changing_library import ChangingLibrary
from tests.quality.kills import finished_files

LEAST_BYTES, MOST_BYTES, ENOUGH_BYTES = 200_000, 4_000_000, 256_000_000
LEAST_ROOM_BYTES, MOST_ROOM_BYTES = 100_000, 3_000_000
"""What a disk has left on which there is an index already."""


@dataclass(slots=True)
class Tally:
    """What all rounds found."""

    rounds: int = 0
    filled: int = 0
    acknowledged: int = 0
    problems: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The result."""
        kinds = Counter(problem.split(": ")[1] for problem in self.problems)
        names = ("sentence", "lost", "half", "check", "unfinished", "failed")
        return [
            f"{self.rounds} rounds, {self.filled} disks were too small; {self.acknowledged} files had been acknowledged",
            ", ".join(f"{name} {kinds[name]}" for name in names),
            *self.problems,
        ]


def is_plain(ran: Ran, home: Path) -> bool:
    """Whether a command that failed on a full disk said so in one sentence that names the folder, and what to do."""
    lines = ran.err.strip().splitlines()
    return ran.code == 1 and lines == [f"lamplight: The disk that holds {home} is full. Free some space and try again."]


def round_on(home: Path, library: ChangingLibrary) -> tuple[bool, list[Path], list[str]]:
    """Index onto the small disk at `home`, give it room, index again: whether it was filled, what was acknowledged, and what is wrong."""
    command_line = CommandLine(home)
    problems = []
    first = command_line("index", library.folder, "--json")
    acknowledged = finished_files(first.out.encode())
    if first.code:
        problems += [] if is_plain(first, home) else [f"sentence: {first.code} {first.err.strip()!r}"]
        listed = command_line("library", "list")
        problems += [] if listed.code == 0 or is_plain(listed, home) else [f"sentence: {listed.code} {listed.err.strip()!r}"]
    _mount(home, ENOUGH_BYTES, "remount")
    application = assemble(Paths(home), Settings(), use_echo=True)
    try:
        problems += library.problems(application.library, acknowledged)
    finally:
        application.close()
    second = command_line("index", library.folder, "--json")
    problems += [f"failed: the second run ended with {second.code}: {second.err.strip()}"] if second.code else []
    application = assemble(Paths(home), Settings(), use_echo=True)
    try:
        wanted = [library.path(number) for number in library.versions]
        problems += [*library.problems(application.library, wanted), *library.unfinished(application.library)]
    finally:
        application.close()
    return first.code != 0, acknowledged, problems


def used_bytes(folder: Path) -> int:
    """What is taken of the disk that `folder` lies on."""
    usage = shutil.disk_usage(folder)
    return usage.total - usage.free


def _mount(folder: Path, size: int, *options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join([*options, f"size={size}"]), "tmpfs", str(folder)], check=True)


def measure(folder: Path, *, rounds: int, files: int, seed: int) -> Tally:
    """Run all rounds in `folder`, which must not exist. Needs the right to mount."""
    library = ChangingLibrary(folder / "docs", files, seed=seed)
    draw = random.Random(seed)
    tally = Tally()
    for number in range(1, rounds + 1):
        library.change(1.0)
        home = folder / f"home-{number}"
        home.mkdir()
        _mount(home, draw.randrange(LEAST_BYTES, MOST_BYTES) if number % 2 else ENOUGH_BYTES)
        try:
            if number % 2 == 0:
                CommandLine(home)("index", library.folder)
                library.settled()
                library.change(0.5)
                _mount(home, used_bytes(home) + draw.randrange(LEAST_ROOM_BYTES, MOST_ROOM_BYTES), "remount")
            filled, acknowledged, problems = round_on(home, library)
        finally:
            subprocess.run(["umount", str(home)], check=True)
        tally.rounds += 1
        tally.filled += filled
        tally.acknowledged += len(acknowledged)
        tally.problems += [f"round {number}: {problem}" for problem in problems]
        library.settled()
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.full_disk")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        tally = measure(Path(folder) / "full", rounds=options.rounds, files=options.files, seed=options.seed)
    sys.stdout.write("".join(f"{line}\n" for line in tally.lines()))
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
