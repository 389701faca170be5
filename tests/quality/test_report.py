from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.quality.measures import MEASURES, measured
from tests.quality.report import main, read_runs, report
from tests.quality.scores import score

QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "m1",
        "question": "?",
        "type": "multi",
        "lang": "en",
        "set": "s",
        "answers": ["red"],
        "evidence": [{"places": [{"file": "a.txt"}]}] * 2,
    },
    {"id": "m2", "question": "?", "type": "multi", "lang": "zh", "set": "s", "answers": ["红"], "evidence": []},
    {"id": "u1", "question": "?", "type": "unanswerable", "lang": "en", "set": "t", "answers": [], "evidence": []},
    {"id": "s1", "question": "?", "type": "simple", "lang": "en", "set": "t", "answers": [], "evidence": []},
]


def line(name: str, answer: str, pipeline: str, *, seconds: float = 4.0, evaluated: int = 100, **more: Any) -> dict[str, Any]:
    steps = [
        {"node": node, "seconds": 0.1, "tokens_evaluated": evaluated // 2, "tokens_reused": 30, "tokens_generated": 5, "note": ""}
        for node in ("route_question", "generate_answer")
    ]
    return {
        "id": name,
        "answer": answer,
        "pipeline": pipeline,
        "strategy": "complex",
        "refused": False,
        "citations": [],
        "documents": [],
        "evaluation": None,
        "judgement": None,
        "limits_hit": [],
        "notes": [],
        "steps": steps,
        "seconds_to_first_word": seconds / 2,
        "seconds": seconds,
        "model": "m",
        "embedder": "e",
        **more,
    }


def written(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@pytest.fixture
def good(tmp_path: Path) -> Path:
    found = [{"file": "/docs/a.txt", "start": 0, "end": 3, "line": 1, "score": 1.0}]
    rows = [
        line("m1", "It is red [1].", "full", seconds=2.0, evaluated=50, documents=found),
        line("m2", "红", "full", seconds=2.0, evaluated=50),
        line("u1", "Not stated.", "full", refused=True, seconds=2.0, evaluated=50),
        line("s1", "Hello.", "full", strategy="simple", seconds=2.0, evaluated=50),
    ]
    return written(tmp_path / "good.jsonl", rows)


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    found = [{"file": "/docs/b.txt", "start": 0, "end": 3, "line": 1, "score": 1.0}]
    rows = [line(name, "blue", "naive", documents=found) for name in ("m1", "m2", "u1")]
    return written(tmp_path / "bad.jsonl", [*rows, line("s1", "Hi.", "naive", documents=found, strategy="simple")])


def table_row(text: str, group: str, measure: str) -> list[str]:
    part = text.split(f"### {group}")[1].split("\n###")[0]
    row = next(one for one in part.splitlines() if one.startswith(f"| {measure} |"))
    return [cell.strip() for cell in row.strip("|").split("|")][1:]


def test_pipelines_are_columns_and_the_first_is_compared_with_the_others(good: Path, bad: Path) -> None:
    text = report(read_runs([good, bad], QUESTIONS, None), QUESTIONS)

    assert "| measure | full | naive | full − naive [95 %] |" in text
    assert table_row(text, "Multi-hop (2)", "answer contained") == ["100.0 %", "0.0 %", "+100.0 [+100.0, +100.0]"]
    assert table_row(text, "Multi-hop (2)", "exact match")[:2] == ["50.0 %", "0.0 %"]
    assert table_row(text, "Multi-hop (2)", "recall, hop 1")[:2] == ["100.0 %", "0.0 %"]
    assert table_row(text, "Unanswerable (1)", "refused: unanswerable questions")[:2] == ["100.0 %", "0.0 %"]
    assert table_row(text, "All questions (4)", "seconds to the last word, p50")[:2] == ["2.0", "4.0"]
    assert table_row(text, "All questions (4)", "evaluated / (evaluated + reused)")[:2] == [f"{50 / 110:.3f}", f"{100 / 160:.3f}"]
    assert table_row(text, "All questions (4)", "right (said, or refused where it should)")[:2] == ["100.0 %", "0.0 %"]
    assert table_row(text, "Simple (1)", "simple questions that touched the index")[:2] == ["0", "1"]


def test_cost_is_a_multiple_over_the_questions_that_the_other_sends_to_the_documents(good: Path, bad: Path) -> None:
    text = report(read_runs([good, bad], QUESTIONS, None), QUESTIONS)

    assert "| naive | all (4) | 0.50 [0.50, 0.50] | 0.50 [0.50, 0.50] |" in text
    assert "| naive | those that naive sends to the documents (3) | 0.50 [0.50, 0.50] | 0.50 [0.50, 0.50] |" in text


def test_only_questions_that_every_run_answered_are_compared(good: Path, bad: Path, tmp_path: Path) -> None:
    short = written(tmp_path / "short.jsonl", [json.loads(bad.read_text(encoding="utf-8").splitlines()[0])])

    text = report(read_runs([good, short], QUESTIONS, None), QUESTIONS)

    assert "1 of 4 questions are answered in every run." in text
    assert "### Unanswerable" not in text


def test_two_runs_of_one_pipeline_are_called_after_their_files(good: Path, tmp_path: Path) -> None:
    again = written(tmp_path / "again.jsonl", [json.loads(one) for one in good.read_text(encoding="utf-8").splitlines()])

    assert [run.label for run in read_runs([good, again], QUESTIONS, None)] == ["good", "again"]


def test_a_table_for_each_set_when_asked(good: Path) -> None:
    text = report(read_runs([good], QUESTIONS, None), QUESTIONS, by_set=True)

    assert "### s, multi (2)" in text
    assert "### t, unanswerable (1)" in text


def test_wrong_refusals_do_not_count_simple_or_unanswerable_questions() -> None:
    measure = next(one for one in MEASURES if one.name.startswith("refused by mistake"))
    scores = {q["id"]: score(q, line(q["id"], "x", "full", refused=q["id"] != "m2")) for q in QUESTIONS}

    assert measured(measure, QUESTIONS, scores) == 0.5


def test_ranking_compares_answerable_with_unanswerable_questions() -> None:
    measure = next(one for one in MEASURES if one.name.startswith("AUC"))
    sure = {"m1": 0.9, "m2": 0.2, "u1": 0.5, "s1": 0.0}
    scores = {q["id"]: score(q, line(q["id"], "x", "full", evaluation={"enough": True, "confidence": sure[q["id"]]})) for q in QUESTIONS}

    assert measured(measure, QUESTIONS, scores) == 0.5


def test_the_command_checks_citations_against_the_files_and_names_the_circumstances(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("\ufeffone\r\ntwo red", encoding="utf-8")
    cited = [
        {"n": 1, "file": str(docs / "a.txt"), "title": "a", "quote": "red", "start": 8, "end": 11, "line": 2},
        {"n": 2, "file": str(docs / "a.txt"), "title": "a", "quote": "rod", "start": 8, "end": 11, "line": 2},
    ]
    run = written(tmp_path / "run.jsonl", [line("m1", "red", "full", citations=cited)])
    questions = written(tmp_path / "questions.jsonl", QUESTIONS)

    code = main([str(run), "--questions", str(questions), "--details", str(tmp_path / "details.jsonl")])

    text = capsys.readouterr().out
    assert code == 0
    assert table_row(text, "Multi-hop (1)", "citations that are true") == ["50.0 %"]
    for fact in ("machine: ", "models: m with e", "date: ", "commit: ", "lamplight eval ", "python -m tests.quality.report "):
        assert fact in text
    (detail,) = [json.loads(one) for one in (tmp_path / "details.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (detail["id"], detail["right"], detail["answer"]) == ("m1", True, "red")


def test_a_run_that_is_no_run_is_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = written(tmp_path / "questions.jsonl", QUESTIONS)

    assert main([str(tmp_path / "nowhere.jsonl"), "--questions", str(questions)]) == 1
    assert "cannot be read" in capsys.readouterr().err
