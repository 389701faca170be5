"""In which precision the encoder computes on this machine, and where that is kept between runs.

Read and written by the embedding child process, which measures once, when there is much to encode for the first time. Only a
precision whose vectors can stand beside those of float32 is ever taken, so neither the index nor the model's id knows of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import LamplightError
from core.home import write_whole
from core.protocols import Vectors
from models.backends.encoder_folder import EncoderFolder, fingerprint
from models.machine import physical_cores, processor_name

Precision = Literal["float32", "bfloat16"]

LEAST_COSINE = 0.999
"""Vectors of the golden texts must be at least this near to those of float32 to be compared with them. An encoder whose vectors went no further than 0.98 would need an index of its own."""

MOST_ATTEMPTS = 3
BUSY = "busy"
"""Why it was not measured: other programs had the processor. It is tried again a little later."""

_CLEARLY_FASTER = 0.85
_LARGEST_FILE_BYTES = 10_000
# What vectors and speed depend on besides the weights and the machine.
_LIBRARIES = ("torch", "sentence-transformers", "transformers")


@dataclass(frozen=True, slots=True)
class PrecisionChoice:
    """What was chosen, and why: how many times faster the other precision was on the processor, and its smallest cosine to float32.

    Both are 0 where nothing could be measured. `unfinished` counts measurements in which the process ended, or its memory
    did.
    """

    precision: Precision
    speed_up: float = 0.0
    cosine: float = 0.0
    unfinished: int = 0

    @property
    def is_final(self) -> bool:
        """Whether it need not be measured again."""
        return self.unfinished == 0 or self.unfinished >= MOST_ATTEMPTS


def least_cosine(vectors: Vectors, exact: Vectors) -> float:
    """The smallest cosine of a row of `vectors` to the same row of `exact`; -1.0 if anything is not finite, 0 or of another shape."""
    if vectors.shape != exact.shape or not vectors.size:
        return -1.0
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1) * np.linalg.norm(exact.astype(np.float64), axis=1)
    if not bool(np.all(np.isfinite(norms)) and np.all(norms > 0)):
        return -1.0
    return float(np.min(np.sum(vectors.astype(np.float64) * exact.astype(np.float64), axis=1) / norms))


def choose_precision(exact_seconds: float, seconds: float, cosine: float) -> PrecisionChoice:
    """bfloat16 where its vectors are near enough and it is clearly faster, for a short measurement is rough; else float32.

    Seconds are of the processor, which other programs on the machine disturb less than the clock.
    """
    faster = math.isfinite(exact_seconds) and 0 < seconds <= _CLEARLY_FASTER * exact_seconds
    speed_up = exact_seconds / seconds if seconds > 0 else 0.0
    return PrecisionChoice("bfloat16" if faster and cosine >= LEAST_COSINE else "float32", speed_up, cosine)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    key: str
    precision: Precision
    speed_up: float = Field(ge=0)
    cosine: float = Field(ge=-1, le=1.001)
    unfinished: int = Field(ge=0, le=1000)


class PrecisionFile:
    """The choice for one model folder, kept in `cache`. `threads` is what the encoder has.

    It holds for the model, processor, number of cores, threads and libraries it was measured with, and is as good as none for others.
    """

    def __init__(self, cache: Path, folder: EncoderFolder, *, threads: int) -> None:
        named = hashlib.sha256(json.dumps([str(folder.folder), threads]).encode("utf-8", "surrogatepass")).hexdigest()
        self._file = cache / f"encoder-{named[:16]}.json"
        measured_with = [fingerprint(folder), processor_name(), physical_cores(), threads, *map(version, _LIBRARIES)]
        self._key = hashlib.sha256(json.dumps(measured_with).encode("utf-8", "surrogatepass")).hexdigest()

    def read(self) -> PrecisionChoice | None:
        """What was chosen, or None if nothing was, or under other conditions, or the file is damaged."""
        try:
            with self._file.open("rb") as file:
                found = _File.model_validate_json(file.read(_LARGEST_FILE_BYTES))
        except (OSError, ValidationError):
            return None
        return PrecisionChoice(found.precision, found.speed_up, found.cosine, found.unfinished) if found.key == self._key else None

    def write(self, choice: PrecisionChoice) -> None:
        """Keep a choice. A folder that cannot be written to is no error: it is measured again next time."""
        try:
            text = _File(key=self._key, **asdict(choice)).model_dump_json()
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._file, text)
        except (OSError, ValidationError, LamplightError):
            return

    def forget(self) -> None:
        """Measure again next time."""
        with contextlib.suppress(OSError):
            self._file.unlink()
