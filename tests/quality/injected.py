"""How many wrong numbers, dates and names are marked in answers, and how many true answers are marked by mistake.

python -m tests.quality.injected DATA [--half tune|report] [--answers EVAL.jsonl ...] [--show]

With `--answers` they are what a model wrote instead: those answers of an `eval` run that hold a right answer of their question.

True answers are made from question sets (folders of DATA with `questions.jsonl`): the sentence of a supporting passage that holds the
right answer, or that answer alone, each beside five passages. Each is then spoilt twice: once with a value that no passage has
(`foreign`), once with one that stands elsewhere in the passages (`elsewhere`). Deterministic, in seconds, no model.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.qa.citations import passage_sentences, terms
from core.qa.claims import doubtful
from core.qa.figures import Figure, figures
from core.qa.names import latin_names
from tests.quality.set_reading import half_of

Json = dict[str, Any]

PASSAGE_CHARACTERS = {"en": 900, "zh": 400}
SETS = ("squad2_dev", "hotpotqa_train100", "cmrc2018_dev", "rgb_zh", "synthetic_manuals", "lihua_world")
_ASKS_NAME = re.compile(
    r"\b(?:who|whom|whose|where|which|what)\b|谁|哪|什么(?:名字|地方|公司|城市|学校|人)|叫什么|何人|何地", re.IGNORECASE
)


@dataclass(frozen=True)
class Case:
    """A true answer, the part of it that will be spoilt, and the passages it stands on."""

    id: str
    set: str
    lang: str
    style: str
    kind: str
    question: str
    answer: str
    start: int
    end: int
    passages: tuple[str, ...]
    names: tuple[str, ...]
    known: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spoilt:
    case: Case
    where: str
    answer: str
    start: int
    end: int


def supporting(data: Path, name: str, row: Json) -> list[str]:
    """Titled passages of a set that support a question, cut around the answer."""
    folder = data / name
    texts: list[tuple[str, str]] = []
    if name == "rgb_zh":
        texts = [("", _corpus(folder)[i][1]) for i in row.get("supporting_ids", [])[:3]]
    elif name in ("cmrc2018_dev",):
        texts = [_corpus(folder)[i] for i in row.get("supporting_ids", [])]
    elif name == "hotpotqa_train100" or name == "squad2_dev":
        files = _index(folder)
        texts = [
            (str(title), (folder / files[str(title)]).read_text(encoding="utf-8")) for title in row["supporting"] if str(title) in files
        ]
    else:
        files_named = [folder / "docs" / str(f) for f in row["supporting"]]
        texts = [(path.stem, path.read_text(encoding="utf-8")) for path in files_named if path.exists()]
    width = PASSAGE_CHARACTERS[str(row["lang"])]
    passages = []
    for title, text in texts:
        at = next((text.find(str(a)) for a in row["answers"] if str(a) in text), -1)
        start = max(0, at - width // 2)
        start = text.rfind("\n", 0, start) + 1 if "\n" in text[max(0, start - 200) : start] else start
        end = min(len(text), start + width)
        passages.append(f"{title}\n{text[start:end].strip()}")
    return passages


@cache
def _corpus(folder: Path) -> dict[str, tuple[str, str]]:
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
    return {row["id"]: (row["title"], row["text"]) for row in rows}


@cache
def _index(folder: Path) -> dict[str, str]:
    return {row["title"]: row["file"] for row in map(json.loads, (folder / "docs_index.jsonl").open(encoding="utf-8"))}


def kind_of(question: str, answer: str, lang: str) -> str | None:
    """number, date or name: what a short right answer is; None for everything else."""
    found = list(figures(answer))
    if found and found[0].end - found[0].start >= (0.3 if found[0].kind == "number" else 0.6) * len(answer.strip()):
        return found[0].kind
    if found or not _ASKS_NAME.search(question):
        return None
    if lang == "en":
        names = list(latin_names(answer))
        return "name" if names and names[0].end - names[0].start >= 0.8 * len(answer) else None
    return "name" if re.fullmatch(r"[\u4e00-\u9fff·]{2,14}", answer) and re.search(r"谁|哪|叫什么|名", question) else None


def cases(data: Path, half: str) -> Iterator[Case]:
    """True answers of the half, in every style."""
    for name in SETS:
        rows = [json.loads(line) for line in (data / name / "questions.jsonl").open(encoding="utf-8")]
        rows = [row for row in rows if row["answers"] and half_of(name, row["id"]) == half]
        made = []
        for row in rows:
            passages = supporting(data, name, row)
            answer = next((str(a) for a in row["answers"] if any(str(a) in p for p in passages)), None)
            kind = kind_of(row["question"], answer, row["lang"]) if answer else None
            if answer and len(answer) >= 2:
                made.append((row, passages, answer, kind))
        for row, passages, answer, kind in made:
            dice = random.Random(row["id"])
            others = [other for other in made if other[0]["id"] != row["id"] and answer not in "".join(other[1])]
            wanted = terms(row["question"])
            others.sort(key=lambda other: -len(wanted & terms("".join(other[1]))))
            chosen = others[: max(0, 5 - len(passages))]
            beside = [p for other in chosen for p in other[1][:1]]
            names = tuple(other[2] for other in chosen if other[3] == "name" and other[2] in "".join(other[1][:1]))
            evidence = [*passages, *beside][:6]
            dice.shuffle(evidence)
            for style in ("sentence", "short", "said"):
                made_of = _written(style, answer, row, passages)
                if made_of is None:
                    continue
                text, at = made_of
                figure = next((f for f in figures(text) if at <= f.start < at + len(answer)), None) if kind in ("number", "date") else None
                start, end = (figure.start, figure.end) if figure else (at, at + len(answer))
                yield Case(row["id"], name, row["lang"], style, kind or "other", row["question"], text, start, end, tuple(evidence), names)


def _written(style: str, answer: str, row: Json, passages: Sequence[str]) -> tuple[str, int] | None:
    if style == "short":
        return (answer if row["lang"] == "zh" else f"{answer}."), 0
    if style == "said":
        lead = "根据段落，答案是" if row["lang"] == "zh" else "According to the passages, the answer is "
        return lead + answer + ("。" if row["lang"] == "zh" else "."), len(lead)
    wanted = terms(str(row["question"]))
    best: tuple[int, str] | None = None
    for passage in passages:
        for start, end in passage_sentences(passage):
            sentence = passage[start:end].strip()
            if answer in sentence and len(sentence) > len(answer) + 8:
                fit = len(wanted & terms(sentence))
                if best is None or fit > best[0]:
                    best = (fit, sentence)
    return (best[1], best[1].find(answer)) if best else None


def spoil(case: Case, foreign_names: Sequence[str], where: str) -> Spoilt | None:
    """The answer with its value replaced by another of the same kind; None where there is none to be had."""
    dice = random.Random(f"{case.id}{case.style}{where}")
    old = case.answer[case.start : case.end]
    everything = "\n".join((*case.passages, case.question))
    if case.kind == "name":
        if where == "foreign":
            pool = [name for name in foreign_names if not any(part in everything for part in re.split(r"[ ·]", name) if len(part) > 1)]
        elif case.lang == "en":
            pool = [p[n.start : n.end] for p in case.passages for n in latin_names(p) if len(n.words) > 1 or n.start]
            pool = [name for name in pool if name not in case.answer and old not in name and name not in case.question and len(name) > 3]
        else:
            pool = [name for name in case.names if name not in case.answer and old not in name and name not in case.question]
        new = dice.choice(pool) if pool else None
    else:
        figure = next((f for f in figures(case.answer) if f.start == case.start), None)
        new = _other_figure(figure, old, case, everything, where, dice) if figure else None
    if not new or new == old:
        return None
    return Spoilt(case, where, case.answer[: case.start] + new + case.answer[case.end :], case.start, case.start + len(new))


def _other_figure(figure: Figure, old: str, case: Case, everything: str, where: str, dice: random.Random) -> str | None:
    known = {value for f in figures(everything) for value in f.values}
    if where == "elsewhere":
        pool = []
        for passage in case.passages:
            for f in figures(passage):
                same = f.values[0][0] == figure.values[0][0] and f.written == figure.written and f.values[0] != figure.values[0]
                exact = figure.kind == "number" or [v is None for v in f.values[0]] == [v is None for v in figure.values[0]]
                if (
                    same
                    and exact
                    and passage[f.start : f.end] not in case.answer
                    and f.values[0] not in {v for g in figures(case.question) for v in g.values}
                ):
                    pool.append(passage[f.start : f.end])
        return dice.choice(pool) if pool else None
    for _ in range(40):
        new = re.sub(r"\d", lambda d: str(dice.randrange(10)) if d[0] != "0" else "0", old)
        new = re.sub(r"[一二三四五六七八九]", lambda _d: dice.choice("二三四五六七八九"), new)
        for word in ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty", "thirty"):
            new = re.sub(rf"\b{word}\b", lambda _w: dice.choice(("four", "six", "seven", "nine", "eleven")), new, flags=re.IGNORECASE)
        found = list(figures(new))
        if len(found) != 1 or found[0].kind != figure.kind or new.startswith("0") or new in everything:
            continue
        value = found[0].values[0]
        if value[0] == "d" and isinstance(value[1], int) and not 1500 < value[1] < 2100:
            continue
        if not any(reading in known for reading in found[0].values):
            return new
    return None


def _say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def written_cases(data: Path, files: Sequence[Path], half: str) -> Iterator[Case]:
    """The right answers of `eval` runs, with the passages they were written from and the short answers of their lookups."""
    questions = {
        row["id"]: (name, row)
        for name in sorted(path.parent.name for path in data.glob("*/questions.jsonl"))
        for row in map(json.loads, (data / name / "questions.jsonl").open(encoding="utf-8"))
    }
    for file in files:
        for line in map(json.loads, file.open(encoding="utf-8")):
            name, row = questions.get(line["id"], ("", {}))
            answer = line.get("answer", "")
            right = next((str(a) for a in row.get("answers", ()) if str(a) in answer), "")
            if not right or line["refused"] or half_of(name, row["id"]) != half:
                continue
            passages = [_slice(Path(found["file"]), found["start"], found["end"]) for found in line["documents"]]
            at = answer.find(right)
            kind = kind_of(row["question"], right, row["lang"]) or "other"
            figure = next((f for f in figures(answer) if at <= f.start < at + len(right)), None) if kind in ("number", "date") else None
            start, end = (figure.start, figure.end) if figure else (at, at + len(right))
            known = tuple(lookup["answer"] for lookup in line["sub_questions"] if lookup["answer"])
            yield Case(row["id"], name, row["lang"], "written", kind, row["question"], answer, start, end, tuple(passages), (), known)


def _slice(file: Path, start: int, end: int) -> str:
    return f"{file.stem}\n{file.read_text(encoding='utf-8')[start:end]}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=("tune", "report"), default="tune")
    parser.add_argument("--answers", type=Path, nargs="+")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    everything = list(written_cases(options.data, options.answers, options.half) if options.answers else cases(options.data, options.half))
    pools = {lang: sorted({c.answer[c.start : c.end] for c in everything if c.kind == "name" and c.lang == lang}) for lang in ("en", "zh")}
    true: dict[tuple[str, ...], list[bool]] = defaultdict(list)
    marked: dict[tuple[str, ...], list[bool]] = defaultdict(list)
    seconds = []
    for case in everything:
        began = time.process_time()
        found = doubtful(case.answer, case.passages, question=case.question, known=case.known)
        seconds.append(time.process_time() - began)
        true["true", case.lang, case.style].append(bool(found))
        if found and options.show:
            _say(
                "FALSE",
                case.set,
                case.style,
                case.question,
                "|",
                [(d.kind, case.answer[d.start : d.end]) for d in found],
                "|",
                case.answer[:200],
            )
        if case.kind == "other":
            continue
        for where in ("foreign", "elsewhere"):
            spoilt = spoil(case, pools[case.lang], where)
            if spoilt is None:
                continue
            found = doubtful(spoilt.answer, case.passages, question=case.question, known=case.known)
            hit = any(d.start < spoilt.end and spoilt.start < d.end for d in found)
            marked[where, case.lang, case.kind, "sentence" if case.style == "sentence" else "short"].append(hit)
            if not hit and options.show:
                _say(
                    "MISSED",
                    where,
                    case.set,
                    case.kind,
                    case.style,
                    case.question,
                    "|",
                    case.answer[case.start : case.end],
                    "->",
                    spoilt.answer[:200],
                )
    for table in (true, marked):
        for key, values in sorted(table.items()):
            _say(*key, f"{sum(values)}/{len(values)}", f"{sum(values) / len(values):.3f}")
    for where in ("foreign", "elsewhere"):
        values = [hit for key, hits in marked.items() if key[0] == where for hit in hits]
        _say(where, f"{sum(values)}/{len(values)}", f"{sum(values) / max(1, len(values)):.3f}")
    values = [hit for hits in true.values() for hit in hits]
    _say("true", f"{sum(values)}/{len(values)}", f"{sum(values) / len(values):.3f}")
    seconds.sort()
    _say(f"seconds p50 {seconds[len(seconds) // 2]:.4f} p95 {seconds[int(len(seconds) * 0.95)]:.4f} max {seconds[-1]:.4f}")


if __name__ == "__main__":
    main()
