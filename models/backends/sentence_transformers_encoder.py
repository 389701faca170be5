"""Turns texts into vectors with sentence-transformers. Imported in the embedding child process only."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer

from core.cancel import CancelToken
from models.backends.encoder_batches import MAX_TOKENS
from models.backends.encoder_folder import EncoderFolder
from models.backends.encoder_precision import Precision, PrecisionChoice, choose_precision, least_cosine
from models.backends.golden_texts import GOLDEN_TEXTS

VERSIONS = (version("torch"), version("sentence-transformers"), version("transformers"))
"""What the vectors and the speed may depend on besides the weights and the machine."""

_GOLDEN_BATCH = 4
_GOLDEN_ROUNDS = 2
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
) -> tuple[PrecisionChoice, SentenceTransformersEncoder]:
    """Try bfloat16 beside the float32 encoder `exact` on the golden texts; the choice, and the encoder to go on with.

    Takes about as long as three dozen chunks. Obeys `cancel` between batches of four texts.
    """
    other = SentenceTransformersEncoder(folder, threads, "bfloat16")
    probe = GOLDEN_TEXTS[-1:]
    for encoder in (exact, other):
        encoder.encode(probe, "", cancel)  # the first call also brings the weights into memory
    exact_seconds, other_seconds = (min(_golden(encoder, probe, folder, cancel)[1] for _ in range(2)) for encoder in (exact, other))
    if other_seconds > _HOPELESS * exact_seconds:
        return PrecisionChoice("float32"), exact
    took: dict[Precision, list[float]] = {"float32": [], "bfloat16": []}
    cosine = 1.0
    for _ in range(_GOLDEN_ROUNDS):
        wanted, seconds = _golden(exact, GOLDEN_TEXTS, folder, cancel)
        took["float32"].append(seconds)
        made, seconds = _golden(other, GOLDEN_TEXTS, folder, cancel)
        took["bfloat16"].append(seconds)
        cosine = min(cosine, least_cosine(made, wanted))
    choice = choose_precision(min(took["float32"]), min(took["bfloat16"]), cosine)
    return choice, other if choice.precision == "bfloat16" else exact


def _golden(
    encoder: SentenceTransformersEncoder, texts: Sequence[str], folder: EncoderFolder, cancel: CancelToken
) -> tuple[Vectors, float]:
    """Vectors of the texts, and seconds of processor time."""
    started = time.process_time()
    batches = [texts[start : start + _GOLDEN_BATCH] for start in range(0, len(texts), _GOLDEN_BATCH)]
    vectors = np.concatenate([encoder.encode(batch, folder.passage_prompt, cancel) for batch in batches])
    return vectors, time.process_time() - started
