"""Make a follow-up question stand alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.cancel import CancelToken
from core.documents import Message
from core.protocols import ChatModel
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, probability, write_line
from core.qa.follow_ups import is_true_to, reference
from core.qa.language import PromptLanguage, prompt_language
from core.qa.prompt import few_shot
from core.qa.state import QAState
from core.qa.sums import is_arithmetic

HISTORY_TURNS = 4
# A follow-up is about what was said, not about every word of it: long answers are cut so that the prompt stays short.
HISTORY_CHARACTERS = 300
MAX_TOKENS = 80
# A question rewritten for nothing costs seconds and is searched as it was typed too; one that is not understood costs the answer.
POINTS_BACK = 0.35

_SOURCE_MARK = re.compile(r"\s*\[\d{1,3}\]")
_LABELS: dict[PromptLanguage, tuple[str, str]] = {"en": ("yes", "no"), "zh": ("是", "否")}


def rewrite_question(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Resolve what the question refers to in the last turns, in the question's own language. Never sees documents.

    A question that stands alone stays as it is. What the model writes is taken only if code finds it true to the question; a broken decision
    leaves the question as it is, with a note.
    """
    context = runtime.context
    question, history = state["question"], state["chat_history"][-2 * HISTORY_TURNS :]
    try:
        rewritten = standalone(question, history, context.chat_model, cancel=context.cancel)
    except BROKEN_DECISION:
        return {"notes": ("rewrite_failed",), "usage": context.meter.take()}
    return {
        "standalone_question": rewritten,
        "sub_questions": (rewritten,),
        "current_queries": (rewritten,),
        "usage": context.meter.take(),
    }


def standalone(question: str, history: Sequence[Message], chat_model: ChatModel, *, cancel: CancelToken) -> str:
    """The question so that it can be understood without `history`; the question itself if it can be already.

    The model rewrites it. If that is not true to the question, it is followed by the question before it and its answer, in brackets: clumsy,
    but nothing is invented.
    """
    points_back = reference(question) if history and not is_arithmetic(question) else "stands_alone"
    if points_back == "stands_alone":
        return question
    language = prompt_language(question)
    values = {"history": history_text(history, language), "question": question}
    if points_back == "unclear":
        label, other = _LABELS[language]
        if probability(chat_model, few_shot("points_back", language, **values), label, other, cancel=cancel) < POINTS_BACK:
            return question
    rewritten = write_line(chat_model, few_shot("rewrite_question", language, **values), max_tokens=MAX_TOKENS, cancel=cancel)
    if is_true_to(rewritten, question, history):
        return rewritten
    return with_last_turn(question, history) if points_back == "points_back" else question


def with_last_turn(question: str, history: Sequence[Message]) -> str:
    """The question, and in brackets the one before it with the beginning of its answer."""
    asked = [n for n, turn in enumerate(history) if turn.role == "user"]
    if not asked:
        return question
    turns = " ".join(_cut(turn.content, HISTORY_CHARACTERS // 2) for turn in history[asked[-1] : asked[-1] + 2])
    return f"{question}（{turns}）" if prompt_language(question) == "zh" else f"{question} ({turns})"


def history_text(history: Sequence[Message], language: PromptLanguage) -> str:
    """The last turns as lines, long ones cut."""
    names = {"user": "用户", "assistant": "助手"} if language == "zh" else {"user": "User", "assistant": "Assistant"}
    recent = history[-2 * HISTORY_TURNS :]
    return "\n".join(f"{names.get(turn.role, turn.role)}: {_cut(turn.content, HISTORY_CHARACTERS)}" for turn in recent)


def _cut(text: str, characters: int) -> str:
    flat = " ".join(_SOURCE_MARK.sub("", text).split())
    return flat if len(flat) <= characters else flat[:characters] + "…"
