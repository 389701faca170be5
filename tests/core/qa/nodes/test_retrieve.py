from __future__ import annotations

from core.errors import IndexDamaged
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


def _chain(features: dict[str, list[object]]) -> KnownPassages:
    return KnownPassages(otherwise=lambda query: features["holt"] if "Iver Holt" in query else features["other"])  # type: ignore[arg-type,return-value]


BRIDGE = [
    passage(n, f"The Tarn bridge was built by Iver Holt, page {n}. " + "word " * 60, start=n * 10_000, score=0.9 - n / 10) for n in range(5)
]
HOLT = passage(9, "Iver Holt was born in Sundal.", start=90_000)


def _answering(*, files: float = 0.9) -> ScriptedChatModel:
    return ScriptedChatModel(
        streams=lambda prompt: "Sundal\nHe was born in Sundal [1].",
        replies=lambda prompt, kind: {"lookups": ["Where was the man who built the Tarn bridge born?"]},
        choices=lambda prompt, labels: {labels[0]: files, labels[1]: 1 - files},
    )


def test_what_the_best_passages_lead_to_takes_the_place_of_the_last_of_them() -> None:
    model = _answering(files=0.7)

    asked = ask("Where was the man who built the Tarn bridge born?", model, _chain({"holt": [*BRIDGE, HOLT], "other": BRIDGE}))  # type: ignore[list-item]

    shown = [source.chunk.id for source in asked.answer.documents]
    assert HOLT.chunk.id in shown
    assert len(shown) == 5


def test_the_naive_pipeline_searches_once_and_follows_no_leads() -> None:
    files = _chain({"holt": [*BRIDGE, HOLT], "other": BRIDGE})  # type: ignore[list-item]

    asked = ask("Where was the man who built the Tarn bridge born?", _answering(), files, pipeline="naive")

    assert len(files.queries) == 1
    assert HOLT.chunk.id not in [source.chunk.id for source in asked.answer.documents]


def test_leads_that_cannot_be_searched_leave_what_was_found() -> None:
    failing = KnownPassages(otherwise=lambda query: IndexDamaged("gone") if "Iver Holt" in query else BRIDGE)  # type: ignore[arg-type,return-value]

    asked = ask("Where was the man who built the Tarn bridge born?", _answering(files=0.7), failing)

    assert len(asked.answer.documents) == 5
    assert "search_failed" not in asked.answer.notes
