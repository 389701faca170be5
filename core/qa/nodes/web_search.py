"""Ask the web, once, with the question's own words."""

from __future__ import annotations

from langgraph.runtime import Runtime

from core.documents import WebOutcome
from core.errors import WebSearchFailed
from core.events import WebConsentWanted
from core.qa.context import QAContext
from core.qa.state import QAState

MAX_RESULTS = 5


def web_search(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Search if the person allows it. Declined, failed and empty are three different outcomes, and none stops the answer."""
    context = runtime.context
    evaluation = state["evaluation"]
    query: str | None = evaluation.web_query if evaluation else ""
    if context.web_mode == "ask":
        query = _consent(query or "", runtime)
    if not query:
        # What the person edited and sent is theirs to send; an emptied text is a no.
        return {"web": WebOutcome(error="web_declined"), "notes": ("web_declined",), "usage": context.meter.take()}
    try:
        results = context.web_search.search(query, max_results=MAX_RESULTS, cancel=context.cancel)
    except WebSearchFailed as error:
        return {"web": WebOutcome(searched=True, query=query, error=error.code), "notes": (error.code,), "usage": context.meter.take()}
    return {"web": WebOutcome(searched=True, query=query, results=tuple(results)), "usage": context.meter.take()}


def _consent(query: str, runtime: Runtime[QAContext]) -> str | None:
    consent = runtime.context.consent
    if consent is None:
        return None
    runtime.stream_writer(WebConsentWanted(query))
    return consent(query, cancel=runtime.context.cancel)
