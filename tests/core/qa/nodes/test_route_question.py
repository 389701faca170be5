from __future__ import annotations

import pytest

from core.qa.greetings import is_greeting
from core.qa.sums import is_arithmetic
from tests.fakes.asking import ask
from tests.fakes.retrieval import KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel


@pytest.mark.parametrize("question", ["1+1=?", "12 * 8", "(3+4)/7 = ？", "12×8等于多少？", "15% * 240"])
def test_a_sum_needs_no_file(question: str) -> None:
    assert is_arithmetic(question)


@pytest.mark.parametrize("question", ["2026-11-30", "555-1234", "42", "What is 1+1?", "", "?", "E-47"])
def test_dates_numbers_and_codes_are_no_sums(question: str) -> None:
    assert not is_arithmetic(question)


@pytest.mark.parametrize(
    "text", ["hi", "Hello there!", "Good morning", "Thanks a lot.", "thank you, bye", "你好！", "谢谢您了", "早上好，再见"]
)
def test_a_greeting_needs_no_file_and_no_model(text: str) -> None:
    assert is_greeting(text)
    model = ScriptedChatModel(streams=["Hello!"])

    asked = ask(text, model)

    assert asked.answer.strategy == "simple"
    assert model.calls("choose") == []


@pytest.mark.parametrize(
    "text", ["Hi, who runs the shop?", "Hello World", "Who says goodbye in chapter two?", "谢谢信是谁写的？", "你好吗公司在哪里", ""]
)
def test_a_question_that_begins_politely_is_still_a_question(text: str) -> None:
    assert not is_greeting(text)


@pytest.mark.parametrize(("files", "strategy"), [(0.9, "complex"), (0.5, "complex"), (0.3, "simple")])
def test_doubt_leans_to_the_files(files: float, strategy: str) -> None:
    model = ScriptedChatModel(
        streams=lambda prompt: "Text.",
        replies=lambda prompt, kind: {"lookups": ["q"]},
        choices=lambda prompt, labels: {"files": files, "general": 1 - files} if "files" in labels else {labels[0]: 1.0},
    )

    asked = ask("Who runs it?", model, KnownPassages(otherwise=[passage(1, "Text.")]))

    assert asked.answer.strategy == strategy
