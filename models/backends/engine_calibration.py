"""What was measured of a chat model on this machine, kept between runs. Without it the defaults are used and nothing is lost.

Read by the app, written by the chat child process, which measures when a model is loaded for the first time on a machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import LamplightError
from core.home import write_whole
from core.protocols import Speed
from models.backends.engine_tuning import Tuning
from models.backends.saved_beginnings import model_identity
from models.machine import physical_cores, processor_name

MOST_ATTEMPTS = 3
_LARGEST_FILE_BYTES = 10_000
_CLEARLY_FASTER = 0.85
_UNDISTURBED = 0.6
# A question with evidence: so many tokens are read for each one written.
_READ_PER_WRITTEN = 10


@dataclass(frozen=True, slots=True)
class EngineCalibration:
    """The set-up that was fastest, and how fast it was.

    `settled` is false while other programs were busy whenever it was measured (`attempts` times): then the set-up is the default one, and
    the speed an estimate, or None if it took too long.
    """

    tuning: Tuning
    speed: Speed | None
    settled: bool = True
    attempts: int = 1

    @property
    def is_final(self) -> bool:
        """Whether it need not be measured again."""
        return self.settled or self.attempts >= MOST_ATTEMPTS


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds that one token takes to be read, in a batch behind some hundred others, and to be written.

    The shares say how much of that time the threads really had a core, 0 to 1.
    """

    tuning: Tuning
    read_seconds: float
    write_seconds: float
    read_share: float = 1.0
    write_share: float = 1.0

    @property
    def cost(self) -> float:
        """Seconds for one written token and all that is read for it."""
        return _READ_PER_WRITTEN * self.read_seconds + self.write_seconds

    def speed(self, *, alone: bool = False) -> Speed:
        """Tokens a second; `alone`, as they would be without other programs."""
        read_share, write_share = (self.read_share, self.write_share) if alone else (1.0, 1.0)
        return Speed(1 / (self.read_seconds * read_share), 1 / (self.write_seconds * write_share))


def alternatives(default: Tuning, *, threads_chosen: bool, gpu: bool) -> list[Tuning]:
    """What may be faster than the default: the other kind of attention, all cores, half of many. A number the person chose stays."""
    others = [] if gpu else [replace(default, flash_attention=not default.flash_attention)]
    if not threads_chosen:
        cores = physical_cores()
        counts = dict.fromkeys(count for count in (cores, cores // 2 if cores >= 4 else cores) if count != default.threads)
        others += [replace(default, threads=count) for count in counts]
    return others


def settle(default: Measured, others: Iterable[Measured], attempts: int) -> EngineCalibration:
    """The fastest of what was measured: the default, unless another one is clearly faster, for a single short measurement is rough.

    While other programs take the cores, the default is kept, and the speed is the one it would have without them.
    """
    best = min(others, key=lambda one: one.cost, default=default)
    if best.cost >= _CLEARLY_FASTER * default.cost:
        best = default
    if min(default.read_share, default.write_share, best.read_share, best.write_share) >= _UNDISTURBED:
        return EngineCalibration(best.tuning, best.speed(), True, attempts)
    return EngineCalibration(default.tuning, default.speed(alone=True), False, attempts)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    key: str
    threads: int = Field(ge=1, le=1024)
    flash_attention: bool
    microbatch: int = Field(ge=32, le=4096)
    prefill_tokens_per_second: float | None = Field(gt=0)
    generation_tokens_per_second: float | None = Field(gt=0)
    settled: bool
    attempts: int = Field(ge=1, le=1000)


def engine_version() -> str:
    """The version of the binding, which is pinned to one of llama.cpp."""
    return version("llama-cpp-python")


class CalibrationFile:
    """The calibration of one model file in `folder`. `threads` is what the person asked for, 0 for what the machine has.

    It holds for the model file, processor, number of cores, threads and engine it was measured with, and is as good as none for others.
    """

    def __init__(self, folder: Path, model: Path, *, threads: int) -> None:
        named = hashlib.sha256(json.dumps([str(model), threads]).encode("utf-8", "surrogatepass")).hexdigest()
        self._file = folder / f"calibration-{named[:16]}.json"
        measured_with = [model_identity(model), processor_name(), physical_cores(), threads, engine_version()]
        self._key = hashlib.sha256(json.dumps(measured_with, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()

    def read(self) -> EngineCalibration | None:
        """What was measured, or None if nothing was, or under other conditions, or the file is damaged."""
        try:
            with self._file.open("rb") as file:
                found = _File.model_validate_json(file.read(_LARGEST_FILE_BYTES))
        except (OSError, ValidationError):
            return None
        if found.key != self._key:
            return None
        read, written = found.prefill_tokens_per_second, found.generation_tokens_per_second
        speed = Speed(read, written) if read and written else None
        tuning = Tuning(found.threads, found.flash_attention, found.microbatch)
        return EngineCalibration(tuning, speed, found.settled, found.attempts)

    def write(self, calibration: EngineCalibration) -> None:
        """Keep what was measured. A folder that cannot be written to is no error: it is measured again next time."""
        tuning, speed = calibration.tuning, calibration.speed
        try:
            text = _File(
                key=self._key,
                threads=tuning.threads,
                flash_attention=tuning.flash_attention,
                microbatch=tuning.microbatch,
                prefill_tokens_per_second=speed.prefill_tokens_per_second if speed else None,
                generation_tokens_per_second=speed.generation_tokens_per_second if speed else None,
                settled=calibration.settled,
                attempts=calibration.attempts,
            ).model_dump_json()
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._file, text)
        except (OSError, ValidationError, LamplightError):
            return
