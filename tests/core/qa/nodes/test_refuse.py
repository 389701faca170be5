from __future__ import annotations

import pytest

from core.documents import ClosestPassage
from core.errors import IndexDamaged
from core.qa.nodes.refuse import names_what_is_in, would_settle
from tests.fakes.asking import ask
from tests.fakes.retrieval import KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel

PASSAGES = ["Petra Quill looks after the music. The harbour master wrote it down.", "燕鸥港港务局通知：TL-40 潮汐灯更换万向环。"]


@pytest.mark.parametrize("question", ["What is the salary of Petra Quill?", "港务局局长叫什么名字？", "Who sells the TL-40?"])
def test_a_question_that_names_what_the_files_name_is_about_them(question: str) -> None:
    assert names_what_is_in(question, PASSAGES)


@pytest.mark.parametrize("question", ["Who wrote Romeo and Juliet?", "法国的首都在哪里？", "What is the boiling point of water?"])
def test_a_question_about_the_world_is_not(question: str) -> None:
    assert not names_what_is_in(question, PASSAGES)


FEE = passage(1, "The annual fee is 40 euros. It is due in May.", file="fees.txt", score=0.9)
TERN = passage(2, "The Tern bridge was painted red.", file="bridge.txt", score=0.4)


def refusing_model() -> ScriptedChatModel:
    return ScriptedChatModel(
        streams=lambda prompt: "NOT STATED",
        replies=lambda prompt, kind: {"lookups": ["q"]},
        choices=lambda prompt, labels: {labels[0]: 0.95 if "files" in labels else 0.05, labels[1]: 0.05 if "files" in labels else 0.95},
    )


def test_a_refusal_says_what_was_searched_why_each_passage_falls_short_and_what_would_settle_it() -> None:
    asked = ask("When was the Tern bridge built?", refusing_model(), KnownPassages(otherwise=[FEE, TERN]), pipeline="naive")

    refusal = asked.answer.refusal
    assert refusal is not None
    assert refusal.searched == ("When was the Tern bridge built?",)
    assert refusal.closest == (ClosestPassage(1, "no_names"), ClosestPassage(2, "no_answer"))
    assert "Tern" in refusal.would_settle
    assert "date" in refusal.would_settle
    assert refusal.would_settle in asked.answer.text
    assert [citation.n for citation in asked.answer.citations] == [1, 2]


def test_a_search_that_failed_shows_nothing_and_settles_nothing() -> None:
    asked = ask("What is the fee?", refusing_model(), KnownPassages({"What is the fee?": IndexDamaged("broken")}), pipeline="naive")

    refusal = asked.answer.refusal
    assert refusal is not None
    assert (refusal.closest, refusal.would_settle) == ((), "")


def test_an_answer_is_no_refusal() -> None:
    model = ScriptedChatModel(streams=["The annual fee is 40 euros [1]."])

    assert ask("What is the annual fee?", model, KnownPassages(otherwise=[FEE]), pipeline="naive").answer.refusal is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who runs the Tern Library?", ("Tern Library", "who it is")),
        ("What is the flow of P-02?", ("P-02", "fact")),
        ("《水浒传》中，武松一共吃了多少碗酒？", ("水浒传", "武松", "数目")),
        ("P-02 的负责人坐在哪里？", ("P-02", "地点")),
        ("?", ("a document that states",)),
    ],
)
def test_what_would_settle_it_is_said_in_the_questions_own_words(question: str, words: tuple[str, ...]) -> None:
    assert all(word in would_settle(question) for word in words), would_settle(question)
