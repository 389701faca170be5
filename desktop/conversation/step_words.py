"""The steps of a run in a person's words, keyed by node name. Core does not speak to people; this does, in the window's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from core.documents import Answer, Step


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
        "web_search": QCoreApplication.translate("StepWords", "Searched the web"),
        "generate_answer": QCoreApplication.translate("StepWords", "Wrote the answer"),
        "judge_answer": QCoreApplication.translate("StepWords", "Checked the answer"),
        "refuse": QCoreApplication.translate("StepWords", "Your files do not say"),
    }
    return titles.get(node, node.replace("_", " "))


def step_text(node: str, detail: Mapping[str, object]) -> StepText:
    """The finished step in words: what it decided, searched or found. Unknown details are left out, never guessed."""
    lines = _LINES.get(node)
    details = lines(detail) if lines is not None else ()
    return StepText(_finished_title(node), tuple(line for line in details if line), failed=bool(_text(detail, "error")))


def stored_details(answer: Answer) -> list[tuple[Step, dict[str, object]]]:
    """The steps of a stored answer with the details that the answer itself still knows."""
    lookups = iter(answer.sub_questions)
    found: list[tuple[Step, dict[str, object]]] = []
    for step in answer.steps:
        detail: dict[str, object] = {}
        if step.node == "rewrite_question" and answer.standalone_question != answer.question:
            detail = {"standalone_question": answer.standalone_question}
        elif step.node == "route_question":
            detail = {"strategy": answer.strategy, "reason": answer.route_reason}
        elif step.node == "decompose_question":
            detail = {"sub_questions": [lookup.query for lookup in answer.sub_questions]}
        elif step.node == "retrieve" and (lookup := next(lookups, None)) is not None:
            detail = {"query": lookup.query, "found": lookup.found, "answer": lookup.answer, "error": lookup.error}
        elif step.node == "evaluate_context" and answer.evaluation is not None:
            detail = {"enough": answer.evaluation.enough, "missing": list(answer.evaluation.missing)}
        elif step.node == "web_search":
            detail = {"query": answer.web.query, "results": len(answer.web.results), "error": answer.web.error}
        found.append((step, detail))
    return found


def seconds_text(seconds: float) -> str:
    """A duration as the trace shows it."""
    return QCoreApplication.translate("StepWords", "{seconds} s").replace("{seconds}", f"{seconds:.1f}")


def web_error_text(code: str) -> str:
    """Why the web could not be searched."""
    words = {
        "web_offline": QCoreApplication.translate("StepWords", "The web could not be reached: this computer is offline."),
        "web_limited": QCoreApplication.translate("StepWords", "The search engine asked to slow down; nothing was found there this time."),
        "web_timed_out": QCoreApplication.translate("StepWords", "The search engine did not answer in time."),
        "declined": QCoreApplication.translate("StepWords", "You chose not to send it."),
        "web_declined": QCoreApplication.translate("StepWords", "You chose not to send it."),
    }
    return words.get(code, QCoreApplication.translate("StepWords", "The web search failed."))


def _text(detail: Mapping[str, object], *names: str) -> str:
    for name in names:
        value = detail.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _texts(detail: Mapping[str, object], *names: str) -> list[str]:
    for name in names:
        value = detail.get(name)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [str(item) for item in value]
    return []


def _count(detail: Mapping[str, object], *names: str) -> int | None:
    for name in names:
        value = detail.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, Sequence) and not isinstance(value, str):
            return len(value)
    return None


def _quoted(text: str) -> str:
    return QCoreApplication.translate("StepWords", "“{text}”").replace("{text}", text) if text else ""


def _rewrite_lines(detail: Mapping[str, object]) -> list[str]:
    return [_quoted(_text(detail, "standalone_question", "question"))]


def _route_lines(detail: Mapping[str, object]) -> list[str]:
    strategy = _text(detail, "strategy")
    where = {
        "simple": QCoreApplication.translate("StepWords", "No file is needed for this"),
        "complex": QCoreApplication.translate("StepWords", "In your files"),
        "web": QCoreApplication.translate("StepWords", "On the web"),
    }
    return [where.get(strategy, strategy), _text(detail, "reason", "route_reason")]


def _decompose_lines(detail: Mapping[str, object]) -> list[str]:
    return [f"{number}. {query}" for number, query in enumerate(_texts(detail, "sub_questions", "queries"), start=1)]


def _found_line(count: int | None) -> str:
    if count is None:
        return ""
    if count == 0:
        return QCoreApplication.translate("StepWords", "Found nothing new")
    if count == 1:
        return QCoreApplication.translate("StepWords", "Found 1 passage")
    return QCoreApplication.translate("StepWords", "Found {count} passages").replace("{count}", str(count))


def _retrieve_lines(detail: Mapping[str, object]) -> list[str]:
    query = _quoted(_text(detail, "query", "current_query"))
    if _text(detail, "error"):
        return [query, QCoreApplication.translate("StepWords", "The search failed")]
    answer = _text(detail, "answer")
    learned = QCoreApplication.translate("StepWords", "Learned: {answer}").replace("{answer}", answer) if answer else ""
    return [query, _found_line(_count(detail, "found", "new", "documents")), learned]


def _plan_lines(detail: Mapping[str, object]) -> list[str]:
    decision = _text(detail, "planned_next", "decision", "next")
    words = {
        "retrieve": QCoreApplication.translate("StepWords", "Search on"),
        "generate": QCoreApplication.translate("StepWords", "Enough searched"),
    }
    return [words.get(decision, ""), _text(detail, "reason")]


def _evaluate_lines(detail: Mapping[str, object]) -> list[str]:
    enough = detail.get("enough")
    missing = [
        QCoreApplication.translate("StepWords", "Missing: {what}").replace("{what}", what) for what in _texts(detail, "missing")
    ]
    if enough is True:
        return [QCoreApplication.translate("StepWords", "Enough to answer")]
    if enough is False:
        return [QCoreApplication.translate("StepWords", "Not enough to answer completely"), *missing]
    return missing


def _web_lines(detail: Mapping[str, object]) -> list[str]:
    query = _quoted(_text(detail, "query"))
    if error := _text(detail, "error"):
        return [query, web_error_text(error)]
    count = _count(detail, "found", "results")
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
}
