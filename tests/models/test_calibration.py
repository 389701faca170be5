from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InstallFailed
from core.qa.calibration.decisions import DECISIONS, digest
from core.qa.calibration.runner import Calibration
from core.qa.thresholds import SAFE, Logistic, Thresholds
from models import calibration as kept
from models.calibration import find_calibration, fingerprint, keep_calibration, shipped_calibrations, thresholds_of
from models.catalog import load_catalog

FOUND = Calibration(
    digest=digest(),
    thresholds=Thresholds(
        files=0.4, plan=0.8, enough=0.6, calibrated=True, model_id="m", curves={"files": Logistic(slope=1.5, offset=-0.2)}
    ),
    measured=(),
)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    file = tmp_path / "weights" / "m.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF" + b"\x01" * 5_000_000)
    return file


def test_a_calibration_lies_beside_the_weights_and_is_found_again(weights: Path, tmp_path: Path) -> None:
    file = keep_calibration(FOUND, weights, tmp_path / "home")

    assert file == weights.parent / "m.gguf.calibration.json"
    assert find_calibration(weights, tmp_path / "home") == FOUND
    assert thresholds_of(weights, tmp_path / "home") == FOUND.thresholds


def test_weights_in_a_folder_that_cannot_be_written_get_theirs_in_the_home(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = kept._write

    def read_only_beside(file: Path, text: str) -> None:
        if file.parent == weights.parent:
            raise PermissionError(13, "Permission denied")
        write(file, text)

    monkeypatch.setattr(kept, "_write", read_only_beside)

    file = keep_calibration(FOUND, weights, tmp_path / "home")

    assert file.parent == tmp_path / "home"
    assert find_calibration(weights, tmp_path / "home") == FOUND


def test_when_no_place_can_be_written_the_person_is_told(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept, "_write", full)

    with pytest.raises(InstallFailed, match="No space left"):
        keep_calibration(FOUND, weights, tmp_path / "home")


def test_what_is_not_calibrated_is_not_written_down(weights: Path, tmp_path: Path) -> None:
    file = keep_calibration(FOUND, weights, tmp_path / "home")

    assert '"answer"' not in file.read_text(encoding="utf-8")


def test_nobody_calibrated_means_the_safe_thresholds(weights: Path, tmp_path: Path) -> None:
    assert thresholds_of(weights, tmp_path / "home") == SAFE
    assert thresholds_of(tmp_path / "missing.gguf", tmp_path / "home") == SAFE


@pytest.mark.parametrize("where", [3, 2_500_000, 5_000_003])
def test_other_weights_under_the_same_name_do_not_inherit_it(weights: Path, tmp_path: Path, where: int) -> None:
    keep_calibration(FOUND, weights, tmp_path / "home")
    content = bytearray(weights.read_bytes())
    content[where] ^= 0xFF
    # A change in the middle of a weights file of the same size is not looked for: reading a gigabyte at every start would cost seconds.
    same = where == 2_500_000
    weights.write_bytes(bytes(content))

    assert (find_calibration(weights, tmp_path / "home") == FOUND) is same


def test_a_calibration_made_with_other_prompts_does_not_count(weights: Path, tmp_path: Path) -> None:
    keep_calibration(FOUND.model_copy(update={"digest": "another"}), weights, tmp_path / "home")

    assert thresholds_of(weights, tmp_path / "home") == SAFE


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"[]", b'{"weights": 1}', b"9" * 5_000_000])
def test_a_damaged_file_is_as_good_as_none(weights: Path, tmp_path: Path, damage: bytes) -> None:
    keep_calibration(FOUND, weights, tmp_path / "home").write_bytes(damage)

    assert thresholds_of(weights, tmp_path / "home") == SAFE


def test_thresholds_that_no_decision_can_use_are_as_good_as_none(weights: Path, tmp_path: Path) -> None:
    file = keep_calibration(FOUND, weights, tmp_path / "home")
    file.write_text(file.read_text(encoding="utf-8").replace('"files": 0.4', '"files": -3'), encoding="utf-8")

    assert thresholds_of(weights, tmp_path / "home") == SAFE


def test_the_fingerprint_follows_the_weights_and_not_their_name(weights: Path) -> None:
    elsewhere = weights.rename(weights.with_name("other.gguf"))

    assert fingerprint(elsewhere).startswith("5000004-")


def test_what_comes_with_the_program_was_found_with_its_prompts() -> None:
    shipped = shipped_calibrations()

    assert shipped
    for one in shipped:
        assert one.calibration.digest == digest(), (
            f"a prompt or an example has changed: calibrate {one.calibration.thresholds.model_id} again and put the file into "
            "resources/calibrations"
        )
        assert {found.decision for found in one.calibration.measured} == {decision.name for decision in DECISIONS}


def test_the_model_that_set_up_installs_needs_no_calibrating() -> None:
    starter = next(model for model in load_catalog() if model.kind == "chat")

    assert any(one.weights.startswith(f"{starter.size_bytes}-") for one in shipped_calibrations())
