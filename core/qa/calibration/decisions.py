"""Which decisions are calibrated, and on what. To calibrate another one, add its name to `Decision`, a field to `Thresholds`, and an entry here.

What is asked is made by the function that the node itself asks with. Nodes import LangGraph, so they are imported when something is asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.documents import Chunk, ScoredChunk
from core.qa.decisions import LabelQuestion
from core.qa.prompt import prompt_text
from core.qa.thresholds import ALWAYS, NEVER, Decision

FORMAT = 1
_FOLDER = Path(__file__).parent

Asked = tuple[tuple[float, LabelQuestion], ...]
"""What a model is asked about one example, each question with its weight in the decision; the weights add up to one."""


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled question; `right` is the English label that a perfect model would choose, `upcoming` what would be looked up next.

    `answer` is an answer to judge.
    """

    question: str
    right: str
    passages: tuple[ScoredChunk, ...] = ()
    upcoming: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class CalibratedDecision:
    """A decision between two labels.

    `label` is the English form of the first label, `examples` the stem of the file of labelled examples, `prompts` the prompt files that
    it reads. From the confidence `tips_at` on, the first label is taken: the cost of a wrong first label, divided by that and the cost of a
    wrong second one. `safe` is the threshold for a model that cannot tell the labels apart.
    """

    name: Decision
    label: str
    examples: str
    ask: Callable[[Example], Asked]
    prompts: tuple[str, ...]
    tips_at: float
    safe: float


def _needs_files(example: Example) -> Asked:
    from core.qa.nodes.route_question import needs_files

    return ((1.0, needs_files(example.question)),)


def _needs_several(example: Example) -> Asked:
    from core.qa.nodes.decompose_question import needs_several

    return ((1.0, needs_several(example.question)),)


def _is_stated(example: Example) -> Asked:
    from core.qa.nodes.evaluate_context import is_stated

    return ((1.0, is_stated(example.question, example.passages)),)


def _is_good(example: Example) -> Asked:
    from core.qa.judgement import WEIGHTS
    from core.qa.nodes.judge_answer import checks

    return tuple(zip(WEIGHTS, checks(example.question, example.answer, example.passages), strict=True))


def _is_complete(example: Example) -> Asked:
    from core.qa.nodes.plan_next_step import is_complete

    return ((1.0, is_complete(example.question, example.passages, example.upcoming)),)


DECISIONS = (
    # A wrong "general" costs the answer, a wrong "files" seconds: as much as four of them.
    CalibratedDecision("files", "files", "routing", _needs_files, ("route_question",), tips_at=0.2, safe=ALWAYS),
    # A split too many costs seconds, one too few a link of a chain, which the leads of the first search may still bring. A model that cannot
    # tell writes no plans worth following.
    CalibratedDecision("several", "2", "lookups", _needs_several, ("decompose_question",), tips_at=0.6, safe=NEVER),
    # What passes is still held to the evidence when the answer is written; what does not is refused. A model that cannot tell would
    # refuse at random, so it decides nothing.
    CalibratedDecision("enough", "yes", "evidence", _is_stated, ("rules", "evidence", "evaluate_context"), tips_at=0.5, safe=ALWAYS),
    # A lookup too many costs seconds, one too few a part of the answer.
    CalibratedDecision("plan", "yes", "evidence", _is_complete, ("rules", "evidence", "plan_next_step"), tips_at=0.8, safe=NEVER),
    # A good answer that is searched for again costs seconds and may get worse; a bad one that is let through is what nobody notices. A model
    # that cannot tell would search again at random.
    CalibratedDecision(
        "judge", "yes", "answers", _is_good, ("rules", "evidence", "judge_answer", "judge_answer_checks"), tips_at=0.4, safe=ALWAYS
    ),
)


@cache
def read_examples(name: str) -> tuple[Example, ...]:
    """The labelled examples of a file that comes with the program."""
    rows = [json.loads(line) for line in _file(name).read_text(encoding="utf-8").splitlines()]
    return tuple(
        Example(
            row["question"],
            row["right"],
            tuple(_passage(n, **passage) for n, passage in enumerate(row.get("passages", ()), 1)),
            row.get("upcoming", ""),
            row.get("answer", ""),
        )
        for row in rows
    )


@cache
def digest() -> str:
    """Changes with everything that a calibration depends on besides the model: the prompts, the examples and the costs."""
    seen = hashlib.sha256(str(FORMAT).encode())
    for decision in DECISIONS:
        seen.update(f"{decision.name} {decision.label} {decision.tips_at} {decision.safe}".encode())
        seen.update(_file(decision.examples).read_bytes().replace(b"\r\n", b"\n"))
        for name in decision.prompts:
            seen.update("\n".join((name, prompt_text(name, "en"), prompt_text(name, "zh"))).encode())
    return seen.hexdigest()[:16]


def _file(name: str) -> Path:
    return _FOLDER / f"{name}.jsonl"


def _passage(n: int, title: str, text: str) -> ScoredChunk:
    return ScoredChunk(Chunk(n, n, Path(title), title, "", 0, len(text), 1, text), 1.0)
