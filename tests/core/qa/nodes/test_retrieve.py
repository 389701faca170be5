from __future__ import annotations

from core.qa.nodes.retrieve import room_after
from tests.fakes.asking import ask
from tests.fakes.retrieval import KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel


def test_a_single_lookup_has_all_the_room() -> None:
    assert room_after(1, 1, 1500) == 1500


def test_each_of_several_lookups_has_its_share() -> None:
    assert [room_after(lookup, 3, 1500) for lookup in (1, 2, 3)] == [500, 1000, 1500]


def test_the_first_lookup_leaves_room_for_the_second() -> None:
    def found(query: str) -> list[object]:
        first = 10 if query == "one?" else 20
        return [passage(first + n, f"{query} " + "word " * 140, start=(first + n) * 10_000) for n in range(5)]

    model = ScriptedChatModel(
        streams=lambda prompt: "word",
        replies=lambda prompt, kind: {"lookups": ["one?", "two?"]},
        choices=lambda prompt, labels: {labels[0]: 0.8, labels[1]: 0.2},
    )

    asked = ask("Compare one and two", model, KnownPassages(otherwise=found))  # type: ignore[arg-type]

    assert [lookup.found for lookup in asked.answer.sub_questions] == [3, 3]
