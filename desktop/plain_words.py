"""What the command line says about the steps of an answer. English only: it is for people and for scripts that grep."""

from __future__ import annotations

from collections.abc import Mapping

from core.events import StepFinished

_TITLES: Mapping[str, str] = {
    "rewrite_question": "Understood the question",
    "route_question": "Decided where to look",
    "direct_answer": "Answered without files",
    "decompose_question": "Planned what to look up",
    "retrieve": "Searched your files",
    "plan_next_step": "Decided what to do next",
    "evaluate_context": "Checked what was found",
    "web_search": "Searched the web",
    "generate_answer": "Wrote the answer",
    "judge_answer": "Checked the answer",
    "refuse": "Your files do not say",
}
_TOLD = (
    "standalone_question",
    "strategy",
    "reason",
    "sub_questions",
    "query",
    "found",
    "answer",
    "planned_next",
    "enough",
    "missing",
    "error",
)


def step_line(event: StepFinished) -> str:
    """One finished step: what was done, in how many seconds, and what came of it."""
    node = event.step.node
    told = [_value(event.detail[name], name) for name in _TOLD if event.detail.get(name) not in (None, "", [], ())]
    facts = "; ".join(part for part in told if part)
    return f"  {_TITLES.get(node, node.replace('_', ' '))} ({event.step.seconds:.1f} s){': ' + facts if facts else ''}"


def _value(value: object, name: str) -> str:
    match value:
        case bool():
            return ("" if value else "not ") + name.replace("_", " ")
        case list() | tuple():
            return " | ".join(str(item) for item in value)
        case int():
            return f"{value} {name.replace('_', ' ')}"
        case _:
            return " ".join(str(value).split())
