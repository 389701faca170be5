"""Many files with many bad ones among them: every good one ready, every bad one with its reason, and what a file costs as there are more.

    python -m tests.quality.many_files [--files 10000] [--bad 300] [--compare 1000] [--seed 1]

Generates the files, indexes them with the real command line and hashed vectors, and once more; as root it is run without the right to read everything. With `--compare` it does
the same before with fewer files, for the ratio of time per file. Memory is the largest sum of what all processes of the command held at
once (pages that they share are counted for each), seconds on the processor are those of all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.command_line import CommandLine
from tests.fakes.office_files import lines_down, paragraph, pdf_file, relations, word_file, zipped
from tests.quality.changing_library import text
from tests.quality.kills import descendants

Json = dict[str, Any]

READY = ""
_LARGE_BYTES = 51 * 1024 * 1024
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
_SAMPLE_SECONDS = 0.05
_LIBC = ctypes.CDLL(None)
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 24, 1, 2
_NAMES = ("{}", "notes {}", "журнал {}", "航海日志 {}", "a\nb {}", "-{}", "{} ' \" & $(x)", "é" * 60 + "{}", " {} ")


@dataclass(frozen=True, slots=True)
class Run:
    """How the command went."""

    code: int
    events: list[Json]
    peak_bytes: int
    cpu_seconds: float
    wall_seconds: float


def _broken_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def _link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(_LARGE_BYTES)


def _forbidden(path: Path) -> None:
    path.write_text("secret", encoding="utf-8")
    path.chmod(0)


def _forbidden_folder(path: Path) -> None:
    path.mkdir()
    (path / "hidden from all.txt").write_text("secret", encoding="utf-8")
    path.chmod(0)


def _holding(data: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(data)

    return write


_BOMB = zipped({"_rels/.rels": relations({"rId1": ("officeDocument", "word/document.xml")}), "word/document.xml": b" " * 30_000_000})
_WHOLE_WORD = word_file(paragraph("a whole document " * 100))
BAD: Sequence[tuple[str, str, Callable[[Path], None]]] = (
    ("empty.txt", "empty", _holding(b"")),
    ("blank.md", "empty", _holding(b" \n\t\n")),
    ("binary.txt", "binary", _holding(bytes(range(256)) * 20)),
    ("picture.txt", "binary", _holding(b"\x89PNG\r\n\x1a\n" + bytes(500))),
    ("picture.png", "unsupported", _holding(b"\x89PNG\r\n\x1a\n" + bytes(500))),
    ("broken.doc", "damaged", _holding(_OLD_OFFICE + "WordDocument".encode("utf-16-le"))),
    ("cut.docx", "damaged", _holding(_WHOLE_WORD[: len(_WHOLE_WORD) // 2])),
    ("no archive.xlsx", "damaged", _holding(b"PK\x03\x04" + b"junk" * 100)),
    ("broken.pdf", "damaged", _holding(b"%PDF-1.7\n" + b"junk " * 100)),
    ("broken.epub", "damaged", _holding(zipped({"mimetype": "application/epub+zip"}))),
    ("locked.pdf", "needs_password", _holding(pdf_file([lines_down(["secret"])], password="secret"))),
    ("locked.docx", "needs_password", _holding(_OLD_OFFICE + "EncryptedPackage".encode("utf-16-le"))),
    ("scan.pdf", "no_text_layer", _holding(pdf_file([[]]))),
    ("bomb.docx", "unpacks_too_large", _holding(_BOMB)),
    ("wordless.docx", "no_text", _holding(word_file(paragraph(" ")))),
    ("script.html", "no_text", _holding(b"<html><script>alert(1)</script></html>")),
    ("large.txt", "too_large", _large),
    ("pipe.txt", "not_a_file", lambda path: os.mkfifo(path)),
    ("link.txt", "not_a_file", _link),
    ("broken link.txt", "vanished", _broken_link),
    ("forbidden.txt", "unreadable", _forbidden),
    ("forbidden folder", "unreadable", _forbidden_folder),
)
"""Name, the reason it must have, and how it is made."""


def generate(folder: Path, files: int, bad: int, *, seed: int = 1) -> dict[str, str]:
    """Make `files` files, `bad` of them bad; returns each path as text, and the reason it must have or `READY`."""
    draw = random.Random(seed)
    expected: dict[str, str] = {}
    bad_ones = frozenset(draw.sample(range(files), bad))
    made = 0
    for number in range(files):
        place = folder / f"{number // 500:03}" / f"{number // 100 % 5}"
        place.mkdir(parents=True, exist_ok=True)
        if number in bad_ones:
            name, reason, make = BAD[made % len(BAD)]
            made += 1
            path = place / f"{number:05} {name}"
            make(path)
            expected[str(path)] = reason
        else:
            path, data = _good(place, number)
            path.write_bytes(data)
            expected[str(path)] = READY
    return expected


def _good(place: Path, number: int) -> tuple[Path, bytes]:
    words = text(number * 6, 1)[:3_000]
    name = _NAMES[number % len(_NAMES)].format(f"{number:05}")
    match number % 20:
        case 0:
            return place / f"{name}.docx", word_file("".join(paragraph(part) for part in words.split("\n\n")))
        case 1:
            return place / f"{name}.pdf", pdf_file([lines_down([line[:80] for line in words.split("\n\n")][:40])])
        case 2:
            return place / f"{name}.eml", f"Subject: {number}\nContent-Type: text/plain; charset=utf-8\n\n{words}".encode()
        case 3:
            return place / f"{name}.csv", ("number,word\n" + "".join(f"{n},{word}\n" for n, word in enumerate(words.split()))).encode()
        case 4:
            return place / f"{name}.html", f"<html><h1>{number}</h1><p>{words}</p></html>".encode()
        case 5:
            return place / f"{name}.txt", ("看守人每天黄昏点亮灯塔上的油灯，然后写航海日志。" * 20 + words).encode("gb18030")
        case 6:
            return place / f"{name}.txt", words.encode("utf-16")
        case _:
            return place / f"{name}.{'md' if number % 2 else 'txt'}", words.encode()


def deviations(expected: Mapping[str, str], events: Sequence[Json]) -> list[str]:
    """Files that did not come out as they must; `events` are the lines of `index --json`."""
    came = {event["file"]: event for event in events if event["event"] == "file"}
    found = []
    for path, reason in expected.items():
        event = came.get(path, {"state": "missing", "reason": ""})
        if event["reason"] != reason or (event["state"] == "ready") != (reason == READY):
            found.append(f"{path!a}: {event['state']} {event['reason']}, not {reason or 'ready'}")
    return found + [f"{path!a}: not expected" for path in came.keys() - expected.keys()]


def run(
    command_line: CommandLine,
    *arguments: str | Path,
    held: Callable[[int], int] | None = None,
    every_seconds: float = _SAMPLE_SECONDS,
    interrupt_after: float = float("inf"),
) -> Run:
    """Run a command and watch the memory of all its processes, by `held`: what one process has now, in bytes (resident memory if left out).

    After `interrupt_after` seconds it gets the signal that Ctrl-C sends, and ends as it does.
    """
    held = held or resident_bytes
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            command_line.command(*arguments),
            env=command_line.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            preexec_fn=_obey_modes,
        )
        peak = 0
        while True:
            peak = max(peak, sum(map(held, [child.pid, *(process.pid for process in descendants(child.pid))])))
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - started > interrupt_after:
                child.send_signal(signal.SIGINT)
                interrupt_after = float("inf")
            time.sleep(every_seconds)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        events = [json.loads(line) for line in output.read().decode("utf-8").splitlines()]
    return Run(child.returncode, events, peak, usage.ru_utime + usage.ru_stime, time.monotonic() - started)


def _obey_modes() -> None:
    """Root reads every file, whatever its mode says. Without these two rights it does not."""
    if os.geteuid() == 0:
        for right in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            _LIBC.prctl(_PR_CAPBSET_DROP, right, 0, 0, 0)


def resident_bytes(pid: int) -> int:
    """What a process holds in memory now; 0 for one that is gone. Linux only."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def own_bytes(pid: int) -> int:
    """What a process holds in memory now, pages that it shares divided by how many share them; 0 for one that is gone. Linux only."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
    return 0


def measure(folder: Path, files: int, bad: int, *, seed: int = 1) -> tuple[list[str], list[str], float]:
    """The lines to show, the deviations, and seconds on the processor for a file, over files made in `folder`, which must not exist."""
    docs, home = folder / "docs", folder / "home"
    docs.mkdir(parents=True)
    home.mkdir()
    expected = generate(docs, files, bad, seed=seed)
    command_line = CommandLine(home)
    first = run(command_line, "index", docs, "--json")
    second = run(command_line, "index", docs, "--json")
    checked = run(command_line, "library", "check", "--json")
    wrong = deviations(expected, first.events) + deviations(expected, second.events)
    wrong += [f"the command ended with {done.code}" for done in (first, second, checked) if done.code]
    reasons = Counter(reason for reason in expected.values() if reason)
    return (
        [
            f"{files} files, {bad} of them bad ({len(reasons)} reasons): {len(wrong)} not as they must be",
            f"first run: {first.cpu_seconds:.1f} s on the processor, {first.wall_seconds:.1f} s by the clock, {1000 * first.cpu_seconds / files:.2f} ms on the"
            f" processor a file, peak memory {first.peak_bytes / 1e6:.0f} MB",
            f"second run, nothing changed: {second.cpu_seconds:.1f} s on the processor, {second.wall_seconds:.1f} s by the clock",
        ],
        wrong,
        first.cpu_seconds / files,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.many_files")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--bad", type=int, default=300)
    parser.add_argument("--compare", type=int, default=1_000, help="so many files before, for the ratio; 0 for none")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    costs, wrong = [], []
    for files in filter(None, (options.compare, options.files)):
        folder = Path(tempfile.mkdtemp())
        try:
            lines, deviating, cost = measure(folder / "many", files, options.bad * files // options.files, seed=options.seed)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        costs.append(cost)
        wrong += deviating
        sys.stdout.write("".join(f"{line}\n" for line in (*lines, *deviating)))
    if len(costs) == 2:
        sys.stdout.write(f"a file of {options.files} costs {costs[1] / costs[0]:.2f} times what a file of {options.compare} does\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
