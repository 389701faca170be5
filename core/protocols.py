"""What core needs from the outside. `models/` and `core/web/` implement these; tests bring fakes that pass the same contracts."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from core.cancel import CancelToken
from core.documents import Prompt, ScoredChunk, SearchOutcome, Usage, WebResult
from core.scope import Scope

Vectors = npt.NDArray[np.float32]
ReplyT = TypeVar("ReplyT", bound=BaseModel)


Ending = Literal["end", "length", "loop"]
"""Why a text ended: the model was done, the limit of tokens was reached, or it had begun to repeat itself."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a streamed text cost, and why it ended.

    `confidence` is the geometric mean of the probabilities of the tokens written, 0 to 1; None when nothing was written or the
    model does not tell.
    """

    usage: Usage
    ending: Ending = "end"
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Reply(Generic[ReplyT]):
    """A structured reply and what it cost."""

    value: ReplyT
    usage: Usage


@dataclass(frozen=True, slots=True)
class Choice:
    """Probabilities of the labels (they sum to 1), in the order asked, and what the one forward pass cost.

    `mass` is the share of the whole vocabulary's probability that the labels' first tokens have together, 0 to 1: near 0, the
    model would have said something else. With a single label X it is the probability that what comes next begins like X.
    """

    probabilities: Mapping[str, float]
    usage: Usage
    mass: float = 1.0

    @property
    def best(self) -> str:
        """The most probable label; the first of equals."""
        return max(self.probabilities, key=lambda label: self.probabilities[label])


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast a model works on this machine: tokens a second that it reads of a prompt, and tokens a second that it writes."""

    prefill_tokens_per_second: float
    generation_tokens_per_second: float


class ChatModel(Protocol):
    """A model that continues prompts. One call at a time; calls from several threads wait for each other.

    Every call may raise `Cancelled`, `PromptTooLong`, `ChildCrashed`, `ChildTimedOut`, `ModelMissing`, `ModelUnusable` or
    `NotEnoughMemory`. The weights are loaded at the first call; after a crash the next call loads them again.
    """

    @property
    def model_id(self) -> str:
        """A short name for answers and reports; needs no loaded weights."""
        ...

    @property
    def context_tokens(self) -> int:
        """Size of the context window in tokens: prompt and answer together."""
        ...

    @property
    def speed(self) -> Speed | None:
        """How fast this model is on this machine; None until it was measured. Loads no weights."""
        ...

    def keep(self, prompts: Sequence[Prompt], *, cancel: CancelToken) -> None:
        """Say that many prompts will begin like these, up to their last message: that part is worth keeping, also between runs.

        Only for prompts made of the program's own texts: what is kept may be written to disk. Costs next to nothing, may be called
        again, and raises nothing but `Cancelled`: whatever fails here only makes the next call slower.
        """
        ...

    def stream(self, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> Generator[str, None, Written]:
        """Yield the answer as it is written (whole characters only); the generator's return value says what it cost and why it ended.

        A generator that is stopped early (`stop`) returns what was paid until then.
        """
        ...

    def reply(self, prompt: Prompt, reply_type: type[ReplyT], *, max_tokens: int, cancel: CancelToken) -> Reply[ReplyT]:
        """Return a reply of the given type, produced under its grammar. Raises `ReplyUnusable` or `GrammarInvalid`."""
        ...

    def choose(self, prompt: Prompt, labels: Sequence[str], *, cancel: CancelToken) -> Choice:
        """Return how probable each label is as the next thing said, from the logits of one forward pass. Labels must differ in their first token."""
        ...

    def choose_each(self, prompts: Sequence[Prompt], labels: Sequence[str], *, cancel: CancelToken) -> tuple[Choice, ...]:
        """The choice behind each of several prompts, as `choose` makes it, up to the rounding of logits.

        Where the prompts begin alike, that part is read once and their short ends together, which is faster than one after the other.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Number of tokens of plain text, without any template around it."""
        ...


def stop(stream: Generator[str, None, Written]) -> Written | None:
    """Close a stream of a `ChatModel` early. Returns what was paid until then; None if it had not begun or is at its end already."""
    try:
        # What `close` does; from Python 3.13 on it returns the value itself.
        stream.throw(GeneratorExit)
    except StopIteration as end:
        return end.value if isinstance(end.value, Written) else None
    except GeneratorExit:
        return None
    raise RuntimeError("The stream went on after it was closed.")


class Embedder(Protocol):
    """Text to unit vectors. May raise the same errors as `ChatModel`."""

    @property
    def model_id(self) -> str:
        """Names the model and its weights: vectors of two different ids are never compared. Needs no loaded weights."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    @property
    def is_ready(self) -> bool:
        """Whether texts are encoded as soon as they are given. Else the weights are loaded first, which takes up to half a minute. Loads nothing."""
        ...

    def embed_passages(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        """Float32 unit vectors of shape (len(texts), dimension), in the order given."""
        ...

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        """The float32 unit vector of a query, shape (dimension,)."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text in the model's own tokenizer, without special tokens. Loads no weights: cheap and in-process."""
        ...


class Reranker(Protocol):
    """Scores passages against a query more exactly and more slowly than a search does. Never required."""

    def rerank(self, query: str, texts: Sequence[str], *, cancel: CancelToken) -> list[float]:
        """One score per text, higher is better, in the order given."""
        ...


class Retriever(Protocol):
    """Finds passages in the person's files."""

    def within(self, scope: Scope) -> Retriever:
        """The same search among the files of `scope` alone.

        Raises `NotFound` (`not_in_library`) for a path without any known file, `InvalidRequest` (`scope_empty`) where nothing can be searched.
        """
        ...

    def search(self, query: str, *, k: int, cancel: CancelToken) -> list[ScoredChunk]:
        """The best `k` chunks, best first. An empty list means nothing fits; a failed search raises.

        Raises `IndexDamaged`, `StoreLocked`, or the embedder's errors.
        """
        ...

    def search_with_notes(self, query: str, *, k: int, cancel: CancelToken) -> SearchOutcome:
        """Like `search`, and says which part of the search failed while the rest still answered."""
        ...

    def search_all(self, queries: Sequence[str], *, k: int, cancel: CancelToken, weights: Sequence[float] | None = None) -> SearchOutcome:
        """The best `k` chunks for several wordings or parts of one question, each chunk once, with its best score; of copies of a file one.

        `weights` (0..1, one for each query; all 1 if left out) multiply what a query finds. Blank and repeated queries are left out.
        Raises what `search` raises if no query could be searched.
        """
        ...

    def text_of(self, document_id: int, start: int, end: int) -> str:
        """A slice of an indexed document's text, shorter where the document ends, "" if it is gone. Raises `IndexDamaged` or `StoreLocked`."""
        ...


class WebSearch(Protocol):
    """A web search without a key."""

    def search(self, query: str, *, max_results: int, cancel: CancelToken) -> list[WebResult]:
        """Results, best first, one per domain. Nothing found is an empty list; raises `WebSearchFailed` within the deadline."""
        ...


class WebConsent(Protocol):
    """How a run asks the person before anything leaves the machine."""

    def __call__(self, query: str, *, cancel: CancelToken) -> str | None:
        """Return the text that may be sent (as shown, or edited by the person), or None for no."""
        ...
