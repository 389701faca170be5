"""Turns texts into vectors with sentence-transformers. Imported in the embedding child process only."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer

from core.cancel import CancelToken
from models.backends.encoder_batches import MAX_TOKENS
from models.backends.encoder_folder import EncoderFolder
from models.backends.encoder_precision import Precision, PrecisionChoice, choose_precision, least_cosine
from models.backends.golden_texts import GOLDEN_TEXTS

MEASURING_SECONDS = 4.0
LONGEST_MEASURING_SECONDS = 10.0
_GOLDEN_BATCH = 4
_GOLDEN_ROUNDS = 2
# Of the processor's time. With less, a second or two would become ten.
_LEAST_SHARE = 0.25
# Where a processor has no instructions for it, a precision is computed a number at a time: a word or two shows it.
_HOPELESS = 4.0
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}

Vectors = npt.NDArray[np.float32]


class SentenceTransformersEncoder:
    """One loaded model on the CPU. It computes in `precision`; vectors are float32 always."""

    def __init__(self, folder: EncoderFolder, threads: int, precision: Precision = "float32") -> None:
        torch.set_num_threads(threads)
        self.precision = precision
        # Without a type, a checkpoint in half precision would be loaded as such, on processors too where that is a hundred times slower.
        exact = {"dtype": _DTYPES[precision], "use_safetensors": True}
        self._model = SentenceTransformer(
            str(folder.folder), device="cpu", local_files_only=True, trust_remote_code=False, model_kwargs=exact
        )
        self._model.eval()
        self._model.max_seq_length = min(self._model.max_seq_length or MAX_TOKENS, MAX_TOKENS)

    def encode(self, texts: Sequence[str], prompt: str, cancel: CancelToken) -> Vectors:
        """Unit vectors of texts that are encoded at once, so their lengths should be much the same; in the order given."""
        cancel.check()
        vectors = self._model.encode(list(texts), prompt=prompt or None, batch_size=len(texts), show_progress_bar=False)
        exact = vectors.astype(np.float32)
        # A model that makes unit vectors makes them with its own precision. Not-a-number stays, and is noticed.
        norms = np.linalg.norm(exact, axis=1, keepdims=True)
        units: Vectors = (exact / np.maximum(norms, np.finfo(np.float32).tiny)).astype(np.float32)
        return units


def measure_precision(
    folder: EncoderFolder, threads: int, exact: SentenceTransformersEncoder, cancel: CancelToken
) -> tuple[PrecisionChoice, SentenceTransformersEncoder] | None:
    """Try bfloat16 beside the float32 encoder `exact` on the golden texts; the choice, and the encoder to go on with.

    About the work of two dozen chunks. None if other programs leave so little of the processor that it takes too long. Obeys `cancel`
    between batches of four texts.
    """
    measuring = _Measuring(folder.passage_prompt, cancel)
    probe = GOLDEN_TEXTS[-1:]
    measuring.run(exact, probe)
    # Loading cannot be stopped half-way, so this comes before it.
    before, (_, worked) = measuring.seconds, measuring.run(exact, GOLDEN_TEXTS[:_GOLDEN_BATCH])
    if worked < _LEAST_SHARE * threads * (measuring.seconds - before):
        return None
    other = SentenceTransformersEncoder(folder, threads, "bfloat16")
    for encoder in (exact, other):
        measuring.run(encoder, probe)  # the first call also brings the weights into memory
    if measuring.run(other, probe)[1] > _HOPELESS * measuring.run(exact, probe)[1]:
        return PrecisionChoice("float32"), exact
    exact_seconds, other_seconds, cosine = math.inf, math.inf, 1.0
    for _ in range(_GOLDEN_ROUNDS):
        wanted, seconds = measuring.run(exact, GOLDEN_TEXTS)
        exact_seconds = min(exact_seconds, seconds)
        made, seconds = measuring.run(other, GOLDEN_TEXTS)
        other_seconds = min(other_seconds, seconds)
        cosine = min(cosine, least_cosine(made, wanted))
        if measuring.seconds > MEASURING_SECONDS:
            break
    if measuring.seconds > LONGEST_MEASURING_SECONDS:
        return None
    choice = choose_precision(exact_seconds, other_seconds, cosine)
    return choice, other if choice.precision == "bfloat16" else exact


class _Measuring:
    """Runs encoders until it has taken too long; then every run gives nothing, at once."""

    def __init__(self, prompt: str, cancel: CancelToken) -> None:
        self._prompt = prompt
        self._cancel = cancel
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the beginning, by the clock."""
        return time.monotonic() - self._started

    def run(self, encoder: SentenceTransformersEncoder, texts: Sequence[str]) -> tuple[Vectors, float]:
        """Vectors of the texts, and seconds of processor time."""
        worked = time.process_time()
        rows: list[Vectors] = []
        for start in range(0, len(texts), _GOLDEN_BATCH):
            if self.seconds > LONGEST_MEASURING_SECONDS:
                break
            rows.append(encoder.encode(texts[start : start + _GOLDEN_BATCH], self._prompt, self._cancel))
        return np.concatenate(rows) if rows else np.zeros((0, 0), np.float32), time.process_time() - worked
