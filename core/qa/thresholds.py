"""Where each decision of the graph tips over, for one model.

A decision is a probability read from the logits of two labels. What that probability is worth differs from model to model: one says 0.9
where another says 0.55. So each model has thresholds of its own, found on labelled examples (`core/qa/calibration/`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Decision = Literal["files", "several", "plan", "enough", "judge"]

ALWAYS = 0.0
NEVER = 1.01
"""No probability is below `ALWAYS` or reaches `NEVER`: a decision with such a threshold is fixed, whatever the model says."""


class Logistic(BaseModel):
    """Turns the label's probability into how often it is right: `1 / (1 + exp(-(slope * logit(p) + offset)))` (Platt scaling)."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    slope: float
    offset: float

    def __call__(self, probability: float) -> float:
        """The calibrated probability, 0..1."""
        return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, self.slope * logit(probability) + self.offset))))


class Thresholds(BaseModel):
    """One model's thresholds: from this probability on, the decision's first label is taken.

    `curves` holds, for each decision that was calibrated, what the probabilities of this model are worth.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    files: float = Field(ge=ALWAYS, le=NEVER, description="Route: the question needs the person's files.")
    several: float = Field(0.5, ge=ALWAYS, le=NEVER, description="Decompose: the question needs several lookups.")
    plan: float = Field(ge=ALWAYS, le=NEVER, description="Plan: the evidence is complete, so the lookups that are left are not made.")
    enough: float = Field(ge=ALWAYS, le=NEVER, description="Evaluate: the passages state the answer.")
    answer: float = Field(
        0.5, ge=ALWAYS, le=NEVER, description="Generate: the drafted answer was read in the evidence (`core/qa/answerability.py`)."
    )
    judge: float = Field(0.5, ge=ALWAYS, le=NEVER, description="Judge: the weighted score of an answer that needs no further search.")
    calibrated: bool = Field(description="Whether these were found on examples, with this very model.")
    model_id: str = Field(description="The model they belong to; empty for those that belong to none.")
    curves: Mapping[Decision, Logistic] = Field({}, description="What a probability is worth, for each calibrated decision.")

    def confidence(self, decision: Decision, probability: float) -> float:
        """How likely the decision's first label is right, 0..1; the probability itself where nobody measured what it is worth."""
        curve = self.curves.get(decision)
        return probability if curve is None else curve(probability)


def logit(probability: float) -> float:
    """The natural logarithm of the odds; finite for 0 and 1 too."""
    kept = max(1e-9, min(1.0 - 1e-9, probability))
    return math.log(kept / (1.0 - kept))


SAFE = Thresholds(
    # In doubt the files are searched and the lookups made: that costs time, the other way costs the answer.
    files=0.2,
    plan=0.95,
    enough=0.6,
    calibrated=False,
    model_id="",
)
"""Of a model that nobody calibrated."""
