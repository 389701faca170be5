"""The plan of a question as data: which lookups can be searched now, and what an earlier one's answer makes of a later one.

("Who wrote Brand?", "Where was #1 born?")  --"Ibsen"-->  "Where was Ibsen born?"
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from core.documents import SubQuestion

_EARLIER_RESULT = re.compile(r"#([1-9])")


def references(lookup: str) -> tuple[int, ...]:
    """The numbers of the earlier lookups, from 1, whose results `lookup` needs."""
    return tuple(int(n) for n in _EARLIER_RESULT.findall(lookup))


def without_references(lookup: str) -> str:
    """The words of a lookup that are its own."""
    return _EARLIER_RESULT.sub("", lookup)


def answers(lookups: Sequence[SubQuestion]) -> dict[int, str]:
    """The short answers found so far, by the number of their lookup."""
    return {n: lookup.answer for n, lookup in enumerate(lookups, 1) if lookup.answer}


def finished(lookup: str, known: Mapping[int, str]) -> str | None:
    """The lookup with the earlier answers in their places, or None while one is not known."""
    if any(n not in known for n in references(lookup)):
        return None
    return _EARLIER_RESULT.sub(lambda found: known[int(found[1])], lookup)


def last_link(plan: Sequence[str], lookups: Sequence[SubQuestion]) -> str:
    """The answer of the lookup that ends a chain, which is the answer of the question; empty where the plan is no chain or it is not known."""
    return lookups[-1].answer if len(lookups) == len(plan) and references(plan[-1]) else ""


def next_round(plan: Sequence[str], cursor: int, known: Mapping[int, str]) -> tuple[str, ...]:
    """The lookups from `cursor` on that need nothing from each other: they can be searched at once. Empty when the next one cannot be finished."""
    batch: list[str] = []
    for lookup in plan[cursor:]:
        query = finished(lookup, known)
        if query is None:
            break
        batch.append(query)
    return tuple(batch)


def same(a: str, b: str) -> bool:
    """Whether two questions differ in nothing but spaces, punctuation and case."""
    return _letters(a) == _letters(b)


def is_new(lookup: str, question: str, searched: Sequence[str]) -> bool:
    """Whether searching `lookup` would be neither the question again nor a lookup that was made already."""
    return bool(_letters(lookup)) and not any(same(lookup, other) for other in (question, *searched))


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())
