"""The chat model behind core's protocol: llama.cpp in a child process that starts at the first question."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from pydantic import ValidationError

from core.cancel import CancelToken
from core.documents import Prompt, Usage
from core.errors import Cancelled, LamplightError, ModelMissing, ReplyUnusable
from core.process.host import ChildProcess
from core.process.wire import Json
from core.protocols import Choice, Reply, ReplyT, Speed, Written
from models.backends.engine_calibration import CalibrationFile
from models.backends.gguf_header import WHAT_TO_DO, read_context_length

_COUNTS_KEPT = 4096
_LONGEST_KEPT_CHARACTERS = 4000
_NEVER = CancelToken()


class LlamaCppChatModel:
    """Implements `ChatModel`. `locate` finds the GGUF file when it is first needed; `threads` 0 means what the machine has.

    `cache` is a folder for what the engine may keep between runs; without one nothing is kept.
    `prompt_lookup` makes answers that repeat their prompt come faster; off, every token is written on its own.
    `available_bytes` replaces the measured free memory, for tests. Close it, or use it as a `with`.
    """

    def __init__(
        self,
        locate: Callable[[], Path],
        *,
        context_tokens: int,
        threads: int = 0,
        cache: Path | None = None,
        prompt_lookup: bool = True,
        available_bytes: int | None = None,
        time_limit_seconds: float = 600.0,
    ) -> None:
        self._locate = locate
        self._wanted_context_tokens = context_tokens
        self._threads = threads
        self._cache = cache
        self._prompt_lookup = prompt_lookup
        self._available_bytes = available_bytes
        self._lock = threading.Lock()
        self._path: Path | None = None
        self._trained_context_tokens: int | None = None
        self._counts: OrderedDict[str, int] = OrderedDict()
        # Threads that wait by spinning made an answer seven times slower on two cores as soon as other programs wanted them too.
        environment = {"OMP_WAIT_POLICY": "PASSIVE"}
        name = "The chat model's process"
        self.child = ChildProcess(
            "models.backends.llama_cpp_host", name=name, environment=environment, time_limit_seconds=time_limit_seconds
        )

    @property
    def model_id(self) -> str:
        """The model file's name without its ending; `none` while there is no such file."""
        try:
            return self._model_file().stem
        except ModelMissing:
            return "none"

    @property
    def context_tokens(self) -> int:
        try:
            self._model_file()
        except ModelMissing:
            return self._wanted_context_tokens
        trained = self._trained_context_tokens
        return self._wanted_context_tokens if trained is None else min(self._wanted_context_tokens, trained)

    @property
    def speed(self) -> Speed | None:
        if self._cache is None:
            return None
        try:
            measured = CalibrationFile(self._cache, self._model_file(), threads=self._threads).read()
        except (ModelMissing, OSError):
            return None
        return measured.speed if measured else None

    def load(self, *, cancel: CancelToken) -> None:
        """Load the weights now, so that the first question does not wait for them."""
        self.child.call("load", self._payload(), cancel=cancel)

    def keep(self, prompts: Sequence[Prompt], *, cancel: CancelToken) -> None:
        cancel.check()
        try:
            self.child.call("keep", self._payload(prompts=[_to_wire(prompt) for prompt in prompts]), cancel=cancel)
        except Cancelled:
            raise
        except LamplightError:
            # Only a wish: the question that comes next meets the same error and tells it.
            return

    def stream(self, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> Generator[str, None, Written]:
        written = Written(Usage())
        events = self.child.request("stream", self._payload(prompt, max_tokens=max_tokens), cancel=cancel)
        try:
            for event in events:
                if "text" in event:
                    written = Written(Usage(**event["usage"]))
                    yield event["text"]
                else:
                    written = Written(Usage(**event["usage"]), event["reason"], event["confidence"])
        except GeneratorExit:
            events.close()
        return written

    def reply(self, prompt: Prompt, reply_type: type[ReplyT], *, max_tokens: int, cancel: CancelToken) -> Reply[ReplyT]:
        payload = self._payload(prompt, max_tokens=max_tokens, schema=reply_type.model_json_schema())
        event = self.child.call("reply", payload, cancel=cancel)
        try:
            value = reply_type.model_validate(json.loads(event["text"], strict=False))
        except (ValidationError, ValueError) as error:
            why = "it was cut off" if event["reason"] == "length" else "it does not fit"
            raise ReplyUnusable(
                f"The model's reply could not be read as {reply_type.__name__}: {why}.", reply=event["text"][:500], reason=event["reason"]
            ) from error
        return Reply(value, Usage(**event["usage"]))

    def choose(self, prompt: Prompt, labels: Sequence[str], *, cancel: CancelToken) -> Choice:
        event = self.child.call("choose", self._payload(prompt, labels=list(labels)), cancel=cancel)
        return Choice(dict(zip(labels, event["probabilities"], strict=True)), Usage(**event["usage"]), event["mass"])

    def choose_each(self, prompts: Sequence[Prompt], labels: Sequence[str], *, cancel: CancelToken) -> tuple[Choice, ...]:
        payload = self._payload(prompts=[_to_wire(prompt) for prompt in prompts], labels=list(labels))
        choices = self.child.call("choose_each", payload, cancel=cancel)["choices"]
        return tuple(
            Choice(dict(zip(labels, choice["probabilities"], strict=True)), Usage(**choice["usage"]), choice["mass"]) for choice in choices
        )

    def count_tokens(self, text: str) -> int:
        with self._lock:
            if text in self._counts:
                self._counts.move_to_end(text)
                return self._counts[text]
        count = int(self.child.call("count_tokens", self._payload(text=text), cancel=_NEVER)["count"])
        if len(text) <= _LONGEST_KEPT_CHARACTERS:
            with self._lock:
                self._counts[text] = count
                while len(self._counts) > _COUNTS_KEPT:
                    self._counts.popitem(last=False)
        return count

    def close(self) -> None:
        """End the child process for good."""
        self.child.close()

    def __enter__(self) -> LlamaCppChatModel:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _model_file(self) -> Path:
        with self._lock:
            if self._path is None:
                path = self._locate()
                if not path.is_file():
                    raise ModelMissing(f"The model file {path} is not there. {WHAT_TO_DO}", path=str(path))
                self._trained_context_tokens = read_context_length(path)
                self._path = path
            return self._path

    def _payload(self, prompt: Prompt | None = None, **more: object) -> Json:
        payload: Json = {
            "model": str(self._model_file()),
            "context_tokens": self._wanted_context_tokens,
            "threads": self._threads,
            "prompt_lookup": self._prompt_lookup,
            "cache": str(self._cache) if self._cache is not None else "",
            **more,
        }
        if prompt is not None:
            payload |= _to_wire(prompt)
        if self._available_bytes is not None:
            payload["available_bytes"] = self._available_bytes
        return payload


def _to_wire(prompt: Prompt) -> Json:
    messages = [{"role": message.role, "content": message.content} for message in prompt.messages]
    return {"messages": messages, "answer_start": prompt.answer_start}
