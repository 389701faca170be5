"""What a run tells the outside while it works. A job is a generator of these; its last event carries the result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.documents import Answer, IndexedFile, IndexReport, Step


@dataclass(frozen=True, slots=True)
class StepStarted:
    """The graph entered node `node`."""

    node: str


@dataclass(frozen=True, slots=True)
class StepFinished:
    """The graph left a node. `detail` is plain JSON-like data for the trace: what the node decided, searched or found."""

    step: Step
    detail: dict[str, object]


@dataclass(frozen=True, slots=True)
class AnswerText:
    """More text of the answer. `own_knowledge` marks text that comes from the model itself, not from files or the web."""

    text: str
    own_knowledge: bool = False


@dataclass(frozen=True, slots=True)
class WebConsentWanted:
    """The run wants to send exactly `query` to the web and waits for the person's word."""

    query: str


@dataclass(frozen=True, slots=True)
class AnswerExpected:
    """The answer will be there in about `seconds`, counted from now."""

    seconds: float


@dataclass(frozen=True, slots=True)
class AnswerRestarted:
    """The answer is written again, from more evidence: what was streamed of it until now no longer holds."""


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """The run is over. `answer.text` replaces what was streamed: source marks may have been added or removed."""

    answer: Answer


AnswerEvent = StepStarted | StepFinished | AnswerExpected | AnswerText | AnswerRestarted | WebConsentWanted | AnswerFinished


@dataclass(frozen=True, slots=True)
class IndexStarted:
    """Scanning is done: `total` files will be looked at."""

    total: int


@dataclass(frozen=True, slots=True)
class FileStarted:
    """A file is being read; `done` of `total` files have their final state."""

    path: Path
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class FileSearchable:
    """A file was read and is found by its words; it waits for vectors. `done` of `total` files have their final state."""

    file: IndexedFile
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class FileProgress:
    """`done` of `total` chunks of the current file are embedded."""

    path: Path
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a run is: `read` of `files` files have been looked at, and `embedded` of `chunks` missing vectors are made.

    `files` grows when more files come while the run goes on, and `chunks` as long as files are read.
    """

    read: int
    files: int
    embedded: int
    chunks: int


@dataclass(frozen=True, slots=True)
class IndexHeld:
    """A question is being answered: the run waits for it."""


@dataclass(frozen=True, slots=True)
class IndexGoesOn:
    """The question is answered, and the run goes on."""


@dataclass(frozen=True, slots=True)
class EmbedderLoading:
    """The embedder is being loaded, or measured for the first time: the run waits for it, for seconds and up to half a minute."""


@dataclass(frozen=True, slots=True)
class EmbedderReady:
    """The embedder is loaded, and makes vectors."""


@dataclass(frozen=True, slots=True)
class FileFinished:
    """One file has its final state."""

    file: IndexedFile
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IndexFinished:
    """All files have their final state."""

    report: IndexReport


IndexEvent = (
    IndexStarted
    | FileStarted
    | FileSearchable
    | FileProgress
    | IndexProgress
    | IndexHeld
    | IndexGoesOn
    | EmbedderLoading
    | EmbedderReady
    | FileFinished
    | IndexFinished
)
