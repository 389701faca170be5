"""A chat model that answers from a script and records what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from core.cancel import CancelToken
from core.documents import Prompt, Usage
from core.errors import PromptTooLong, ReplyUnusable
from core.protocols import Choice, Reply, ReplyT, Speed, Written

Text = str | Sequence[str] | Exception
"""What one `stream` says: a text, its pieces, or an error to raise."""
Value = BaseModel | Mapping[str, object] | str | Exception
"""What one `reply` says: a value, its fields, raw JSON text (checked like a real reply), or an error to raise."""
Weights = Mapping[str, float] | str | Exception
"""What one `choose` says: weights of labels (scaled to sum 1, missing ones 0; a sum under 1 is the labels' `mass`), the sure label,
or an error to raise. The one label of a choice with a single label may have the weight 0."""

StepT = TypeVar("StepT")
Script = Iterable[StepT] | Callable[..., StepT]


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: `operation` is stream, reply or choose; `wanted` is the reply type, the labels, or None."""

    operation: str
    prompt: Prompt
    wanted: Any = None
    max_tokens: int = 0

    @property
    def text(self) -> str:
        """Everything the model was shown, one message after the other."""
        return "\n".join([*(message.content for message in self.prompt.messages), self.prompt.answer_start])


class ScriptedChatModel:
    """Plays a script: each of `streams`, `replies`, `choices` is a list used up in order, or a function that answers every call.

    Functions are called with what was asked: `streams(prompt)`, `replies(prompt, reply_type)`, `choices(prompt, labels)`.
    A list that is used up fails the test with an AssertionError. `asked` records every call in order, `kept` the prompts to keep. A piece of a stream is sent only while
    nobody cancelled. `hold` (an event) makes every call wait for it or for cancellation, and `waiting` is set meanwhile.
    """

    def __init__(
        self,
        *,
        streams: Script[Text] = (),
        replies: Script[Value] = (),
        choices: Script[Weights] = (),
        context_tokens: int = 4096,
        model_id: str = "scripted",
        speed: Speed | None = None,
        confidence: float | None = None,
        hold: threading.Event | None = None,
    ) -> None:
        self.asked: list[Asked] = []
        self.kept: list[Prompt] = []
        self.closed = False
        self.waiting = threading.Event()
        self._steps = {"stream": _player(streams), "reply": _player(replies), "choose": _player(choices)}
        self._context_tokens = context_tokens
        self._model_id = model_id
        self._speed = speed
        self._confidence = confidence
        self._hold = hold
        self._lock = threading.Lock()
        self._seen: list[str] = []

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    @property
    def speed(self) -> Speed | None:
        return self._speed

    def keep(self, prompts: Sequence[Prompt], *, cancel: CancelToken) -> None:
        cancel.check()
        self.kept += [prompt for prompt in prompts if prompt not in self.kept]

    def calls(self, operation: str) -> list[Asked]:
        """The recorded calls of one operation."""
        return [call for call in self.asked if call.operation == operation]

    def stream(self, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> Generator[str, None, Written]:
        asked = Asked("stream", prompt, None, max_tokens)
        usage = self._begin(asked, cancel)
        step = self._next("stream", prompt)
        pieces = [step] if isinstance(step, str) else list(step)
        try:
            for count, piece in enumerate(pieces):
                cancel.check()
                if count >= max_tokens:
                    return Written(usage, "length", self._confidence)
                usage += Usage(generated=1)
                yield piece
        except GeneratorExit:
            return Written(usage)
        cancel.check()
        return Written(usage, "end", self._confidence if pieces else None)

    def reply(self, prompt: Prompt, reply_type: type[ReplyT], *, max_tokens: int, cancel: CancelToken) -> Reply[ReplyT]:
        usage = self._begin(Asked("reply", prompt, reply_type, max_tokens), cancel)
        step = self._next("reply", prompt, reply_type)
        cancel.check()
        try:
            if isinstance(step, str):
                value = reply_type.model_validate_json(step)
            else:
                value = reply_type.model_validate(step.model_dump() if isinstance(step, BaseModel) else dict(step))
        except ValidationError as error:
            raise ReplyUnusable(f"The model's reply does not fit {reply_type.__name__}.", reply=str(step)[:500]) from error
        return Reply(value, usage + Usage(generated=1))

    def choose(self, prompt: Prompt, labels: Sequence[str], *, cancel: CancelToken) -> Choice:
        usage = self._begin(Asked("choose", prompt, tuple(labels)), cancel)
        step = self._next("choose", prompt, labels)
        cancel.check()
        weights = {step: 1.0} if isinstance(step, str) else dict(step)
        unknown = set(weights) - set(labels)
        assert not unknown, f"the script chose {unknown}, but asked was {list(labels)}"
        total = sum(weights.values())
        shares = {label: weights.get(label, 0.0) / total if total else 1 / len(labels) for label in labels}
        return Choice(shares, usage, min(total, 1.0))

    def choose_each(self, prompts: Sequence[Prompt], labels: Sequence[str], *, cancel: CancelToken) -> tuple[Choice, ...]:
        return tuple(self.choose(prompt, labels, cancel=cancel) for prompt in prompts)

    def count_tokens(self, text: str) -> int:
        return len(_tokens(text))

    def close(self) -> None:
        self.closed = True

    def _begin(self, asked: Asked, cancel: CancelToken) -> Usage:
        cancel.check()
        with self._lock:
            self.asked.append(asked)
            tokens = _tokens(asked.text)
            if len(tokens) + asked.max_tokens > self._context_tokens:
                raise PromptTooLong("The prompt does not fit into the model's context window.", tokens=len(tokens))
            reused = _common_prefix(tokens, self._seen)
            reused = min(reused, max(len(tokens) - 1, 0))
            self._seen = tokens
        if self._hold is not None:
            self._wait(cancel, self._hold)
        return Usage(evaluated=len(tokens) - reused, reused=reused)

    def _wait(self, cancel: CancelToken, hold: threading.Event) -> None:
        either = threading.Event()
        forget = cancel.on_cancel(either.set)
        threading.Thread(target=lambda: (hold.wait(30), either.set()), daemon=True).start()
        self.waiting.set()
        either.wait(30)
        self.waiting.clear()
        forget()
        cancel.check()

    def _next(self, operation: str, *arguments: object) -> Any:
        step = self._steps[operation](*arguments)
        if isinstance(step, Exception):
            raise step
        return step


def _player(script: Script[Any]) -> Callable[..., Any]:
    if callable(script):
        return script
    steps: Iterator[Any] = iter(script)

    def play(prompt: Prompt, *_wanted: object) -> Any:
        for step in steps:
            return step
        raise AssertionError(f"the script is used up, but the model was asked: {prompt.messages[-1].content[:300]!r}")

    return play


def _tokens(text: str) -> list[str]:
    """One token a word, and one for every character that is not ASCII."""
    spaced = "".join(f" {c} " if ord(c) > 127 else c for c in text)
    return spaced.split()


def _common_prefix(a: Sequence[str], b: Sequence[str]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
