"""A folder of real files, indexed, killed in the middle, changed, killed again, indexed twice at once: what `library check` says each time.

    python -m tests.quality.drill FOLDER [--kills 3] [--weights] [--seed 1]

Works on a copy of FOLDER, with the real command line, and hashed vectors or (with `--weights`) the embedding model of the settings. Each step says
what it did, and what is wrong then:

    lost        files that the command had said were ready, and that are not in the library
    check       what `library check` finds
    unfinished  files that were edited, renamed or deleted, and that are not found so when the run has ended
    again       files that were read or passages that were encoded though nothing had changed
    failed      a command that ended otherwise than it should
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.paths import PROGRAM
from tests.fakes.command_line import CommandLine

Json = dict[str, Any]

_EDITABLE = frozenset({".txt", ".md"})
_LARGEST_EDITED = 2_000_000
_SECONDS = 1200.0
_READ_OR_READY = frozenset({"file_started", "file"})
_READY = frozenset({"file"})
_EDITS, _RENAMES, _DELETIONS = 20, 10, 10


@dataclass(frozen=True, slots=True)
class Run:
    """A run of `index`: how it ended, what it said, and how long it took."""

    code: int
    events: list[Json]
    seconds: float

    @property
    def report(self) -> Json:
        """The last line of a run that ended well."""
        return self.events[-1] if self.events and self.events[-1]["event"] == "indexed" else {"files": [], "chunks_per_second": 0.0}

    @property
    def ready(self) -> set[str]:
        """Files that were said to be ready."""
        return {event["file"] for event in self.events if event["event"] == "file" and event["state"] == "ready"}

    def line(self) -> str:
        """What came of it."""
        states = Counter(file["state"] for file in self.report["files"])
        read = sum(event["event"] == "file_started" for event in self.events)
        counts = (
            ", ".join(f"{count} {state}" for state, count in sorted(states.items())) or f"{len(self.ready)} files were ready when it ended"
        )
        return f"{counts}; {read} files read, {self.report['chunks_per_second']:.0f} passages encoded a second, {self.seconds:.1f} s"


@dataclass(slots=True)
class Changes:
    """What was done to the files, and what must be found then."""

    edited: dict[str, str] = field(default_factory=dict)  # file, and the word that only its new paragraph has
    renamed: dict[str, str] = field(default_factory=dict)  # where it was, where it is
    deleted: set[str] = field(default_factory=set)

    def problems(self, states: dict[str, str], find: Callable[[str], list[str]]) -> list[str]:
        """What does not stand in the library as it should; `states` are those of its files, `find` says which files have a word."""
        found = [f"unfinished: {path!a} was deleted and is still there" for path in self.deleted & states.keys()]
        found += [f"unfinished: {path!a} was renamed and is still there" for path in self.renamed if path in states]
        found += [
            f"unfinished: {path!a}, a new name, is {states.get(path, 'not there')}"
            for path in self.renamed.values()
            if states.get(path) != "ready"
        ]
        return found + [f"unfinished: {path!a} was edited and is not found" for path, word in self.edited.items() if path not in find(word)]


def change(folder: Path, ready: Sequence[Path], draw: random.Random) -> Changes:
    """Edit, rename and delete some of the files that are ready, and rename one folder."""
    changes = Changes()
    files = [path for path in ready if path.suffix.lower() in _EDITABLE and path.stat().st_size < _LARGEST_EDITED]
    draw.shuffle(files)
    for path in files[:_EDITS]:
        word = "z" + "".join(draw.choices("bcdfghjkmnpqrstvwx", k=11))
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n\nThis was added later and is filed under {word}.\n")
        changes.edited[str(path)] = word
    for path in files[_EDITS : _EDITS + _RENAMES]:
        target = path.with_name(f"renamed {path.name}")
        path.rename(target)
        changes.renamed[str(path)] = str(target)
    for path in files[_EDITS + _RENAMES : _EDITS + _RENAMES + _DELETIONS]:
        path.unlink()
        changes.deleted.add(str(path))
    used = {Path(path).parent for path in (*changes.edited, *changes.renamed, *changes.deleted)}
    folders = sorted({path.parent for path in ready} - used - {folder})
    if whole := [place for place in folders if not any(path.is_dir() for path in place.iterdir())]:
        place = draw.choice(whole)
        target = place.with_name(f"renamed {place.name}")
        for path in ready:
            if path.parent == place:
                changes.renamed[str(path)] = str(target / path.name)
        place.rename(target)
    return changes


class Drill:
    """The steps, over a copy of a folder."""

    def __init__(self, folder: Path, home: Path, *, weights: bool, kills: int, seed: int) -> None:
        self.problems: list[str] = []
        self._folder = folder
        self._command_line = CommandLine(home, model="" if weights else "echo", seconds=_SECONDS)
        self._kills = kills
        self._draw = random.Random(seed)

    def steps(self) -> Iterator[str]:
        """Do it; what was done is said when it is done."""
        files = sum(path.is_file() for path in self._folder.rglob("*"))
        yield from self._killed("first run", 1 + files // self._kills if self._kills else 0)
        yield self._checked("run to the end", self._index())
        again = self._index()
        encoded = again.report["chunks_per_second"]
        stable = {event["file"] for event in again.events if event["event"] == "file_started"} & again.ready
        self.problems += [f"again: {path!a} was read though it had not changed" for path in sorted(stable)]
        self.problems += [f"again: {encoded} passages a second were encoded though nothing had changed"] if encoded else []
        yield self._checked("second run, nothing changed", again)
        changes = change(self._folder, self._ready(), self._draw)
        yield f"{len(changes.edited)} files edited, {len(changes.renamed)} renamed (with a folder), {len(changes.deleted)} deleted"
        yield from self._killed("run after the changes", _EDITS)
        yield self._checked("run to the end", self._index(), changes)
        changes = change(self._folder, self._ready(), self._draw)
        yield f"{len(changes.edited)} files edited, {len(changes.renamed)} renamed (with a folder), {len(changes.deleted)} deleted"
        yield self._checked("two runs at once", self._two_at_once())
        yield self._checked("run to the end", self._index(), changes)

    def _killed(self, name: str, most: int) -> Iterator[str]:
        """Runs that are killed: while they read, and the last one while it encodes."""
        for left in reversed(range(self._kills)):
            counted: frozenset[str] = _READ_OR_READY if left else _READY
            kill_at = self._draw.randint(1, most)
            run = self._index(kill_at=kill_at, counted=counted)
            said = f"killed at event {kill_at}{'' if left else ' of those that say a file is ready'}"
            yield self._checked(f"{name}, {said if run.code == -signal.SIGKILL else 'quicker than the kill'}", run)

    def _index(self, *, kill_at: int = 0, counted: frozenset[str] = frozenset()) -> Run:
        """One run; with `kill_at` it is killed when so many of the `counted` events came; of those that say what became of a file only the ones that it is ready now."""
        started = time.monotonic()
        child = self._start()
        events: list[Json] = []
        count = 0
        assert child.stdout is not None
        with child.stdout:
            for line in child.stdout:
                if not line.endswith(b"\n"):
                    break
                event = json.loads(line)
                events.append(event)
                count += event["event"] in counted and event.get("state", "ready") == "ready" and not event.get("unchanged")
                if kill_at and count == kill_at:
                    child.kill()
        return Run(child.wait(), events, time.monotonic() - started)

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command_line.command("index", self._folder, "--json"),
            env=self._command_line.environment(),
            cwd=PROGRAM,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def _two_at_once(self) -> Run:
        started = time.monotonic()
        other = self._start()
        run = self._index()
        said, _ = other.communicate()
        self.problems += [f"failed: one of two runs at once ended with {other.returncode}"] if other.returncode else []
        events = [json.loads(line) for line in said.splitlines()]
        return Run(run.code, [*events, *run.events], time.monotonic() - started)

    def _checked(self, name: str, run: Run, changes: Changes | None = None) -> str:
        """Look what is there after a step; returns the line to show."""
        before = len(self.problems)
        if run.code not in (0, -signal.SIGKILL):
            self.problems.append(f"failed: {name} ended with {run.code}")
        states = self._states()
        self.problems += [
            f"lost: {path!a} was said to be ready and is {states.get(path, 'not there')}"
            for path in sorted(run.ready)
            if states.get(path) != "ready"
        ]
        checked = self._command_line("library", "check", "--json")
        counts: Json = checked.last if checked.out else {"problems": [checked.err.strip()], "ready": 0, "chunks": 0, "words_only": 0}
        self.problems += [f"check: {problem}" for problem in counts["problems"]]
        if changes is not None:
            self.problems += changes.problems(states, self._found)
        new = self.problems[before:]
        check = f"check: {'passes' if not counts['problems'] else 'fails'}, {counts['ready']} ready, {counts['words_only']} with words only, {counts['chunks']} passages"
        return "\n".join([f"{name}: {run.line()}; {check}", *(f"    {problem}" for problem in new)])

    def _states(self) -> dict[str, str]:
        listed = self._command_line("library", "list", "--json")
        return {file["file"]: file["state"] for file in listed.last["files"]} if listed.out else {}

    def _ready(self) -> list[Path]:
        return sorted(Path(path) for path, state in self._states().items() if state == "ready" and Path(path).exists())

    def _found(self, word: str) -> list[str]:
        found = self._command_line("search", word, "--mode", "words", "--json")
        return [passage["file"] for passage in found.last["passages"]] if found.out else []


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.drill")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=3, help="kills of the first run, and as many after the changes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", action="store_true", help="with the embedding model of the settings")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "files"
        shutil.copytree(options.folder, copy, symlinks=True)
        drill = Drill(copy, Path(folder) / "home", weights=options.weights, kills=options.kills, seed=options.seed)
        for line in drill.steps():
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    kinds = Counter(problem.split(":")[0] for problem in drill.problems)
    names = ("lost", "check", "unfinished", "again", "failed")
    sys.stdout.write(", ".join(f"{name} {kinds[name]}" for name in names) + "\n")
    return 1 if drill.problems else 0


if __name__ == "__main__":
    sys.exit(main())
