"""The full graph with one of its mechanisms switched off, to see what the mechanism is worth.

    lamplight eval --without cache|labels|lookup|hops|leads ...

cache   every prompt begins with a number of its own, so nothing of an earlier one can be reused, and nothing is kept between runs
labels  decisions are written under a grammar instead of being read from the logits of their labels
lookup  every token is generated on its own (no prompt-lookup decoding)
hops    lookups get no short answers, so a chain ends where its second link needs the first one's answer
leads   nothing is searched together with the beginnings of the best passages
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import create_model

from core.cancel import CancelToken
from core.documents import Message, Prompt
from core.protocols import ChatModel, Choice, Reply, ReplyT, Speed, Written
from core.qa.session import Session
from core.qa.state import PIPELINES, Features
from desktop.assembly import Application
from models.catalog import locate_chat_model
from models.chat_model import LlamaCppChatModel

Mechanism = Literal["cache", "labels", "lookup", "hops", "leads"]


@dataclass(frozen=True)
class Ablated:
    """A session without some mechanisms, and the parts of the graph that are left. Close its model."""

    session: Session
    features: Features
    chat_model: LlamaCppChatModel

    def close(self) -> None:
        self.chat_model.close()


def open_ablated(application: Application, without: Collection[str]) -> Ablated:
    """The application's own files and settings, answered by a graph that lacks the mechanisms named."""
    settings = application.settings.models
    chat_model = LlamaCppChatModel(
        lambda: locate_chat_model(settings, application.model_paths),
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        cache=application.paths.engine_cache,
        prompt_lookup="lookup" not in without,
    )
    used: ChatModel = chat_model
    if "labels" in without:
        used = WrittenLabels(used)
    if "cache" in without:
        used = NothingShared(used)
    session = Session(
        chat_model=used,
        embedder=application.embedder,
        retriever=application.retriever,
        web_search=application.web_search,
        settings=application.settings,
        lease=application.lease,
        thresholds=application.models.thresholds,
    )
    return Ablated(session, replace(PIPELINES["full"], hop_answers="hops" not in without, leads="leads" not in without), chat_model)


class _Wrapped:
    """A chat model that does what another one does."""

    def __init__(self, chat_model: ChatModel) -> None:
        self._chat_model = chat_model

    @property
    def model_id(self) -> str:
        return self._chat_model.model_id

    @property
    def context_tokens(self) -> int:
        return self._chat_model.context_tokens

    @property
    def speed(self) -> Speed | None:
        return self._chat_model.speed

    def keep(self, prompts: Sequence[Prompt], *, cancel: CancelToken) -> None:
        self._chat_model.keep(prompts, cancel=cancel)

    def stream(self, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> Generator[str, None, Written]:
        return self._chat_model.stream(prompt, max_tokens=max_tokens, cancel=cancel)

    def reply(self, prompt: Prompt, reply_type: type[ReplyT], *, max_tokens: int, cancel: CancelToken) -> Reply[ReplyT]:
        return self._chat_model.reply(prompt, reply_type, max_tokens=max_tokens, cancel=cancel)

    def choose(self, prompt: Prompt, labels: Sequence[str], *, cancel: CancelToken) -> Choice:
        return self._chat_model.choose(prompt, labels, cancel=cancel)

    def choose_each(self, prompts: Sequence[Prompt], labels: Sequence[str], *, cancel: CancelToken) -> tuple[Choice, ...]:
        # One by one, so that what is switched off in `choose` is switched off here too.
        return tuple(self.choose(prompt, labels, cancel=cancel) for prompt in prompts)

    def count_tokens(self, text: str) -> int:
        return self._chat_model.count_tokens(text)


class NothingShared(_Wrapped):
    """Makes the first words of every prompt differ from all others."""

    def __init__(self, chat_model: ChatModel) -> None:
        super().__init__(chat_model)
        self._numbers = itertools.count(100_000)

    def keep(self, prompts: Sequence[Prompt], *, cancel: CancelToken) -> None:
        cancel.check()

    def stream(self, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> Generator[str, None, Written]:
        return super().stream(self._unlike(prompt), max_tokens=max_tokens, cancel=cancel)

    def reply(self, prompt: Prompt, reply_type: type[ReplyT], *, max_tokens: int, cancel: CancelToken) -> Reply[ReplyT]:
        return super().reply(self._unlike(prompt), reply_type, max_tokens=max_tokens, cancel=cancel)

    def choose(self, prompt: Prompt, labels: Sequence[str], *, cancel: CancelToken) -> Choice:
        return super().choose(self._unlike(prompt), labels, cancel=cancel)

    def _unlike(self, prompt: Prompt) -> Prompt:
        first, *others = prompt.messages
        return replace(prompt, messages=(Message(first.role, f"{next(self._numbers)} {first.content}"), *others))


class WrittenLabels(_Wrapped):
    """Asks for the label in writing, as JSON under a grammar: the one written is certain, the others are impossible."""

    def choose(self, prompt: Prompt, labels: Sequence[str], *, cancel: CancelToken) -> Choice:
        one_of: Any = Literal[tuple(labels)]
        reply_type = create_model("Label", label=(one_of, ...))
        reply = self._chat_model.reply(prompt, reply_type, max_tokens=24, cancel=cancel)
        chosen = reply.value.model_dump()["label"]
        return Choice({label: float(label == chosen) for label in labels}, reply.usage)
