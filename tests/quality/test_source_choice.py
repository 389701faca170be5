"""Who finds the sentence that an answer stands on."""

from __future__ import annotations

import json
from pathlib import Path

from core.documents import Usage
from tests.quality.set_reading import half_of, read_set
from tests.quality.source_choice import Case, Named, cases, table

TEXT = "The mill stands in Arle. It was built in 1887 by Ida Voss. It grinds rye."


def _set(folder: Path, questions: list[dict[str, object]]) -> Path:
    documents = [
        {"id": f"d{n}", "title": f"Place {n}", "text": TEXT if n == 3 else f"Place {n} has a market. It is small."} for n in range(8)
    ]
    folder.mkdir()
    for name, rows in (("questions", questions), ("corpus", documents)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def _cases(tmp_path: Path, **more: object) -> list[Case]:
    identity = next(str(n) for n in range(99) if half_of("mills", str(n)) == "tune")
    row = {"id": identity, "question": "Who built the mill?", "answers": ["Ida Voss"], "type": "single", "supporting_ids": ["d3"], **more}
    return list(cases(read_set(_set(tmp_path / "mills", [row])), 5, "tune"))


def test_the_sentence_that_holds_the_answer_is_right_and_stands_among_five_passages(tmp_path: Path) -> None:
    (case,) = _cases(tmp_path)

    assert len(case.documents) == 5
    ((passage, start, end),) = case.right
    assert case.documents[passage].chunk.text[start:end].strip() == "It was built in 1887 by Ida Voss."


def test_sentences_that_the_set_names_are_right_instead(tmp_path: Path) -> None:
    (case,) = _cases(tmp_path, supporting_sentences=[{"title": "Place 3", "sentence": "The mill stands in Arle."}])

    ((passage, start, end),) = case.right
    assert case.documents[passage].chunk.text[start:end].strip() == "The mill stands in Arle."


def test_a_question_of_the_other_half_or_without_its_documents_is_left_out(tmp_path: Path) -> None:
    assert not _cases(tmp_path, supporting_ids=["nowhere"])
    other = next(str(n) for n in range(99) if half_of("others", str(n)) == "report")
    row = {"id": other, "question": "Who built the mill?", "answers": ["Ida Voss"], "type": "single", "supporting_ids": ["d3"]}
    assert not list(cases(read_set(_set(tmp_path / "others", [row])), 5, "tune"))


def test_the_table_counts_answers_with_a_right_source_and_right_ones_among_the_named() -> None:
    results = [Named("a", "mills", "code", 2, 1, 1.0, Usage(100)), Named("b", "mills", "code", 2, 0, 3.0, Usage(300))]

    assert table(results).splitlines()[-1] == "| mills | code | 2 | 0.50 | 0.25 | 200 | 2.0 |"
