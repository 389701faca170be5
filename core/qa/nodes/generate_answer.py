"""Write the answer from the evidence, every claim with the number of its source."""

from __future__ import annotations

from langgraph.runtime import Runtime

from core.documents import Prompt
from core.events import AnswerText
from core.qa.answer_form import first_line, has_words, shown
from core.qa.answerability import margin, support
from core.qa.citations import without_marks
from core.qa.context import QAContext
from core.qa.decisions import Stream
from core.qa.language import prompt_language
from core.qa.lookups import last_link
from core.qa.prompt import evidence_prompt, prompt_text
from core.qa.state import QAState

MAX_TOKENS = 500


def generate_answer(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Stream the answer. `refused` is set instead where the evidence does not carry it.

    Where the evidence was evaluated, the first line is a draft: it is written without the way out of saying that nothing is stated
    (a small model takes that far too often), and code decides from it and from the evaluation whether to show it and to go on. Where
    nobody evaluated, the model itself may say so, in a fixed word.
    """
    context = runtime.context
    checked = state["stated"]
    refusal = prompt_text("not_stated", prompt_language(state["standalone_question"]))
    text, visible = _opening(state), ""
    weighed = checked is None
    asked = (state["standalone_question"], *(lookup.query for lookup in state["lookups"]))
    stream = Stream(context.chat_model.stream(_prompt(state, checked=checked is not None), max_tokens=MAX_TOKENS, cancel=context.cancel))
    for piece in stream:
        text += piece
        if _says(text, refusal):
            stream.stop()
            return {"generation": "", "refused": True, "usage": context.meter.take()}
        now = shown(text, finished=False, asked=asked)
        if now and not weighed:
            weighed = True
            if not _carried(text, state, context):
                stream.stop()
                return {"generation": "", "refused": True, "usage": context.meter.take()}
        visible = _show(now, visible, runtime)
    text = shown(text, finished=True, asked=asked)
    if not without_marks(text) or not (weighed or _carried(text, state, context)):
        return {"generation": "", "refused": True, "usage": context.meter.take()}
    _show(text, visible, runtime)
    return {"generation": text, "refused": False, "notes": stream.notes, "usage": context.meter.take()}


def _opening(state: QAState) -> str:
    """The first line where it is known already: a chain ends in the answer of its last lookup."""
    answer = last_link(state["sub_questions"], state["lookups"])
    return f"{answer}\n" if answer else ""


def _carried(text: str, state: QAState, context: QAContext) -> bool:
    stated = state["stated"]
    assert stated is not None
    if not has_words(first_line(text)):
        return False
    passages = [(found.chunk.context, found.chunk.text) for found in state["documents"]]
    passages += [(page.title, page.snippet) for page in state["web"].results]
    found = support(state["standalone_question"], first_line(text), passages, margin(stated, context.thresholds.enough))
    return found.probability >= context.thresholds.answer


def _prompt(state: QAState, *, checked: bool) -> Prompt:
    question = state["standalone_question"]
    language = prompt_language(question)
    evaluation = state["evaluation"]
    several = len(state["lookups"]) > 1 or bool(state["web"].results)
    unsure = several and evaluation is not None and not evaluation.enough
    return evidence_prompt(
        "generate_answer",
        language,
        question=question,
        documents=state["documents"],
        web_results=state["web"].results,
        refusal=prompt_text("generate_answer_checked" if checked else "generate_answer_unchecked", language),
        facts=_facts(state),
        doubt=prompt_text("generate_answer_doubt", language) if unsure else "",
        answer_start=_opening(state),
    )


def _show(text: str, visible: str, runtime: Runtime[QAContext]) -> str:
    if len(text) > len(visible):
        runtime.stream_writer(AnswerText(text[len(visible) :]))
    return text


def _facts(state: QAState) -> str:
    """Short answers that earlier lookups found: they tie the passages of a chain together."""
    return "\n".join(f"{lookup.query} {lookup.answer}" for lookup in state["lookups"] if lookup.answer)


def _says(text: str, phrase: str) -> bool:
    return _plain(text).startswith(_plain(phrase))


def _plain(text: str) -> str:
    return text.strip().casefold().lstrip("\"'“「*")
