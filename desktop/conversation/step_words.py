"""The steps of a run in a person's words, keyed by node name. Core does not speak to people; this does, in the window's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from PySide6.QtCore import QCoreApplication

from core.documents import Answer, Step
from desktop.error_text import note_text
from desktop.plain_words import round_seconds
from desktop.spoken_errors import translated


@dataclass(frozen=True, slots=True)
class StepText:
    """One line of the trace and what stands below it."""

    title: str
    details: tuple[str, ...] = ()
    failed: bool = False


def running_title(node: str) -> str:
    """What is being done while `node` runs."""
    titles = {
        "rewrite_question": QCoreApplication.translate("StepWords", "Understanding the question"),
        "route_question": QCoreApplication.translate("StepWords", "Deciding where to look"),
        "direct_answer": QCoreApplication.translate("StepWords", "Answering without files"),
        "decompose_question": QCoreApplication.translate("StepWords", "Planning what to look up"),
        "retrieve": QCoreApplication.translate("StepWords", "Searching your files"),
        "plan_next_step": QCoreApplication.translate("StepWords", "Deciding what to do next"),
        "evaluate_context": QCoreApplication.translate("StepWords", "Checking what was found"),
        "propose_lookup": QCoreApplication.translate("StepWords", "Considering another lookup"),
        "web_search": QCoreApplication.translate("StepWords", "Searching the web"),
        "generate_answer": QCoreApplication.translate("StepWords", "Writing the answer"),
        "judge_answer": QCoreApplication.translate("StepWords", "Checking the answer"),
        "refuse": QCoreApplication.translate("StepWords", "Saying what is missing"),
    }
    return titles.get(node, node.replace("_", " "))


def _finished_title(node: str) -> str:
    titles = {
        "rewrite_question": QCoreApplication.translate("StepWords", "Understood the question"),
        "route_question": QCoreApplication.translate("StepWords", "Decided where to look"),
        "direct_answer": QCoreApplication.translate("StepWords", "Answered without files"),
        "decompose_question": QCoreApplication.translate("StepWords", "Planned what to look up"),
        "retrieve": QCoreApplication.translate("StepWords", "Searched your files"),
        "plan_next_step": QCoreApplication.translate("StepWords", "Decided what to do next"),
        "evaluate_context": QCoreApplication.translate("StepWords", "Checked what was found"),
        "propose_lookup": QCoreApplication.translate("StepWords", "Considered another lookup"),
        "web_search": QCoreApplication.translate("StepWords", "Searched the web"),
        "generate_answer": QCoreApplication.translate("StepWords", "Wrote the answer"),
        "judge_answer": QCoreApplication.translate("StepWords", "Checked the answer"),
        "refuse": QCoreApplication.translate("StepWords", "Your files do not say"),
    }
    return titles.get(node, node.replace("_", " "))


def step_text(node: str, detail: Mapping[str, object]) -> StepText:
    """The finished step in words: what it decided, searched or found. Unknown details are left out, never guessed."""
    lines = _LINES.get(node)
    details = [*(lines(detail) if lines is not None else ()), *_note_lines(detail)]
    return StepText(_finished_title(node), tuple(line for line in details if line), failed=bool(_text(detail, "error", "web_error")))


def is_rewritten(question: str, detail: Mapping[str, object]) -> bool:
    """Whether a step made another question of the one that was typed."""
    return _text(detail, "standalone_question") not in ("", question.strip())


def stored_details(answer: Answer) -> list[tuple[Step, dict[str, object]]]:
    """The steps of a stored answer with the details that the answer itself still knows."""
    lookups = iter(answer.sub_questions)
    found: list[tuple[Step, dict[str, object]]] = []
    for step, following in zip_longest(answer.steps, answer.steps[1:]):
        detail: dict[str, object] = {}
        if step.node == "rewrite_question" and answer.standalone_question != answer.question:
            detail = {"standalone_question": answer.standalone_question}
        elif step.node == "route_question":
            detail = {"strategy": answer.strategy, "route_reason": answer.route_reason}
        elif step.node == "decompose_question":
            detail = {"sub_questions": [lookup.query for lookup in answer.sub_questions]}
        elif step.node == "retrieve" and (lookup := next(lookups, None)) is not None:
            detail = {"query": lookup.query, "found": lookup.found, "answer": lookup.answer, "error": lookup.error}
        elif step.node == "plan_next_step":
            detail = {"planned_next": "retrieve" if following is not None and following.node == "retrieve" else "generate"}
        elif step.node == "evaluate_context" and answer.evaluation is not None:
            evaluation = answer.evaluation
            detail = {"enough": evaluation.enough, "missing": list(evaluation.missing), "confidence": evaluation.confidence}
        elif step.node == "web_search":
            detail = {"web_query": answer.web.query, "web_results": len(answer.web.results), "web_error": answer.web.error}
        elif step.node == "judge_answer" and following is None and answer.judgement is not None:
            detail = {"score": answer.judgement.score, "doubts": len(answer.doubts)}
        if step.note:
            detail["notes"] = step.note.split(", ")
        found.append((step, detail))
    return found


def seconds_text(seconds: float) -> str:
    """A duration as the trace shows it."""
    return QCoreApplication.translate("StepWords", "{seconds} s").replace("{seconds}", f"{seconds:.1f}")


def expected_words(seconds: float | None) -> str:
    """How long the answer will take, to follow what is being done; nothing while nobody knows."""
    if seconds is None:
        return ""
    return QCoreApplication.translate("StepWords", " about {seconds} s").replace("{seconds}", str(round_seconds(seconds)))


def _text(detail: Mapping[str, object], *names: str) -> str:
    for name in names:
        value = detail.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _texts(detail: Mapping[str, object], name: str) -> list[str]:
    value = detail.get(name)
    return [str(item) for item in value] if isinstance(value, Sequence) and not isinstance(value, str) else []


def _count(detail: Mapping[str, object], name: str) -> int | None:
    value = detail.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _quoted(text: str) -> str:
    return QCoreApplication.translate("StepWords", "“{text}”").replace("{text}", text) if text else ""


def _rewrite_lines(detail: Mapping[str, object]) -> list[str]:
    return [_quoted(_text(detail, "standalone_question"))]


def _route_lines(detail: Mapping[str, object]) -> list[str]:
    strategy = _text(detail, "strategy")
    where = {
        "simple": QCoreApplication.translate("StepWords", "No file is needed for this"),
        "complex": QCoreApplication.translate("StepWords", "In your files"),
        "web": QCoreApplication.translate("StepWords", "On the web"),
    }
    reasons = {
        "arithmetic": QCoreApplication.translate("StepWords", "It can be calculated"),
        "general": QCoreApplication.translate("StepWords", "It is a matter of general knowledge or of writing"),
        "scope": QCoreApplication.translate("StepWords", "You named where to search"),
        "route_failed": translated(note_text("route_failed").title),
    }
    sure = _share_line(detail, "files_probability", QCoreApplication.translate("StepWords", "Needs your files: {share}"))
    return [where.get(strategy, ""), reasons.get(_text(detail, "route_reason"), ""), sure]


def _share_line(detail: Mapping[str, object], name: str, words: str) -> str:
    """A calibrated probability as a percentage."""
    value = detail.get(name)
    return words.replace("{share}", f"{value:.0%}") if isinstance(value, float) else ""


def _decompose_lines(detail: Mapping[str, object]) -> list[str]:
    sure = _share_line(detail, "several_probability", QCoreApplication.translate("StepWords", "Takes several lookups: {share}"))
    return [sure, *(f"{number}. {query}" for number, query in enumerate(_texts(detail, "sub_questions"), start=1))]


def _found_line(count: int | None) -> str:
    if count is None:
        return ""
    if count == 0:
        return QCoreApplication.translate("StepWords", "Found nothing new")
    if count == 1:
        return QCoreApplication.translate("StepWords", "Found 1 passage")
    return QCoreApplication.translate("StepWords", "Found {count} passages").replace("{count}", str(count))


def _retrieve_lines(detail: Mapping[str, object]) -> list[str]:
    query = _quoted(_text(detail, "query"))
    if _text(detail, "error"):
        return [query, QCoreApplication.translate("StepWords", "The search failed"), translated(note_text(_text(detail, "error")).title)]
    answer = _text(detail, "answer")
    learned = QCoreApplication.translate("StepWords", "Learned: {answer}").replace("{answer}", answer) if answer else ""
    return [query, _found_line(_count(detail, "found")), learned]


def _plan_lines(detail: Mapping[str, object]) -> list[str]:
    decision = _text(detail, "planned_next")
    words = {
        "retrieve": QCoreApplication.translate("StepWords", "Search on"),
        "generate": QCoreApplication.translate("StepWords", "Enough searched"),
    }
    learned = [
        QCoreApplication.translate("StepWords", "Learned: {answer}").replace("{answer}", answer)
        for answer in _texts(detail, "answers")[-1:]
    ]
    sure = _share_line(detail, "complete_probability", QCoreApplication.translate("StepWords", "Nothing is missing: {share}"))
    return [words.get(decision, ""), sure, *learned]


def _note_lines(detail: Mapping[str, object]) -> list[str]:
    """What failed in the step or was left out, unless its own lines say it."""
    said = {"route_failed", "search_failed", _text(detail, "error"), _text(detail, "web_error")}
    return [translated(note_text(code).title) for code in _texts(detail, "notes") if code not in said]


def _evaluate_lines(detail: Mapping[str, object]) -> list[str]:
    enough = detail.get("enough")
    missing = [QCoreApplication.translate("StepWords", "Missing: {what}").replace("{what}", what) for what in _texts(detail, "missing")]
    sure = _share_line(detail, "confidence", QCoreApplication.translate("StepWords", "The answer is stated: {share}"))
    if enough is True:
        return [QCoreApplication.translate("StepWords", "Enough to answer"), sure]
    if enough is False:
        return [QCoreApplication.translate("StepWords", "Not enough to answer completely"), sure, *missing]
    return missing


def _judge_lines(detail: Mapping[str, object]) -> list[str]:
    score = _share_line(detail, "score", QCoreApplication.translate("StepWords", "Judged good: {share}"))
    count = _count(detail, "doubts")
    doubts = QCoreApplication.translate("StepWords", "Doubtful parts: {count}").replace("{count}", str(count)) if count else ""
    again = QCoreApplication.translate("StepWords", "Search on") if _text(detail, "planned_next") == "retrieve" else ""
    return [score, doubts, again]


def _web_lines(detail: Mapping[str, object]) -> list[str]:
    query = _quoted(_text(detail, "web_query"))
    if error := _text(detail, "web_error"):
        return [query, translated(note_text(error).title)]
    count = _count(detail, "web_results")
    if count is None:
        return [query]
    if count == 1:
        return [query, QCoreApplication.translate("StepWords", "Found 1 page")]
    return [query, QCoreApplication.translate("StepWords", "Found {count} pages").replace("{count}", str(count))]


_LINES = {
    "rewrite_question": _rewrite_lines,
    "route_question": _route_lines,
    "decompose_question": _decompose_lines,
    "retrieve": _retrieve_lines,
    "plan_next_step": _plan_lines,
    "evaluate_context": _evaluate_lines,
    "web_search": _web_lines,
    "judge_answer": _judge_lines,
}
