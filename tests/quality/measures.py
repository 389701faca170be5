"""The rows of the dashboard: each measure, over which questions it is taken, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.quality.scores import HEALTHY, Score, auc, percentile

Json = Mapping[str, Any]
Form = Literal["share", "seconds", "count", "number", "count and share"]
Each = Callable[[Json, Score], float | None]
Scored = Sequence[tuple[Json, Score]]


@dataclass(frozen=True, slots=True)
class Measure:
    """One row. `each` is its value for one question (None: does not apply), `over` makes one value of many, by default their mean.

    A measure without `each` is taken of all scores at once and has no paired difference.
    """

    name: str
    form: Form
    each: Each | None = None
    over: Callable[[Scored], float | None] | None = None


def measured(measure: Measure, asked: Sequence[Json], scores: Mapping[str, Score]) -> float | None:
    """The value of a measure over questions; None where it applies to none of them."""
    pairs = [(question, scores[question["id"]]) for question in asked]
    if measure.over is not None:
        return measure.over(pairs)
    if measure.each is None:
        return None
    values = [value for question, found in pairs if (value := measure.each(question, found)) is not None]
    return sum(values) / len(values) if values else None


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.1f}"


FORMATS: Mapping[str, Callable[[float | None], str]] = {
    "share": _percent,
    "signed share": _points,
    "seconds": lambda value: "–" if value is None else f"{value:.1f}",
    "signed seconds": lambda value: "–" if value is None else f"{value:+.1f}",
    "count": lambda value: "–" if value is None else f"{value:,.0f}",
    "signed count": lambda value: "–" if value is None else f"{value:+,.0f}",
    "number": lambda value: "–" if value is None else f"{value:.3f}",
    "signed number": lambda value: "–" if value is None else f"{value:+.3f}",
}


def _number(value: bool | float | None) -> float | None:
    return None if value is None else float(value)


def _mean(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _hop(number: int) -> Each:
    return lambda question, found: float(found.recall[number]) if len(found.recall) > max(1, number) else None


def _of(kinds: tuple[str, ...], value: Callable[[Score], float | None], *, but: bool = False) -> Each:
    """A measure of questions of these types only (or, with `but`, of the others)."""
    return lambda question, found: value(found) if (question["type"] in kinds) != but else None


def _spread(value: Callable[[Score], float | None], share: float) -> Callable[[Scored], float | None]:
    return lambda pairs: percentile([one for _, found in pairs if (one := value(found)) is not None], share)


def _ranking(pairs: Scored) -> float | None:
    """Answerable questions against unanswerable ones, ranked by how sure the run was that the files answer them."""
    sides: dict[bool, list[float]] = {True: [], False: []}
    for question, found in pairs:
        if question["type"] != "simple" and found.answerable is not None:
            sides[question["type"] != "unanswerable"].append(found.answerable)
    return auc(sides[True], sides[False])


def _all_citations(pairs: Scored) -> float | None:
    return _mean([true for _, found in pairs for true in found.citations])


def _supporting_citations(pairs: Scored) -> float | None:
    return _mean([supports for _, found in pairs for supports in found.supporting])


def _evaluated_share(pairs: Scored) -> float | None:
    handed = sum(found.evaluated + found.reused for _, found in pairs)
    return sum(found.evaluated for _, found in pairs) / handed if handed else None


def _total(value: Callable[[Score], float]) -> Callable[[Scored], float | None]:
    return lambda pairs: sum(value(found) for _, found in pairs)


_SIMPLE, _NONE = ("simple",), ("unanswerable",)

MEASURES: tuple[Measure, ...] = (
    Measure("right (said, or refused where it should)", "share", lambda q, s: _number(s.right)),
    Measure("answer contained", "share", lambda q, s: _number(s.contained)),
    Measure("exact match", "share", _of(_SIMPLE, lambda s: s.em, but=True)),
    Measure("F1", "share", _of(_SIMPLE, lambda s: s.f1, but=True)),
    Measure("recall of supporting passages", "share", lambda q, s: _mean(s.recall)),
    Measure("all supporting passages found", "share", lambda q, s: float(all(s.recall)) if s.recall else None),
    *(Measure(f"recall, hop {number}", "share", _hop(number - 1)) for number in (1, 2, 3, 4)),
    Measure("refused: unanswerable questions", "share", _of(_NONE, lambda s: float(s.refused))),
    Measure("refused by mistake: answerable questions", "share", _of((*_NONE, *_SIMPLE), lambda s: float(s.refused), but=True)),
    Measure("AUC, answerable over unanswerable", "number", over=_ranking),
    Measure("route right", "share", lambda q, s: _number(s.route_right)),
    Measure(
        "simple questions that touched the index",
        "count",
        over=lambda p: sum(s.touched_index for q, s in p if q["type"] == "simple") if any(q["type"] == "simple" for q, _ in p) else None,
    ),
    Measure("citations that are true", "share", over=_all_citations),
    Measure("sources of right answers that touch a supporting passage", "share", over=_supporting_citations),
    Measure("first pass (accepted without a retry)", "share", lambda q, s: _number(s.first_pass)),
    Measure(
        f"health (judge's score >= {HEALTHY})", "share", lambda q, s: None if s.judge_score is None else float(s.judge_score >= HEALTHY)
    ),
    Measure("answers with a doubt marked", "share", _of((*_NONE, *_SIMPLE), lambda s: None if s.refused else float(s.doubted), but=True)),
    Measure("failed", "count", over=lambda p: sum(s.failed for _, s in p)),
    Measure("a limit reached", "share", lambda q, s: float(s.limits_hit)),
    Measure("lookups, mean", "number", lambda q, s: float(s.retrievals)),
    Measure("seconds to the first word, p50", "seconds", over=_spread(lambda s: s.first_word, 50)),
    Measure("seconds to the first word, p90", "seconds", over=_spread(lambda s: s.first_word, 90)),
    Measure("seconds to the last word, p50", "seconds", over=_spread(lambda s: s.seconds, 50)),
    Measure("seconds to the last word, p90", "seconds", over=_spread(lambda s: s.seconds, 90)),
    Measure("seconds to the last word, mean", "seconds", lambda q, s: s.seconds),
    Measure("tokens evaluated, in all", "count", over=_total(lambda s: s.evaluated)),
    Measure("tokens reused, in all", "count", over=_total(lambda s: s.reused)),
    Measure("tokens generated, in all", "count", over=_total(lambda s: s.generated)),
    Measure("tokens evaluated, a question", "count", lambda q, s: float(s.evaluated)),
    Measure("evaluated / (evaluated + reused)", "number", over=_evaluated_share),
)
