"""From probabilities of labelled examples to a threshold and a confidence. Pure arithmetic, no model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from core.qa.thresholds import Logistic, logit

_STEPS = 100
_RIDGE = 1e-6


def auc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a probability out of `right` is above one out of `wrong`: 1 tells them apart, 0.5 guesses. Neither may be empty."""
    above = sum((high > low) + 0.5 * (high == low) for high in right for low in wrong)
    return above / (len(right) * len(wrong))


def fit_logistic(right: Sequence[float], wrong: Sequence[float]) -> Logistic:
    """Platt scaling of label probabilities: `right` are those of examples whose label is right.

    The targets are Platt's smoothed ones, so that classes that lie apart do not end in an infinite slope. Both count the same,
    however many there are. Newton's method; the sum is convex, and the ridge keeps its second derivative away from zero.
    """
    points = [
        *((logit(p), (len(right) + 1) / (len(right) + 2), 0.5 / len(right)) for p in right),
        *((logit(p), 1 / (len(wrong) + 2), 0.5 / len(wrong)) for p in wrong),
    ]
    slope, offset = 0.0, 0.0
    for _ in range(_STEPS):
        g0 = g1 = 0.0
        h00 = h11 = _RIDGE
        h01 = 0.0
        for x, target, weight in points:
            p = 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, slope * x + offset))))
            off, bend = weight * (p - target), weight * p * (1.0 - p)
            g0, g1 = g0 + off * x, g1 + off
            h00, h01, h11 = h00 + bend * x * x, h01 + bend * x, h11 + bend
        determinant = h00 * h11 - h01 * h01
        step0, step1 = (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant
        # A full Newton step may overshoot where the curve is flat.
        length = max(1.0, abs(step0) / 2.0, abs(step1) / 2.0)
        slope, offset = slope - step0 / length, offset - step1 / length
        if abs(step0) + abs(step1) < 1e-9:
            break
    return Logistic(slope=slope, offset=offset)


def threshold(curve: Logistic, tips_at: float, right: Sequence[float], wrong: Sequence[float]) -> float:
    """Where to tip: halfway, in log odds, between where the curve's confidence is `tips_at` and where these examples cost least.

    The curve uses every example but believes that both classes spread alike; the cheapest place believes nothing but hangs on the few
    examples near it. Costs are in `tips_at`: if a wrong "no" costs four times a wrong "yes", yes is taken from a confidence of 1/5 on.
    Kept between the medians of the two classes.
    """
    low, high = sorted((logit(median(wrong)), logit(median(right))))
    tipping = (logit(tips_at) - curve.offset) / curve.slope if curve.slope > 0 else low
    both = (max(low, min(high, tipping)) + max(low, min(high, _cheapest(tips_at, right, wrong)))) / 2
    return 1.0 / (1.0 + math.exp(-both))


def _cheapest(tips_at: float, right: Sequence[float], wrong: Sequence[float]) -> float:
    """The log odds at which these examples cost least; the middle of such places if there are several."""
    seen = sorted({logit(p) for p in (*right, *wrong)})
    gaps = list(pairwise([seen[0] - 1.0, *seen, seen[-1] + 1.0]))
    costs = [_cost((low + high) / 2, tips_at, right, wrong) for low, high in gaps]
    cheapest = [gap for gap, cost in zip(gaps, costs, strict=True) if cost <= min(costs) + 1e-12]
    return (cheapest[0][0] + cheapest[-1][1]) / 2


def _cost(at: float, tips_at: float, right: Sequence[float], wrong: Sequence[float]) -> float:
    missed = sum(logit(p) < at for p in right) / len(right)
    false = sum(logit(p) >= at for p in wrong) / len(wrong)
    return (1.0 - tips_at) * missed + tips_at * false


def accuracy(at: float, right: Sequence[float], wrong: Sequence[float]) -> float:
    """The share of examples that a threshold decides as they are labelled."""
    return (sum(p >= at for p in right) + sum(p < at for p in wrong)) / (len(right) + len(wrong))
