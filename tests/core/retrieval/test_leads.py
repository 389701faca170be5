from __future__ import annotations

import pytest

from core.cancel import CancelToken
from core.documents import SearchOutcome
from core.errors import IndexDamaged
from core.retrieval.leads import LEAD_CHARACTERS, follow_leads
from tests.fakes.retrieval import KnownPassages, passage

QUESTION = "Where was the man who built the Tarn bridge born?"
BRIDGE = passage(1, "The Tarn bridge was built by Iver Holt.")
MILL = passage(2, "The mill on the Tarn is older than the bridge.")
HOLT = passage(3, "Iver Holt was born in Sundal.", score=0.8)
ROAD = passage(4, "The road over the mill dam was closed.")


class Searching:
    """A search over passages that are known for each query; keeps what it was asked."""

    def __init__(self, known: KnownPassages) -> None:
        self.known = known
        self.most: list[int] = []

    def __call__(self, query: str, most: int) -> SearchOutcome:
        self.most.append(most)
        return self.known.search_with_notes(query, k=most, cancel=CancelToken())


def leading_to(**found: list[object]) -> Searching:
    return Searching(KnownPassages(otherwise=lambda query: found["holt"] if "Iver Holt" in query else found["other"]))  # type: ignore[arg-type,return-value]


def test_what_a_passage_names_is_found_with_the_question() -> None:
    search = leading_to(holt=[BRIDGE, HOLT], other=[BRIDGE, MILL])

    found = follow_leads(QUESTION, [BRIDGE, MILL], search, most=3)

    assert [lead.chunk for lead in found.passages] == [HOLT.chunk]
    assert search.known.queries == [f"{QUESTION} {BRIDGE.chunk.text}", f"{QUESTION} {MILL.chunk.text}"]


def test_each_passage_leads_to_one_more_and_no_two_to_the_same() -> None:
    search = leading_to(holt=[HOLT, ROAD], other=[HOLT, ROAD])

    found = follow_leads(QUESTION, [BRIDGE, MILL], search, most=3)

    assert [lead.chunk for lead in found.passages] == [HOLT.chunk, ROAD.chunk]


def test_no_more_are_followed_than_are_wanted() -> None:
    search = leading_to(holt=[HOLT], other=[ROAD])

    assert len(follow_leads(QUESTION, [BRIDGE, MILL], search, most=1).passages) == 1
    assert len(search.known.queries) == 1
    assert follow_leads(QUESTION, [BRIDGE, MILL], search, most=0) == SearchOutcome(())


def test_a_lead_is_worth_less_than_what_the_question_found_and_has_no_likeness_to_the_question() -> None:
    lead = follow_leads(QUESTION, [BRIDGE], leading_to(holt=[HOLT], other=[]), most=1).passages[0]

    assert (lead.score, lead.similarity) == (0.4, None)


def test_a_long_passage_is_followed_by_its_beginning_on_one_line() -> None:
    search = leading_to(holt=[HOLT], other=[])

    follow_leads(QUESTION, [passage(9, "Iver Holt\n" + "was here. " * 100)], search, most=1)

    assert len(search.known.queries[0]) <= len(QUESTION) + 1 + LEAD_CHARACTERS
    assert "\n" not in search.known.queries[0]


def test_nothing_found_leads_nowhere() -> None:
    search = leading_to(holt=[HOLT], other=[ROAD])

    assert follow_leads(QUESTION, [], search, most=3) == SearchOutcome(())
    assert search.known.queries == []


def test_notes_of_the_searches_are_told_once() -> None:
    search = Searching(KnownPassages(otherwise=[HOLT], notes=("words_failed",)))

    assert follow_leads(QUESTION, [BRIDGE, MILL], search, most=3).notes == ("words_failed",)


def test_a_search_that_fails_is_the_callers_to_deal_with() -> None:
    search = Searching(KnownPassages({f"{QUESTION} {BRIDGE.chunk.text}": IndexDamaged("gone")}))

    with pytest.raises(IndexDamaged):
        follow_leads(QUESTION, [BRIDGE], search, most=3)
