"""Search the files for this round's lookups."""

from __future__ import annotations

from langgraph.runtime import Runtime

from core.documents import SearchOutcome, SubQuestion
from core.errors import Cancelled, LamplightError
from core.qa.context import QAContext
from core.qa.state import QAState
from core.retrieval.leads import follow_leads
from core.retrieval.neighbours import grow_evidence

# Several lookups of one question add less each: the evidence of all of them has to fit into one prompt.
SHARED_CHUNKS = 3
HEADING_TOKENS = 16
# Two passages are the least a lookup is worth.
LOOKUP_TOKENS = 500
# "What is the castle there called?" finds castles; it is searched only in case the rewriting lost something.
AS_TYPED = 0.5


def retrieve(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Append what the lookups of this round find. Nothing found is data; a failed search is written into its lookup and the notes."""
    context = runtime.context
    documents, lookups = state["documents"], state["lookups"]
    notes: list[str] = []
    queries = state["current_queries"][: max(1, state["max_retrievals"] - state["retrieval_count"])]
    for query in queries:
        try:
            asked = wordings(query, state)
            weights = [AS_TYPED if text == state["question"] != state["standalone_question"] else 1.0 for text in asked]
            found = context.retriever.search_all(asked, k=_chunks(state, context), cancel=context.cancel, weights=weights)
            outcome = _with_leads(found, state, context)
        except Cancelled:
            raise
        except LamplightError as error:
            lookups = (*lookups, SubQuestion(query, error=error.code))
            notes += ["search_failed", error.code]
            continue
        grown = grow_evidence(
            documents,
            outcome.passages,
            max_tokens=_room(state, context, done=len(lookups) + 1),
            count_tokens=context.chat_model.count_tokens,
            read=context.retriever.text_of,
            overhead_tokens=HEADING_TOKENS,
        )
        lookups = (*lookups, SubQuestion(query, found=len(grown) - len(documents)))
        documents = grown
        notes += outcome.notes
    return {
        "retrieval_count": state["retrieval_count"] + len(queries),
        "next_sub_idx": state["next_sub_idx"] + len(queries),
        "lookups": lookups,
        "documents": documents,
        "notes": tuple(note for note in dict.fromkeys(notes) if note not in state["notes"]),
        "usage": context.meter.take(),
    }


def wordings(query: str, state: QAState) -> tuple[str, ...]:
    """What is searched for a lookup: its own words, and those of the question where they name what the lookup may have lost.

    A lookup that was finished with an earlier answer may lack the subject ("Why was the officer banished?"), so the question with
    the answers found so far is searched too. A follow-up is searched as the person typed it and as it was rewritten.
    """
    question = state["standalone_question"]
    if len(state["sub_questions"]) == 1:
        return tuple(dict.fromkeys((query, state["question"])))
    found = [lookup.answer for lookup in state["lookups"] if lookup.answer]
    if found:
        return (query, " ".join((question, *found)))
    return (query, question) if len(state["current_queries"]) == 1 else (query,)


def room_after(lookup: int, lookups: int, tokens: int) -> int:
    """Tokens of evidence there may be after lookup number `lookup` of `lookups`: an even share each, so that the first does not take all."""
    return tokens * min(lookup, lookups) // max(lookups, 1)


def _with_leads(found: SearchOutcome, state: QAState, context: QAContext) -> SearchOutcome:
    """What the question found, and in the place of the last of it what the best of it leads to; only in the first round, and if that is of one lookup.

    A search for leads that fails takes nothing away.
    """
    if not state["features"].leads or state["retrieval_count"] or len(state["current_queries"]) > 1:
        return found
    wanted = context.meter.limits.chunks_per_lookup

    def search(query: str, k: int) -> SearchOutcome:
        return context.retriever.search_all((query,), k=k, cancel=context.cancel)

    try:
        leads = follow_leads(state["standalone_question"], found.passages, search, most=wanted // 2)
    except Cancelled:
        raise
    except LamplightError as error:
        return SearchOutcome(found.passages, (*found.notes, error.code))
    own = found.passages[: wanted - len(leads.passages)]
    return SearchOutcome((*own, *leads.passages), (*found.notes, *leads.notes))


def _chunks(state: QAState, context: QAContext) -> int:
    alone = len(state["current_queries"]) == 1 and not state["retrieval_count"]
    most = context.meter.limits.chunks_per_lookup
    return most if alone else min(SHARED_CHUNKS, most)


def _room(state: QAState, context: QAContext, done: int) -> int:
    planned = len(state["sub_questions"])
    tokens = max(context.meter.limits.evidence_tokens, LOOKUP_TOKENS * planned)
    return room_after(done, planned, min(tokens, context.chat_model.context_tokens // 2))
