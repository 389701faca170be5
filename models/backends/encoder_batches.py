"""How many texts the encoder is given at once: few enough to stop in time and to stay in the processor's cache, enough to keep it busy."""

from __future__ import annotations

from collections.abc import Sequence

MAX_TOKENS = 320
"""More of a text is not read. A chunk has at most 260, and its title and headings before it."""

BATCH_TOKENS = 512
"""Tokens of a batch, with padding: two full chunks. Larger batches were slower, see docs/decisions/0026-encoder-precision.md."""

LARGEST_BATCH = 64
BATCH_SECONDS = 0.35
"""A batch takes about this long on a slow machine: a cancel or a question waits for one."""

_MEASURED_FROM_TOKENS = 100
_FIRST_BATCH = 2


class BatchSizes:
    """Sizes of batches for one encoder, from how long earlier ones took. Not safe to use from several threads at once."""

    def __init__(self) -> None:
        self._seconds_per_token = 0.0

    def size(self, tokens: int) -> int:
        """How many texts of at most `tokens` tokens each make a batch, at least 1."""
        padded = max(1, min(tokens, MAX_TOKENS))
        if not self._seconds_per_token:
            # The first batch shows how fast this machine is.
            return _FIRST_BATCH
        in_time = int(BATCH_SECONDS / (self._seconds_per_token * padded))
        return max(1, min(in_time, BATCH_TOKENS // padded, LARGEST_BATCH))

    def learn(self, seconds: float, lengths: Sequence[int]) -> None:
        """What a batch of texts with so many tokens each took."""
        padded = len(lengths) * min(max(lengths, default=0), MAX_TOKENS)
        if padded >= _MEASURED_FROM_TOKENS:
            measured = seconds / padded
            known = self._seconds_per_token
            self._seconds_per_token = measured if not known else 0.7 * known + 0.3 * measured
