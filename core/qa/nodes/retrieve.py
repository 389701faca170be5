"""Search the files for one lookup."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.documents import ScoredChunk, SubQuestion
from core.errors import Cancelled, LamplightError
from core.qa.context import QAContext
from core.qa.state import QAState
from core.retrieval.budget import fit

# Later lookups of one question add less: the evidence of all rounds has to fit into one prompt.
LATER_CHUNKS = 4
HEADING_TOKENS = 16
# Two passages are the least a lookup is worth.
LOOKUP_TOKENS = 500


def retrieve(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Append what the current lookup finds. Nothing found is data; a failed search is written into the lookup and the notes."""
    context = runtime.context
    query = state["current_query"]
    limits = context.meter.limits
    k = min(LATER_CHUNKS, limits.chunks_per_lookup) if state["retrieval_count"] else limits.chunks_per_lookup
    round_done: QAState = {"retrieval_count": state["retrieval_count"] + 1, "next_sub_idx": state["next_sub_idx"] + 1}
    try:
        outcome = context.retriever.search_with_notes(query, k=k, cancel=context.cancel)
    except Cancelled:
        raise
    except LamplightError as error:
        lookup = SubQuestion(query, error=error.code)
        return {**round_done, "lookups": (*state["lookups"], lookup), "notes": ("search_failed", error.code), "usage": context.meter.take()}
    merged = merge(state["documents"], outcome.passages)
    # Passages found earlier come first, so the room is given to them first and the evidence only grows.
    lookups = len(state["sub_questions"])
    tokens = min(max(limits.evidence_tokens, LOOKUP_TOKENS * lookups), context.chat_model.context_tokens // 2)
    room = room_after(state["next_sub_idx"] + 1, lookups, tokens)
    documents = tuple(fit(merged, max_tokens=room, count_tokens=context.chat_model.count_tokens, overhead_tokens=HEADING_TOKENS))
    added = len(documents) - len(state["documents"])
    lookup = SubQuestion(query, found=added)
    new_notes = tuple(note for note in outcome.notes if note not in state["notes"])
    return {**round_done, "lookups": (*state["lookups"], lookup), "documents": documents, "notes": new_notes, "usage": context.meter.take()}


def room_after(lookup: int, lookups: int, tokens: int) -> int:
    """Tokens of evidence there may be after lookup number `lookup` of `lookups`: an even share each, so that the first does not take all."""
    return tokens * min(lookup, lookups) // max(lookups, 1)


def merge(evidence: Sequence[ScoredChunk], found: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
    """Evidence in arrival order, unique by chunk id; a chunk found again keeps its place and the higher of its scores."""
    merged = {item.chunk.id: item for item in evidence}
    for item in found:
        known = merged.get(item.chunk.id)
        merged[item.chunk.id] = item if known is None else ScoredChunk(known.chunk, max(known.score, item.score))
    return tuple(merged.values())
