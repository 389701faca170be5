"""Kills the command line while it indexes, at random moments, and looks what is left.

    python -m tests.quality.kills [--rounds 200] [--files 60] [--seed 1] [--weights]

Each round changes a part of a generated library (`changing_library.py`), starts `lamplight index` on it, and kills with SIGKILL the command itself,
or the child that reads documents, or (with `--weights`, which also takes the real embedding model) the child that embeds. A round whose run
ended before the kill came is done once more. Then:

    lost        files that the command had said were ready, and that are not in the index as they lie on the disk
    half        files that are ready, but whose text is not a whole version of the file
    check       what `library check` finds
    unfinished  after a second run: files that are not ready, or still there though they are gone from the disk
    failed      a second run that ended with an error, or a first one that did because its reader was killed
    leftover    processes that lived on when the command was dead
    hang        a command that took longer than `SECONDS`, or `SECONDS_WITH_WEIGHTS`
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.paths import Paths
from core.settings import Settings
from desktop.assembly import assemble
from tests.fakes.command_line import CommandLine
from tests.quality.changing_library import ChangingLibrary

SECONDS, SECONDS_WITH_WEIGHTS = 180.0, 1200.0
LEAVE_SECONDS = 60.0
"""Time by the clock that orphans get to leave: at once, or as soon as a child that was just started has come so far. The machine may be busy."""

_CHILDREN = {"reader": "core.library.formats.reader_host", "embedder": "models.backends.sentence_transformers_host"}
_LATEST_START_SECONDS = 1.5
_READER_SECONDS = 0.6


@dataclass(slots=True)
class Tally:
    """What all rounds found."""

    rounds: int = 0
    killed: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, number: int, problems: Iterable[str]) -> None:
        """Note what is wrong in round `number`."""
        self.problems += [f"round {number}: {problem}" for problem in problems]

    def lines(self) -> list[str]:
        """The result."""
        kinds = Counter(problem.split(": ")[1] for problem in self.problems)
        names = ("lost", "half", "check", "unfinished", "leftover", "hang", "failed")
        return [
            f"{self.rounds} rounds, killed: {', '.join(f'{count} {what}' for what, count in sorted(self.killed.items()))};"
            f" {self.acknowledged} files had been acknowledged",
            ", ".join(f"{name} {kinds[name]}" for name in names),
            *self.problems,
        ]


def finished_files(output: bytes) -> list[Path]:
    """The files that the lines of `index --json` call ready; the last line may be cut off."""
    *lines, _ = output.split(b"\n")
    events = [json.loads(line) for line in lines]
    return [Path(event["file"]) for event in events if event["event"] == "file" and event["state"] == "ready"]


@dataclass(frozen=True, slots=True)
class _Process:
    """A process, told from a later one of the same number by when it started."""

    pid: int
    started: str
    command: str


def descendants(pid: int) -> list[_Process]:
    """The living processes that descend from `pid`. Linux only."""
    found: list[_Process] = []
    waiting = [pid]
    while waiting:
        for path in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                for child in map(int, path.read_text(encoding="ascii").split()):
                    waiting.append(child)
                    if process := _process(child):
                        found.append(process)
    return found


def _process(pid: int) -> _Process | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return None
    return None if fields[0] == "Z" else _Process(pid, fields[19], command)


def still_there(processes: Iterable[_Process]) -> list[_Process]:
    """Those that have not ended."""
    return [process for process in processes if (now := _process(process.pid)) and now.started == process.started]


class Killer:
    """One run of `index`, and the end of it."""

    def __init__(self, command_line: CommandLine, library: ChangingLibrary, draw: random.Random) -> None:
        self._command_line = command_line
        self._library = library
        self._draw = draw
        self.run_seconds = 1.0
        """How long a run works, about; the moments of the kills are spread over it."""

    def round(self, victim: str) -> tuple[str, list[Path], list[str]]:
        """Who was killed ("nobody" if the run was quicker), the files acknowledged, and what is wrong with how the run ended."""
        with tempfile.TemporaryFile() as output:
            child = subprocess.Popen(
                self._command_line.command("index", str(self._library.folder), "--json"),
                env=self._command_line.environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.DEVNULL,
            )
            try:
                family, killed, problems = self._kill(child, victim)
                child.wait(self._command_line.seconds)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                return victim, [], [f"hang: the command ran longer than {self._command_line.seconds:g} s"]
            output.seek(0)
            acknowledged = finished_files(output.read())
        if killed == "nobody" or (killed == "reader" and child.returncode != 0):
            problems += [f"failed: the command ended with {child.returncode}"] if child.returncode else []
        deadline = time.monotonic() + LEAVE_SECONDS
        while (left := still_there(family)) and time.monotonic() < deadline:
            time.sleep(0.01)
        return killed, acknowledged, problems + [f"leftover: {process.command}" for process in left]

    def _kill(self, child: subprocess.Popen[bytes], victim: str) -> tuple[list[_Process], str, list[str]]:
        """Wait for a random moment in the life of the victim, then kill it."""
        wait = self._draw.random()
        if victim == "command":
            # Half of the kills fall on the start, half on the work, however slow the machine is just now.
            self._sleep(child, wait * _LATEST_START_SECONDS if wait < 0.5 else 0.0)
            if wait >= 0.5:
                self._until_index_grows(child)
                self._sleep(child, self._draw.random() * self.run_seconds)
            family = descendants(child.pid)
            if child.poll() is not None:
                return family, "nobody", []
            child.kill()
            return family, victim, []
        module = _CHILDREN[victim]
        while child.poll() is None:
            family = descendants(child.pid)
            hosts = [process for process in family if module in process.command]
            if hosts:
                # The embedder takes seconds to load its weights, and lives for the rest of the run.
                self._sleep(child, wait * (_READER_SECONDS if victim == "reader" else self.run_seconds))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(hosts[0].pid, signal.SIGKILL)
                    return family, victim, []
            time.sleep(0.005)
        return [], "nobody", []

    def _until_index_grows(self, child: subprocess.Popen[bytes]) -> None:
        log = Path(f"{Paths(self._command_line.home).index_database}-wal")
        size = log.stat().st_size if log.exists() else 0
        while child.poll() is None and (not log.exists() or log.stat().st_size <= size):
            time.sleep(0.005)

    def _sleep(self, child: subprocess.Popen[bytes], seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(seconds)


def measure(folder: Path, *, rounds: int, files: int, seed: int, weights: bool = False, tell: bool = False) -> Tally:
    """Run all rounds in `folder`, which must not exist."""
    library = ChangingLibrary(folder / "docs", files, seed=seed)
    home = folder / "home"
    command_line = CommandLine(home, model="" if weights else "echo", seconds=SECONDS_WITH_WEIGHTS if weights else SECONDS)
    draw = random.Random(seed)
    tally = Tally()
    killer = Killer(command_line, library, draw)
    victims = ["command", "command", "command", "reader", *(["embedder"] if weights else [])]
    while tally.killed.total() - tally.killed["nobody"] < rounds and tally.rounds < 3 * rounds:
        tally.rounds += 1
        number = tally.rounds
        library.change(0.3, absent=0.05)
        killed, acknowledged, problems = killer.round(draw.choice(victims))
        tally.killed[killed] += 1
        tally.acknowledged += len(acknowledged)
        tally.add(number, [*problems, *_looked_at(home, library, acknowledged, weights=weights)])
        finished = command_line("index", str(library.folder), "--json")
        if finished.code:
            tally.add(number, [f"failed: the second run ended with {finished.code}: {finished.err.strip()}"])
        else:
            killer.run_seconds = max(0.1, 0.7 * killer.run_seconds + 0.3 * float(finished.last["seconds"]))
        tally.add(number, _finished(home, library, weights=weights))
        library.settled()
        if tell:
            sys.stderr.write(f"\r{number} rounds of {rounds} or more, {len(tally.problems)} problems")
    return tally


def _looked_at(home: Path, library: ChangingLibrary, acknowledged: Sequence[Path], *, weights: bool) -> list[str]:
    application = assemble(Paths(home), Settings(), use_echo=not weights)
    try:
        return library.problems(application.library, acknowledged)
    finally:
        application.close()


def _finished(home: Path, library: ChangingLibrary, *, weights: bool) -> list[str]:
    application = assemble(Paths(home), Settings(), use_echo=not weights)
    try:
        wanted = [library.path(number) for number in library.versions]
        return [*library.problems(application.library, wanted), *library.unfinished(application.library)]
    finally:
        application.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.kills")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", action="store_true", help="with the embedding model of the settings")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        tally = measure(
            Path(folder) / "kills", rounds=options.rounds, files=options.files, seed=options.seed, weights=options.weights, tell=True
        )
    sys.stderr.write("\n")
    for line in tally.lines():
        sys.stdout.write(f"{line}\n")
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
