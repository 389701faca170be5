"""The chat child process: the engine's operations over the wire. Run by `core.process.host`, never imported by the app."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import asdict
from pathlib import Path

from core.cancel import CancelToken
from core.documents import Usage
from core.errors import NotEnoughMemory
from core.process.child import serve
from core.process.wire import Json
from models.backends.engine_calibration import CalibrationFile, alternatives, engine_version
from models.backends.engine_tuning import Tuning, default_tuning
from models.backends.gguf_header import GgufHeader, read_header
from models.backends.kv_slots import cache_cells, common_prefix
from models.backends.llama_cpp_calibration import calibrate
from models.backends.llama_cpp_decoding import Finished, choose, choose_each, reply, stream
from models.backends.llama_cpp_engine import LlamaCppEngine, LoadedModel, has_gpu
from models.backends.reply_grammar import reply_grammar
from models.backends.saved_beginnings import SavedBeginnings, model_identity
from models.machine import available_memory_bytes

COALESCE_SECONDS = 0.04
_BUFFERS_BYTES = 150 * 1024 * 1024
_CALIBRATION_BYTES = 250 * 1024 * 1024


class LlamaCppHost:
    """Loads the model that a request names, once, and answers from it."""

    def __init__(self) -> None:
        self.engine: LlamaCppEngine | None = None
        self._model: LoadedModel | None = None
        self._kept: set[tuple[tuple[str, str], ...]] = set()

    def load(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        """Load the weights and say what they are."""
        engine = self._loaded(payload, cancel)
        yield {"name": engine.name, "context_tokens": engine.context_tokens}

    def keep(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        """Remember what each prompt has in common with the ones that differ in their last message."""
        engine = self._loaded(payload, cancel)
        for prompt in payload["prompts"]:
            messages, _answer_start = _prompt(prompt)
            if not messages or tuple(messages) in self._kept:
                continue
            self._kept.add(tuple(messages))
            others = [*messages[:-1], (messages[-1][0], f"?{messages[-1][1]}")]
            whole, other = engine.prompt_tokens(messages, ""), engine.prompt_tokens(others, "")
            engine.keep(whole[: common_prefix(whole, other)])
        yield {}

    def stream(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        engine = self._loaded(payload, cancel)
        messages, answer_start = _prompt(payload)
        pieces = stream(engine, messages, answer_start, max_tokens=payload["max_tokens"], lookup=payload["prompt_lookup"], cancel=cancel)
        finished = yield from _coalesced(pieces)
        yield {"usage": asdict(finished.usage), "reason": finished.reason, "confidence": finished.confidence}

    def reply(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        engine = self._loaded(payload, cancel)
        messages, answer_start = _prompt(payload)
        grammar = reply_grammar(payload["schema"])
        text, finished = reply(
            engine, messages, answer_start, grammar, max_tokens=payload["max_tokens"], lookup=payload["prompt_lookup"], cancel=cancel
        )
        yield {"text": text, "usage": asdict(finished.usage), "reason": finished.reason}

    def choose(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        engine = self._loaded(payload, cancel)
        messages, answer_start = _prompt(payload)
        yield asdict(choose(engine, messages, answer_start, payload["labels"], cancel=cancel))

    def choose_each(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        engine = self._loaded(payload, cancel)
        prompts = [_prompt(prompt) for prompt in payload["prompts"]]
        yield {"choices": [asdict(chosen) for chosen in choose_each(engine, prompts, payload["labels"], cancel=cancel)]}

    def count_tokens(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        engine = self._loaded(payload, cancel)
        yield {"count": engine.count_tokens(payload["text"])}

    def _loaded(self, payload: Json, cancel: CancelToken) -> LlamaCppEngine:
        if self.engine is None:
            path = Path(payload["model"])
            header = read_header(path)
            context_tokens = min(payload["context_tokens"], header.context_length)
            available_bytes = payload.get("available_bytes", available_memory_bytes())
            needed_bytes = check_memory(header, context_tokens, available_bytes)
            # Kept when what follows is cancelled or fails, so that the weights are not loaded twice.
            model = self._model = self._model or LoadedModel(path, cancel)
            tuning = default_tuning(payload["threads"], gpu=has_gpu())
            saved = None
            if payload["cache"]:
                cache = Path(payload["cache"])
                has_room = available_bytes is None or available_bytes - needed_bytes > _CALIBRATION_BYTES
                tuning = _calibrated(cache, model, tuning, payload["threads"], has_room, cancel)
                saved = _saved_beginnings(cache, path, context_tokens, tuning)
            self.engine = LlamaCppEngine(model, header, context_tokens=context_tokens, tuning=tuning, saved=saved)
        return self.engine


def _calibrated(cache: Path, model: LoadedModel, default: Tuning, threads: int, has_room: bool, cancel: CancelToken) -> Tuning:
    """The set-up that is fastest here: measured before, or now if there `has_room` in memory to measure in."""
    file = CalibrationFile(cache, model.path, threads=threads)
    known = file.read()
    if known is not None and (known.is_final or not has_room):
        return known.tuning
    if not has_room:
        return default
    others = alternatives(default, threads_chosen=threads > 0, gpu=has_gpu())
    measured = calibrate(model.handle, default, others, known.attempts + 1 if known else 1, cancel)
    file.write(measured)
    return measured.tuning


def _saved_beginnings(cache: Path, path: Path, context_tokens: int, tuning: Tuning) -> SavedBeginnings:
    settings: dict[str, str | int | bool] = {
        "engine": engine_version(),
        "context_tokens": context_tokens,
        "flash_attention": tuning.flash_attention,
    }
    return SavedBeginnings(cache / "beginnings", {**model_identity(path), **settings})


def check_memory(header: GgufHeader, context_tokens: int, available_bytes: int | None) -> int:
    """The bytes that weights, cache and buffers need. Raises `NotEnoughMemory` if that is more than this machine has free."""
    # Where llama.cpp copies weights into another layout, the pages of the file that they came from can be dropped again.
    needed = header.tensor_bytes + header.kv_bytes(cache_cells(context_tokens)) + _BUFFERS_BYTES
    if available_bytes is not None and needed > available_bytes:
        raise NotEnoughMemory(
            f"The chat model needs {_gigabytes(needed)} GB of memory with a context of {context_tokens} tokens, but {_gigabytes(available_bytes)} GB"
            " are free. Close other programs, or choose a smaller model or context size.",
            needed_bytes=needed,
            available_bytes=available_bytes,
        )
    return needed


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f}"


def _prompt(payload: Json) -> tuple[list[tuple[str, str]], str]:
    return [(message["role"], message["content"]) for message in payload["messages"]], payload["answer_start"]


def _coalesced(pieces: Generator[tuple[str, Usage], None, Finished]) -> Generator[Json, None, Finished]:
    """Text events of the pieces with what was paid so far, at most one in 40 ms."""
    waiting, usage = "", Usage()
    sent = 0.0
    while True:
        try:
            text, usage = next(pieces)
            waiting += text
        except StopIteration as end:
            if waiting:
                yield {"text": waiting, "usage": asdict(usage)}
            finished: Finished = end.value
            return finished
        if time.monotonic() - sent >= COALESCE_SECONDS:
            yield {"text": waiting, "usage": asdict(usage)}
            waiting, sent = "", time.monotonic()


if __name__ == "__main__":
    host = LlamaCppHost()
    serve(
        {
            "load": host.load,
            "keep": host.keep,
            "stream": host.stream,
            "reply": host.reply,
            "choose": host.choose,
            "choose_each": host.choose_each,
            "count_tokens": host.count_tokens,
        }
    )
