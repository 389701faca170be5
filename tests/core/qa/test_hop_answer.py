from __future__ import annotations

import pytest

from core.qa.hop_answer import usable_answer

PASSAGES = ["Staff > Pumps\nPump P-02 is looked after by Anna Berg (extension 4417).", "泵站\n夜班由何立负责。"]


@pytest.mark.parametrize(
    ("line", "answer"),
    [("Anna Berg [1].", "Anna Berg"), ("Answer: Anna Berg", "Anna Berg"), ("“何立”。", "何立"), ("答：何立", "何立"), ("4417", "4417")],
)
def test_the_answer_itself_is_kept_without_marks_and_full_stops(line: str, answer: str) -> None:
    assert usable_answer(line, PASSAGES) == answer


@pytest.mark.parametrize("line", ["unknown", "Not stated", "未知", "没有写明", "", "[1]"])
def test_not_knowing_is_no_answer(line: str) -> None:
    assert usable_answer(line, PASSAGES) == ""


@pytest.mark.parametrize("line", ["Tom Reed", "4418", "王芳"])
def test_what_no_passage_has_is_no_answer(line: str) -> None:
    assert usable_answer(line, PASSAGES) == ""


def test_a_talkative_reply_is_no_answer() -> None:
    assert usable_answer("Anna Berg " * 10, PASSAGES) == ""
