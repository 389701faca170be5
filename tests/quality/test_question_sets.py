from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.qa.sums import is_arithmetic

HERE = Path(__file__).parent
GRAPH = HERE / "graph_questions"


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


GRAPH_QUESTIONS = lines(GRAPH / "questions.jsonl")
FOLLOWUPS = lines(GRAPH / "followups.jsonl")
TEXTS = {file.name: file.read_text(encoding="utf-8") for file in (GRAPH / "docs").iterdir()}
EVERYTHING = "\n".join(TEXTS.values()).casefold()


def ids(questions: list[dict[str, Any]]) -> list[str]:
    return [question["id"] for question in questions]


@pytest.mark.parametrize("question", [q for q in GRAPH_QUESTIONS + FOLLOWUPS if q["supporting"]], ids=lambda q: q["id"])
def test_every_answer_stands_in_a_file_that_the_question_names(question: dict[str, Any]) -> None:
    texts = [TEXTS[file].casefold() for file in question["supporting"]]

    assert any(answer.casefold() in text for answer in question["answers"] for text in texts)


@pytest.mark.parametrize("question", [q for q in GRAPH_QUESTIONS if q.get("decomposition")], ids=lambda q: q["id"])
def test_every_hop_has_its_sentence_and_its_answer_in_the_file_of_that_hop(question: dict[str, Any]) -> None:
    assert len(question["decomposition"]) == len(question["supporting_sentences"]) == question["hops"] >= 2
    for hop, sentence in zip(question["decomposition"], question["supporting_sentences"], strict=True):
        text = TEXTS[sentence["doc"]]

        assert text.count(sentence["sentence"]) == 1
        assert hop["answer"].casefold() in text.casefold()


@pytest.mark.parametrize("question", [q for q in GRAPH_QUESTIONS if q["type"] == "single"], ids=lambda q: q["id"])
def test_a_single_question_has_its_answer_in_one_sentence(question: dict[str, Any]) -> None:
    (sentence,) = question["supporting_sentences"]

    assert sentence["sentence"] in TEXTS[sentence["doc"]]
    assert any(answer.casefold() in sentence["sentence"].casefold() for answer in question["answers"])


@pytest.mark.parametrize("question", [q for q in GRAPH_QUESTIONS if q["type"] == "unanswerable"], ids=lambda q: q["id"])
def test_no_file_holds_what_an_unanswerable_question_asks(question: dict[str, Any]) -> None:
    assert question["answers"] == []
    assert question["absent"]
    assert not [words for words in question["absent"] if words.casefold() in EVERYTHING]


@pytest.mark.parametrize("question", [q for q in GRAPH_QUESTIONS if q.get("traps")], ids=lambda q: q["id"])
def test_wrong_answers_that_lie_near_stand_in_the_files_and_are_wrong(question: dict[str, Any]) -> None:
    for trap in question["traps"]:
        assert trap.casefold() in EVERYTHING
        assert not [answer for answer in question["answers"] if answer.casefold() == trap.casefold()]


def test_the_graph_questions_are_sixty_in_the_promised_kinds_half_of_them_chinese() -> None:
    assert Counter(q["type"] for q in GRAPH_QUESTIONS) == {"multi": 20, "single": 20, "unanswerable": 12, "simple": 8}
    assert Counter(q["lang"] for q in GRAPH_QUESTIONS) == {"en": 30, "zh": 30}
    assert Counter(q["lang"] for q in FOLLOWUPS) == {"en": 4, "zh": 4}
    assert len(set(ids(GRAPH_QUESTIONS + FOLLOWUPS))) == 68


def test_every_follow_up_has_its_history_and_the_question_that_stands_alone() -> None:
    for question in FOLLOWUPS:
        assert question["history"] and all({"question", "answer"} == set(turn) for turn in question["history"])
        assert len(question["standalone_question"]) > len(question["question"])


def test_the_routing_questions_are_two_hundred_and_half_of_each_language_needs_files() -> None:
    questions = lines(HERE / "routing_questions.jsonl")

    assert Counter((q["label"], q["lang"]) for q in questions) == {(a, b): 50 for a in ("files", "general") for b in ("en", "zh")}
    assert len(set(ids(questions))) == len({q["question"].casefold() for q in questions}) == 200


def test_the_routing_questions_are_for_the_model_and_not_for_the_sum_checker() -> None:
    questions = lines(HERE / "routing_questions.jsonl")

    assert not [q for q in questions if is_arithmetic(q["question"])]


def test_no_question_is_an_example_of_a_prompt_or_of_the_calibration() -> None:
    folder = HERE.parents[1] / "core" / "qa"
    prompts = "\n".join(file.read_text(encoding="utf-8") for file in (folder / "prompts").glob("*.md")).splitlines()
    calibration = [row for file in (folder / "calibration").glob("*.jsonl") for row in lines(file)]
    examples = {text.strip().casefold() for text in (*prompts, *(row["question"] for row in calibration))}
    asked = [q["question"] for q in lines(HERE / "routing_questions.jsonl") + GRAPH_QUESTIONS + FOLLOWUPS]

    assert not [question for question in asked if question.casefold() in examples]
