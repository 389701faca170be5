"""The files of an evaluation: questions in, one line for each answer out, stopped and continued at will."""

from __future__ import annotations

import errno
import json
import os
import random
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from core.documents import Answer, Message
from core.errors import InvalidRequest, LamplightError, NotEnoughDisk
from desktop.answer_json import answer_json, json_line
from desktop.commands.ask import messages

QuestionId = str | int

MAX_QUESTIONS_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """One line of the questions file."""

    id: QuestionId
    question: str
    history: tuple[Message, ...] = ()


def read_questions(file: Path) -> list[EvalQuestion]:
    """Every question of a JSONL file, in order.

    Raises:
        InvalidRequest: the file cannot be read, a line is not a question, or an id comes twice; the message names the line.
    """
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_QUESTIONS_BYTES + 1)
        if len(raw) > MAX_QUESTIONS_BYTES:
            raise InvalidRequest(
                f"The questions file is larger than {MAX_QUESTIONS_BYTES // 1_000_000} MB. Divide it into smaller ones.",
                code="questions_unusable",
            )
        lines = raw.decode("utf-8-sig").split("\n")
    except OSError as error:
        raise InvalidRequest(
            f"The questions file cannot be read: {error.strerror or error}. Check its name.", code="questions_unusable"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidRequest("The questions file is not UTF-8 text. Save it as UTF-8.", code="questions_unusable") from error
    questions = [_question(line, number) for number, line in enumerate(lines, start=1) if line.strip()]
    seen: set[QuestionId] = set()
    for question in questions:
        if question.id in seen:
            raise InvalidRequest(
                f"The id {question.id!r} comes twice in the questions file. Give each question its own.", code="questions_unusable"
            )
        seen.add(question.id)
    if not questions:
        raise InvalidRequest("The questions file has no questions. Write one JSON object a line.", code="questions_unusable")
    return questions


def chosen(questions: Sequence[EvalQuestion], *, limit: int | None, seed: int | None) -> list[EvalQuestion]:
    """The questions to answer: the first `limit`, or `limit` at random, the same ones for the same seed."""
    order = list(questions)
    if seed is not None:
        random.Random(seed).shuffle(order)
    return order[:limit]


def finished_ids(out: Path, questions: Path | None = None) -> set[QuestionId]:
    """Ids that the output file has lines for. A last line that was cut off by a crash does not count.

    Raises:
        InvalidRequest: it is a device, the file of `questions`, or a file of somebody else's: what is appended to must hold answers, or nothing.
    """
    try:
        if not stat.S_ISREG(os.stat(out).st_mode):
            raise InvalidRequest("The output is not an ordinary file. Name another one.", code="out_unusable")
        if questions is not None and os.path.exists(questions) and os.path.samefile(out, questions):
            raise InvalidRequest("The output file is the questions file. Name another one.", code="out_unusable")
        raw = out.read_bytes()
    except FileNotFoundError:
        return set()
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise InvalidRequest(f"The output file cannot be read: {why}. Name another one.", code="out_unusable") from error
    *whole, torn = raw.split(b"\n")
    lines = [_object(line) for line in whole if line.strip()]
    if None in lines or not (_object(torn) or torn.strip()[:1] in (b"", b"{")):
        raise InvalidRequest("The output file holds something else than answers. Name another one.", code="out_unusable")
    found = [line for line in (*lines, _object(torn)) if line is not None]
    return {line["id"] for line in found if isinstance(line.get("id"), str | int)}


@contextmanager
def appending(out: Path) -> Iterator[TextIO]:
    """The output file, open for appending whole lines; what a crash left of a line is cut off first.

    Raises:
        InvalidRequest: it cannot be written.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("ab+") as file:
            file.seek(0)
            raw = file.read()
            end = _whole_lines_end(raw)
            file.truncate(end)
            if end and not raw[:end].endswith(b"\n"):
                file.write(b"\n")
        output = out.open("a", encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise InvalidRequest(
            f"The output file cannot be written: {error.strerror or error}. Name another one.", code="out_unusable"
        ) from error
    try:
        yield output
    finally:
        # What could not be written was told when it happened; closing tries once more, and its failure must not hide that.
        with suppress(OSError):
            output.close()


def write_line(out: TextIO, line: Mapping[str, Any]) -> None:
    """Write one line and make sure that it is on the disk.

    Raises:
        NotEnoughDisk: there is no room for it; what was written of it is cut off at the next start.
        InvalidRequest: it cannot be written for another reason.
    """
    try:
        out.write(json_line(dict(line)) + "\n")
        out.flush()
        os.fsync(out.fileno())
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)):
            raise NotEnoughDisk(
                "The disk that holds the output file is full. Free some space and start again: it goes on there."
            ) from error
        raise InvalidRequest(
            f"The output file cannot be written: {error.strerror or error}. Name another one.", code="out_unusable"
        ) from error


def failed_line(question: EvalQuestion, error: LamplightError | Exception, seconds: float, model: str, embedder: str) -> dict[str, Any]:
    """The line of a question that failed: the answer's usual fields, empty, and `error`."""
    empty = Answer(question.question, question.question, "", "", "", "none", False, seconds=seconds, model=model, embedder=embedder)
    code = error.code if isinstance(error, LamplightError) else type(error).__name__
    return {**answer_json(empty, question.id), "error": code, "error_message": error.message if isinstance(error, LamplightError) else ""}


def _whole_lines_end(raw: bytes) -> int:
    end = raw.rfind(b"\n") + 1
    # A last line without its line end, that is whole all the same, was written by somebody else: keep it.
    return end if _object(raw[end:]) is None else len(raw)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _question(line: str, number: int) -> EvalQuestion:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"Line {number} of the questions file is not JSON. Mend or remove it.", code="questions_unusable") from error
    if not isinstance(value, dict) or not isinstance(value.get("question"), str) or isinstance(value.get("id"), bool):
        raise InvalidRequest(f'Line {number} of the questions file has no "question". Mend or remove it.', code="questions_unusable")
    if not isinstance(value.get("id"), str | int):
        raise InvalidRequest(f'Line {number} of the questions file has no "id". Give it one.', code="questions_unusable")
    return EvalQuestion(value["id"], value["question"], messages(value.get("history") or []))
