"""How the chat engine is set up for one machine: threads, flash attention and the size of a microbatch."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from models.machine import default_threads

MICROBATCH_TOKENS = 256


@dataclass(frozen=True, slots=True)
class Tuning:
    """What may differ between machines without changing what a model says, apart from the last bits of its logits."""

    threads: int
    flash_attention: bool
    microbatch: int = MICROBATCH_TOKENS


def default_tuning(threads: int = 0, *, gpu: bool = False) -> Tuning:
    """The set-up of a machine that nobody measured; `threads` 0 means what the machine has."""
    # Flash attention is faster on x86 and several times slower on ARM processors.
    return Tuning(threads or default_threads(), flash_attention=gpu or platform.machine().lower() in ("x86_64", "amd64"))
