"""A child that lets tests look inside the llama.cpp engine. Run as `tests.models.backends.engine_child`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from core.cancel import CancelToken
from core.process.child import serve
from core.process.wire import Json
from models.backends.engine_tuning import default_tuning
from models.backends.gguf_header import read_header
from models.backends.llama_cpp_decoding import GrammarState
from models.backends.llama_cpp_engine import LlamaCppEngine, LoadedModel
from models.backends.prompt_lookup import PromptLookup

_engines: dict[str, LlamaCppEngine] = {}


def engine(payload: Json, cancel: CancelToken) -> LlamaCppEngine:
    path = payload["model"]
    if path not in _engines:
        _engines.clear()
        _engines[path] = LlamaCppEngine(
            LoadedModel(Path(path), cancel), read_header(Path(path)), context_tokens=1024, tuning=default_tuning(1)
        )
    return _engines[path]


def control_ids(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    """The control tokens of the prompt that has each of the texts as its contents."""
    loaded = engine(payload, cancel)
    counts = []
    for text in payload["texts"]:
        tokens = loaded.prompt_tokens([("system", text), ("user", text), ("assistant", text), ("user", text)], text)
        counts.append([token for token in tokens if loaded.is_control(token)])
    yield {"control_ids": counts}


def special_strings(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    """The text of every control token of the vocabulary."""
    loaded = engine(payload, cancel)
    controls = [token for token in range(loaded._vocabulary_size) if loaded.is_control(token)]
    yield {"texts": [loaded._token_text(token) for token in controls]}


def round_trip(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    """What a text becomes when it is taken apart into tokens and put together again."""
    loaded = engine(payload, cancel)
    yield {"text": b"".join(loaded.piece(token) for token in loaded.tokenize(payload["text"])).decode("utf-8")}


def grammar(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    """Which of the texts a grammar accepts, whole and complete."""
    loaded = engine(payload, cancel)
    accepted = []
    for text in payload["texts"]:
        with GrammarState(loaded, payload["gbnf"]) as state:
            accepted.append(state.accept_all(loaded.tokenize(text)) and state.allows(loaded.end_token))
    yield {"accepted": accepted}


def greedy(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    """The tokens of an answer, how far the model's favourite was ahead at each when they are written one by one, and how many evaluations it took."""
    loaded = engine(payload, cancel)
    tokens = loaded.prompt_tokens([("user", payload["text"])], "")
    prompt = loaded.evaluate(tokens, room=payload["max_tokens"], cancel=cancel)
    lookup = PromptLookup(tokens) if payload["lookup"] else None
    evaluations = 0

    def counting(*arguments: object, **more: object) -> None:
        nonlocal evaluations
        evaluations += 1
        extend(*arguments, **more)  # type: ignore[arg-type]

    extend = loaded.extend
    loaded.extend = counting  # type: ignore[method-assign]
    written: list[int] = []
    leads: list[float] = []
    try:
        for token, _log_probability in loaded.generate(prompt, max_tokens=payload["max_tokens"], lookup=lookup, cancel=cancel):
            written.append(token)
            if lookup is None:
                second, first = np.partition(loaded.logits(), -2)[-2:]
                leads.append(float(first - second))
    finally:
        loaded.extend = extend  # type: ignore[method-assign]
    held = prompt.slot.tokens == [*tokens, *written][: len(prompt.slot.tokens)]
    yield {"tokens": written, "leads": leads, "evaluations": evaluations, "held": held, "cells": len(prompt.slot.tokens)}


if __name__ == "__main__":
    serve({"control_ids": control_ids, "special_strings": special_strings, "round_trip": round_trip, "grammar": grammar, "greedy": greedy})
