from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from itertools import groupby

import pytest

from core.cancel import CancelToken
from core.documents import Prompt
from core.errors import Cancelled, ChildCrashed
from core.qa.calibration import decisions as table
from core.qa.calibration.decisions import DECISIONS, Example, digest, read_examples
from core.qa.calibration.runner import Calibration, calibrate
from core.qa.thresholds import ALWAYS, NEVER, Decision, Thresholds
from tests.fakes.asking import ask
from tests.fakes.retrieval import KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel

EXAMPLES = {decision.name: read_examples(decision.examples) for decision in DECISIONS}


def answering(logit_of: Callable[[Decision, Example], float]) -> ScriptedChatModel:
    """A model that knows each example, and says its first label with the logit that it is told."""

    def choices(prompt: Prompt, labels: Sequence[str]) -> dict[str, float]:
        text = prompt.messages[-1].content
        by_label: dict[str, Decision] = {"files": "files", "2": "several"}
        judged = "Proposed answer:" in text or "待检查的回答：" in text
        name = by_label.get(labels[0]) or ("judge" if judged else "plan" if "lookup" in text or "查找" in text else "enough")
        example = next(one for one in EXAMPLES[name] if _is_asked(one, text))
        p = 1 / (1 + math.exp(-logit_of(name, example)))
        return {labels[0]: p, labels[1]: 1 - p}

    return ScriptedChatModel(choices=choices)


def _is_asked(example: Example, text: str) -> bool:
    question = example.question
    return (text == question or f": {question}\n" in text or f"：{question}\n" in text) and (
        not example.answer or f">{example.answer}</" in text
    )


def is_right(name: Decision, example: Example) -> bool:
    return example.right in ("files", "yes", "2")


def run(model: ScriptedChatModel) -> Calibration:
    return calibrate(model, lambda done, total: None, cancel=CancelToken())


def test_a_biased_model_that_tells_the_labels_apart_gets_thresholds_between_them() -> None:
    found = run(answering(lambda name, example: 3.0 if is_right(name, example) else 1.0))

    assert found.thresholds.calibrated
    assert found.thresholds.model_id == "scripted"
    for one in found.measured:
        assert (one.auc, one.accuracy, one.fixed) == (1.0, 1.0, False)
        assert 1.0 < math.log(one.threshold / (1 - one.threshold)) < 3.0
    assert found.thresholds.files < found.thresholds.enough < found.thresholds.plan


def test_confidences_are_high_where_the_model_is_right() -> None:
    thresholds = run(answering(lambda name, example: 3.0 if is_right(name, example) else 1.0)).thresholds

    assert thresholds.confidence("files", 0.953) > 0.9
    assert thresholds.confidence("files", 0.731) < 0.1


def test_a_model_that_cannot_tell_takes_the_safe_side_always() -> None:
    thresholds = run(answering(lambda name, example: len(example.question) % 7 / 7)).thresholds

    fixed = (thresholds.files, thresholds.several, thresholds.enough, thresholds.plan, thresholds.judge)
    assert fixed == (ALWAYS, NEVER, ALWAYS, NEVER, ALWAYS)
    assert thresholds.calibrated
    assert thresholds.curves == {}


def test_a_model_that_has_it_backwards_takes_the_safe_side_too() -> None:
    found = run(answering(lambda name, example: -2.0 if is_right(name, example) else 2.0))

    assert all(one.fixed for one in found.measured)


def test_with_the_safe_side_every_question_but_a_sum_goes_to_the_files() -> None:
    thresholds = run(answering(lambda name, example: 0.0)).thresholds
    model = ScriptedChatModel(
        streams=lambda prompt: "Text.", replies=lambda prompt, kind: {"lookups": ["q"]}, choices=lambda prompt, labels: {labels[1]: 1.0}
    )

    asked = ask("What is the capital of France?", model, KnownPassages(otherwise=[passage(1, "Text.")]), thresholds=thresholds)

    assert asked.answer.strategy == "complex"
    assert asked.answer.evaluation is not None
    assert asked.answer.evaluation.enough


def test_progress_counts_every_example_of_every_decision_once() -> None:
    told: list[tuple[int, int]] = []

    calibrate(answering(lambda name, example: 0.0), lambda done, total: told.append((done, total)), cancel=CancelToken())

    total = sum(len(read_examples(decision.examples)) for decision in DECISIONS)
    assert told == [(done, total) for done in range(1, total + 1)]


def test_decisions_about_the_same_passages_follow_each_other() -> None:
    model = answering(lambda name, example: 0.0)

    run(model)

    texts = [call.prompt.messages[-1].content for call in model.asked if "<" in call.prompt.messages[-1].content]
    evidence = [text.split("\n\n</")[0] for text in texts]
    # Two decisions about each of 24 sets of passages, and for 12 sets three questions about each of two answers.
    assert [len(list(same)) for _, same in groupby(evidence)] == [2] * 24 + [6] * 12


def test_a_calibration_can_be_stopped_and_leaves_nothing() -> None:
    cancel = CancelToken()

    def stop(done: int, total: int) -> None:
        if done == 5:
            cancel.cancel()

    model = answering(lambda name, example: 0.0)
    with pytest.raises(Cancelled):
        calibrate(model, stop, cancel=cancel)

    assert len(model.asked) == 5


def test_a_model_that_breaks_is_not_calibrated() -> None:
    with pytest.raises(ChildCrashed):
        run(ScriptedChatModel(choices=lambda prompt, labels: ChildCrashed("gone")))


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision.name)
def test_the_examples_of_a_decision_are_balanced_in_both_languages(decision: table.CalibratedDecision) -> None:
    examples = read_examples(decision.examples)
    chinese = [any("\u4e00" <= c <= "\u9fff" for c in example.question) for example in examples]

    for language in (True, False):
        right = [example.right == decision.label for example, zh in zip(examples, chinese, strict=True) if zh == language]
        assert sum(right) * 2 == len(right) > 0
    assert len({(example.question, example.answer) for example in examples}) == len(examples)


def test_examples_are_not_those_that_the_prompts_show_or_the_dashboard_measures() -> None:
    from pathlib import Path

    from core.qa.prompt import prompt_text

    shown = prompt_text("route_question", "en")
    measured = {
        json.loads(line)["question"] for line in Path("tests/quality/routing_questions.jsonl").read_text(encoding="utf-8").splitlines()
    }
    for example in read_examples("routing"):
        assert example.question not in shown
        assert example.question not in measured


def test_the_digest_changes_with_a_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest()
    monkeypatch.setattr(table, "prompt_text", lambda name, language: "other words")
    digest.cache_clear()

    try:
        assert digest() != before
    finally:
        digest.cache_clear()


def test_every_calibrated_decision_has_a_threshold() -> None:
    assert {decision.name for decision in DECISIONS} <= set(Thresholds.model_fields)
