from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from core.qa.thresholds import ALWAYS, NEVER, SAFE, Logistic, Thresholds, logit
from tests.fakes.asking import CALIBRATED


def test_a_probability_of_the_model_becomes_how_often_it_is_right() -> None:
    curve = Logistic(slope=2.0, offset=-1.0)

    assert curve(0.5) == pytest.approx(1 / (1 + math.e))
    assert curve(0.9) == pytest.approx(1 / (1 + math.exp(-(2 * math.log(9) - 1))))


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_sure_models_stay_within_bounds(probability: float) -> None:
    assert math.isfinite(logit(probability))
    assert 0.0 <= Logistic(slope=1e6, offset=-1e6)(probability) <= 1.0


def test_a_decision_without_a_curve_keeps_the_probability_of_the_model() -> None:
    thresholds = CALIBRATED.model_copy(update={"curves": {"files": Logistic(slope=1.0, offset=0.0)}})

    assert thresholds.confidence("enough", 0.73) == 0.73
    assert thresholds.confidence("files", 0.73) == pytest.approx(0.73)


def test_a_fixed_decision_is_beyond_every_probability() -> None:
    assert ALWAYS <= 0.0
    assert NEVER > 1.0


def test_a_model_nobody_calibrated_leans_to_searching() -> None:
    assert not SAFE.calibrated
    assert SAFE.files < CALIBRATED.files
    assert SAFE.plan > CALIBRATED.plan


def test_values_that_no_decision_can_use_are_refused() -> None:
    with pytest.raises(ValidationError):
        Thresholds(files=float("nan"), plan=0.5, enough=0.5, calibrated=True, model_id="")
    with pytest.raises(ValidationError):
        Thresholds(files=-0.1, plan=0.5, enough=0.5, calibrated=True, model_id="")
