"""What was measured of a model on this machine: when it holds, when it is measured again, and which set-up wins."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from core.protocols import Speed
from models.backends.engine_calibration import MOST_ATTEMPTS, CalibrationFile, EngineCalibration, Measured, alternatives, settle
from models.backends.engine_tuning import Tuning, default_tuning

MEASURED = EngineCalibration(Tuning(2, flash_attention=True, microbatch=256), Speed(80.5, 14.25))
DEFAULT = Tuning(2, flash_attention=True)
OTHER = Tuning(2, flash_attention=False)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF" + bytes(1000))
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "engine"


def only_file(folder: Path) -> Path:
    [file] = folder.iterdir()
    return file


class TestFile:
    def test_what_was_measured_is_known_in_the_next_run(self, folder: Path, weights: Path) -> None:
        CalibrationFile(folder, weights, threads=0).write(MEASURED)

        assert CalibrationFile(folder, weights, threads=0).read() == MEASURED

    def test_that_it_took_too_long_to_measure_is_known_too(self, folder: Path, weights: Path) -> None:
        slow = EngineCalibration(Tuning(2, flash_attention=True), None, settled=False, attempts=2)
        CalibrationFile(folder, weights, threads=0).write(slow)

        assert CalibrationFile(folder, weights, threads=0).read() == slow

    def test_nothing_is_known_at_first(self, folder: Path, weights: Path) -> None:
        assert CalibrationFile(folder, weights, threads=0).read() is None
        assert not folder.exists()

    def test_another_model_file_is_measured_anew(self, folder: Path, weights: Path) -> None:
        CalibrationFile(folder, weights, threads=0).write(MEASURED)
        weights.write_bytes(b"GGUF" + bytes(1001))

        assert CalibrationFile(folder, weights, threads=0).read() is None

    def test_another_number_of_threads_is_measured_anew(self, folder: Path, weights: Path) -> None:
        CalibrationFile(folder, weights, threads=0).write(MEASURED)

        assert CalibrationFile(folder, weights, threads=1).read() is None

    @pytest.mark.parametrize(("name", "changed"), [("processor_name", "another"), ("physical_cores", 64), ("engine_version", "9.9")])
    def test_another_machine_or_engine_is_measured_anew(
        self, folder: Path, weights: Path, monkeypatch: pytest.MonkeyPatch, name: str, changed: object
    ) -> None:
        CalibrationFile(folder, weights, threads=0).write(MEASURED)
        monkeypatch.setattr(f"models.backends.engine_calibration.{name}", lambda: changed)

        assert CalibrationFile(folder, weights, threads=0).read() is None

    @pytest.mark.parametrize(
        "text",
        ["", "{", "[]", "null", '{"key": "x"}', "\x00" * 50, "x" * 200_000],
        ids=["empty", "cut", "list", "null", "poor", "nul", "long"],
    )
    def test_a_damaged_file_is_ignored_and_written_anew(self, folder: Path, weights: Path, text: str) -> None:
        file = CalibrationFile(folder, weights, threads=0)
        file.write(MEASURED)
        only_file(folder).write_text(text, encoding="utf-8")

        assert file.read() is None
        file.write(MEASURED)
        assert file.read() == MEASURED

    @pytest.mark.parametrize(
        "wrong",
        [
            {"threads": 0},
            {"threads": 10**9},
            {"microbatch": 1},
            {"prefill_tokens_per_second": 0},
            {"prefill_tokens_per_second": float("nan")},
        ],
    )
    def test_values_that_nobody_can_have_measured_are_ignored(self, folder: Path, weights: Path, wrong: dict[str, Any]) -> None:
        file = CalibrationFile(folder, weights, threads=0)
        file.write(MEASURED)
        told = json.loads(only_file(folder).read_text(encoding="utf-8"))
        only_file(folder).write_text(json.dumps(told | wrong), encoding="utf-8")

        assert file.read() is None

    @pytest.mark.skipif(sys.platform == "win32", reason="no modes")
    def test_only_the_owner_may_read_it(self, folder: Path, weights: Path) -> None:
        CalibrationFile(folder, weights, threads=0).write(MEASURED)

        assert stat.S_IMODE(only_file(folder).stat().st_mode) == 0o600

    def test_a_folder_that_cannot_be_made_costs_only_the_saving(self, tmp_path: Path, weights: Path) -> None:
        (tmp_path / "file").write_text("in the way", encoding="utf-8")
        file = CalibrationFile(tmp_path / "file" / "engine", weights, threads=0)

        file.write(MEASURED)

        assert file.read() is None


class TestSettling:
    def test_the_default_is_kept_when_nothing_else_was_measured(self) -> None:
        settled = settle(Measured(DEFAULT, 0.01, 0.1), [], 1)

        assert settled.tuning == DEFAULT
        assert settled.speed is not None
        assert settled.speed.prefill_tokens_per_second == pytest.approx(100)
        assert settled.speed.generation_tokens_per_second == pytest.approx(10)
        assert settled.is_final

    def test_what_is_clearly_faster_wins(self) -> None:
        settled = settle(Measured(DEFAULT, 0.02, 0.1), [Measured(OTHER, 0.01, 0.1)], 1)

        assert settled.tuning == OTHER
        assert settled.speed is not None
        assert settled.speed.prefill_tokens_per_second == pytest.approx(100)

    def test_what_is_hardly_faster_does_not(self) -> None:
        assert settle(Measured(DEFAULT, 0.0105, 0.1), [Measured(OTHER, 0.01, 0.1)], 1).tuning == DEFAULT

    def test_what_writes_a_little_slower_but_reads_much_faster_wins(self) -> None:
        assert settle(Measured(DEFAULT, 0.02, 0.05), [Measured(OTHER, 0.01, 0.08)], 1).tuning == OTHER

    def test_nothing_is_settled_while_other_programs_take_the_cores(self) -> None:
        busy = settle(Measured(DEFAULT, 0.02, 0.1, read_share=0.4), [Measured(OTHER, 0.01, 0.1)], 1)

        assert busy.tuning == DEFAULT
        assert not busy.is_final

    def test_the_speed_on_a_busy_machine_is_the_one_it_would_have_alone(self) -> None:
        busy = settle(Measured(DEFAULT, 0.02, 0.2, read_share=0.5, write_share=0.25), [], 1)

        assert busy.speed is not None
        assert busy.speed.prefill_tokens_per_second == pytest.approx(100)
        assert busy.speed.generation_tokens_per_second == pytest.approx(20)

    def test_attempts_on_a_busy_machine_end(self) -> None:
        busy = Measured(DEFAULT, 0.02, 0.1, read_share=0.3)

        assert not settle(busy, [], MOST_ATTEMPTS - 1).is_final
        assert settle(busy, [], MOST_ATTEMPTS).is_final


def test_a_share_of_the_cores_tells_the_speed_without_other_programs() -> None:
    measured = Measured(DEFAULT, 0.02, 0.2, read_share=0.5, write_share=0.8)

    assert measured.speed().prefill_tokens_per_second == pytest.approx(50)
    assert measured.speed(alone=True).prefill_tokens_per_second == pytest.approx(100)
    assert measured.speed(alone=True).generation_tokens_per_second == pytest.approx(6.25)


class TestAlternatives:
    def test_threads_that_the_person_chose_are_never_changed(self) -> None:
        assert {tuning.threads for tuning in alternatives(default_tuning(3), threads_chosen=True, gpu=False)} == {3}

    def test_fewer_threads_and_the_other_attention_are_tried(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("models.backends.engine_calibration.physical_cores", lambda: 8)

        tried = alternatives(Tuning(7, flash_attention=True), threads_chosen=False, gpu=False)

        assert tried == [Tuning(7, flash_attention=False), Tuning(8, flash_attention=True), Tuning(4, flash_attention=True)]

    def test_two_cores_are_both_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("models.backends.engine_calibration.physical_cores", lambda: 2)

        assert alternatives(Tuning(2, flash_attention=True), threads_chosen=False, gpu=False) == [Tuning(2, flash_attention=False)]

    def test_a_graphics_card_keeps_flash_attention(self) -> None:
        assert all(tuning.flash_attention for tuning in alternatives(Tuning(1, flash_attention=True), threads_chosen=False, gpu=True))


def test_the_time_of_change_of_a_file_is_part_of_what_it_is(folder: Path, weights: Path) -> None:
    CalibrationFile(folder, weights, threads=0).write(MEASURED)
    os.utime(weights, ns=(1, 1))

    assert CalibrationFile(folder, weights, threads=0).read() is None
