"""Runs a GGUF model on the low-level API of llama-cpp-python 0.3.36. Imported in the chat child process only.

Why not its `Llama` class, with the facts this relies on: docs/decisions/0014-chat-engine.md.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import llama_cpp as ll
import numpy as np
import numpy.typing as npt

from core.cancel import CancelToken
from core.errors import Cancelled, ModelUnusable, NotEnoughMemory, PromptTooLong
from models.backends.chat_template import CHATML, Piece, TemplateUnusable, clean, render, template_for
from models.backends.engine_tuning import Tuning
from models.backends.gguf_header import WHAT_TO_DO, GgufHeader
from models.backends.kv_slots import Slot, SlotTable, cache_cells, common_prefix
from models.backends.prompt_lookup import PromptLookup
from models.backends.saved_beginnings import SavedBeginnings

BATCH_TOKENS = 512
SEQUENCES = 8
BRANCHES = 4
# Rules of two sentences are worth a file, for they stand before every question; what is shorter is read as quickly as it is fetched.
SHORTEST_KEPT = 16
MAX_OUTPUTS = 16

_NO_ABORT = ll.ggml_abort_callback()
_ERROR_LEVEL = 4
_BYTES_WITHIN = 2048

Logits = npt.NDArray[np.float32]


@ll.llama_log_callback  # type: ignore[untyped-decorator]
def _log_errors(level: int, text: bytes, _data: Any) -> None:
    # stderr reaches the app only when this process crashes; there it says why.
    if level == _ERROR_LEVEL:
        sys.stderr.write(text.decode("utf-8", errors="replace"))


class _Row(NamedTuple):
    """One token of a batch: where it stands, in which sequence, and whether its logits are wanted."""

    token: int
    position: int
    sequence: int
    output: bool


@dataclass
class Evaluated:
    """A prompt that lies in the cache with its next-token logits ready."""

    slot: Slot
    evaluated: int
    reused: int


class LoadedModel:
    """The weights of one file, in this process's memory until it ends. Raises `ModelUnusable`."""

    def __init__(self, path: Path, cancel: CancelToken) -> None:
        ll.llama_log_set(_log_errors, ctypes.c_void_p(0))
        ll.llama_backend_init()
        self.path = path
        self.handle = _load_model(path, cancel)


class LlamaCppEngine:
    """One loaded model with one context. Not thread-safe; lives in one process's main thread."""

    def __init__(
        self,
        model: LoadedModel,
        header: GgufHeader,
        *,
        context_tokens: int,
        tuning: Tuning,
        saved: SavedBeginnings | None = None,
    ) -> None:
        self.name = header.name or model.path.stem
        self.context_tokens = min(context_tokens, header.context_length)
        self._model = model.handle
        self._vocab = ll.llama_model_get_vocab(self._model)
        cells = cache_cells(self.context_tokens)
        self._context = _new_context(self._model, cells, tuning)
        self._memory = ll.llama_get_memory(self._context)
        self._batch = ll.llama_batch_init(BATCH_TOKENS, 0, 1)
        self._vocabulary_size: int = ll.llama_vocab_n_tokens(self._vocab)
        whole_only = ll.llama_model_is_recurrent(self._model) or ll.llama_model_is_hybrid(self._model)
        self.slots = SlotTable(SEQUENCES, cells, partial=not whole_only)
        self._bos: int = ll.llama_vocab_bos(self._vocab)
        own = header.metadata.get("tokenizer.chat_template")
        self._template = template_for(header.name, own if isinstance(own, str) else "")
        self._beginnings: dict[tuple[int, ...], bool] = {}
        """The beginnings to keep, and whether each lies on disk."""
        self._saved = saved
        self.temperature = 0.0
        """Above 0, tokens are sampled instead of taken; for trying what an unlucky model would say."""
        self._random = np.random.default_rng(0)

    # Text and tokens

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """The tokens of a text; control tokens are recognised in it only when `special`."""
        data = text.encode("utf-8")
        if not data:
            return []
        room = len(data) + 16
        tokens = (ll.llama_token * room)()
        count = ll.llama_tokenize(self._vocab, data, len(data), tokens, room, False, special)
        if count < 0:
            tokens = (ll.llama_token * -count)()
            count = ll.llama_tokenize(self._vocab, data, len(data), tokens, -count, False, special)
        return list(tokens[:count])

    def count_tokens(self, text: str) -> int:
        """Number of tokens of a text as it would stand in a prompt."""
        return len(self.tokenize(clean(text)))

    def piece(self, token: int) -> bytes:
        """The bytes a token stands for; none for a control token."""
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            length = ll.llama_token_to_piece(self._vocab, token, buffer, room, 0, False)
            if length >= 0:
                return buffer.raw[:length]
            room = -length

    def prompt_tokens(self, messages: Sequence[tuple[str, str]], answer_start: str) -> list[int]:
        """The tokens of a whole prompt. Contents and `answer_start` never become control tokens."""
        tokens: list[int] = []
        for piece in self._pieces(messages):
            tokens += self.tokenize(piece.text, special=piece.is_template)
        if ll.llama_vocab_get_add_bos(self._vocab) and self._bos >= 0 and tokens[:1] != [self._bos]:
            tokens.insert(0, self._bos)
        return tokens + self.tokenize(clean(answer_start))

    def _pieces(self, messages: Sequence[tuple[str, str]]) -> list[Piece]:
        bos = self._token_text(self._bos)
        eos = self._token_text(ll.llama_vocab_eos(self._vocab))
        try:
            return render(self._template, messages, bos=bos, eos=eos)
        except TemplateUnusable as error:
            sys.stderr.write(f"{error}; a plain one is used instead\n")
            self._template = CHATML
            return render(CHATML, messages)

    def _token_text(self, token: int) -> str:
        return ll.llama_vocab_get_text(self._vocab, token).decode("utf-8", errors="replace") if token >= 0 else ""

    @cached_property
    def byte_tokens(self) -> dict[int, int]:
        """The token of every byte that the model can write; empty if its vocabulary is not made of bytes."""
        found: dict[int, int] = {}
        # They stand first in every vocabulary that has them, behind a few control tokens.
        for token in range(min(_BYTES_WITHIN, self._vocabulary_size)):
            text = self.piece(token)
            if len(text) == 1 and not self.is_control(token):
                found.setdefault(text[0], token)
        # Bytes of control characters, and those that begin no character of today's Unicode, are missing in some.
        return found if found.keys() >= {*range(0x20, 0x7F), *range(0x80, 0xC0)} else {}

    def is_end(self, token: int) -> bool:
        """Whether a token ends the answer."""
        return bool(ll.llama_vocab_is_eog(self._vocab, token))

    def is_control(self, token: int) -> bool:
        """Whether a token is one of the vocabulary's control tokens."""
        return bool(ll.llama_vocab_is_control(self._vocab, token))

    @property
    def end_token(self) -> int:
        """A token that ends the answer."""
        token: int = ll.llama_vocab_eot(self._vocab)
        return token if token >= 0 else int(ll.llama_vocab_eos(self._vocab))

    @property
    def vocabulary(self) -> Any:
        """llama.cpp's handle of the vocabulary, for its grammar functions."""
        return self._vocab

    # Evaluation

    def evaluate(self, tokens: Sequence[int], *, room: int, cancel: CancelToken) -> Evaluated:
        """Bring a prompt into the cache, reusing the longest beginning that is there. `room` tokens must fit behind it."""
        self._check_length(tokens, room)
        self._restore_beginning(tokens)
        plan = self.slots.plan(tokens)
        reuse = plan.reuse
        for slot in plan.evicted:
            self._drop(slot.sequence, 0)
        if plan.source is not None:
            self._drop(plan.slot.sequence, 0)
            ll.llama_memory_seq_cp(self._memory, plan.source.sequence, plan.slot.sequence, 0, reuse)
        elif not self._drop(plan.slot.sequence, reuse):
            # A model that keeps a running state cannot go back: it reads the whole prompt again.
            self._drop(plan.slot.sequence, 0)
            plan.slot.cut(0)
            reuse = 0
        # A beginning to keep is read on its own, so that it is the same, bit by bit, whatever follows it.
        kept = [len(b) for b in self._beginnings if reuse < len(b) < len(tokens) and tuple(tokens[: len(b)]) == b]
        position = reuse
        for stop in (*sorted(kept), len(tokens)):
            for start in range(position, stop, BATCH_TOKENS):
                end = min(start + BATCH_TOKENS, stop)
                self._decode(plan.slot, tokens[start:end], outputs=int(end == len(tokens)), cancel=cancel)
            position = stop
            if stop in kept:
                self._save_beginning(plan.slot)
        return Evaluated(plan.slot, evaluated=len(tokens) - reuse, reused=reuse)

    def read_each(self, prompts: Sequence[Sequence[int]], *, cancel: CancelToken) -> list[tuple[Logits, int, int]]:
        """The next-token logits of each prompt, and how many of its tokens were evaluated and reused.

        What all prompts begin with is read once, and their ends are read together, each in a branch of that beginning which is forgotten
        afterwards: one pass over the weights instead of one for each.
        """
        for tokens in prompts:
            self._check_length(tokens, 1)
        common = [common_prefix(prompts[0], other) for other in prompts[1:]]
        shared = min(*common, *(len(tokens) - 1 for tokens in prompts)) if common else 0
        ends = [tokens[shared:] for tokens in prompts]
        if shared < 1 or not self.slots.partial or len(ends) > BRANCHES or sum(map(len, ends)) > BATCH_TOKENS:
            return [self._read(tokens, cancel) for tokens in prompts]
        beginning = self.evaluate(prompts[0][:shared], room=1, cancel=cancel)
        logits = self._read_branches(beginning.slot, ends, cancel)
        evaluated = [beginning.evaluated + len(ends[0]), *map(len, ends[1:])]
        return [(row, count, len(tokens) - count) for row, count, tokens in zip(logits, evaluated, prompts, strict=True)]

    def _read(self, tokens: Sequence[int], cancel: CancelToken) -> tuple[Logits, int, int]:
        read = self.evaluate(tokens, room=1, cancel=cancel)
        return self.logits().copy(), read.evaluated, read.reused

    def _read_branches(self, trunk: Slot, ends: Sequence[Sequence[int]], cancel: CancelToken) -> list[Logits]:
        """The logits behind each of several ends of what `trunk` holds. Their cells are free again afterwards."""
        for evicted in self.slots.make_room(sum(map(len, ends)), trunk):
            self._drop(evicted.sequence, 0)
        length = len(trunk.tokens)
        branches = range(SEQUENCES, SEQUENCES + len(ends))
        rows = [
            _Row(token, length + place, branch, place == len(end) - 1)
            for branch, end in zip(branches, ends, strict=True)
            for place, token in enumerate(end)
        ]
        try:
            for branch in branches:
                ll.llama_memory_seq_cp(self._memory, trunk.sequence, branch, 0, length)
            self._run(rows, cancel)
            return [self.logits(row).copy() for row, one in enumerate(rows) if one.output]
        finally:
            for branch in branches:
                self._drop(branch, 0)

    def _check_length(self, tokens: Sequence[int], room: int) -> None:
        if len(tokens) + room > self.context_tokens:
            raise PromptTooLong(
                f"The prompt has {len(tokens)} tokens and the answer may have {room}, but the model reads {self.context_tokens} at once.",
                prompt_tokens=len(tokens),
                answer_tokens=room,
                context_tokens=self.context_tokens,
            )

    def keep(self, beginning: Sequence[int]) -> None:
        """Remember a beginning of prompts. It is saved when a prompt begins with it, and comes back from disk when it has gone."""
        if self._saved is not None and self.slots.partial and len(beginning) >= SHORTEST_KEPT:
            self._beginnings.setdefault(tuple(beginning), False)

    def _restore_beginning(self, tokens: Sequence[int]) -> None:
        """Bring the longest saved beginning of a prompt into the cache, if less than it is there."""
        known = self.slots.known(tokens)
        for beginning in sorted(self._beginnings, key=len, reverse=True):
            if len(beginning) <= known:
                return
            if tuple(tokens[: len(beginning)]) != beginning:
                continue
            state = self._saved.read(beginning) if self._saved is not None else None
            if state is None:
                continue
            slot, evicted = self.slots.adopt(beginning)
            for emptied in (slot, *evicted):
                self._drop(emptied.sequence, 0)
            if self._set_state(slot, state):
                self._beginnings[beginning] = True
                return
            slot.cut(0)
            self._drop(slot.sequence, 0)

    def _save_beginning(self, slot: Slot) -> None:
        """Write what a prompt has in common with others to disk, once. `slot` holds just that."""
        beginning = tuple(slot.tokens)
        if self._saved is not None and not self._beginnings[beginning]:
            self._beginnings[beginning] = True
            if state := self._state(slot):
                self._saved.write(beginning, state)

    def _state(self, slot: Slot) -> bytes:
        """A sequence's cells as llama.cpp writes them; empty if it cannot."""
        size = ll.llama_state_seq_get_size(self._context, slot.sequence)
        buffer = (ctypes.c_uint8 * size)()
        return bytes(buffer) if ll.llama_state_seq_get_data(self._context, buffer, size, slot.sequence) == size else b""

    def _set_state(self, slot: Slot, state: bytes) -> bool:
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        read = ll.llama_state_seq_set_data(self._context, buffer, len(state), slot.sequence)
        end = ll.llama_memory_seq_pos_max(self._memory, slot.sequence)
        return bool(read == len(state) and end == len(slot.tokens) - 1)

    def extend(self, slot: Slot, tokens: Sequence[int], cancel: CancelToken, *, outputs: int = 1) -> None:
        """Evaluate tokens behind what `slot` holds; afterwards the logits of the last `outputs` ones are ready, at most `MAX_OUTPUTS`."""
        for evicted in self.slots.make_room(len(tokens), slot):
            self._drop(evicted.sequence, 0)
        self._decode(slot, tokens, outputs=outputs, cancel=cancel)

    def logits(self, row: int = -1) -> Logits:
        """The logits of what follows token `row` of the last evaluation, valid until the next one.

        With a `temperature` they carry the noise that makes the highest one a sample.
        """
        logits: Logits = np.ctypeslib.as_array(ll.llama_get_logits_ith(self._context, row), (self._vocabulary_size,))
        if not self.temperature:
            return logits
        return logits + np.float32(self.temperature) * self._random.gumbel(size=logits.size).astype(np.float32)

    def generate(
        self, prompt: Evaluated, *, max_tokens: int, lookup: PromptLookup | None = None, cancel: CancelToken
    ) -> Generator[tuple[int, float], None, None]:
        """Yield the most probable tokens, each with its log-probability, until the model ends its answer or `max_tokens` are reached.

        With a `lookup` several tokens are evaluated at once where the text seems to repeat itself, and only those are kept that the
        model puts first. They are the tokens that come without it, up to the rounding of logits: a batch of several tokens is added up in
        another order than one of a single token, so two tokens that are all but equally probable may change places.
        """
        logits = self.logits()
        written = 0
        while written < max_tokens:
            cancel.check()
            token = int(np.argmax(logits))
            if self.is_end(token):
                return
            written += 1
            yield token, float(logits[token]) - log_sum_exp(logits)
            if written == max_tokens:
                return
            draft: list[int] = []
            if lookup is not None and self.slots.partial:
                lookup.add(token)
                draft = lookup.draft(max_tokens - written - 1)
            self.extend(prompt.slot, [token, *draft], cancel, outputs=1 + len(draft))
            right = self._right(draft)
            if lookup is not None and draft:
                self.take_back(prompt.slot, len(draft) - len(right))
                lookup.judge(len(draft), len(right))
                for guess, log_probability in right:
                    written += 1
                    lookup.add(guess)
                    yield guess, log_probability
            logits = self.logits(len(right) if draft else -1)

    def _right(self, draft: Sequence[int]) -> list[tuple[int, float]]:
        """The beginning of a draft that the model puts first itself, with log-probabilities, from the logits of the last evaluation."""
        right: list[tuple[int, float]] = []
        for row, guess in enumerate(draft):
            logits = self.logits(row)
            if int(np.argmax(logits)) != guess or self.is_end(guess):
                break
            right.append((guess, float(logits[guess]) - log_sum_exp(logits)))
        return right

    def take_back(self, slot: Slot, tokens: int) -> None:
        """Forget the last tokens of a sequence."""
        if tokens:
            slot.cut(len(slot.tokens) - tokens)
            self._drop(slot.sequence, len(slot.tokens))

    def _decode(self, slot: Slot, tokens: Sequence[int], *, outputs: int, cancel: CancelToken) -> None:
        """Evaluate tokens behind what `slot` holds; where that fails, it holds what it held before, or nothing."""
        start, silent = len(slot.tokens), len(tokens) - outputs
        rows = [_Row(token, start + index, slot.sequence, index >= silent) for index, token in enumerate(tokens)]
        try:
            self._run(rows, cancel)
        except Exception:
            if not self._drop(slot.sequence, start):
                self._drop(slot.sequence, 0)
                slot.cut(0)
            raise
        self.slots.append(slot, tokens)

    def _run(self, rows: Sequence[_Row], cancel: CancelToken) -> None:
        """One pass over the weights. Raises what a pass that came to nothing means; what it left in the cache is the caller's to drop."""
        cancel.check()
        if (outputs := sum(row.output for row in rows)) > MAX_OUTPUTS:
            # llama.cpp ends the process over this.
            raise RuntimeError(f"{outputs} outputs were asked for, but there is room for {MAX_OUTPUTS}")
        batch = self._batch
        batch.n_tokens = len(rows)
        for index, row in enumerate(rows):
            batch.token[index] = row.token
            batch.pos[index] = row.position
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = row.sequence
            batch.logits[index] = row.output
        # One token takes milliseconds; asking between all its operations would only cost time.
        callback = ll.ggml_abort_callback(lambda _data: cancel.cancelled) if len(rows) > 1 else _NO_ABORT
        ll.llama_set_abort_callback(self._context, callback, None)
        status = ll.llama_decode(self._context, batch)
        ll.llama_set_abort_callback(self._context, _NO_ABORT, None)
        if status == 0:
            return
        if cancel.cancelled:
            raise Cancelled()
        if status == 1:
            raise NotEnoughMemory("The model's cache is full. Choose a smaller context size or ask a shorter question.")
        raise RuntimeError(f"llama_decode returned {status}")

    def _drop(self, sequence: int, start: int) -> bool:
        return bool(ll.llama_memory_seq_rm(self._memory, sequence, start, -1))


def log_sum_exp(logits: Logits) -> float:
    """The logarithm of the sum of the exponentials: what a logit is compared with to become a log-probability."""
    highest = float(logits.max())
    return highest + math.log(float(np.exp(logits - np.float32(highest)).sum()))


def has_gpu() -> bool:
    """Whether this build of llama.cpp puts a model on a graphics card."""
    return bool(ll.llama_supports_gpu_offload())


def repacks_weights() -> bool:
    """Whether the weights are copied into another layout when they are loaded.

    llama.cpp's own choice is yes. On x86 that layout reads prompts slower than the file's own (by 30 % with AVX-512 on Zen 4, by 15 % with AVX2
    alone), and the copy costs more than half the model's size in memory.
    """
    return b"AVX = 1" not in ll.llama_print_system_info()


def _load_model(path: Path, cancel: CancelToken) -> Any:
    params = ll.llama_model_default_params()
    keep_going = ll.llama_progress_callback(lambda _progress, _data: not cancel.cancelled)
    params.progress_callback = keep_going
    params.use_extra_bufts = repacks_weights()
    model = ll.llama_model_load_from_file(str(path).encode("utf-8"), params)
    if model is None:
        cancel.check()
        raise ModelUnusable(f"The model file {path} cannot be used: llama.cpp does not load it. {WHAT_TO_DO}", path=str(path))
    return model


def _new_context(model: Any, cells: int, tuning: Tuning) -> Any:
    params = ll.llama_context_default_params()
    params.n_ctx = cells
    params.n_batch = BATCH_TOKENS
    params.n_ubatch = tuning.microbatch
    params.n_seq_max = SEQUENCES + BRANCHES
    params.kv_unified = True
    params.n_outputs_max = MAX_OUTPUTS
    params.n_threads = tuning.threads
    params.n_threads_batch = tuning.threads
    params.no_perf = True
    params.flash_attn_type = ll.LLAMA_FLASH_ATTN_TYPE_ENABLED if tuning.flash_attention else ll.LLAMA_FLASH_ATTN_TYPE_DISABLED
    context = ll.llama_init_from_model(model, params)
    if context is None:
        raise NotEnoughMemory(
            f"There is not enough memory for a cache of {cells} tokens. Choose a smaller context size or a smaller model.",
            cells=cells,
        )
    return context
