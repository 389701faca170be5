"""A precision is taken if it is faster and its vectors can stand beside those of float32, and the choice is kept for what it was made with."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from models.backends import encoder_precision
from models.backends.encoder_folder import EncoderFolder
from models.backends.encoder_precision import LEAST_COSINE, MOST_ATTEMPTS, PrecisionChoice, PrecisionFile, choose_precision, least_cosine
from models.backends.golden_texts import GOLDEN_TEXTS

CHOICE = PrecisionChoice("bfloat16", 2.1, 0.99997)


@pytest.fixture
def folder(tmp_path: Path) -> EncoderFolder:
    """The files that a model is told apart by."""
    place = tmp_path / "model"
    place.mkdir()
    for name in ("modules.json", "tokenizer.json", "model.safetensors"):
        (place / name).write_text(name, encoding="utf-8")
    return EncoderFolder(place, 384, "query: ", "passage: ", (place / "model.safetensors",))


def test_the_faster_precision_is_taken_if_its_vectors_are_near_enough() -> None:
    assert choose_precision(2.0, 1.0, 0.99997) == PrecisionChoice("bfloat16", 2.0, 0.99997)
    assert choose_precision(2.0, 1.0, LEAST_COSINE).precision == "bfloat16"


@pytest.mark.parametrize(
    ("exact_seconds", "seconds", "cosine"),
    [
        (2.0, 1.0, LEAST_COSINE - 1e-6),
        (2.0, 1.0, 0.98),
        (2.0, 1.0, -1.0),
        (2.0, 1.9, 1.0),
        (2.0, 200.0, 1.0),
        (0.0, 0.0, 1.0),
        (2.0, 0.0, 1.0),
        (float("inf"), float("inf"), 1.0),
        (2.0, 1.0, float("nan")),
    ],
)
def test_everything_else_stays_with_float32(exact_seconds: float, seconds: float, cosine: float) -> None:
    assert choose_precision(exact_seconds, seconds, cosine).precision == "float32"


def test_the_smallest_cosine_counts() -> None:
    exact = np.eye(3, dtype=np.float32)
    near = exact.copy()
    near[1] = (0.6, 0.8, 0.0)

    assert least_cosine(exact * 5, exact) == pytest.approx(1.0)
    assert least_cosine(near, exact) == pytest.approx(0.8)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_vector_that_is_not_finite_is_near_to_nothing(value: float) -> None:
    exact = np.eye(3, dtype=np.float32)
    broken = exact.copy()
    broken[2, 0] = value

    assert least_cosine(broken, exact) == -1.0


def test_a_vector_of_zeros_and_another_shape_are_near_to_nothing() -> None:
    exact = np.eye(3, dtype=np.float32)

    assert least_cosine(exact * np.array([[1], [0], [1]], np.float32), exact) == -1.0
    assert least_cosine(exact[:2], exact) == -1.0
    assert least_cosine(np.zeros((0, 0), np.float32), np.zeros((0, 0), np.float32)) == -1.0


def test_a_choice_is_kept(folder: EncoderFolder, tmp_path: Path) -> None:
    file = PrecisionFile(tmp_path / "engine", folder, threads=2)
    assert file.read() is None

    file.write(CHOICE)

    assert PrecisionFile(tmp_path / "engine", folder, threads=2).read() == CHOICE
    assert CHOICE.is_final
    file.forget()
    file.forget()
    assert file.read() is None


def test_a_choice_is_as_good_as_none_under_other_conditions(folder: EncoderFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    PrecisionFile(tmp_path, folder, threads=2).write(CHOICE)

    assert PrecisionFile(tmp_path, folder, threads=1).read() is None
    with monkeypatch.context() as changed:
        changed.setattr(encoder_precision, "processor_name", lambda: "another processor")
        assert PrecisionFile(tmp_path, folder, threads=2).read() is None
    with monkeypatch.context() as changed:
        changed.setattr(encoder_precision, "version", lambda library: "0")
        assert PrecisionFile(tmp_path, folder, threads=2).read() is None
    folder.weights[0].write_text("other weights", encoding="utf-8")
    assert PrecisionFile(tmp_path, folder, threads=2).read() is None


@pytest.mark.parametrize("content", ["", "{}", "null", "[1]", "\x00" * 40, '{"precision": "int3"}'])
def test_a_damaged_file_is_as_good_as_none(folder: EncoderFolder, tmp_path: Path, content: str) -> None:
    file = PrecisionFile(tmp_path, folder, threads=2)
    file.write(CHOICE)
    (kept,) = tmp_path.glob("encoder-*.json")
    kept.write_text(content, encoding="utf-8")

    assert file.read() is None


def test_numbers_that_cannot_be_are_not_believed(folder: EncoderFolder, tmp_path: Path) -> None:
    file = PrecisionFile(tmp_path, folder, threads=2)
    file.write(CHOICE)
    (kept,) = tmp_path.glob("encoder-*.json")
    content = json.loads(kept.read_text(encoding="utf-8"))
    kept.write_text(json.dumps(content | {"unfinished": -1}), encoding="utf-8")

    assert file.read() is None


def test_a_folder_that_cannot_be_written_to_is_no_error(folder: EncoderFolder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    file = PrecisionFile(tmp_path / "file" / "engine", folder, threads=2)

    file.write(CHOICE)
    file.forget()

    assert file.read() is None


def test_what_did_not_come_to_an_end_is_tried_again_some_times() -> None:
    assert not PrecisionChoice("float32", unfinished=1).is_final
    assert not PrecisionChoice("float32", unfinished=MOST_ATTEMPTS - 1).is_final
    assert PrecisionChoice("float32", unfinished=MOST_ATTEMPTS).is_final


def test_golden_texts_are_of_both_languages_and_of_many_lengths() -> None:
    chinese = [text for text in GOLDEN_TEXTS if any("\u4e00" <= letter <= "\u9fff" for letter in text)]

    assert 4 <= len(chinese) <= len(GOLDEN_TEXTS) - 4
    assert min(map(len, GOLDEN_TEXTS)) < 10
    assert max(map(len, GOLDEN_TEXTS)) > 400
