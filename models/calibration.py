"""Where a chat model's calibration is kept: beside its weights, in the home where that folder cannot be written, or in the program.

A calibration counts only for the very weights it was made with, and only while the prompts and examples are those it was made with.
Anything else, damaged files too, is as good as none: the model then works with the safe thresholds.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import InstallFailed
from core.paths import RESOURCES
from core.qa.calibration.decisions import digest
from core.qa.calibration.runner import Calibration
from core.qa.thresholds import SAFE, Thresholds

SHIPPED = RESOURCES / "calibrations"
_SAMPLE_BYTES = 1 << 20
_LARGEST_FILE_BYTES = 1 << 20


class _Kept(BaseModel):
    """What a file holds: a calibration, and the fingerprint of the weights it belongs to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: str
    calibration: Calibration


def fingerprint(weights: Path) -> str:
    """Tells one weights file from another without reading a gigabyte: its size and its first and last megabyte. Raises `OSError`."""
    status = weights.stat()
    return _fingerprint(weights, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=16)
def _fingerprint(weights: Path, size: int, _modified_ns: int) -> str:
    with weights.open("rb") as stream:
        seen = hashlib.sha256(stream.read(_SAMPLE_BYTES))
        stream.seek(max(0, size - _SAMPLE_BYTES))
        seen.update(stream.read(_SAMPLE_BYTES))
    return f"{size}-{seen.hexdigest()[:32]}"


def thresholds_of(weights: Path, folder: Path) -> Thresholds:
    """The thresholds of the model in `weights`; the safe ones if nobody calibrated it. `folder` is the home's folder for models."""
    found = find_calibration(weights, folder)
    return SAFE if found is None else found.thresholds


def find_calibration(weights: Path, folder: Path) -> Calibration | None:
    """The calibration that counts for `weights`: one made here, else the one that came with the program."""
    try:
        mark = fingerprint(weights)
    except OSError:
        return None
    for file in _places(weights, folder, mark):
        kept = _read(file)
        if kept is not None and kept.weights == mark and kept.calibration.digest == digest():
            return kept.calibration
    # Prompts and shipped calibrations come together in one version, which a test of the program checks.
    return next((kept.calibration for kept in shipped_calibrations() if kept.weights == mark), None)


@cache
def shipped_calibrations() -> tuple[_Kept, ...]:
    """The calibrations that came with the program."""
    return tuple(kept for file in sorted(SHIPPED.glob("*.json")) if (kept := _read(file)) is not None)


def keep_calibration(calibration: Calibration, weights: Path, folder: Path) -> Path:
    """Write the calibration beside the weights, or into `folder` if that cannot be; return the file.

    Raises:
        InstallFailed: neither place can be written.
    """
    try:
        mark = fingerprint(weights)
        text = _Kept(weights=mark, calibration=calibration).model_dump_json(indent=1, exclude_unset=True) + "\n"
    except OSError as error:
        raise InstallFailed(f"{weights} cannot be read: {error.strerror or error}. Check the file.", path=str(weights)) from error
    problem: OSError | None = None
    for file in _places(weights, folder, mark):
        try:
            _write(file, text)
        except OSError as error:
            problem = error
            continue
        return file
    raise InstallFailed(
        f"The calibration cannot be written to {folder}: {problem}. Make room or check the permissions, then try again."
    ) from problem


def _places(weights: Path, folder: Path, mark: str) -> Iterator[Path]:
    yield weights.with_name(f"{weights.name}.calibration.json")
    yield folder / f"{mark}.calibration.json"


def _read(file: Path) -> _Kept | None:
    try:
        with file.open("rb") as stream:
            return _Kept.model_validate_json(stream.read(_LARGEST_FILE_BYTES))
    except (OSError, ValidationError):
        return None


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.new")
    with beside.open("w", encoding="utf-8", newline="\n") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(file)
