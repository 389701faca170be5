from __future__ import annotations

import pytest

from core.qa.shortfall import AskedKind, asked_kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who runs the library?", "person"), ("By whom was the bridge built?", "person"), ("Do you know who runs it?", "person"), ("谁负责图书馆？", "person"),
        ("When does the ferry leave?", "time"), ("In which year was it built?", "time"), ("渡船几点开？", "time"), ("Where is the key kept?", "place"),
        ("Why was the project delayed?", "reason"), ("How many members are there?", "number"), ("How is the filter cleaned?", "way"), ("Name the pump.", "fact"),
    ],
)  # fmt: skip
def test_the_question_word_says_what_is_asked_for(question: str, kind: AskedKind) -> None:
    assert asked_kind(question) == kind


@pytest.mark.parametrize(
    "question",
    [
        "What happens to members who pay the fee too late?", "In which team does the person work who stands in for the maintainer?", "What is done when the pump fails?",
        "What is the name of the house where the society met?", "What did the man say whose boat was lost?", "Which rule says how a member is admitted?",
    ],
)  # fmt: skip
def test_a_word_that_begins_a_clause_asks_for_nothing(question: str) -> None:
    assert asked_kind(question) == "fact"
