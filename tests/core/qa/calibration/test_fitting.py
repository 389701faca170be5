from __future__ import annotations

import math
import random

import pytest

from core.qa.calibration.fitting import accuracy, auc, fit_logistic, threshold


def probabilities(seed: int, centre: float, spread: float = 1.0, count: int = 24) -> list[float]:
    """Probabilities of a model whose logits lie around `centre`."""
    chance = random.Random(seed)
    return [1 / (1 + math.exp(-chance.gauss(centre, spread))) for _ in range(count)]


def test_the_area_under_the_curve_counts_pairs_in_the_right_order() -> None:
    assert auc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert auc([0.1], [0.9]) == 0.0
    assert auc([0.9, 0.1], [0.5, 0.1]) == pytest.approx((1 + 1 + 0 + 0.5) / 4)


def test_the_curve_says_how_often_a_probability_is_right() -> None:
    right, wrong = probabilities(1, 1.0, count=2000), probabilities(2, -1.0, count=2000)

    curve = fit_logistic(right, wrong)

    # Two normal classes of variance 1 around +1 and -1: the log odds are exactly 2x.
    assert curve.slope == pytest.approx(2.0, abs=0.15)
    assert curve.offset == pytest.approx(0.0, abs=0.15)


def test_a_biased_model_is_calibrated_away_from_one_half() -> None:
    right, wrong = probabilities(3, 4.0), probabilities(4, 2.0)

    at = threshold(fit_logistic(right, wrong), 0.5, right, wrong)

    assert 0.9 < at < 0.99
    assert accuracy(0.5, right, wrong) < 0.6
    assert accuracy(at, right, wrong) > 0.75


def test_what_costs_more_moves_the_threshold() -> None:
    right, wrong = probabilities(5, 1.0), probabilities(6, -1.0)
    curve = fit_logistic(right, wrong)

    lenient, even, strict = (threshold(curve, tips_at, right, wrong) for tips_at in (0.2, 0.5, 0.8))

    assert lenient < even < strict


def test_where_the_classes_spread_differently_the_examples_have_a_word() -> None:
    """Sure and close together where it is right, anything below where it is wrong: a curve alone would tip too early."""
    right, wrong = probabilities(7, 2.0, 0.3), probabilities(8, -1.0, 1.5)
    curve = fit_logistic(right, wrong)
    tips_early = next(p / 1000 for p in range(1, 1000) if curve(p / 1000) >= 0.5)

    at = threshold(curve, 0.5, right, wrong)

    assert at > tips_early
    assert accuracy(at, right, wrong) >= accuracy(tips_early, right, wrong)


def test_nothing_between_two_classes_means_the_middle() -> None:
    right, wrong = [0.9, 0.95], [0.1, 0.05]

    assert threshold(fit_logistic(right, wrong), 0.5, right, wrong) == pytest.approx(0.5, abs=0.01)


def test_classes_far_apart_give_a_finite_curve_and_a_threshold_between_them() -> None:
    right, wrong = [0.999] * 24, [0.001] * 24

    curve = fit_logistic(right, wrong)

    assert math.isfinite(curve.slope)
    assert 0.001 < threshold(curve, 0.2, right, wrong) < 0.999


def test_the_threshold_stays_between_the_middles_of_the_classes() -> None:
    right, wrong = probabilities(7, 0.2), probabilities(8, -0.2)
    curve = fit_logistic(right, wrong)

    at = threshold(curve, 0.001, right, wrong)

    assert sorted(wrong)[8] < at < sorted(right)[16]


@pytest.mark.parametrize("seed", range(20))
def test_forty_examples_are_enough_to_come_near(seed: int) -> None:
    right, wrong = probabilities(seed, 1.5, count=20), probabilities(seed + 100, -1.5, count=20)
    many_right, many_wrong = probabilities(900, 1.5, count=4000), probabilities(901, -1.5, count=4000)

    at = threshold(fit_logistic(right, wrong), 0.5, right, wrong)

    # The best threshold there is decides 93 % right.
    assert accuracy(at, many_right, many_wrong) > 0.89
