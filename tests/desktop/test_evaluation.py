from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from core.documents import Message
from core.errors import ChildCrashed, InvalidRequest, NotEnoughDisk
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


@pytest.mark.parametrize(
    "foreign", [b"my notes\nand more", b"my notes", b"my notes\n", b'{"id": 1}\nmy notes\n{"id": 2}\n', b"\xff\xfe\0", b"[1]\n"]
)
def test_a_file_of_somebody_elses_is_not_written_to(tmp_path: Path, foreign: bytes) -> None:
    out = tmp_path / "notes.txt"
    out.write_bytes(foreign)

    with pytest.raises(InvalidRequest, match="something else than answers"):
        finished_ids(out)

    assert out.read_bytes() == foreign


def test_the_questions_are_not_their_own_output(tmp_path: Path) -> None:
    file = questions_file(tmp_path, '{"id": 1, "question": "Who?"}')
    (tmp_path / "link").symlink_to(file)

    for out in (file, tmp_path / "link"):
        with pytest.raises(InvalidRequest, match="is the questions file"):
            finished_ids(out, file)


@pytest.mark.skipif(os.name != "posix", reason="devices with names")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/null"])
def test_a_device_is_no_output(device: str) -> None:
    with pytest.raises(InvalidRequest, match="not an ordinary file"):
        finished_ids(Path(device))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a file without end")
def test_questions_without_end_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="larger than"):
        read_questions(Path("/dev/zero"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_said_so_when_a_line_is_written() -> None:
    out = open("/dev/full", "a", encoding="utf-8")  # noqa: SIM115 - closing it fails as writing did

    with pytest.raises(NotEnoughDisk):
        write_line(out, {"id": 1})

    with suppress(OSError):
        out.close()
