"""Leads: what the best passages point to.

A question with several links has the words of its first link only; what the next one is called, the passage of the first one says. So
the question is searched once more together with the beginning of each of the best passages. No model is asked, and nothing is decided:
what comes of it stands after what the question itself has found. In the field's terms: pseudo-relevance feedback, one passage at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.documents import ScoredChunk, SearchOutcome

FOLLOWED = 3
"""How many of the best passages are followed."""

LEAD_CHARACTERS = 400
# It answers another question than the one that was asked, however well.
_LEAD_SCORE = 0.5

Search = Callable[[str, int], SearchOutcome]
"""(query, how many passages at most) -> what was found."""


def follow_leads(question: str, passages: Sequence[ScoredChunk], search: Search, *, most: int) -> SearchOutcome:
    """At most `most` passages that are not among `passages` (best first): for each of the best of these, the best new one it leads to.

    Their scores are halved and their similarity is None: both are those of other queries. Raises what `search` raises.
    """
    found: list[ScoredChunk] = []
    notes: list[str] = []
    known = {passage.chunk.id for passage in passages}
    for passage in passages[:FOLLOWED]:
        if len(found) >= most:
            break
        beginning = " ".join(passage.chunk.text[:LEAD_CHARACTERS].split())
        outcome = search(f"{question} {beginning}", len(known) + 1)
        notes += outcome.notes
        new = next((lead for lead in outcome.passages if lead.chunk.id not in known), None)
        if new is not None:
            known.add(new.chunk.id)
            found.append(replace(new, score=_LEAD_SCORE * new.score, similarity=None))
    return SearchOutcome(tuple(found), tuple(dict.fromkeys(notes)))
