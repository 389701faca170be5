"""Answer from the model's own knowledge."""

from __future__ import annotations

from langgraph.runtime import Runtime

from core.documents import Message, Prompt
from core.events import AnswerText
from core.qa.context import QAContext
from core.qa.decisions import Stream
from core.qa.language import prompt_language
from core.qa.nodes.rewrite_question import HISTORY_TURNS
from core.qa.prompt import prompt_text
from core.qa.state import QAState

MAX_TOKENS = 700


def direct_answer(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Stream a short answer without any document."""
    context = runtime.context
    language = prompt_language(state["question"])
    rules = prompt_text("direct_answer", language)
    history = state["chat_history"][-2 * HISTORY_TURNS :]
    prompt = Prompt((Message("system", rules), *history, Message("user", state["question"])))
    text = ""
    stream = Stream(context.chat_model.stream(prompt, max_tokens=MAX_TOKENS, cancel=context.cancel))
    for piece in stream:
        text += piece
        runtime.stream_writer(AnswerText(piece))
    if not text.strip():
        text = prompt_text("no_words", language)
        runtime.stream_writer(AnswerText(text))
    return {"generation": text.strip(), "documents": (), "sub_questions": (), "notes": stream.notes, "usage": context.meter.take()}
