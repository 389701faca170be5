"""The dashboard: the lines that `lamplight eval` wrote, scored and set side by side as Markdown.

    python -m tests.quality.report RUN.jsonl [RUN2.jsonl ...] --questions questions.jsonl [--docs FOLDER] [--home HOME] [--by-set]
                                   [--out TABLE.md] [--details SCORES.jsonl]

The first run is compared with each of the others, over the questions that all of them have. `--docs` (by default the folder `docs` beside
the questions) is for the truth of citations; `--home` takes the stored texts of that library instead. Citations are not checked without one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from core.errors import DocumentUnreadable, NotFound
from core.library.extraction import extract, needs_parser
from core.paths import PROGRAM, Paths
from core.store.index_store import IndexStore
from tests.quality.measures import FORMATS, MEASURES, Measure, measured
from tests.quality.scores import Score, TextOf, paired_difference, paired_ratio, score

Json = dict[str, Any]
Groups = Mapping[str, Callable[[Json], bool]]


@dataclass(frozen=True, slots=True)
class Run:
    """One file of answers. `scores` are by question id, `lines` too."""

    label: str
    file: Path
    lines: Mapping[str, Json]
    scores: Mapping[str, Score]


def kind_group(kind: str, language: str = "") -> Callable[[Json], bool]:
    """Whether a question is of this type and, if one is named, of this language."""
    return lambda question: question["type"] == kind and language in ("", question.get("lang"))


GROUPS: Groups = {
    "All questions": lambda question: True,
    "Multi-hop": kind_group("multi"),
    "Single-hop, English": kind_group("single", "en"),
    "Single-hop, Chinese": kind_group("single", "zh"),
    "Unanswerable": kind_group("unanswerable"),
    "Simple": kind_group("simple"),
    "Follow-ups": kind_group("followup"),
    "Follow-ups, asked to stand alone": kind_group("standalone"),
}


def report(runs: Sequence[Run], questions: Sequence[Json], *, by_set: bool = False) -> str:
    """The tables, one for each group that has questions, and the ratios of cost. Only questions that every run has an answer line for count."""
    shared = [question for question in questions if all(question["id"] in run.scores for run in runs)]
    parts = [f"{len(shared)} of {len(questions)} questions are answered in every run." if len(shared) < len(questions) else ""]
    groups: dict[str, list[Json]] = {name: [q for q in shared if fits(q)] for name, fits in GROUPS.items()}
    if by_set:
        for name in sorted({str(question.get("set") or "?") for question in shared}):
            for kind in sorted({q["type"] for q in shared if q.get("set") == name}):
                groups[f"{name}, {kind}"] = [q for q in shared if q.get("set") == name and q["type"] == kind]
    for name, asked in groups.items():
        if asked:
            parts.append(_table(name, asked, runs))
    if len(runs) > 1 and shared:
        parts.append(_cost_table(shared, runs))
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(name: str, asked: Sequence[Json], runs: Sequence[Run]) -> str:
    first, *others = runs
    heads = [run.label for run in runs] + [f"{first.label} − {other.label} [95 %]" for other in others]
    rows = [f"### {name} ({len(asked)})", "", _row(["measure", *heads]), _row(["---"] * (len(heads) + 1))]
    for measure in MEASURES:
        values = [measured(measure, asked, run.scores) for run in runs]
        if all(value is None for value in values):
            continue
        shown = [FORMATS[measure.form](value) for value in values]
        rows.append(_row([measure.name, *shown, *(_difference(measure, asked, first, other) for other in others)]))
    return "\n".join(rows)


def _difference(measure: Measure, asked: Sequence[Json], first: Run, second: Run) -> str:
    """Paired over the questions for which both runs have the measure; nothing for measures that are no means."""
    if measure.each is None:
        return ""
    pairs = [(measure.each(q, first.scores[q["id"]]), measure.each(q, second.scores[q["id"]])) for q in asked]
    both = [(one, two) for one, two in pairs if one is not None and two is not None]
    if len(both) < 2:
        return ""
    difference, low, high = paired_difference([one for one, _ in both], [two for _, two in both])
    show = FORMATS[f"signed {measure.form}"]
    return f"{show(difference)} [{show(low)}, {show(high)}]"


def _cost_table(shared: Sequence[Json], runs: Sequence[Run]) -> str:
    first, *others = runs
    rows = [
        f"### What {first.label} costs, as a multiple [95 %]",
        "",
        _row(["compared with", "questions", "wall time", "tokens evaluated"]),
        _row(["---"] * 4),
    ]
    for other in others:
        sent = [question for question in shared if other.lines[question["id"]].get("strategy") == "complex"]
        groups = {
            "all": shared,
            "multi-hop": [q for q in shared if q["type"] == "multi"],
            f"those that {other.label} sends to the documents": sent,
        }
        for name, asked in groups.items():
            if not asked:
                continue
            ours, theirs = [first.scores[q["id"]] for q in asked], [other.scores[q["id"]] for q in asked]
            seconds = paired_ratio([one.seconds for one in ours], [one.seconds for one in theirs])
            tokens = paired_ratio([one.evaluated for one in ours], [one.evaluated for one in theirs])
            rows.append(_row([other.label, f"{name} ({len(asked)})", _ratio(seconds), _ratio(tokens)]))
    return "\n".join(rows)


def _ratio(found: tuple[float, float, float] | None) -> str:
    return "–" if found is None else f"{found[0]:.2f} [{found[1]:.2f}, {found[2]:.2f}]"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def read_runs(files: Sequence[Path], questions: Sequence[Json], text_of: TextOf | None) -> list[Run]:
    """Score every run. A run is called after its pipeline, or after its file where two runs have the same pipeline."""
    by_id = {question["id"]: question for question in questions}
    read = []
    for file in files:
        found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        lines = {line["id"]: line for line in found if line.get("id") in by_id}
        read.append((file, lines, {name: score(by_id[name], line, text_of) for name, line in lines.items()}))
    names = [next((str(line.get("pipeline", file.stem)) for line in lines.values()), file.stem) for file, lines, _ in read]
    return [
        Run(file.stem if names.count(name) > 1 else name, file, lines, scores)
        for name, (file, lines, scores) in zip(names, read, strict=True)
    ]


def circumstances(runs: Sequence[Run], questions: Path, command: str) -> str:
    """Machine, date, commit and commands: without them a number is not a number."""
    manifest = questions.parent / "manifest.json"
    prepared = json.loads(manifest.read_text(encoding="utf-8"))["command"] if manifest.is_file() else ""
    commands = [prepared] if prepared else []
    for run in runs:
        line = next(iter(run.lines.values()), {})
        commands.append(
            f"lamplight eval --docs {questions.parent.name}/docs --questions {questions.parent.name}/{questions.name}"
            f" --out {run.file.name} --pipeline {line.get('pipeline', 'full')}"
        )
    commands.append(command)
    models = sorted({f"{line.get('model')} with {line.get('embedder')}" for run in runs for line in list(run.lines.values())[:1]})
    dates = sorted({datetime.fromtimestamp(run.file.stat().st_mtime).date().isoformat() for run in runs})
    facts = [
        f"machine: {machine()}",
        f"models: {'; '.join(models)}",
        f"date: {', '.join(dates)}",
        f"commit: {commit()}",
        "commands:",
    ]
    return "\n".join([*(f"- {fact}" for fact in facts), *(f"  - `{one}`" for one in commands)])


def machine() -> str:
    """Cores, processor, memory: what a reader needs to compare seconds."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = f", {pages / 2**30:.0f} GiB" if pages else ""
    return f"{cores} cores {platform.machine()}{memory}, {platform.system()}"


def commit() -> str:
    """The commit of the source tree, and whether tracked files differ from it. Empty outside a repository."""
    try:
        short = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=PROGRAM, capture_output=True, text=True, check=True
        ).stdout.strip()
        changes = subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=PROGRAM, capture_output=True, check=False).returncode
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{short}, with changes" if changes else short


@contextmanager
def texts(home: Path | None, docs: Path | None) -> Iterator[TextOf | None]:
    """Gives the indexed text of a file: from the library of a home, or, for unchanged files, made from the file as indexing does."""
    if home is not None:
        store = IndexStore(Paths(home).index_database)
        try:

            def stored(file: str) -> str | None:
                try:
                    return store.text(Path(file))
                except NotFound:
                    return None

            yield cache(stored)
        finally:
            store.close()
    elif docs is not None and docs.is_dir():
        yield cache(_extracted)
    else:
        yield None


def _extracted(file: str) -> str | None:
    try:
        data = Path(file).read_bytes()
        # What a parser makes of it, only the library knows.
        return None if needs_parser(Path(file), data) else extract(Path(file), data).text
    except (OSError, DocumentUnreadable):
        return None


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exit code 1, with a sentence, when a file cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.quality.report", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN.jsonl")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--by-set", action="store_true")
    parser.add_argument("--out", type=Path, help="write the table here instead of printing it")
    parser.add_argument("--details", type=Path, help="write what every question scored, one JSON line each")
    parsed = parser.parse_args(arguments)
    try:
        questions = [json.loads(line) for line in parsed.questions.read_text(encoding="utf-8").splitlines() if line.strip()]
        with texts(parsed.home, parsed.docs or parsed.questions.parent / "docs") as text_of:
            runs = read_runs(parsed.runs, questions, text_of)
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"The runs cannot be read: {error!r}\n")
        return 1
    command = "python -m tests.quality.report " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    text = report(runs, questions, by_set=parsed.by_set) + "\n" + circumstances(runs, parsed.questions, command) + "\n"
    if parsed.details:
        _write_details(parsed.details, runs, {question["id"]: question for question in questions})
    if parsed.out:
        parsed.out.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


def _write_details(file: Path, runs: Sequence[Run], questions: Mapping[str, Json]) -> None:
    with file.open("w", encoding="utf-8") as out:
        for run in runs:
            for name, found in run.scores.items():
                said = {"run": run.label, "type": questions[name]["type"], "question": questions[name]["question"]}
                said |= {"answers": questions[name].get("answers"), "answer": run.lines[name].get("answer")}
                out.write(json.dumps(said | asdict(found), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
