from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.documents import Message
from core.qa.follow_ups import Reference, is_true_to, reference, strange_names


def talk(*turns: str) -> list[Message]:
    return [Message("assistant" if n % 2 else "user", text) for n, text in enumerate(turns)]


STOVE = talk("How long is the warranty of the Alto stove?", "Five years, says Petra Lang.")
PUMP = talk("海风牌水泵的保修期是多久？", "三年，由何立负责，编号 P-02。")


@pytest.mark.parametrize(
    "question",
    [
        "Who is her deputy?", "And on the Orrin 9?", "And the other firm?", "What about the price?", "Why?", "What is the harbour there called?",
        "Did that firm win?", "And what's the usual snowfall in Oslo?", "How much for the second one?",
        "他身高多少？", "那 HG-5 呢？", "母亲呢？", "后来是谁把他活捉的？", "这个官归哪个衙门管？", "最后败给了谁？", "其扬程是多少？",
    ],
)  # fmt: skip
def test_pronouns_and_fragments_point_back(question: str) -> None:
    assert reference(question) == "points_back"


@pytest.mark.parametrize("question", ["What is the capital of France?", "How do I sort a list in Python?", "Who runs the Alto project?"])
def test_a_question_that_names_its_subject_stands_alone(question: str) -> None:
    assert reference(question) == "stands_alone"


@pytest.mark.parametrize(
    "question",
    ["Did Mary find her book?", "When was the company founded?", "加班费怎么算？", "《西游记》里他的师父是谁？", "法国的首都是哪里？"],
)
def test_what_code_cannot_tell_is_left_to_the_model(question: str) -> None:
    assert reference(question) == "unclear"


@pytest.mark.parametrize(
    ("rewritten", "question", "history"),
    [
        ("How long is the warranty of the Bruno stove?", "And of the Bruno?", STOVE),
        ("Where was Petra Lang born?", "Where was she born?", STOVE),
        ("What did Petra Lang say about the stove that she bought?", "What did she say about the stove that she bought?", STOVE),
        ("晨光牌水泵的保修期是多久？", "那晨光牌呢？", PUMP),
        ("何立是哪一年进厂的？", "他是哪一年进厂的？", PUMP),
        ("P-02 的扬程是多少？", "它的扬程呢？", PUMP),
    ],
)
def test_a_true_rewriting_brings_names_of_the_conversation(rewritten: str, question: str, history: list[Message]) -> None:
    assert is_true_to(rewritten, question, history)


@pytest.mark.parametrize(
    ("rewritten", "question", "history"),
    [
        ("", "Where was she born?", STOVE),
        ("Where was she born?", "Where was she born?", STOVE),
        ("Where was she born in Berlin?", "Where was she born?", STOVE),
        ("Where was Anna Berg born?", "Where was she born?", STOVE),
        ("Where was Petra Lang born in 1962?", "Where was she born?", STOVE),
        ("Petra Lang was born in five years.", "Where was she born?", STOVE),
        ("How long is the warranty of the Alto stove?", "And of the Bruno 9?", STOVE),
        ("How long is the warranty of the stove?", "And of the Bruno 9?", STOVE),
        ("Petra Lang 是在哪里出生的？", "Where was she born?", STOVE),
        ("Where was Petra Lang born?" * 12, "Where was she born?", STOVE),
        ("他是哪一年进厂的？", "他是哪一年进厂的？", PUMP),
        ("林冲是哪一年进厂的？", "他是哪一年进厂的？", PUMP),
        ("母亲是谁？", "母亲呢？", PUMP),
        ("海风牌水泵的保修期是多久？", "那晨光牌呢？", PUMP),
        ("后来何立把他调走的。", "后来是谁把他调走的？", PUMP),
    ],
)
def test_a_rewriting_is_refused_that_changes_forgets_invents_or_repeats(rewritten: str, question: str, history: list[Message]) -> None:
    assert not is_true_to(rewritten, question, history)


@pytest.mark.parametrize(
    ("text", "strange"),
    [("Did Petra go to Rome?", ("Rome",)), ("Is the Alto stove heavy?", ()), ("What of P-03?", ("P-03",)), ("在1871年？", ("1871",))],
)
def test_names_and_numbers_that_nobody_said_are_strange(text: str, strange: tuple[str, ...]) -> None:
    assert strange_names(text, "Petra has an Alto stove, P-02.") == strange


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_be_checked(rewritten: str, question: str, said: str) -> None:
    kinds: set[Reference] = {"points_back", "unclear", "stands_alone"}
    assert reference(question) in kinds
    assert isinstance(is_true_to(rewritten, question, talk(said)), bool)
