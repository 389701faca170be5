"""Is the answer true to the evidence, to the point and complete? If not, search once more for what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from core.documents import Judgement, ScoredChunk, WebResult
from core.qa.citations import without_marks
from core.qa.claims import doubtful
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, LabelQuestion, probabilities
from core.qa.judgement import evidence_texts, judgement_of, retry_query
from core.qa.language import PromptLanguage, prompt_language
from core.qa.prompt import evidence_prompt, prompt_text
from core.qa.state import QAState

# A lookup more than this is not made for a retry: together with the planned ones the run would come near the recursion limit.
MAX_LOOKUPS = 4
# The beginning of an answer says what it says; every token of it that is judged is read once more.
JUDGED_CHARACTERS = 300


def judge_answer(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Set `judgement` and `doubts`, and `planned_next`: `retrieve` for another search, with `current_queries`, else `generate`.

    Code looks first, at numbers, dates, names and quotations; then the model judges, at the end of the prompt it wrote the answer from.
    A judge that breaks judges nothing: the answer stays. At a limit only code looks.
    """
    context = runtime.context
    passages = evidence_texts(state["documents"], state["web"].results)
    question = state["standalone_question"]
    known = [lookup.answer for lookup in state["lookups"] if lookup.answer]
    doubts = doubtful(state["generation"], passages, question=question, known=known)
    done: QAState = {"doubts": doubts, "planned_next": "generate"}
    limit = context.meter.limit_hit()
    if limit:
        hit = () if limit in state["limits_hit"] else (limit,)
        return {**done, "judgement": None, "limits_hit": hit, "usage": context.meter.take()}
    judgement: Judgement | None = None
    notes: tuple[str, ...] = ()
    try:
        asked = checks(question, state["generation"], state["documents"], state["web"].results)
        relevance, completeness, faithfulness = probabilities(context.chat_model, asked, cancel=context.cancel)
        judgement = judgement_of(relevance, completeness, faithfulness, doubts)
    except BROKEN_DECISION:
        notes = ("judge_failed",)
    done = {**done, "judgement": judgement, "notes": notes}
    query = _next_query(state, context, judgement, done)
    if query:
        done = {**done, "planned_next": "retrieve", "current_queries": (query,), "retries": state["retries"] + 1}
    return {**done, "usage": context.meter.take()}


def checks(
    question: str, answer: str, documents: Sequence[ScoredChunk], web_results: Sequence[WebResult] = ()
) -> tuple[LabelQuestion, LabelQuestion, LabelQuestion]:
    """What the model is asked about an answer: relevance, completeness, faithfulness. The three prompts differ in their last line."""
    language = prompt_language(question)
    yes, no = ("是", "否") if language == "zh" else ("yes", "no")
    said = without_marks(answer)[:JUDGED_CHARACTERS]
    relevance, completeness, faithfulness = (
        LabelQuestion(
            evidence_prompt(
                "judge_answer", language, question=question, documents=documents, web_results=web_results, answer=said, check=check
            ),
            yes,
            no,
        )
        for check in _checks(language)
    )
    return relevance, completeness, faithfulness


def _checks(language: PromptLanguage) -> list[str]:
    parts = prompt_text("judge_answer_checks", language).split("## ")[1:]
    sections = {name.strip(): text.strip() for name, _, text in (part.partition("\n") for part in parts)}
    return [sections[name] for name in ("relevance", "completeness", "faithfulness")]


def _next_query(state: QAState, context: QAContext, judgement: Judgement | None, found: QAState) -> str:
    """The changed query of a retry; empty where the answer is good enough or nothing more may be done."""
    doubts = found["doubts"]
    bad = bool(doubts) or (judgement is not None and judgement.score < context.thresholds.judge)
    lookups = state["lookups"]
    may = state["retries"] < state["max_retries"] and len(lookups) < min(MAX_LOOKUPS, state["max_retrievals"])
    if not bad or not may:
        return ""
    return retry_query(state["standalone_question"], state["generation"], doubts, [lookup.query for lookup in lookups])
