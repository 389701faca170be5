"""Make a follow-up question stand alone."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.documents import Message
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, write_line
from core.qa.language import PromptLanguage, prompt_language
from core.qa.prompt import few_shot
from core.qa.state import QAState
from core.qa.sums import is_arithmetic

HISTORY_TURNS = 4
# A follow-up is about what was said, not about every word of it: long answers are cut so that the prompt stays short.
HISTORY_CHARACTERS = 300
MAX_TOKENS = 80


def rewrite_question(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Resolve what the question refers to in the last turns, in the question's own language. Never sees documents."""
    context = runtime.context
    if is_arithmetic(state["question"]):
        return {"usage": context.meter.take()}
    language = prompt_language(state["question"])
    prompt = few_shot("rewrite_question", language, history=history_text(state["chat_history"], language), question=state["question"])
    try:
        rewritten = write_line(context.chat_model, prompt, max_tokens=MAX_TOKENS, cancel=context.cancel)
    except BROKEN_DECISION:
        return {"notes": ("rewrite_failed",), "usage": context.meter.take()}
    if not rewritten or len(rewritten) > 3 * len(state["question"]) + 200:
        rewritten = state["question"]
    return {"standalone_question": rewritten, "sub_questions": (rewritten,), "current_queries": (rewritten,), "usage": context.meter.take()}


def history_text(history: Sequence[Message], language: PromptLanguage) -> str:
    """The last turns as lines, long ones cut."""
    names = {"user": "用户", "assistant": "助手"} if language == "zh" else {"user": "User", "assistant": "Assistant"}
    recent = history[-2 * HISTORY_TURNS :]
    return "\n".join(f"{names.get(turn.role, turn.role)}: {_cut(turn.content)}" for turn in recent)


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= HISTORY_CHARACTERS else flat[:HISTORY_CHARACTERS] + "…"
