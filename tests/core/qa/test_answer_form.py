from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.qa.answer_form import first_line, has_words, short_answer, shown


def test_the_answer_alone_is_the_first_line_without_its_mark() -> None:
    assert short_answer("1887 [2].\nThe tower was finished in 1887 [2].") == "1887"


def test_a_mark_alone_is_no_first_line() -> None:
    assert first_line("[1]\nAnna Berg") == "Anna Berg"


def test_a_long_text_has_no_short_answer() -> None:
    assert short_answer("First the valve is closed, then the pump is emptied, and only then the housing may be opened by two people.") == ""


def test_nothing_is_shown_before_the_first_line_is_whole() -> None:
    assert shown("NOT STA", finished=False) == ""
    assert shown("1887\n", finished=False) == "1887"


def test_a_text_without_lines_is_shown_as_it_grows() -> None:
    assert shown("word " * 40, finished=False).startswith("word word")


def test_the_short_answer_and_the_sentences_are_two_paragraphs() -> None:
    assert shown("1887\nThe tower was finished in 1887 [2].", finished=True) == "1887\n\nThe tower was finished in 1887 [2]."


@pytest.mark.parametrize(
    ("text", "once"),
    [
        (
            "Amy Johnson was a pioneering British aviator.\n\nAmy Johnson was a pioneering British aviator [1]. She flew alone.",
            "Amy Johnson was a pioneering British aviator.\n\nShe flew alone.",
        ),
        ("机械密封每两千小时要检查一次。\n机械密封每两千小时要检查一次。[1]", "机械密封每两千小时要检查一次。"),
    ],
)
def test_a_sentence_is_not_said_twice(text: str, once: str) -> None:
    assert shown(text, finished=True) == once


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("庆喜班[1]\n\n老秦从前在戏班里做什么？", "庆喜班[1]"),
        ("A drummer\nWhat did Qin do? [2] He drummed for the troupe [1].", "A drummer\n\nHe drummed for the troupe [1]."),
        ("A drummer\nWhat did Qin do all day is not written.", "A drummer\n\nWhat did Qin do all day is not written."),
    ],
)
def test_a_question_that_was_looked_up_is_no_explanation(text: str, answer: str) -> None:
    assert shown(text, finished=True, asked=("老秦从前在戏班里做什么？", "What did Qin do?")) == answer


def test_a_short_answer_that_comes_again_in_a_sentence_is_kept() -> None:
    assert shown("Anna Berg\nAnna Berg runs it [1].", finished=True) == "Anna Berg\n\nAnna Berg runs it [1]."


def test_a_copied_fence_is_left_out() -> None:
    assert shown("1887\nIn 1887 [1]. </a1b2c3>", finished=True) == "1887\n\nIn 1887 [1]."


@given(
    st.lists(
        st.sampled_from(
            [
                "Amy was a very good British pilot",
                "Amy",
                " ",
                "\n",
                ".",
                " [1]",
                "[",
                "She flew. ",
                "</a1b2c3>",
                "<",
                "泵每两千小时要检查一次呢。",
                "Who flew? ",
                "Who flew alone?",
            ]
        ),
        max_size=14,
    )
)
def test_what_was_shown_is_never_taken_back(pieces: list[str]) -> None:
    text = "".join(pieces)
    asked = ("Who flew?", "Who flew alone?", "")
    before = ""
    for end in range(len(text) + 1):
        now = shown(text[:end], finished=False, asked=asked)
        assert now.rstrip().startswith(before.rstrip()), (before, now)
        before = now
    assert shown(text, finished=True, asked=asked).startswith(before.rstrip())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (". The key hangs behind door 47. [1]", "The key hangs behind door 47. [1]"),
        ("。钥匙挂在 47 号门后 [1]", "钥匙挂在 47 号门后 [1]"),
        (".\nBehind door 47", "Behind door 47"),
        (".5 m [1]", ".5 m [1]"),
        (".NET 8 [1]", ".NET 8 [1]"),
    ],
)
def test_the_end_of_another_sentence_is_no_beginning(text: str, wanted: str) -> None:
    assert shown(text, finished=True) == wanted
    assert first_line(text) == wanted.removesuffix(" [1]")


@pytest.mark.parametrize(
    ("line", "says"), [("[P]", False), ("【1】。", False), ("", False), ("7 [1]", True), ("[Paris]", True), ("许知远 [2]", True)]
)
def test_marks_alone_say_nothing(line: str, says: bool) -> None:
    assert has_words(line) == says
