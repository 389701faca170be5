"""How much work one question may cost. Reaching a limit is an ordinary end: the graph answers from what it has and says so."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace

from core.cancel import CancelToken
from core.documents import Prompt, Usage
from core.protocols import ChatModel, Choice, Reply, ReplyT, Speed, Written, stop
from core.qa.state import Strategy
from core.settings import Budget

# One node more than the longest way through the graph is 24: rewrite, route, decompose, 8 x (retrieve, plan), evaluate, web,
# evaluate, generate, refuse. LangGraph's own default is 10007.
RECURSION_LIMIT = 30


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The most one run may use, and how much evidence it may read.

    `evidence_tokens` bounds all passages of a prompt together, `chunks_per_lookup` what one search adds, `proposals` how many lookups
    the model may add to its plan, `retries` how often a bad answer is written again from more evidence.
    """

    model_calls: int = 40
    tokens: int = 30_000
    seconds: float = 600.0
    evidence_tokens: int = 1500
    chunks_per_lookup: int = 5
    proposals: int = 1
    retries: int = 1


LIMITS: dict[Budget, RunLimits] = {
    "quick": RunLimits(model_calls=20, tokens=12_000, seconds=180.0, evidence_tokens=800, chunks_per_lookup=3, proposals=0, retries=0),
    "careful": RunLimits(),
    "exhaustive": RunLimits(
        model_calls=80, tokens=90_000, seconds=1800.0, evidence_tokens=3000, chunks_per_lookup=8, proposals=3, retries=2
    ),
}


@dataclass(frozen=True, slots=True)
class ReadingTime:
    """How long evidence may take to read, in seconds, and the least and most tokens of it, however slow or fast the machine is."""

    seconds: float
    least_tokens: int
    most_tokens: int


# Two passages are the least that an answer can be checked against; more than the most makes answers of small models worse, not better.
READING_TIMES: dict[Budget, ReadingTime] = {
    "quick": ReadingTime(8.0, 600, 1200),
    "careful": ReadingTime(20.0, 1000, 2000),
    "exhaustive": ReadingTime(60.0, 2000, 4000),
}


def limits_for(budget: Budget, speed: Speed | None) -> RunLimits:
    """The limits of a budget, with as much evidence as this machine reads in the budget's time; the usual amount while the speed is unknown."""
    limits, reading = LIMITS[budget], READING_TIMES[budget]
    if speed is None:
        return limits
    tokens = int(speed.prefill_tokens_per_second * reading.seconds)
    return replace(limits, evidence_tokens=max(reading.least_tokens, min(reading.most_tokens, tokens)))


# What a question of one lookup costs, in tokens, counted on runs of the starter model: what its steps read besides the evidence, what
# they and the answer write, and how long a passage is. An answer without files is longer, because nothing holds it to a passage.
STEPS_READ_TOKENS = 300
STEPS_WRITTEN_TOKENS = 50
PASSAGE_TOKENS = 170
DIRECT_READ_TOKENS = 60
DIRECT_WRITTEN_TOKENS = 60


def predicted_seconds(strategy: Strategy, limits: RunLimits, speed: Speed | None) -> float | None:
    """How long an answer takes from the routing decision on, for a question of one lookup; None while the speed is unknown.

    The evidence is what one search usually brings, within the limit. A question of several lookups takes longer.
    """
    if speed is None:
        return None
    if strategy == "simple":
        return DIRECT_READ_TOKENS / speed.prefill_tokens_per_second + DIRECT_WRITTEN_TOKENS / speed.generation_tokens_per_second
    evidence = min(limits.evidence_tokens, limits.chunks_per_lookup * PASSAGE_TOKENS)
    read = evidence + STEPS_READ_TOKENS
    return read / speed.prefill_tokens_per_second + STEPS_WRITTEN_TOKENS / speed.generation_tokens_per_second


@dataclass(slots=True)
class Meter:
    """Counts what a run has used so far. One meter per run, used by one thread at a time."""

    limits: RunLimits
    clock: Callable[[], float] = time.monotonic
    model_calls: int = 0
    usage: Usage = field(default_factory=Usage)
    _started: float = field(init=False)
    _taken: Usage = field(init=False, default_factory=Usage)

    def __post_init__(self) -> None:
        self._started = self.clock()

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return self.clock() - self._started

    def count(self, usage: Usage) -> None:
        """Add one model call."""
        self.model_calls += 1
        self.usage = self.usage + usage

    def limit_hit(self) -> str | None:
        """The name of the first limit reached, or None."""
        if self.model_calls >= self.limits.model_calls:
            return "model_calls"
        if self.usage.evaluated + self.usage.generated >= self.limits.tokens:
            return "tokens"
        if self.seconds >= self.limits.seconds:
            return "seconds"
        return None

    def take(self) -> Usage:
        """What was used since the last call of `take`: the cost of one node."""
        now, before = self.usage, self._taken
        self._taken = now
        return Usage(now.evaluated - before.evaluated, now.reused - before.reused, now.generated - before.generated)


class MeteredChatModel:
    """A chat model whose calls are counted by a run's meter."""

    def __init__(self, chat_model: ChatModel, meter: Meter) -> None:
        self._chat_model = chat_model
        self._meter = meter

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
        pieces = self._chat_model.stream(prompt, max_tokens=max_tokens, cancel=cancel)
        written: Written | None
        try:
            # Not `yield from`: it would close the stream itself, and what was paid would be lost.
            while True:
                yield next(pieces)
        except StopIteration as end:
            written = end.value
        except GeneratorExit:
            written = stop(pieces)
        if written is None:
            return Written(Usage())
        self._meter.count(written.usage)
        return written

    def reply(self, prompt: Prompt, reply_type: type[ReplyT], *, max_tokens: int, cancel: CancelToken) -> Reply[ReplyT]:
        reply = self._chat_model.reply(prompt, reply_type, max_tokens=max_tokens, cancel=cancel)
        self._meter.count(reply.usage)
        return reply

    def choose(self, prompt: Prompt, labels: Sequence[str], *, cancel: CancelToken) -> Choice:
        choice = self._chat_model.choose(prompt, labels, cancel=cancel)
        self._meter.count(choice.usage)
        return choice

    def choose_each(self, prompts: Sequence[Prompt], labels: Sequence[str], *, cancel: CancelToken) -> tuple[Choice, ...]:
        choices = self._chat_model.choose_each(prompts, labels, cancel=cancel)
        for choice in choices:
            self._meter.count(choice.usage)
        return choices

    def count_tokens(self, text: str) -> int:
        return self._chat_model.count_tokens(text)
