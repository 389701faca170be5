"""Turns texts into vectors with sentence-transformers. Imported in the embedding child process only."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer

from core.cancel import CancelToken
from models.backends.encoder_folder import EncoderFolder

MAX_TOKENS = 320
LARGEST_BATCH = 16
_BATCH_SECONDS = 0.35

Vectors = npt.NDArray[np.float32]


class SentenceTransformersEncoder:
    """One loaded model on the CPU, in float32."""

    def __init__(self, folder: EncoderFolder, threads: int) -> None:
        torch.set_num_threads(threads)
        # A checkpoint in half precision would be loaded as such, and that is a hundred times slower on a CPU.
        exact = {"dtype": torch.float32, "use_safetensors": True}
        self._model = SentenceTransformer(
            str(folder.folder), device="cpu", local_files_only=True, trust_remote_code=False, model_kwargs=exact
        )
        self._model.eval()
        self._model.max_seq_length = min(self._model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        self._seconds_per_character = 0.0

    def encode(self, texts: Sequence[str], prompt: str, cancel: CancelToken) -> Vectors:
        """Unit vectors in the order given. Obeys `cancel` between batches, each made to take about a third of a second."""
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        rows: list[Vectors] = []
        for batch in self._batches([texts[index] for index in order]):
            cancel.check()
            started = time.monotonic()
            rows.append(
                self._model.encode(
                    batch, prompt=prompt or None, batch_size=LARGEST_BATCH, normalize_embeddings=True, show_progress_bar=False
                )
            )
            self._learn(time.monotonic() - started, sum(len(text) for text in batch))
        vectors = np.empty_like(np.concatenate(rows))
        vectors[order] = np.concatenate(rows)
        return vectors.astype(np.float32)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        start = 0
        while start < len(texts):
            # The first batch shows how fast this machine is.
            known = self._seconds_per_character
            size = int(_BATCH_SECONDS / (known * max(len(texts[start]), 1))) if known else 2
            size = max(1, min(size, LARGEST_BATCH))
            yield list(texts[start : start + size])
            start += size

    def _learn(self, seconds: float, characters: int) -> None:
        if characters >= 200:
            measured = seconds / characters
            known = self._seconds_per_character
            self._seconds_per_character = measured if not known else 0.7 * known + 0.3 * measured
