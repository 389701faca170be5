"""The values everything else speaks in. All frozen, equal by content; identity is the store's business.

Offsets (`start`, `end`) always count characters in the decoded text of a document, exactly as `library text FILE` prints it.
`line` counts from 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from core.scope import EVERYTHING, Scope

DocumentState = Literal["waiting", "ready", "skipped", "failed"]
AnswerOrigin = Literal["model", "files", "web", "none"]
DoubtKind = Literal["number", "date", "name", "quote", "claim"]
ShortfallCode = Literal["no_names", "no_answer", "other_topic"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens one or more model calls cost: evaluated anew, reused from the cache, and generated."""

    evaluated: int = 0
    reused: int = 0
    generated: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.evaluated + other.evaluated, self.reused + other.reused, self.generated + other.generated)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation or one message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a chat model is asked.

    Every `content` is data: the model's own control tokens in it stay ordinary text. `answer_start` is text the answer is made
    to begin with; it is not repeated in what the model returns. Prompts that share a beginning share the model's work.
    """

    messages: tuple[Message, ...]
    answer_start: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the library and how far it has come. `reason` is a code of `DocumentUnreadable` when it is not ready.

    `encoding` is empty for what is not text itself. `encoding_is_chosen`: the person said it, the program did not find it.
    """

    id: int
    path: Path
    title: str
    state: DocumentState
    reason: str
    encoding: str
    sha256: str
    size_bytes: int
    modified_ns: int
    chunk_count: int
    encoding_is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page begins in a document's text. A page is what the format has: of a PDF a page, else a slide, a sheet, or a part of a book; `page` counts from 1."""

    start: int
    page: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document: the slice `text == document_text[start:end]`, beginning on line `line`.

    `page_starts` are the beginnings of pages in it and around it, in order; empty for a document without pages.
    """

    id: int
    document_id: int
    path: Path
    title: str
    heading_path: str
    start: int
    end: int
    line: int
    text: str
    page_starts: tuple[PageStart, ...] = ()

    @property
    def page(self) -> int | None:
        """The page that the passage begins on."""
        return self.page_at(self.start)

    def page_at(self, place: int) -> int | None:
        """The page that character `place` of the document is on, for places in the passage; None where there are no pages."""
        before = [known for known in self.page_starts if known.start <= place]
        return max(before, key=lambda known: known.start).page if before else None

    @property
    def context(self) -> str:
        """`title > heading path`: what is embedded and word-indexed in front of the text."""
        return f"{self.title} > {self.heading_path}" if self.heading_path else self.title


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A chunk and how well it fits the query that found it. Higher is better; scores of different modes are not comparable.

    A hybrid score says how the candidates of one query compare (0..1, the best is near 1 even if nothing fits). `similarity` is the
    cosine between query and chunk and can be compared across queries; None where nothing was embedded.
    """

    chunk: Chunk
    score: float
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Passages, best first, and the codes of what did not work on the way (`words_failed`, `vectors_failed`)."""

    passages: tuple[ScoredChunk, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WebResult:
    """One result of a web search. `published` is a date as the engine wrote it, or empty."""

    title: str
    url: str
    domain: str
    snippet: str
    published: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """Source number `n` of an answer. For a file, `quote` is exactly the text's slice `[start:end]`; for the web, `url` is set instead.

    `page` is the page, slide, sheet or part of a book that the quote begins on, where the format has such.
    """

    n: int
    quote: str
    file: Path | None = None
    title: str = ""
    start: int = 0
    end: int = 0
    line: int = 0
    url: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """One lookup of a run: what was searched, the short answer found for it if any, and how many new chunks it brought."""

    query: str
    answer: str = ""
    found: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Whether the evidence is enough, what is missing (at most 6 points), and why."""

    enough: bool
    missing: tuple[str, ...] = ()
    reason: str = ""
    web_query: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """How good an answer is; every part is 0..1."""

    relevance: float
    completeness: float
    faithfulness: float
    score: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A part of an answer that the evidence does not bear out: `Answer.text[start:end]`.

    `claim` is a whole sentence that no passage carries; the other kinds are one number, date, name or quotation.
    """

    start: int
    end: int
    kind: DoubtKind


@dataclass(frozen=True, slots=True)
class ClosestPassage:
    """Why source number `n` of a refusal falls short.

    `no_names`: what the question names does not occur in it. `no_answer`: it is on the subject, but what was asked is not stated.
    `other_topic`: it is about something else.
    """

    n: int
    why: ShortfallCode


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no answer: what was searched, the nearest passages, and what would settle the question, in its language."""

    searched: tuple[str, ...] = ()
    closest: tuple[ClosestPassage, ...] = ()
    would_settle: str = ""


@dataclass(frozen=True, slots=True)
class WebOutcome:
    """What the web fallback did. `query` is the very text that left the machine; empty if none did. `error` is a code or empty."""

    searched: bool = False
    query: str = ""
    error: str = ""
    results: tuple[WebResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One node's run in the trace of an answer."""

    node: str
    seconds: float
    usage: Usage = Usage()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a question, complete enough to show, store and measure.

    `origin` says where the text comes from; `none` means "your files do not say" and goes with `refused`. `own_knowledge` is
    what the model itself knows, kept apart from `text`. `short_answer` is the answer alone, where the text begins with one. `notes`
    are codes of parts that failed or were left out on the way.
    `doubts` are in the order of the text and do not overlap. `scope` is what the question was restricted to. `refusal` is there exactly when `refused` is true and the run was not
    stopped before it was made.
    """

    question: str
    standalone_question: str
    strategy: str
    route_reason: str
    text: str
    origin: AnswerOrigin
    refused: bool
    short_answer: str = ""
    own_knowledge: str = ""
    sub_questions: tuple[SubQuestion, ...] = ()
    citations: tuple[Citation, ...] = ()
    documents: tuple[ScoredChunk, ...] = ()
    web: WebOutcome = WebOutcome()
    evaluation: Evaluation | None = None
    judgement: Judgement | None = None
    doubts: tuple[Doubt, ...] = ()
    refusal: Refusal | None = None
    limits_hit: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    seconds_to_first_word: float | None = None
    seconds: float = 0.0
    predicted_seconds: float | None = None
    model: str = ""
    embedder: str = ""
    interrupted: bool = False
    scope: Scope = EVERYTHING


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """What became of one file that was to be indexed. `unchanged` files cost nothing."""

    path: Path
    state: DocumentState
    reason: str = ""
    encoding: str = ""
    chunks: int = 0
    seconds: float = 0.0
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The result of an indexing run. `chunks_per_second` counts only chunks that were embedded."""

    files: tuple[IndexedFile, ...] = field(default=())
    chunks_per_second: float = 0.0
    seconds: float = 0.0
