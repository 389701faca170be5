"""Make a folder that `lamplight eval` can run from question sets: documents as files, questions as one JSONL file, and a manifest.

    python -m tests.quality.sets SET [SET ...] --out FOLDER [--half tune|report] [--types multi,single] [--lang zh] [--limit N] [--seed N]
                                 [--pool N] [--out-of-corpus SET ...]

SET is a folder or a JSONL file (see `set_reading`), or one of them with a choice of its own: `FOLDER=multi:20,unanswerable:10,pool:300`.
Types are those of the questions, `followup` (with its history) and `standalone` (the same, as a person would have asked it alone).
`docs:OTHER` takes the documents of another folder. `--out-of-corpus` adds questions whose documents are left out: right is a refusal.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.quality.set_reading import (
    Half,
    Json,
    QuestionSet,
    SetDocument,
    SetUnusable,
    by_name,
    chat_turns,
    evidence_of,
    half_of,
    names_of,
    read_set,
)

_ANSWERABLE = ("single", "multi")
_SHORTEST_TELLING_ANSWER = 4
_KEPT = (
    "answers",
    "answer_parts",
    "lang",
    "hops",
    "decomposition",
    "standalone_question",
    "supporting",
    "supporting_ids",
    "traps",
    "answer_if_restored",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What to take of one set. `wanted` maps a type to how many of it (None: all); empty means every type, `limit` in all."""

    path: Path
    wanted: Mapping[str, int | None] = field(default_factory=dict)
    half: Half | None = None
    languages: frozenset[str] = frozenset()
    limit: int | None = None
    pool: int | None = None
    docs: Path | None = None
    out_of_corpus: bool = False


def chosen_questions(questions: QuestionSet, choice: Choice, seed: int) -> list[Json]:
    """The chosen questions, the same ones for the same seed. A smaller number takes the first ones of a larger number."""
    by_type: dict[str, list[Json]] = {}
    for question in (*questions.questions, *_followups(questions.followups)):
        if _fits(question, questions.name, choice):
            by_type.setdefault(question["type"], []).append(question)
    wanted = choice.wanted or dict.fromkeys(kind for kind in by_type if kind not in ("files", "standalone", "followup"))
    taken: list[Json] = []
    for kind, number in wanted.items():
        pile = by_type.get(kind, [])
        random.Random(f"{seed}:{questions.name}:{kind}").shuffle(pile)
        taken += pile[:number]
    random.Random(f"{seed}:{questions.name}").shuffle(taken)
    return taken[: choice.limit]


def pool_of(
    documents: Sequence[SetDocument], questions: Iterable[Mapping[str, object]], distractors: int | None, seed: int
) -> list[SetDocument]:
    """Every document that a question names, and `distractors` others: half of them neighbours in the set, where the hard ones lie; half any."""
    if distractors is None:
        return list(documents)
    named = by_name(documents)
    needed = {document.file for question in questions for name in names_of(question) for document in named.get(name, ())}
    places = [place for place, document in enumerate(documents) if document.file in needed]
    near = [place + step * way for step in range(1, len(documents)) for place in places for way in (1, -1)] if places else []
    kept = set(places)
    for place in near:
        if len(kept) - len(places) >= distractors // 2:
            break
        if 0 <= place < len(documents):
            kept.add(place)
    rest = [place for place in range(len(documents)) if place not in kept]
    random.Random(f"{seed}:pool").shuffle(rest)
    kept.update(rest[: max(0, distractors - (len(kept) - len(places)))])
    return [document for place, document in enumerate(documents) if place in kept]


def prepare(choices: Sequence[Choice], out: Path, seed: int, command: str = "") -> Json:
    """Write `docs/`, `questions.jsonl` and `manifest.json` under `out`, and return the manifest.

    Raises:
        SetUnusable: a set cannot be read, has nothing that fits, or the folder holds something already.
    """
    if out.exists() and any(out.iterdir()):
        raise SetUnusable(f"{out} is not empty. Name a new folder.")
    lines: list[Json] = []
    texts: dict[str, str] = {}
    described: list[Json] = []
    outside: list[tuple[QuestionSet, Choice]] = []
    for choice in choices:
        read = read_set(choice.path, choice.docs)
        if choice.out_of_corpus:
            outside.append((read, choice))
            continue
        asked = chosen_questions(read, choice, seed)
        documents = pool_of(read.documents, asked, choice.pool, seed) if asked else []
        set_texts = {document.file: _write(document, out / "docs") for document in documents}
        named = by_name(documents)
        lines += [_line(question, read.name, evidence_of(question, named, set_texts)) for question in asked]
        texts |= set_texts
        described.append(_description(read.name, choice, asked, documents, len(read.documents)))
    everything = "\n".join(texts.values()).casefold()
    for read, choice in outside:
        asked = out_of_corpus(read, choice, seed, everything)
        lines += [_line(question, read.name, [], prefix="out_of_corpus/") for question in asked]
        described.append(_description(read.name, choice, asked, [], len(read.documents)))
    if not lines:
        raise SetUnusable("No question fits.")
    random.Random(f"{seed}:order").shuffle(lines)
    return _write_questions(lines, described, out, seed, command)


def out_of_corpus(read: QuestionSet, choice: Choice, seed: int, everything: str) -> list[Json]:
    """Answerable questions of another set as unanswerable ones. One whose answer and document the files name too is left out."""
    wanted = choice.wanted or dict.fromkeys(_ANSWERABLE)
    number = choice.limit if choice.limit is not None else sum(count or 0 for count in choice.wanted.values()) or None
    pile = chosen_questions(read, Choice(choice.path, dict.fromkeys(wanted), choice.half, choice.languages), seed)
    return [
        {
            **question,
            "type": "unanswerable",
            "answers": [],
            "answer_if_restored": question["answers"],
            "supporting": [],
            "supporting_ids": [],
        }
        for question in pile
        if not _may_be_answered(question, everything)
    ][:number]


def _may_be_answered(question: Mapping[str, object], everything: str) -> bool:
    answers, titles = question.get("answers"), question.get("supporting")
    if not isinstance(answers, list) or not isinstance(titles, list):
        return True
    telling = [answer for answer in answers if len(answer.encode()) >= _SHORTEST_TELLING_ANSWER and answer.casefold() in everything]
    return bool(telling) and any(str(title).rsplit(".", 1)[0].casefold() in everything for title in titles)


def _followups(followups: Iterable[Json]) -> list[Json]:
    asked = []
    for question in followups:
        asked.append({**question, "type": "followup", "history": chat_turns(question["history"])})
        alone = {key: value for key, value in question.items() if key != "history"}
        asked.append({**alone, "id": f"{question['id']}/standalone", "type": "standalone", "question": question["standalone_question"]})
    return asked


def _fits(question: Mapping[str, object], set_name: str, choice: Choice) -> bool:
    # The two forms of a follow-up belong to one half.
    identity = str(question["id"]).removesuffix("/standalone")
    return (not choice.half or half_of(set_name, identity) == choice.half) and (
        not choice.languages or str(question.get("lang")) in choice.languages
    )


def _line(question: Mapping[str, object], set_name: str, evidence: list[Json], prefix: str = "") -> Json:
    line: Json = {"id": f"{prefix}{set_name}/{question['id']}", "question": question["question"], "type": question["type"], "set": set_name}
    line |= {key: question[key] for key in _KEPT if key in question}
    if "history" in question:
        line["history"] = question["history"]
    return line | {"half": half_of(set_name, str(question["id"]).removesuffix("/standalone")), "evidence": evidence}


def _write(document: SetDocument, docs: Path) -> str:
    file = docs / document.file
    file.parent.mkdir(parents=True, exist_ok=True)
    if document.source is not None:
        shutil.copyfile(document.source, file)
    else:
        file.write_text(document.text or "", encoding="utf-8", newline="")
    return document.indexed_text()


def _write_questions(lines: list[Json], described: list[Json], out: Path, seed: int, command: str) -> Json:
    (out / "docs").mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (out / "questions.jsonl").write_text(text, encoding="utf-8")
    manifest: Json = {
        "command": command,
        "seed": seed,
        "questions": len(lines),
        "types": dict(Counter(f"{line['type']} {line.get('lang', '')}".strip() for line in lines)),
        "documents": sum(part["documents"] for part in described),
        "questions_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "sets": described,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return manifest


def _description(name: str, choice: Choice, asked: Sequence[Json], documents: Sequence[SetDocument], of_documents: int) -> Json:
    return {
        "set": name,
        "half": choice.half or "both",
        "out_of_corpus": choice.out_of_corpus,
        "questions": dict(Counter(question["type"] for question in asked)),
        "documents": len(documents),
        "of_documents": of_documents,
        "distractors": choice.pool,
        "files": [document.file for document in documents] if choice.pool is not None else "all",
    }


def parse_choice(text: str, arguments: argparse.Namespace, *, out_of_corpus: bool = False) -> Choice:
    """`FOLDER` or `FOLDER=type:N,type,pool:N,docs:FOLDER`, with the options of the command for what it does not say.

    Raises:
        SetUnusable: a number is not one.
    """
    path, _, rest = text.partition("=")
    wanted: dict[str, int | None] = dict.fromkeys(arguments.types.split(",")) if arguments.types and not rest else {}
    pool, docs = arguments.pool, None
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition(":")
        if key == "docs":
            docs = Path(value)
        elif value and not value.isdigit():
            raise SetUnusable(f"{text}: {value} is not a number.")
        elif key == "pool":
            pool = int(value)
        else:
            wanted[key] = int(value) if value else None
    languages = frozenset(arguments.lang.split(",")) if arguments.lang else frozenset[str]()
    return Choice(Path(path), wanted, arguments.half, languages, arguments.limit, pool, docs, out_of_corpus)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exit code 1, with a sentence, when a set cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.quality.sets", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--half", choices=("tune", "report"))
    parser.add_argument("--types", default="")
    parser.add_argument("--lang", default="")
    parser.add_argument("--limit", type=int, help="at most this many questions of each set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pool", type=int, metavar="N", help="keep the documents that the questions need and N others of each set")
    parser.add_argument("--out-of-corpus", action="append", default=[], metavar="SET", help="may be given more than once")
    parsed = parser.parse_args(arguments)
    command = "python -m tests.quality.sets " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    try:
        choices = [parse_choice(text, parsed) for text in parsed.sets]
        choices += [parse_choice(text, parsed, out_of_corpus=True) for text in parsed.out_of_corpus]
        manifest = prepare(choices, parsed.out, parsed.seed, command)
    except SetUnusable as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{manifest['questions']} questions ({manifest['types']}) over {manifest['documents']} files: {parsed.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
