"""`lamplight search QUERY`: passages only, no chat model."""

from __future__ import annotations

import time

from core.documents import ScoredChunk
from core.errors import InvalidRequest, NotFound
from core.scope import Scope
from core.store.storable import storable
from desktop.answer_json import passages_json, scope_json
from desktop.commands.restriction import explained, scope_of, scope_words
from desktop.error_text import note_text
from desktop.invocation import Invocation
from desktop.page_words import page_text
from desktop.terminal import Terminal, shown_path

SHOWN_CHARACTERS = 240


def run(invocation: Invocation) -> int:
    """Print the passages that fit best. Nothing found is a result, not a failure; an empty library is a failure."""
    arguments, terminal = invocation.arguments, invocation.terminal
    query = storable(arguments.query).strip()
    if not query:
        raise InvalidRequest("The query is empty. Say what to search for.", code="query_empty")
    scope = scope_of(arguments)
    with invocation.application() as application:
        if not application.library.has_documents():
            raise InvalidRequest("The library is empty. Add files first: lamplight index PATH", code="library_empty")
        started = time.monotonic()
        try:
            retriever = application.retriever_for(arguments.mode).within(scope)
        except (InvalidRequest, NotFound) as error:
            raise explained(error, scope, application) from None
        outcome = retriever.search_with_notes(query, k=arguments.k, cancel=invocation.cancel)
        seconds = time.monotonic() - started
    found = list(outcome.passages)
    invocation.log.event("searched", found=len(found), seconds=seconds)
    if terminal.as_json:
        terminal.json({**passages_json(query, found, seconds), "notes": list(outcome.notes), "scope": scope_json(scope)})
    else:
        _print(found, scope, terminal)
    for code in outcome.notes:
        terminal.note(f"Note: {note_text(code).title} {note_text(code).what_to_do}")
    return 0


def _print(found: list[ScoredChunk], scope: Scope, terminal: Terminal) -> None:
    if not scope.is_everything:
        terminal.note(f"Searched only {scope_words(scope)}")
    if not found:
        terminal.note("Nothing in the library fits this query." if scope.is_everything else "Nothing there fits this query.")
    for number, item in enumerate(found, start=1):
        text = " ".join(item.chunk.text.split())
        page = f" {page_text(item.chunk.path, item.chunk.page)}" if item.chunk.page is not None else ""
        terminal.result(f"[{number}] {shown_path(item.chunk.path)}:{item.chunk.line}{page}  ({item.score:.3f})")
        terminal.result(f"    {text[:SHOWN_CHARACTERS]}{'…' if len(text) > SHOWN_CHARACTERS else ''}")
