"""Question sets as values: what is asked, the documents it is asked of, and which places of them a right answer needs.

A set is a folder with `questions.jsonl` (and `followups.jsonl`) and its documents as `corpus.jsonl` or as `docs/` (with `docs_index.jsonl`
where titles are not file names), or a single JSONL file of questions without documents.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.errors import DocumentUnreadable
from core.library.extraction import extract

Half = Literal["tune", "report"]
Json = dict[str, Any]

_UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
_TITLE_BYTES = 120


class SetUnusable(Exception):
    """A set cannot be read; the message says which file and why."""


@dataclass(frozen=True, slots=True)
class SetDocument:
    """A document of a set. `file` is where it goes, relative to the docs folder; `names` are what questions call it.

    Exactly one of `text` (a row of `corpus.jsonl`) and `source` (a file) is there.
    """

    file: str
    names: tuple[str, ...]
    text: str | None = None
    source: Path | None = None

    def indexed_text(self) -> str:
        """The text whose characters citations and evidence count: what the app makes of the file. Empty if it cannot be read."""
        data = self.source.read_bytes() if self.source else (self.text or "").encode("utf-8")
        try:
            return extract(Path(self.file), data).text
        except DocumentUnreadable:
            return ""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Everything of one set. The questions are the JSON of their lines; follow-ups are apart."""

    name: str
    questions: tuple[Json, ...]
    followups: tuple[Json, ...]
    documents: tuple[SetDocument, ...]


def half_of(set_name: str, question_id: str | int) -> Half:
    """The half of a set that a question belongs to, for ever: thresholds and prompts may only be chosen with `tune`."""
    return "report" if hashlib.sha256(f"{set_name}:{question_id}".encode()).digest()[0] % 2 else "tune"


def read_set(path: Path, docs: Path | None = None) -> QuestionSet:
    """Read a set. `docs` is another folder whose documents the questions are about.

    Raises:
        SetUnusable: a file is missing or is not JSON.
    """
    if path.is_file():
        return QuestionSet(path.stem, tuple(_routing_as_question(row) for row in _rows(path)), (), ())
    name = path.resolve().name
    followups = path / "followups.jsonl"
    return QuestionSet(
        name,
        tuple(_rows(path / "questions.jsonl")),
        tuple(_rows(followups)) if followups.is_file() else (),
        tuple(_documents(docs or path, name)),
    )


def evidence_of(question: Mapping[str, Any], documents: Mapping[str, Sequence[SetDocument]], texts: Mapping[str, str]) -> list[Json]:
    """What a right answer needs, in the order of the hops: `[{"places": [{"file", "start"?, "end"?}]}]`; one of the places is enough.

    `documents` finds documents by any of their names, `texts` gives the indexed text of a file. A place without an offset is the whole file.
    """
    if (sentences := question.get("supporting_sentences")) and all("doc" in sentence for sentence in sentences):
        return _merged(_sentence_place(sentence, documents, texts) for sentence in sentences)
    ids = question.get("supporting_ids") or []
    if ids and not question.get("supporting"):
        return _alternatives(question, [d.file for name in ids for d in documents.get(name, ())], texts)
    entries: list[Json] = []
    for place, name in enumerate(ids or question.get("supporting") or []):
        files = list(dict.fromkeys(found.file for found in documents.get(name, ())))
        if not files:
            continue
        paragraph = question.get("paragraph_index")
        passages = question.get("supporting_passages") or []
        if paragraph is not None:
            entries.append({"places": [_paragraph(file, paragraph, texts[file]) for file in files]})
        elif place < len(passages):
            entries.append({"places": [_found(file, passages[place], texts[file]) for file in files]})
        else:
            entries.append({"places": [{"file": file} for file in files]})
    return entries


def by_name(documents: Iterable[SetDocument]) -> dict[str, list[SetDocument]]:
    """Documents by everything that questions may call them."""
    found: dict[str, list[SetDocument]] = {}
    for document in documents:
        for name in document.names:
            found.setdefault(name, []).append(document)
    return found


def names_of(question: Mapping[str, Any]) -> list[str]:
    """What a question calls its documents: ids where it has them, else titles or files."""
    return list(question.get("supporting_ids") or question.get("supporting") or question.get("closest") or [])


def chat_turns(history: Sequence[Mapping[str, str]]) -> list[Json]:
    """A history as `eval` reads it. Sets have `{"question", "answer"}` for two turns."""
    turns: list[Json] = []
    for turn in history:
        if "role" in turn:
            turns.append({"role": turn["role"], "content": turn["content"]})
        else:
            turns += [{"role": "user", "content": turn["question"]}, {"role": "assistant", "content": turn["answer"]}]
    return turns


def _documents(folder: Path, name: str) -> Iterator[SetDocument]:
    corpus, docs = folder / "corpus.jsonl", folder / "docs"
    if corpus.is_file():
        for row in _rows(corpus):
            identity, title = str(row["id"]), str(row.get("title") or "")
            # The title is the file's name, because the app takes it from there; the id is the folder's.
            yield SetDocument(f"{name}/{_safe(identity)}/{_safe(title or identity)}.txt", _names(identity, title), text=row["text"])
        return
    index = folder / "docs_index.jsonl"
    titles = {row["file"]: row for row in _rows(index)} if index.is_file() else {}
    for file in sorted(docs.rglob("*")) if docs.is_dir() else []:
        if file.is_file():
            inside = file.relative_to(docs).as_posix()
            row = titles.get(f"docs/{inside}", {})
            yield SetDocument(f"{name}/{inside}", _names(inside, row.get("title"), row.get("id")), source=file)


def _routing_as_question(row: Json) -> Json:
    """A question that only says whether it needs files has no answer to compare: general ones are simple questions."""
    if "type" in row or "label" not in row:
        return row
    return {**row, "type": "simple" if row["label"] == "general" else "files", "answers": [], "supporting": []}


def _alternatives(question: Mapping[str, Any], files: list[str], texts: Mapping[str, str]) -> list[Json]:
    """Many passages say the same: one is enough, or one for each part of the answer."""
    entries = []
    for part in question.get("answer_parts") or [question.get("answers") or []]:
        saying = [file for file in files if any(answer in texts[file] for answer in part)]
        entries.append({"places": [{"file": file} for file in saying or files]})
    return [entry for entry in entries if entry["places"]]


def _sentence_place(sentence: Mapping[str, Any], documents: Mapping[str, Sequence[SetDocument]], texts: Mapping[str, str]) -> Json:
    found = documents.get(sentence["doc"])
    return _found(found[0].file, sentence["sentence"], texts[found[0].file], near=sentence.get("char_offset", 0)) if found else {}


def _merged(places: Iterable[Json]) -> list[Json]:
    return [{"places": [place]} for place in places if place]


def _found(file: str, passage: str, text: str, near: int = 0) -> Json:
    starts = [found.start() for found in re.finditer(re.escape(passage), text)] if passage else []
    if not starts:
        return {"file": file}
    start = min(starts, key=lambda place: abs(place - near))
    return {"file": file, "start": start, "end": start + len(passage)}


def _paragraph(file: str, number: int, text: str) -> Json:
    """Paragraph `number` (from 0) below the heading of an article."""
    paragraphs = [(found.start(), found.end()) for found in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text)]
    body = [span for span in paragraphs if not text.startswith("# ", span[0])]
    return {"file": file, "start": body[number][0], "end": body[number][1]} if number < len(body) else {"file": file}


def _rows(file: Path) -> list[Json]:
    try:
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise SetUnusable(f"{file}: {error}") from error


def _names(*names: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(name) for name in names if name))


def _safe(name: str) -> str:
    cleaned = _UNSAFE.sub("_", name).strip(" .") or "_"
    return cleaned.encode("utf-8")[:_TITLE_BYTES].decode("utf-8", errors="ignore").strip(" .") or "_"
