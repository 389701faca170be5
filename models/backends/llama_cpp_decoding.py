"""What is asked of the engine: stream text, reply in JSON, choose a label. Imported in the chat child process only."""

from __future__ import annotations

import codecs
import ctypes
import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import llama_cpp as ll
import numpy as np

from core.cancel import CancelToken
from core.documents import Usage
from core.errors import GrammarInvalid, InvalidRequest
from models.backends.chat_template import clean
from models.backends.llama_cpp_engine import LlamaCppEngine, Logits, log_sum_exp
from models.backends.loop_guard import LoopGuard
from models.backends.reply_grammar import ReplyGrammar

Messages = Sequence[tuple[str, str]]
StopReason = Literal["end", "length", "loop"]

_CANDIDATES = 128


@dataclass(frozen=True, slots=True)
class Finished:
    """How a generation ended and what it cost."""

    reason: StopReason
    usage: Usage
    confidence: float | None = None


def stream(
    engine: LlamaCppEngine, messages: Messages, answer_start: str, *, max_tokens: int, cancel: CancelToken
) -> Generator[str, None, Finished]:
    """Yield the most probable answer in pieces of whole characters."""
    prompt = engine.evaluate(engine.prompt_tokens(messages, answer_start), room=max_tokens, cancel=cancel)
    # Bytes that are no UTF-8 are left out rather than shown as replacement characters.
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    guard = LoopGuard()
    generated = 0
    log_probability = 0.0
    reason: StopReason = "end"
    for token, its_log_probability in engine.generate(prompt, max_tokens=max_tokens, cancel=cancel):
        generated += 1
        log_probability += its_log_probability
        text = decoder.decode(engine.piece(token))
        if text:
            yield text
        if guard.loops(token, text):
            reason = "loop"
            break
    else:
        reason = "length" if generated == max_tokens else "end"
    confidence = math.exp(log_probability / generated) if generated else None
    return Finished(reason, Usage(prompt.evaluated, prompt.reused, generated), confidence)


def reply(
    engine: LlamaCppEngine, messages: Messages, answer_start: str, grammar: ReplyGrammar, *, max_tokens: int, cancel: CancelToken
) -> tuple[str, Finished]:
    """The most probable JSON text under a grammar. It is cut off where `max_tokens` end."""
    with GrammarState(engine, grammar.gbnf) as state:
        opening = engine.tokenize(grammar.opening)
        opening = opening if state.accept_all(opening) else []
        tokens = engine.prompt_tokens(messages, answer_start) + opening
        prompt = engine.evaluate(tokens, room=max_tokens, cancel=cancel)
        written = bytearray(b"".join(engine.piece(token) for token in opening))
        reason: StopReason = "length"
        generated = 0
        while generated < max_tokens:
            cancel.check()
            if state.allows(engine.end_token):
                reason = "end"
                break
            token = state.best(engine.logits())
            state.accept(token)
            written += engine.piece(token)
            generated += 1
            if generated < max_tokens and not state.allows(engine.end_token):
                engine.extend(prompt.slot, [token], cancel)
        if state.allows(engine.end_token):
            reason = "end"
    return written.decode("utf-8", errors="ignore"), Finished(reason, Usage(prompt.evaluated, prompt.reused, generated))


def choose(
    engine: LlamaCppEngine, messages: Messages, answer_start: str, labels: Sequence[str], *, cancel: CancelToken
) -> tuple[list[float], float, Usage]:
    """How probable each label is as the next thing said, the share of all probability that the labels have, and the cost."""
    first = first_tokens(engine, answer_start, labels)
    prompt = engine.evaluate(engine.prompt_tokens(messages, answer_start), room=1, cancel=cancel)
    logits = engine.logits()
    weights = np.exp(logits[first].astype(np.float64) - log_sum_exp(logits))
    mass = float(weights.sum())
    return [float(share) for share in weights / mass], min(mass, 1.0), Usage(prompt.evaluated, prompt.reused, 0)


def first_tokens(engine: LlamaCppEngine, answer_start: str, labels: Sequence[str]) -> list[int]:
    """The token that each label begins with behind `answer_start`. Raises `InvalidRequest` if two begin alike."""
    before = engine.tokenize(clean(answer_start))
    first: dict[int, str] = {}
    for label in labels:
        whole = engine.tokenize(clean(answer_start) + clean(label))
        after = whole[len(before) :] if whole[: len(before)] == before else engine.tokenize(clean(label))
        if not after:
            raise InvalidRequest(f"The label {label!r} is empty.", label=label)
        if after[0] in first:
            raise InvalidRequest(f"The labels {first[after[0]]!r} and {label!r} begin with the same token.", label=label)
        first[after[0]] = label
    return list(first)


class GrammarState:
    """How far a reply has come in its grammar. Use it as a `with`: the native sampler is freed at the end.

    Asking about a candidate that does not fit ends in a rejection; *accepting* one aborts the process, so only tokens that were
    asked about are accepted.
    """

    def __init__(self, engine: LlamaCppEngine, gbnf: str) -> None:
        # A grammar that does not parse gives NULL here, and using that would end the process; an empty one allows everything.
        usable = bool(gbnf.strip()) and "\x00" not in gbnf
        self._sampler = ll.llama_sampler_init_grammar(engine.vocabulary, gbnf.encode("utf-8"), b"root") if usable else None
        if not self._sampler:
            raise GrammarInvalid("The reply type has no grammar that llama.cpp accepts.", grammar=gbnf[:500])

    def __enter__(self) -> GrammarState:
        return self

    def __exit__(self, *_error: object) -> None:
        ll.llama_sampler_free(self._sampler)

    def allows(self, token: int) -> bool:
        """Whether a token may come next."""
        return self._fitting(np.array([token]), np.zeros(1, np.float32)) == 0

    def accept(self, token: int) -> None:
        """Go on with a token that is allowed."""
        ll.llama_sampler_accept(self._sampler, token)

    def accept_all(self, tokens: Sequence[int]) -> bool:
        """Go on with a text every reply begins with; false, and nothing done, if its tokens do not fit."""
        before = ll.llama_sampler_clone(self._sampler)
        for token in tokens:
            if not self.allows(token):
                ll.llama_sampler_free(self._sampler)
                self._sampler = before
                return False
            self.accept(token)
        ll.llama_sampler_free(before)
        return True

    def best(self, logits: Logits) -> int:
        """The most probable token that may come next: the favourite is tried alone, then the best few, then the whole vocabulary."""
        favourite = int(np.argmax(logits))
        if self.allows(favourite):
            return favourite
        few = np.argpartition(logits, -_CANDIDATES)[-_CANDIDATES:] if logits.size > _CANDIDATES else np.arange(logits.size)
        for candidates in (few, np.arange(logits.size)):
            index = self._fitting(candidates, logits[candidates])
            if index is not None:
                return int(candidates[index])
        raise GrammarInvalid("The reply's grammar allows nothing that the model can say next.")

    def _fitting(self, tokens: Any, logits: Logits) -> int | None:
        """The index of the most probable candidate that the grammar allows."""
        data = np.zeros(len(tokens), dtype=[("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        data["id"], data["logit"] = tokens, logits
        candidates = ll.llama_token_data_array(
            data=data.ctypes.data_as(ctypes.POINTER(ll.llama_token_data)), size=len(data), selected=-1, sorted=False
        )
        ll.llama_sampler_apply(self._sampler, ctypes.byref(candidates))
        best = int(np.argmax(data["logit"]))
        return best if np.isfinite(data["logit"][best]) else None
