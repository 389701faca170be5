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
from models.backends.prompt_lookup import PromptLookup
from models.backends.reply_grammar import ReplyGrammar

Messages = Sequence[tuple[str, str]]
StopReason = Literal["end", "length", "loop"]

_CANDIDATES = 128
_LONGEST_FORCED = 400


@dataclass(frozen=True, slots=True)
class Finished:
    """How a generation ended and what it cost."""

    reason: StopReason
    usage: Usage
    confidence: float | None = None


def stream(
    engine: LlamaCppEngine, messages: Messages, answer_start: str, *, max_tokens: int, lookup: bool = True, cancel: CancelToken
) -> Generator[tuple[str, Usage], None, Finished]:
    """Yield the most probable answer in pieces of whole characters, each with the cost so far, with `lookup` faster where it repeats the prompt."""
    prompt = engine.evaluate(engine.prompt_tokens(messages, answer_start), room=max_tokens, cancel=cancel)
    # Bytes that are no UTF-8 are left out rather than shown as replacement characters.
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    guard = LoopGuard()
    generated = 0
    log_probability = 0.0
    reason: StopReason = "end"
    guesses = PromptLookup(prompt.slot.tokens) if lookup else None
    for token, its_log_probability in engine.generate(prompt, max_tokens=max_tokens, lookup=guesses, cancel=cancel):
        generated += 1
        log_probability += its_log_probability
        text = decoder.decode(engine.piece(token))
        if text:
            yield text, Usage(prompt.evaluated, prompt.reused, generated)
        if guard.loops(token, text):
            reason = "loop"
            break
    else:
        reason = "length" if generated == max_tokens else "end"
    confidence = math.exp(log_probability / generated) if generated else None
    return Finished(reason, Usage(prompt.evaluated, prompt.reused, generated), confidence)


def reply(
    engine: LlamaCppEngine,
    messages: Messages,
    answer_start: str,
    grammar: ReplyGrammar,
    *,
    max_tokens: int,
    lookup: bool = True,
    cancel: CancelToken,
) -> tuple[str, Finished]:
    """The most probable JSON text under a grammar. It is cut off where `max_tokens` end.

    Text that every reply has at some place is put there without asking the model; it counts as evaluated, not as generated. With `lookup`,
    words of the prompt that come again come several at a time.
    """
    with GrammarState(engine, grammar.gbnf) as state:
        # What was accepted but not evaluated yet: the model reads it together with the next token it is asked about.
        waiting = state.forced()
        prompt = engine.evaluate(engine.prompt_tokens(messages, answer_start) + waiting, room=max_tokens, cancel=cancel)
        guesses = PromptLookup(prompt.slot.tokens) if lookup and engine.slots.partial else None
        written = bytearray(b"".join(engine.piece(token) for token in waiting))
        waiting, draft = [], []
        generated = forced = 0
        while not state.allows(engine.end_token):
            if generated + forced >= max_tokens:
                return _text(written), Finished("length", Usage(prompt.evaluated + forced, prompt.reused, generated))
            cancel.check()
            if waiting:
                draft = guesses.draft(max_tokens - generated - forced - 1) if guesses is not None else []
                engine.extend(prompt.slot, [*waiting, *draft], cancel, outputs=1 + len(draft))
            chosen = _chosen(engine, state, draft, first_row=len(waiting) - 1)
            if guesses is not None and draft:
                right = len(chosen) - 1
                engine.take_back(prompt.slot, len(draft) - right)
                guesses.judge(len(draft), right)
            generated += len(chosen)
            certain = state.forced()
            forced += len(certain)
            waiting = [chosen[-1], *certain]
            for token in (*chosen, *certain):
                written += engine.piece(token)
                if guesses is not None:
                    guesses.add(token)
    return _text(written), Finished("end", Usage(prompt.evaluated + forced, prompt.reused, generated))


def _chosen(engine: LlamaCppEngine, state: GrammarState, draft: Sequence[int], *, first_row: int) -> list[int]:
    """What the model says under the grammar: the tokens of the draft while it agrees with them, and one more of its own.

    `first_row` is the row of the last evaluation that the first token follows; -1 is its last one.
    """
    chosen: list[int] = []
    for number in range(len(draft) + 1):
        token = state.best(engine.logits(first_row + number if draft else -1))
        state.accept(token)
        chosen.append(token)
        if number == len(draft) or token != draft[number] or state.allows(engine.end_token):
            break
    return chosen


def _text(written: bytearray) -> str:
    return written.decode("utf-8", errors="ignore")


@dataclass(frozen=True, slots=True)
class Chosen:
    """How probable each label is as the next thing said, the share of all probability that the labels have, and the cost."""

    probabilities: list[float]
    mass: float
    usage: Usage


def choose(engine: LlamaCppEngine, messages: Messages, answer_start: str, labels: Sequence[str], *, cancel: CancelToken) -> Chosen:
    """Which label comes next behind a prompt."""
    return choose_each(engine, [(messages, answer_start)], labels, cancel=cancel)[0]


def choose_each(
    engine: LlamaCppEngine, prompts: Sequence[tuple[Messages, str]], labels: Sequence[str], *, cancel: CancelToken
) -> list[Chosen]:
    """Which label comes next behind each of the prompts."""
    first = [first_tokens(engine, answer_start, labels) for _messages, answer_start in prompts]
    read = engine.read_each([engine.prompt_tokens(messages, answer_start) for messages, answer_start in prompts], cancel=cancel)
    return [
        _chosen_label(logits, tokens, Usage(evaluated, reused, 0)) for (logits, evaluated, reused), tokens in zip(read, first, strict=True)
    ]


def _chosen_label(logits: Logits, first: Sequence[int], usage: Usage) -> Chosen:
    chosen = logits[list(first)].astype(np.float64)
    weights = np.exp(chosen - chosen.max())
    mass = float(np.exp(chosen - log_sum_exp(logits)).sum())
    return Chosen([float(share) for share in weights / weights.sum()], min(mass, 1.0), usage)


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
        self._engine = engine
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

    def forced(self) -> list[int]:
        """Go on with the text that every reply has here, if there is such a text, and return its tokens.

        It is found byte by byte: where exactly one byte of all may come next, and the reply may not end.
        """
        text = bytearray()
        ahead = ll.llama_sampler_clone(self._sampler)
        try:
            written = list(self._engine.byte_tokens)
            candidates = np.array([*self._engine.byte_tokens.values(), self._engine.end_token])
            while written and len(text) < _LONGEST_FORCED:
                allowed = np.flatnonzero(np.isfinite(self._masked(candidates, np.zeros(candidates.size, np.float32), ahead)))
                if allowed.size != 1 or allowed[0] == len(written):
                    break
                text.append(written[allowed[0]])
                ll.llama_sampler_accept(ahead, int(candidates[allowed[0]]))
        finally:
            ll.llama_sampler_free(ahead)
        tokens = self._engine.tokenize(text.decode("utf-8", errors="ignore"))
        return tokens if self.accept_all(tokens) else []

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
        masked = self._masked(tokens, logits, self._sampler)
        best = int(np.argmax(masked))
        return best if np.isfinite(masked[best]) else None

    def _masked(self, tokens: Any, logits: Logits, sampler: Any) -> Logits:
        """The candidates' logits, minus infinity where the grammar does not allow them."""
        data = np.zeros(len(tokens), dtype=[("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        data["id"], data["logit"] = tokens, logits
        candidates = ll.llama_token_data_array(
            data=data.ctypes.data_as(ctypes.POINTER(ll.llama_token_data)), size=len(data), selected=-1, sorted=False
        )
        ll.llama_sampler_apply(sampler, ctypes.byref(candidates))
        return data["logit"]
