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
    "propose_lookup": "Considered another lookup",
    "web_search": "Searched the web",
    "generate_answer": "Wrote the answer",
    "judge_answer": "Checked the answer",
    "refuse": "Your files do not say",
}
_RUNNING: Mapping[str, str] = {
    "rewrite_question": "Understanding the question",
    "route_question": "Deciding where to look",
    "direct_answer": "Answering without files",
    "decompose_question": "Planning what to look up",
    "retrieve": "Searching your files",
    "plan_next_step": "Deciding what to do next",
    "evaluate_context": "Checking what was found",
    "propose_lookup": "Considering another lookup",
    "web_search": "Searching the web",
    "generate_answer": "Writing the answer",
    "judge_answer": "Checking the answer",
    "refuse": "Saying what is missing",
}
_SHARES: Mapping[str, str] = {
    "files_probability": "needs your files",
    "several_probability": "takes several lookups",
    "complete_probability": "nothing is missing",
    "confidence": "the answer is stated",
}
_TOLD = (
    "standalone_question",
    "strategy",
    "route_reason",
    "files_probability",
    "several_probability",
    "sub_questions",
    "query",
    "found",
    "answers",
    "complete_probability",
    "planned_next",
    "enough",
    "confidence",
    "missing",
    "web_query",
    "web_results",
    "error",
    "web_error",
    "notes",
)


def running_line(node: str) -> str:
    """What is being done now."""
    return _RUNNING.get(node, node.replace("_", " "))


def step_line(event: StepFinished) -> str:
    """One finished step: what was done, in how many seconds, and what came of it."""
    node = event.step.node
    told = [_value(event.detail[name], name) for name in _TOLD if event.detail.get(name) not in (None, "", [], ())]
    facts = "; ".join(part for part in told if part)
    return f"  {_TITLES.get(node, node.replace('_', ' '))} ({event.step.seconds:.1f} s){': ' + facts if facts else ''}"


def expected_line(seconds: float) -> str:
    """How long the answer will take, as a round number: it is an estimate."""
    return f"  about {round_seconds(seconds)} s"


def round_seconds(seconds: float) -> int:
    """An estimate in steps that a person can use: of 1 s up to 10 s, then of 5 s, then of 15 s."""
    step = 1 if seconds <= 10 else 5 if seconds <= 60 else 15
    return max(1, round(seconds / step) * step)


def _value(value: object, name: str) -> str:
    match value:
        case bool():
            return ("" if value else "not ") + name.replace("_", " ")
        case list() | tuple():
            return " | ".join(str(item) for item in value)
        case float() if name in _SHARES:
            return f"{_SHARES[name]}: {value:.0%}"
        case int():
            return f"{value} {name.replace('_', ' ')}"
        case _:
            return " ".join(str(value).split())


def shortened(text: str, characters: int = 60) -> str:
    """A piece of text on one line, cut where it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= characters else f"{flat[: characters - 1]}…"
