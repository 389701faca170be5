"""After each round: search on, or use what there is."""

from __future__ import annotations

from langgraph.runtime import Runtime

from core.documents import SubQuestion
from core.qa.citations import without_marks
from core.qa.context import QAContext
from core.qa.decisions import BROKEN_DECISION, probability, write_line
from core.qa.language import prompt_language
from core.qa.nodes.decompose_question import EARLIER_RESULT
from core.qa.prompt import evidence_prompt
from core.qa.state import Plan, QAState

HOP_ANSWER_TOKENS = 20
HOP_ANSWER_CHARACTERS = 60


def plan_next_step(state: QAState, runtime: Runtime[QAContext]) -> QAState:
    """Set `planned_next` and, for another round, `current_query`.

    The model only advises. Code overrules it: no lookup left, or a limit reached, means `generate`.
    """
    context = runtime.context
    limit = _limit(state, context)
    if limit:
        return {"planner_advice": None, "planned_next": "generate", "limits_hit": (limit,), "usage": context.meter.take()}
    if state["next_sub_idx"] >= len(state["sub_questions"]):
        return {"planner_advice": None, "planned_next": "generate", "usage": context.meter.take()}
    upcoming = state["sub_questions"][state["next_sub_idx"]]
    notes: tuple[str, ...] = ()
    advice: Plan = "retrieve"
    lookups = state["lookups"]
    # A lookup that names an earlier result is needed by construction; only independent ones are worth a question to the model.
    if not EARLIER_RESULT.search(upcoming):
        advice, notes = _advice(state, context, upcoming)
    if advice == "generate":
        return {"planner_advice": advice, "planned_next": "generate", "notes": notes, "usage": context.meter.take()}
    query, lookups = finish_query(upcoming, state, context)
    return {
        "planner_advice": advice,
        "planned_next": "retrieve",
        "current_query": query,
        "lookups": lookups,
        "notes": notes,
        "usage": context.meter.take(),
    }


def _limit(state: QAState, context: QAContext) -> str | None:
    if state["next_sub_idx"] < len(state["sub_questions"]) and state["retrieval_count"] >= state["max_retrievals"]:
        return "max_retrievals"
    return context.meter.limit_hit()


def _advice(state: QAState, context: QAContext, upcoming: str) -> tuple[Plan, tuple[str, ...]]:
    if not state["documents"]:
        return "retrieve", ()
    language = prompt_language(state["standalone_question"])
    yes, no = ("是", "否") if language == "zh" else ("yes", "no")
    prompt = evidence_prompt(
        "plan_next_step", language, question=state["standalone_question"], documents=state["documents"], upcoming=upcoming
    )
    try:
        enough = probability(context.chat_model, prompt, yes, no, cancel=context.cancel)
    except BROKEN_DECISION:
        return "retrieve", ("plan_failed",)
    return ("generate" if enough >= context.thresholds.plan else "retrieve"), ()


def finish_query(upcoming: str, state: QAState, context: QAContext) -> tuple[str, tuple[SubQuestion, ...]]:
    """Put the short answers of earlier lookups in the place of `#1`, `#2`; asks the model for those not known yet.

    Without an answer the person's whole question is searched instead: it names everything there is to name.
    """
    lookups = list(state["lookups"])
    for n in sorted({int(found) for found in EARLIER_RESULT.findall(upcoming)}):
        if n > len(lookups):
            continue
        if not lookups[n - 1].answer and lookups[n - 1].found:
            lookup = lookups[n - 1]
            answer = _hop_answer(lookup.query, state, context)
            lookups[n - 1] = SubQuestion(lookup.query, answer=answer, found=lookup.found, error=lookup.error)
    answers = {n: lookup.answer for n, lookup in enumerate(lookups, 1) if lookup.answer}
    if all(int(n) in answers for n in EARLIER_RESULT.findall(upcoming)):
        return EARLIER_RESULT.sub(lambda found: answers[int(found[1])], upcoming), tuple(lookups)
    return state["standalone_question"], tuple(lookups)


def _hop_answer(lookup: str, state: QAState, context: QAContext) -> str:
    language = prompt_language(lookup)
    prompt = evidence_prompt("hop_answer", language, question=state["standalone_question"], documents=state["documents"], lookup=lookup)
    try:
        line = write_line(context.chat_model, prompt, max_tokens=HOP_ANSWER_TOKENS, cancel=context.cancel)
    except BROKEN_DECISION:
        return ""
    answer = without_marks(line).removeprefix("答：").strip(' .。"“”')
    unknown = (
        not answer or len(answer) > HOP_ANSWER_CHARACTERS or answer.casefold().startswith(("unknown", "not ", "未知", "不知道", "没有"))
    )
    return "" if unknown else answer
