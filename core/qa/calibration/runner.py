"""Asks a model the labelled examples and finds its thresholds. Two to five minutes for a model of 1.5 billion weights on two cores."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from core.cancel import CancelToken
from core.protocols import ChatModel
from core.qa.calibration.decisions import DECISIONS, CalibratedDecision, digest, read_examples
from core.qa.calibration.fitting import accuracy, auc, fit_logistic, threshold
from core.qa.decisions import probabilities
from core.qa.thresholds import SAFE, Decision, Logistic, Thresholds

OnProgress = Callable[[int, int], None]
"""Called with (examples asked, examples in all)."""

LEAST_AUC = 0.7
"""Below this a model counts as unable to tell the labels of a decision apart."""


class Measured(BaseModel):
    """How well a model makes one decision. `fixed` means that it cannot: the decision always takes its safe side."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    decision: Decision
    examples: int
    auc: float
    accuracy: float
    threshold: float
    fixed: bool
    seconds: float


class Calibration(BaseModel):
    """What was found for one model. `digest` tells which prompts and examples it was found with."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    thresholds: Thresholds
    measured: tuple[Measured, ...]


def calibrate(
    chat_model: ChatModel,
    on_progress: OnProgress,
    *,
    cancel: CancelToken,
    decisions: Sequence[CalibratedDecision] = DECISIONS,
    clock: Callable[[], float] = time.monotonic,
) -> Calibration:
    """Find the thresholds of a model.

    Raises what `ChatModel.choose` raises: half a calibration would be worse than none.
    """
    asked: dict[Decision, _Asked] = {decision.name: _Asked() for decision in decisions}
    total = sum(len(read_examples(decision.examples)) for decision in decisions)
    done = 0
    for name in dict.fromkeys(decision.examples for decision in decisions):
        # Decisions about one example follow each other: they share its passages, which the model then reads once.
        for example in read_examples(name):
            for decision in decisions:
                if decision.examples != name:
                    continue
                started = clock()
                weights, questions = zip(*decision.ask(example), strict=True)
                said = probabilities(chat_model, questions, cancel=cancel)
                found = sum(weight * one for weight, one in zip(weights, said, strict=True))
                record = asked[decision.name]
                (record.right if example.right == decision.label else record.wrong).append(found)
                record.seconds += clock() - started
                done += 1
                on_progress(done, total)
    fitted = [_fitted(decision, asked[decision.name]) for decision in decisions]
    values: dict[str, object] = {
        # Thresholds that no example is for keep their defaults, also those of later versions.
        **{decision.name: getattr(SAFE, decision.name) for decision in DECISIONS},
        **{found.decision: found.threshold for found, _ in fitted},
        "calibrated": True,
        "model_id": chat_model.model_id,
        "curves": {found.decision: curve for found, curve in fitted if not found.fixed},
    }
    return Calibration(digest=digest(), thresholds=Thresholds.model_validate(values), measured=tuple(found for found, _ in fitted))


@dataclass(slots=True)
class _Asked:
    """The probabilities of one decision's first label, for examples where it is right and where it is wrong."""

    right: list[float] = field(default_factory=list)
    wrong: list[float] = field(default_factory=list)
    seconds: float = 0.0


def _fitted(decision: CalibratedDecision, asked: _Asked) -> tuple[Measured, Logistic]:
    curve = fit_logistic(asked.right, asked.wrong)
    telling = auc(asked.right, asked.wrong)
    fixed = telling < LEAST_AUC or curve.slope <= 0
    at = decision.safe if fixed else threshold(curve, decision.tips_at, asked.right, asked.wrong)
    measured = Measured(
        decision=decision.name,
        examples=len(asked.right) + len(asked.wrong),
        auc=telling,
        accuracy=accuracy(at, asked.right, asked.wrong),
        threshold=at,
        fixed=fixed,
        seconds=asked.seconds,
    )
    return measured, curve
