"""Measures in about three seconds how a loaded model is fastest on this machine. Imported in the chat child process only."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import llama_cpp as ll

from core.cancel import CancelToken
from models.backends.engine_calibration import EngineCalibration, Measured, settle
from models.backends.engine_tuning import Tuning

SECONDS = 3.0
LONGEST_SECONDS = 8.0
_BATCH = 32
_LONG_BATCH = 128
_COPIES = 15
_WRITTEN = 3


def calibrate(model: Any, default: Tuning, others: Iterable[Tuning], attempts: int, cancel: CancelToken) -> EngineCalibration:
    """Measure the default and, while there is time, the others. `attempts` counts this one."""
    started = time.monotonic()
    end = started + LONGEST_SECONDS
    first = _measure(model, default, end, cancel)
    cancel.check()
    if first is None:
        return EngineCalibration(default, None, False, attempts)
    measured: list[Measured] = []
    took = time.monotonic() - started
    for tuning in others:
        # The next one will take as long as the first.
        if time.monotonic() - started + took > SECONDS + took / 2:
            break
        if one := _measure(model, tuning, end, cancel):
            measured.append(one)
        cancel.check()
    settled = settle(first, measured, attempts)
    # Passages are read in batches that are longer, and faster a token, than those that were compared.
    longer = _measure(model, settled.tuning, end, cancel, batch=_LONG_BATCH)
    cancel.check()
    return settled if longer is None else replace(settled, speed=longer.speed(alone=not settled.settled))


def _measure(model: Any, tuning: Tuning, end: float, cancel: CancelToken, *, batch: int = _BATCH) -> Measured | None:
    stop = ll.ggml_abort_callback(lambda _data: cancel.cancelled or time.monotonic() > end)
    with _small_context(model, tuning) as context:
        if context is None:
            return None
        ll.llama_set_abort_callback(context, stop, None)
        vocabulary = ll.llama_vocab_n_tokens(ll.llama_model_get_vocab(model))
        tokens = [(index * 7919 + 11) % vocabulary for index in range(batch)]
        last = _COPIES + 1
        # The first batch also brings the weights into memory. Its copies stand for a long prompt: attention works on them all.
        if not _decode(context, tokens[:_BATCH], 0, 0) or not _copy(context, range(1, last), last):
            return None
        times: list[tuple[float, float]] = []
        for start, count in [(_BATCH, batch), *((_BATCH + batch + index, 1) for index in range(_WRITTEN))]:
            started, worked = time.perf_counter(), time.process_time()
            if not _decode(context, tokens[:count], start, last):
                return None
            seconds, worked = time.perf_counter() - started, time.process_time() - worked
            times.append((seconds, min(1.0, worked / (seconds * tuning.threads))))
    (read_seconds, read_share), (write_seconds, write_share) = times[0], min(times[1:])
    return Measured(tuning, read_seconds / batch, write_seconds, read_share, write_share)


@contextmanager
def _small_context(model: Any, tuning: Tuning) -> Any:
    params = ll.llama_context_default_params()
    params.n_ctx = 1024
    params.n_batch = params.n_ubatch = _LONG_BATCH
    params.n_seq_max = _COPIES + 2
    params.kv_unified = True
    # Room for one of every sequence is the least that llama.cpp takes.
    params.n_outputs_max = params.n_seq_max
    params.n_threads = params.n_threads_batch = tuning.threads
    params.flash_attn_type = ll.LLAMA_FLASH_ATTN_TYPE_ENABLED if tuning.flash_attention else ll.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.no_perf = True
    context = ll.llama_init_from_model(model, params)
    try:
        yield context
    finally:
        if context is not None:
            ll.llama_free(context)


def _decode(context: Any, tokens: list[int], start: int, sequence: int) -> bool:
    batch = ll.llama_batch_init(len(tokens), 0, 1)
    try:
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index], batch.pos[index] = token, start + index
            batch.n_seq_id[index], batch.seq_id[index][0] = 1, sequence
            batch.logits[index] = 0
        batch.logits[len(tokens) - 1] = 1
        status: int = ll.llama_decode(context, batch)
        return status == 0
    finally:
        ll.llama_batch_free(batch)


def _copy(context: Any, sequences: Iterable[int], last: int) -> bool:
    """Put what sequence 0 holds into others, with cells of their own, and make `last` see all of them."""
    size = ll.llama_state_seq_get_size(context, 0)
    state = (ctypes.c_uint8 * size)()
    if ll.llama_state_seq_get_data(context, state, size, 0) != size:
        return False
    memory = ll.llama_get_memory(context)
    for sequence in sequences:
        if ll.llama_state_seq_set_data(context, state, size, sequence) != size:
            return False
        ll.llama_memory_seq_cp(memory, sequence, last, -1, -1)
    return True
