from __future__ import annotations

from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.documents import Chunk, Message, Prompt, ScoredChunk
from core.qa.language import PromptLanguage
from core.qa.prompt import evidence_prompt
from models.backends.echo import EchoChatModel

EVIDENCE = """Answer the question from the passages.
Question: When does the garage lease end?

[1] lease.md > Rent
The rent is due on Mondays. It is paid by card.

[2] lease.md > End
The garage lease ends on 31 May. It can be extended.

Write the answer with the number of its passage."""


def answer(content: str) -> str:
    prompt = Prompt((Message("system", "Rules."), Message("user", content)))
    return "".join(EchoChatModel().stream(prompt, max_tokens=100, cancel=CancelToken()))


def best(question: str, labels: list[str]) -> str:
    return EchoChatModel().choose(Prompt((Message("user", question),)), labels, cancel=CancelToken()).best


def test_the_sentence_that_fits_best_is_quoted_with_its_number() -> None:
    assert answer(EVIDENCE) == "The garage lease ends on 31 May. [2]"


def test_chinese_passages_are_quoted_too() -> None:
    assert answer("问题：宋江的绰号是什么？\n\n[1] 水浒传\n林冲是教头。宋江绰号及时雨。\n\n回答。") == "宋江绰号及时雨。 [1]"


def test_without_passages_the_question_is_repeated() -> None:
    assert answer("Question: 1+1=?") == "You asked: 1+1=?"


def test_arithmetic_and_programming_need_no_files() -> None:
    labels = [" simple", " complex"]

    assert best("1+1=?", labels) == " simple"
    assert best("js写一个add函数", labels) == " simple"
    assert best("When does the lease end?", labels) == " complex"


def test_yes_and_no_follow_the_evidence() -> None:
    assert best(EVIDENCE, ["yes", "no"]) == "yes"
    assert best("Question: Who is the king?", ["yes", "no"]) == "no"


@pytest.mark.parametrize("task", ["evaluate_context", "generate_answer", "hop_answer"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_stands_around_the_passages_of_a_real_prompt_is_no_evidence(task: str, language: PromptLanguage) -> None:
    chunk = Chunk(1, 1, Path("a.md"), "a", "", 0, 24, 1, "Everybody takes 27 days.")
    asked = evidence_prompt(task, language, question="Ellery lighthouse builder?", documents=[ScoredChunk(chunk, 1.0)])
    labels = ("yes", "no") if language == "en" else ("是", "否")

    written = "".join(EchoChatModel().stream(asked, max_tokens=100, cancel=CancelToken()))

    assert written == "You asked: Ellery lighthouse builder?"
    assert EchoChatModel().choose(asked, labels, cancel=CancelToken()).best == labels[1]
