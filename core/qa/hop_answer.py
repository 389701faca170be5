"""The short answer of a lookup, read from the evidence: what the next lookup is finished with, and what ties the passages together."""

from __future__ import annotations

from dataclasses import replace

from core.documents import SubQuestion
from core.qa.citations import share, terms, without_marks
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, write_line
from core.qa.language import prompt_language
from core.qa.prompt import evidence_prompt
from core.qa.state import QAState

MAX_TOKENS = 20
MAX_CHARACTERS = 60
# Share of the answer's terms that some passage must hold: a name that no passage has was not read but invented.
OCCURS = 0.6
_UNKNOWN = ("unknown", "not ", "none", "no ", "未知", "不知道", "没有", "未写明", "未提")


def hop_answers(state: QAState, context: QAContext) -> tuple[tuple[SubQuestion, ...], tuple[str, ...]]:
    """The lookups made so far, each with its short answer where the evidence has one, and the notes of what failed."""
    lookups: list[SubQuestion] = []
    notes: tuple[str, ...] = ()
    for lookup in state["lookups"]:
        if lookup.answer or lookup.error or not state["documents"] or context.meter.limit_hit():
            lookups.append(lookup)
            continue
        try:
            answer = _answer(lookup.query, state, context)
        except BROKEN_DECISION:
            answer, notes = "", ("hop_answer_failed",)
        lookups.append(replace(lookup, answer=answer))
    return tuple(lookups), notes


def _answer(lookup: str, state: QAState, context: QAContext) -> str:
    language = prompt_language(lookup)
    prompt = evidence_prompt("hop_answer", language, question=state["standalone_question"], documents=state["documents"], lookup=lookup)
    line = write_line(context.chat_model, prompt, max_tokens=MAX_TOKENS, cancel=context.cancel)
    return usable_answer(line, [f"{found.chunk.context}\n{found.chunk.text}" for found in state["documents"]])


def usable_answer(line: str, passages: list[str]) -> str:
    """What the model wrote, without marks and full stops; empty if it does not know, talks at length, or names what no passage has."""
    answer = without_marks(line).removeprefix("答：").removeprefix("Answer:").strip(' .。"“”')
    if not answer or len(answer) > MAX_CHARACTERS or answer.casefold().startswith(_UNKNOWN):
        return ""
    wanted = terms(answer)
    return answer if any(share(wanted, terms(passage)) >= OCCURS for passage in passages) else ""
