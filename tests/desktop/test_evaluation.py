from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.documents import Message
from core.errors import ChildCrashed, InvalidRequest
from desktop.evaluation import EvalQuestion, appending, chosen, failed_line, finished_ids, read_questions, write_line


def questions_file(folder: Path, *lines: str) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_questions_come_with_their_history_and_unknown_keys_are_ignored(tmp_path: Path) -> None:
    history = '[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]'
    file = questions_file(
        tmp_path, '{"id": "a", "question": "Who?", "answers": ["x"]}', "", f'{{"id": 2, "question": "谁?", "history": {history}}}'
    )

    assert read_questions(file) == [
        EvalQuestion("a", "Who?"),
        EvalQuestion(2, "谁?", (Message("user", "hi"), Message("assistant", "hello"))),
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "Line 2"),
        ("[]", "Line 2"),
        ('{"id": 1}', "Line 2"),
        ('{"question": "Who?"}', '"id"'),
        ('{"id": "a", "question": "again"}', "twice"),
        ('{"id": 3, "question": "Who?", "history": [{"role": "system", "content": "x"}]}', "role"),
    ],
)
def test_a_bad_line_is_named_before_anything_starts(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(InvalidRequest, match=told):
        read_questions(questions_file(tmp_path, '{"id": "a", "question": "Who?"}', line))


def test_a_missing_or_empty_questions_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(InvalidRequest):
        read_questions(questions_file(tmp_path, ""))


def test_the_same_seed_chooses_the_same_questions() -> None:
    questions = [EvalQuestion(number, "?") for number in range(50)]

    assert chosen(questions, limit=5, seed=7) == chosen(questions, limit=5, seed=7)
    assert chosen(questions, limit=5, seed=7) != chosen(questions, limit=5, seed=8)
    assert chosen(questions, limit=5, seed=None) == questions[:5]
    assert chosen(questions, limit=None, seed=None) == questions


def test_lines_are_appended_and_their_ids_are_known_again(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out.jsonl"

    for number in (1, 2):
        with appending(out) as file:
            write_line(file, {"id": number, "answer": "灯塔"})

    assert finished_ids(out) == {1, 2}
    assert out.read_text(encoding="utf-8").count("灯塔") == 2


def test_what_a_crash_left_of_a_line_is_cut_off(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(b'{"id": 1}\n{"id": 2, "answ')

    assert finished_ids(out) == {1}
    with appending(out) as file:
        write_line(file, {"id": 2})

    assert [json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()] == [1, 2]


def test_a_whole_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(b'{"id": 1}\n{"id": 2}')

    with appending(out) as file:
        write_line(file, {"id": 3})

    assert finished_ids(out) == {1, 2, 3}


def test_an_output_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest), appending(tmp_path):
        pass


def test_a_failed_question_has_every_usual_field_and_its_error() -> None:
    line = failed_line(EvalQuestion("a", "Who?"), ChildCrashed("It ended."), 1.5, "m", "e")

    assert (line["id"], line["question"], line["error"], line["seconds"], line["model"]) == ("a", "Who?", "child_crashed", 1.5, "m")
    assert line["answer"] == "" and line["citations"] == [] and line["steps"] == []
