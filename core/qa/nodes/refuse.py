"""Say that the files do not say, what was searched, and, plainly apart, what the model itself may know."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.documents import ClosestPassage, Message, Prompt, Refusal, ScoredChunk
from core.events import AnswerText
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION
from core.qa.language import PromptLanguage, prompt_language
from core.qa.prompt import fill, prompt_text
from core.qa.shortfall import asked_kind, question_subject, shortfall
from core.qa.state import QAState
from core.simplified import simplified

OWN_KNOWLEDGE_TOKENS = 250
CLOSEST = 3
# Above this the router was sure that the question is about the person's own material: what a model "knows" of that is invented.
ABOUT_FILES_PROBABILITY = 0.62


def refuse(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Stream the refusal: what was searched, and the closest passages as numbered sources."""
    context = runtime.context
    text = refusal_text(state)
    runtime.stream_writer(AnswerText(text))
    done: QAState = {"generation": text, "refused": True, "documents": state["documents"]}
    if not _worth_own_knowledge(state, context):
        return {**done, "usage": context.meter.take()}
    own = ""
    rules = prompt_text("own_knowledge", prompt_language(state["question"]))
    prompt = Prompt((Message("system", rules), Message("user", state["standalone_question"])))
    try:
        for piece in context.chat_model.stream(prompt, max_tokens=OWN_KNOWLEDGE_TOKENS, cancel=context.cancel):
            own += piece
            runtime.stream_writer(AnswerText(piece, own_knowledge=True))
    except BROKEN_DECISION:
        return {**done, "own_knowledge": own.strip(), "notes": ("own_knowledge_failed",), "usage": context.meter.take()}
    return {**done, "own_knowledge": own.strip(), "usage": context.meter.take()}


def _worth_own_knowledge(state: QAState, context: QAContext) -> bool:
    files = state["files_probability"]
    if not context.own_knowledge or files is None or files >= ABOUT_FILES_PROBABILITY or context.meter.limit_hit():
        return False
    return not names_what_is_in(state["standalone_question"], [found.chunk.text for found in state["documents"]])


def names_what_is_in(question: str, passages: Sequence[str]) -> bool:
    """Whether the question names something that the passages name too: then it is about the person's own matters.

    Names are words with a capital letter or a figure (but for the first word), and any three Chinese characters in a row.
    """
    text, question = simplified(" ".join(passages)).casefold(), simplified(question)
    words = re.findall(r"[^\W_]+(?:-[^\W_]+)*", question)
    names = {word for place, word in enumerate(words) if any(c.isdigit() for c in word) or (place and word[0].isupper())}
    names |= {run[i : i + 3] for run in re.findall(r"[\u3400-\u4dbf\u4e00-\u9fff]{3,}", question) for i in range(len(run) - 2)}
    return any(name.casefold() in text for name in names)


def refusal_text(state: QAState) -> str:
    """The words of the refusal, in the question's language, from `prompts/refuse.md`."""
    language = prompt_language(state["question"])
    sections = _sections(language)
    failed = bool(state["lookups"]) and all(lookup.error for lookup in state["lookups"])
    lines = [sections["failed" if failed else "not_stated"]]
    searched = "\n".join(f"- {lookup.query}" for lookup in state["lookups"])
    if searched and not failed:
        lines.append(fill(sections["searched"], queries=searched))
    web = state["web"]
    if web.error and web.searched:
        lines.append(sections["web_failed"])
    elif web.searched and not web.results:
        lines.append(sections["web_empty"])
    if closest := closest_passages(state):
        lines.append(fill(sections["closest"], numbers=" ".join(f"[{n}]" for n, _ in enumerate(closest, 1))))
    if wanted := refusal_of(state).would_settle:
        lines.append(fill(sections["settled_by"], what=wanted))
    return "\n\n".join(lines)


def refusal_of(state: QAState) -> Refusal:
    """The refusal as an object. A search that failed settles nothing and shows nothing."""
    searched = tuple(lookup.query for lookup in state["lookups"])
    if state["lookups"] and all(lookup.error for lookup in state["lookups"]):
        return Refusal(searched)
    question = state["standalone_question"]
    closest = tuple(ClosestPassage(n, shortfall(question, found)) for n, found in enumerate(closest_passages(state), 1))
    return Refusal(searched, closest, would_settle(question))


def would_settle(question: str) -> str:
    """What kind of document would settle the question, in its language: one that names its subject and states what it asks for."""
    sections = _sections(prompt_language(question))
    subject = question_subject(question)
    wanted = sections[f"wanted_{asked_kind(question)}"]
    return fill(sections["would_settle" if subject else "would_settle_plainly"], subject=subject, wanted=wanted)


def closest_passages(state: QAState) -> tuple[ScoredChunk, ...]:
    """The few passages a refusal shows, best score first: what was nearest, and did not answer."""
    return tuple(sorted(state["documents"], key=lambda found: -found.score)[:CLOSEST])


def _sections(language: PromptLanguage) -> dict[str, str]:
    parts = prompt_text("refuse", language).split("## ")[1:]
    return {name.strip(): text.strip() for name, _, text in (part.partition("\n") for part in parts)}
