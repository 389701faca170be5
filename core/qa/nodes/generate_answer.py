"""Write the answer from the evidence, every claim with the number of its source."""

from __future__ import annotations

from langgraph.runtime import Runtime

from core.events import AnswerText
from core.qa.answer_form import shown
from core.qa.citations import without_marks
from core.qa.context import QAContext
from core.qa.decisions import Stream
from core.qa.language import prompt_language
from core.qa.prompt import evidence_prompt, prompt_text
from core.qa.state import QAState

MAX_TOKENS = 500


def generate_answer(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Stream the answer. Where the model finds no answer in the evidence it says a fixed word, and `refused` is set instead."""
    context = runtime.context
    question = state["standalone_question"]
    language = prompt_language(question)
    evaluation = state["evaluation"]
    several = len(state["lookups"]) > 1 or bool(state["web"].results)
    unsure = several and evaluation is not None and not evaluation.enough
    prompt = evidence_prompt(
        "generate_answer",
        language,
        question=question,
        documents=state["documents"],
        web_results=state["web"].results,
        facts=_facts(state),
        doubt=prompt_text("generate_answer_doubt", language) if unsure else "",
    )
    not_stated = prompt_text("not_stated", language)
    text = visible = ""
    stream = Stream(context.chat_model.stream(prompt, max_tokens=MAX_TOKENS, cancel=context.cancel))
    for piece in stream:
        text += piece
        if _says(text, not_stated):
            return {"generation": "", "refused": True, "usage": context.meter.take()}
        visible = _show(shown(text, finished=False), visible, runtime)
    text = shown(text, finished=True)
    _show(text, visible, runtime)
    return {"generation": text, "refused": not without_marks(text), "notes": stream.notes, "usage": context.meter.take()}


def _show(text: str, visible: str, runtime: Runtime[QAContext]) -> str:
    if len(text) > len(visible):
        runtime.stream_writer(AnswerText(text[len(visible) :]))
    return text


def _facts(state: QAState) -> str:
    """Short answers that earlier lookups found: they tie the passages of a chain together."""
    return "\n".join(f"{lookup.query} {lookup.answer}" for lookup in state["lookups"] if lookup.answer)


def _plain(text: str) -> str:
    return text.strip().casefold().lstrip("\"'“「*")


def _says(text: str, phrase: str) -> bool:
    return _plain(text).startswith(_plain(phrase))
