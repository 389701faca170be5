"""How much memory all processes of the command hold at once while they index a lot of text.

    python -m tests.quality.memory [--megabytes 400] [--weights] [--minutes 0] [--seed 1]

Generates text: a part in a few files near the limit of what is read (prose in two languages, with characters outside the common ones, a table,
a list of words), a part in files of some megabytes, a part in files of 10 kB. The real command line indexes it with hashed vectors, or
with `--weights` with the embedding model of the settings. `--minutes` ends the run with Ctrl-C after so long; how far it came is shown.

Memory is the largest sum over all processes, looked at four times a second; a page that several of them share counts once (PSS).
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from tests.fakes.command_line import CommandLine
from tests.quality.generated_text import chinese, english, repeated
from tests.quality.many_files import own_bytes, run

LARGE_SHARE, MIDDLE_SHARE = 0.55, 0.2
MIDDLE_FILES = 20
SMALL_BYTES = 10_000
LARGEST_BYTES = 45_000_000
_SAMPLE_SECONDS = 0.25
_INTERRUPTED = 130

Make = Callable[[random.Random, int], str]


def large_files() -> dict[str, Make]:
    """Name of each large file, and how its text is made from a generator of random numbers and a number of characters."""
    en, zh = english(), chinese()
    return {
        "prose.txt": lambda draw, size: repeated(lambda: en.paragraph(draw), draw, size),
        "散文.md": lambda draw, size: repeated(lambda: zh.paragraph(draw), draw, size // 3),
        "smile.txt": lambda draw, size: repeated(lambda: f"{en.paragraph(draw)} \N{GRINNING FACE}", draw, size),
        "table.csv": lambda draw, size: "number,name,amount\n" + repeated(lambda: _rows(draw), draw, size),
        "words.txt": lambda draw, size: "\n".join(draw.choices(en.words, k=size // 6)),
    }


def _rows(draw: random.Random) -> str:
    return "\n".join(f"{draw.randrange(10**6)},item {draw.randrange(5000)},{draw.randrange(10**5) / 100}" for _ in range(20))


def generate(folder: Path, size: int, *, seed: int = 1) -> int:
    """Write about `size` bytes of text as files of many sizes into `folder`; returns how many bytes they have."""
    draw = random.Random(seed)
    written = 0
    for name, data in _files(draw, size):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        written += len(data)
    return written


def _files(draw: random.Random, size: int) -> Iterator[tuple[str, bytes]]:
    makers = large_files()
    large = min(LARGEST_BYTES, int(size * LARGE_SHARE) // len(makers))
    for name, make in makers.items():
        yield f"large/{name}", make(draw, large).encode("utf-8")[:large].decode("utf-8", "ignore").encode("utf-8")
    en, zh = english(), chinese()
    middle = int(size * MIDDLE_SHARE) // MIDDLE_FILES
    for number in range(MIDDLE_FILES):
        language = (en, zh)[number % 2]
        yield f"middle/{number:02}.txt", repeated(partial(language.paragraph, draw), draw, middle // (1, 3)[number % 2]).encode()
    left = size - len(makers) * large - MIDDLE_FILES * middle
    for number in range(left // SMALL_BYTES):
        text = (en.document(draw, SMALL_BYTES), zh.document(draw, SMALL_BYTES // 3))[number % 5 == 0]
        yield f"small/{number // 500:03}/{number:05}.md", text.encode()


def measure(folder: Path, size: int, *, weights: bool, minutes: float, seed: int) -> tuple[list[str], bool]:
    """The lines to show, and whether all went well, over text made in `folder`, which must not exist."""
    docs, home = folder / "docs", folder / "home"
    docs.mkdir(parents=True)
    home.mkdir()
    written = generate(docs, size, seed=seed)
    command_line = CommandLine(home, model="" if weights else "echo")
    limit = minutes * 60 if minutes else float("inf")
    done = run(command_line, "index", docs, "--json", held=own_bytes, every_seconds=_SAMPLE_SECONDS, interrupt_after=limit)
    stored = {event["file"] for event in done.events if event["event"] in ("file", "file_searchable")}
    ready = [event for event in done.events if event["event"] == "file" and event["state"] == "ready"]
    wrong = [event for event in done.events if event["event"] == "file" and event["state"] in ("failed", "skipped")]
    files = sum(1 for path in docs.rglob("*") if path.is_file())
    lines = [
        f"{written / 1e6:.0f} MB of text in {files} files: peak memory of all processes {done.peak_bytes / 1e6:.0f} MB",
        f"{len(stored)} files stored with their words, {len(ready)} ready, {len(wrong)} not, the command ended with {done.code} after"
        f" {done.wall_seconds:.0f} s by the clock, {done.cpu_seconds:.0f} s on the processor",
        *(f"{event['file']}: {event['state']} {event['reason']}" for event in wrong),
    ]
    all_ready = done.code == 0 and len(ready) == files
    return lines, not wrong and (all_ready or (bool(minutes) and done.code == _INTERRUPTED))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.memory")
    parser.add_argument("--megabytes", type=float, default=400)
    parser.add_argument("--minutes", type=float, default=0, help="end the run after so long; 0 for never")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", action="store_true", help="with the embedding model of the settings")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        lines, went_well = measure(
            Path(folder) / "memory", int(options.megabytes * 1e6), weights=options.weights, minutes=options.minutes, seed=options.seed
        )
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0 if went_well else 1


if __name__ == "__main__":
    sys.exit(main())
