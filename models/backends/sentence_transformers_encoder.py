"""Turns texts into vectors with sentence-transformers. Imported in the embedding child process only."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer

from core.cancel import CancelToken
from models.backends.allocator import give_back_memory, page_out
from models.backends.encoder_batches import MAX_TOKENS
from models.backends.encoder_folder import EncoderFolder
from models.backends.encoder_precision import Precision, PrecisionChoice, choose_precision, least_cosine

MEASURING_SECONDS = 4.0
LONGEST_MEASURING_SECONDS = 10.0
_GOLDEN_BATCH = 4
_GOLDEN_ROUNDS = 2
# Of the processor's time. With less, a second or two would become ten.
_LEAST_SHARE = 0.25
# Where a processor has no instructions for it, a precision is computed a number at a time: a word or two shows it.
_HOPELESS = 4.0
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}

Tokens = Sequence[int]
Vectors = npt.NDArray[np.float32]


class SentenceTransformersEncoder:
    """One loaded model on the CPU. It computes in `precision`; vectors are float32 always.

    Texts come as tokens. A tokenizer for a hundred languages takes more memory than the weights in bfloat16, and the app has one.
    """

    def __init__(self, folder: EncoderFolder, threads: int, precision: Precision = "float32") -> None:
        torch.set_num_threads(threads)
        self.precision = precision
        # Without a type, a checkpoint in half precision would be loaded as such, on processors too where that is a hundred times slower.
        exact = {"dtype": _DTYPES[precision], "use_safetensors": True}
        self._model = SentenceTransformer(
            str(folder.folder), device="cpu", local_files_only=True, trust_remote_code=False, model_kwargs=exact
        )
        self._model.eval()
        transformer: Any = self._model[0]
        self._longest = min(self._model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        self._padding = int(transformer.config.pad_token_id or 0)
        transformer.processor = transformer.input_formatter = None
        give_back_memory()

    def in_bfloat16(self) -> SentenceTransformersEncoder:
        """The same model in bfloat16, beside this one."""
        weights = [*self._model.parameters(), *self._model.buffers()]
        # What `deepcopy` finds here it does not copy: there is never a second copy in float32.
        converted = {id(weight): _converted(weight) for weight in weights if weight.is_floating_point()}
        other = copy.copy(self)
        other.precision, other._model = "bfloat16", copy.deepcopy(self._model, converted)
        return other

    def encode(self, texts: Sequence[Tokens], prompt_tokens: int, cancel: CancelToken) -> Vectors:
        """Unit vectors of texts that are encoded at once, so their lengths should be much the same; in the order given.

        Each text is all tokens that the model reads, those of the prompt and the special ones, too; `prompt_tokens` is how many come before the text.
        """
        cancel.check()
        rows = [self._fitted(tokens) for tokens in texts]
        ids = torch.full((len(rows), max(map(len, rows))), self._padding)
        mask = torch.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)], mask[number, : len(row)] = torch.tensor(row), 1
        with torch.inference_mode():
            read = self._model({"input_ids": ids, "attention_mask": mask, "prompt_length": prompt_tokens})
        exact = read["sentence_embedding"].float().numpy()
        # A model that makes unit vectors makes them with its own precision. Not-a-number stays, and is noticed.
        norms = np.linalg.norm(exact, axis=1, keepdims=True)
        units: Vectors = (exact / np.maximum(norms, np.finfo(np.float32).tiny)).astype(np.float32)
        return units

    def _fitted(self, tokens: Tokens) -> Tokens:
        """No more tokens than are read: the last one is special, and stays."""
        return tokens if len(tokens) <= self._longest else [*tokens[: self._longest - 1], tokens[-1]]


def _converted(weight: torch.Tensor) -> torch.Tensor:
    made = weight.detach().to(torch.bfloat16)
    # All of it was just read, also what no text has needed yet.
    page_out(weight.data_ptr(), weight.nbytes)
    return torch.nn.Parameter(made, requires_grad=False) if isinstance(weight, torch.nn.Parameter) else made


def measure_precision(
    exact: SentenceTransformersEncoder, golden: Sequence[Tokens], prompt_tokens: int, threads: int, cancel: CancelToken
) -> tuple[PrecisionChoice, SentenceTransformersEncoder] | None:
    """Try bfloat16 beside the float32 encoder `exact` on the `golden` texts; the choice, and the encoder to go on with.

    About the work of two dozen chunks. None if other programs leave so little of the processor that it takes too long. Obeys `cancel`
    between batches of four texts.
    """
    measuring = _Measuring(prompt_tokens, cancel)
    probe = golden[-1:]
    measuring.run(exact, probe)
    # Loading cannot be stopped half-way, so this comes before it.
    before, (_, worked) = measuring.seconds, measuring.run(exact, golden[:_GOLDEN_BATCH])
    if worked < _LEAST_SHARE * threads * (measuring.seconds - before):
        return None
    other = exact.in_bfloat16()
    for encoder in (exact, other):
        measuring.run(encoder, probe)  # the first call also brings the weights into memory
    if measuring.run(other, probe)[1] > _HOPELESS * measuring.run(exact, probe)[1]:
        return PrecisionChoice("float32"), exact
    exact_seconds, other_seconds, cosine = math.inf, math.inf, 1.0
    for _ in range(_GOLDEN_ROUNDS):
        wanted, seconds = measuring.run(exact, golden)
        exact_seconds = min(exact_seconds, seconds)
        made, seconds = measuring.run(other, golden)
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

    def __init__(self, prompt_tokens: int, cancel: CancelToken) -> None:
        self._prompt_tokens = prompt_tokens
        self._cancel = cancel
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the beginning, by the clock."""
        return time.monotonic() - self._started

    def run(self, encoder: SentenceTransformersEncoder, texts: Sequence[Tokens]) -> tuple[Vectors, float]:
        """Vectors of the texts, and seconds of processor time."""
        worked = time.process_time()
        rows: list[Vectors] = []
        for start in range(0, len(texts), _GOLDEN_BATCH):
            if self.seconds > LONGEST_MEASURING_SECONDS:
                break
            rows.append(encoder.encode(texts[start : start + _GOLDEN_BATCH], self._prompt_tokens, self._cancel))
        return np.concatenate(rows) if rows else np.zeros((0, 0), np.float32), time.process_time() - worked
