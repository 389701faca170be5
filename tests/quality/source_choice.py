"""Who finds the sentence that an answer stands on: code, by shared words, or the model, by numbers under a grammar.

    python -m tests.quality.source_choice SETS/hotpotqa_train100=20 SETS/cmrc2018_dev=12 [--half tune|report] [--home HOME] [--model ID] [--out LINES.jsonl]

Each question is shown to the model with its supporting documents among five. Answers that hold a right answer are kept, and three ways name
their sources:

    code       `core.qa.citations`, as the app does it: the model's marks of passages, sentences by shared words
    numbered   every sentence has a number in the prompt; the model names up to three under a grammar
    chosen     the sentences of the passage that code found stand numbered below the answer; the model's most probable number counts

A named sentence is right where it overlaps one that the set says supports the answer; in a set without such sentences, where it stands in a
supporting document and holds the answer. Tokens and seconds of `code` are those of writing the answer, which the others need as well.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from core.cancel import CancelToken
from core.documents import Chunk, Message, Prompt, ScoredChunk, Usage
from core.errors import LamplightError
from core.qa.answer_form import shown
from core.qa.citations import cite, passage_sentences, without_marks
from core.qa.language import prompt_language
from core.qa.limits import LIMITS, Meter, MeteredChatModel
from core.qa.prompt import evidence_prompt, prompt_text
from tests.quality.report import commit, machine
from tests.quality.routing import open_application
from tests.quality.set_reading import QuestionSet, SetUnusable, by_name, half_of, read_set

PASSAGES = 5
PASSAGE_CHARACTERS = {"en": 900, "zh": 300}
MOST_CHOICES = 9
_ASK = {
    "en": "The answer is: {answer}\nWhich of the sentences above state it? Give their numbers.",
    "zh": "答案是：{answer}\n上面哪些句子写明了这一点？给出它们的编号。",
}
_CHOOSE = {
    "en": "The answer is: {answer}\n\n{sentences}\n\nWhich of these numbered sentences states it? Reply with its number only.",
    "zh": "答案是：{answer}\n\n{sentences}\n\n上面编号的句子中哪一句写明了这一点？只答编号。",
}

Json = dict[str, Any]
Way = Literal["code", "numbered", "chosen"]


@dataclass(frozen=True, slots=True)
class Case:
    """A question with five passages. `right` are (passage, start, end) of the sentences that support its answer."""

    id: str
    set: str
    question: str
    answers: tuple[str, ...]
    documents: tuple[ScoredChunk, ...]
    right: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Named:
    """What one way named for one answer. `usage` and `seconds` are what it cost: with `code` the answer itself, with the others the naming alone."""

    id: str
    set: str
    way: Way
    named: int
    right: int
    seconds: float
    usage: Usage


def cases(found: QuestionSet, count: int, half: str) -> Iterator[Case]:
    """The first `count` questions of a half whose supporting documents are at hand, each beside documents that stand near them in the set."""
    documents = by_name(found.documents)
    places = {document.file: place for place, document in enumerate(found.documents)}
    draw = random.Random(0)
    for row in found.questions:
        named = [documents[name][0] for name in row.get("supporting_ids") or row.get("supporting") or [] if name in documents]
        if half_of(found.name, row["id"]) != half or not named or not row.get("answers"):
            continue
        near = [other for other in found.documents if abs(places[other.file] - places[named[0].file]) <= PASSAGES and other not in named]
        shown_documents = [*named[:PASSAGES], *draw.sample(near, PASSAGES - len(named[:PASSAGES]))]
        draw.shuffle(shown_documents)
        most = PASSAGE_CHARACTERS[prompt_language(row["question"])]
        texts = [_passage(document.indexed_text().strip(), row["answers"], most) for document in shown_documents]
        chunks = tuple(_scored(n, document.names[-1], text) for n, (document, text) in enumerate(zip(shown_documents, texts, strict=True)))
        supports = [n for n, document in enumerate(shown_documents) if document in named]
        right = tuple(_right(row, texts, supports))
        if right:
            yield Case(str(row["id"]), found.name, row["question"], tuple(map(str, row["answers"])), chunks, right)
            count -= 1
            if not count:
                return


def _passage(text: str, answers: Sequence[object], most: int) -> str:
    """Whole sentences around the answer where the text holds one, else from its beginning; about `most` characters."""
    at = next((text.find(str(answer)) for answer in answers if str(answer) in text), 0)
    starts = [start for start, _ in passage_sentences(text) if start <= max(0, at - most // 2)]
    first = starts[-1] if starts else 0
    ends = [end for _, end in passage_sentences(text) if first < end <= first + most]
    return text[first : ends[-1] if ends else first + most].strip()


def _scored(n: int, title: str, text: str) -> ScoredChunk:
    chunk = Chunk(n, n, Path(f"{n}.txt"), title, "", 0, len(text), 1, text)
    return ScoredChunk(chunk, 1.0)


def _right(row: Json, texts: Sequence[str], supports: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    sentences = [str(sentence["sentence"]) for sentence in row.get("supporting_sentences") or []]
    for n in supports:
        for start, end in passage_sentences(texts[n]):
            said = texts[n][start:end].strip()
            if said and (
                any(said in one or one in said for one in sentences) if sentences else any(str(a) in said for a in row["answers"])
            ):
                yield n, start, end


def named_sources(model: MeteredChatModel, meter: Meter, case: Case) -> Iterator[Named]:
    """The sources of each way for the model's own answer; nothing where that does not hold a right answer."""
    language = prompt_language(case.question)
    cancel = CancelToken()
    prompt = evidence_prompt(
        "generate_answer",
        language,
        question=case.question,
        documents=case.documents,
        refusal=prompt_text("generate_answer_checked", language),
        facts="",
        doubt="",
    )
    began = time.monotonic()
    written = shown("".join(model.stream(prompt, max_tokens=200, cancel=cancel)), finished=True)
    paid, seconds = meter.take(), time.monotonic() - began
    if not any(answer.casefold() in written.casefold() for answer in case.answers):
        return
    cited = cite(written, case.documents)
    code = [(int(one.file.stem), one.start, one.end) for one in cited.citations if one.file and one.start is not None and one.end]
    yield _named(case, "code", code, seconds, paid)
    answer = without_marks(written).replace("\n", " ")

    sentences = [(n, *span) for n, found in enumerate(case.documents) for span in _sentences(found.chunk.text)]
    numbers = {f"{n + 1}.{place}": (n, start, end) for n, place, start, end in _numbered(sentences)}
    began = time.monotonic()
    asked = evidence_prompt("generate_answer", language, question=case.question, documents=_with_numbers(case.documents))
    reply = model.reply(_asking(asked, _ASK[language].format(answer=answer)), _form(tuple(numbers)), max_tokens=60, cancel=cancel)
    sources = list(dict.fromkeys(getattr(reply.value, "sources", ())))
    yield _named(case, "numbered", [numbers[one] for one in sources], time.monotonic() - began, meter.take())

    if code:
        passage = code[0][0]
        offered = [(passage, *span) for span in _sentences(case.documents[passage].chunk.text)][:MOST_CHOICES]
        listed = "\n".join(f"{n}. {case.documents[p].chunk.text[s:e].strip()}" for n, (p, s, e) in enumerate(offered, 1))
        tail = _CHOOSE[language].format(answer=answer, sentences=listed)
        began = time.monotonic()
        choice = model.choose(_asking(prompt, tail), [str(n) for n in range(1, len(offered) + 1)], cancel=cancel)
        yield _named(case, "chosen", [offered[int(choice.best) - 1]], time.monotonic() - began, meter.take())


def _sentences(text: str) -> list[tuple[int, int]]:
    return [(start, end) for start, end in passage_sentences(text) if text[start:end].strip()]


def _numbered(sentences: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, int, int]]:
    place, before = 0, -1
    for n, start, end in sentences:
        place = place + 1 if n == before else 1
        before = n
        yield n, place, start, end


def _with_numbers(documents: Sequence[ScoredChunk]) -> list[ScoredChunk]:
    found = []
    for n, document in enumerate(documents):
        text = document.chunk.text
        lines = [f"({n + 1}.{place}) {text[start:end].strip()}" for place, (start, end) in enumerate(_sentences(text), 1)]
        found.append(_scored(n, document.chunk.title, "\n".join(lines)))
    return found


def _asking(prompt: Prompt, task: str) -> Prompt:
    """The same evidence with another task behind its closing mark."""
    last = prompt.messages[-1]
    evidence, closing, rest = last.content.rpartition("\n</")
    return Prompt((*prompt.messages[:-1], Message(last.role, f"{evidence}{closing}{rest.partition('>')[0]}>\n\n{task}")))


def _form(numbers: tuple[str, ...]) -> type[BaseModel]:
    return create_model("Sources", sources=(list[Literal[numbers]], Field(min_length=1, max_length=3)))  # type: ignore[valid-type]


def _named(case: Case, way: Way, named: Sequence[tuple[int, int, int]], seconds: float, usage: Usage) -> Named:
    right = sum(any(n == p and start < e and s < end for p, s, e in case.right) for n, start, end in named)
    return Named(case.id, case.set, way, len(named), right, seconds, usage)


def table(results: Sequence[Named]) -> str:
    """Markdown: a row for each set and way."""
    rows = ["| set | way | answers | with a right source | right of the named | tokens read | seconds |", "|---" * 7 + "|"]
    for name in dict.fromkeys(one.set for one in results):
        for way in ("code", "numbered", "chosen"):
            part = [one for one in results if one.set == name and one.way == way]
            if part:
                hits = sum(one.right > 0 for one in part)
                cells = (
                    name,
                    way,
                    str(len(part)),
                    f"{hits / len(part):.2f}",
                    f"{sum(one.right for one in part) / max(1, sum(one.named for one in part)):.2f}",
                    f"{sum(one.usage.evaluated for one in part) / len(part):.0f}",
                    f"{sum(one.seconds for one in part) / len(part):.1f}",
                )
                rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exit code 1, with a sentence, when a set or the model cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.quality.source_choice", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="+", metavar="FOLDER=N")
    parser.add_argument("--half", choices=("tune", "report"), default="tune")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--model")
    parser.add_argument("--out", type=Path)
    parsed = parser.parse_args(arguments)
    results: list[Named] = []
    try:
        with open_application(parsed.home, parsed.model) as application:
            meter = Meter(LIMITS["exhaustive"])
            model = MeteredChatModel(application.chat_model, meter)
            for spec in parsed.sets:
                folder, _, count = spec.partition("=")
                for case in cases(read_set(Path(folder)), int(count or 20), parsed.half):
                    results += named_sources(model, meter, case)
            name = application.chat_model.model_id
    except (LamplightError, SetUnusable) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if parsed.out:
        parsed.out.write_text("".join(json.dumps(asdict(one)) + "\n" for one in results), encoding="utf-8")
    sys.stdout.write(f"{table(results)}\n\n- machine: {machine()}\n- commit: {commit()}\n- model: {name}\n- half: {parsed.half}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
