"""An application for the window that needs no weights: a scripted session, a library in memory, and a real store of conversations."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from core.cancel import CancelToken
from core.documents import (
    Answer,
    Chunk,
    Citation,
    Document,
    IndexedFile,
    IndexReport,
    Message,
    Prompt,
    ScoredChunk,
    Step,
    SubQuestion,
    Usage,
    WebOutcome,
)
from core.errors import LamplightError, NotFound
from core.events import (
    AnswerEvent,
    AnswerFinished,
    AnswerText,
    FileFinished,
    FileStarted,
    IndexEvent,
    IndexFinished,
    IndexStarted,
    StepFinished,
    StepStarted,
)
from core.library.changed_paths import ChangedPaths
from core.paths import Paths
from core.protocols import WebConsent
from core.scope import EVERYTHING, Scope
from core.settings import Settings
from core.store.user_store import UserStore


class Gate:
    """A point in a script where the run waits until the test lets it go on, or cancels it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._go = threading.Event()

    def open(self) -> None:
        self._go.set()

    def wait(self, cancel: CancelToken) -> None:
        forget = cancel.on_cancel(self._go.set)
        self.reached.set()
        assert self._go.wait(20), "nobody opened the gate"
        forget()
        cancel.check()


@dataclass(frozen=True)
class AskConsent:
    """A point in a script where the run asks for the web; the reply is given to `then`."""

    query: str
    then: Callable[[str | None], Sequence[object]]


ScriptStep = AnswerEvent | Gate | AskConsent | LamplightError


class ScriptedSession:
    """Plays one script per question, in order, and records what it was asked."""

    def __init__(self, *scripts: Sequence[Any]) -> None:
        self.scripts = list(scripts)
        self.asked: list[tuple[str, tuple[Message, ...]]] = []
        self.as_typed: list[bool] = []
        self.scopes: list[Scope] = []

    def ask(
        self,
        question: str,
        *,
        history: Sequence[Message] = (),
        cancel: CancelToken,
        pipeline: str = "full",
        consent: WebConsent | None = None,
        as_typed: bool = False,
        scope: Scope = EVERYTHING,
    ) -> Iterator[AnswerEvent]:
        self.as_typed.append(as_typed)
        self.scopes.append(scope)
        self.asked.append((question, tuple(history)))
        script = self.scripts.pop(0) if self.scripts else simple_run(question, "Nothing more is scripted.")
        yield from self._play(list(script), cancel, consent)

    def _play(self, script: list[Any], cancel: CancelToken, consent: WebConsent | None) -> Iterator[AnswerEvent]:
        for step in script:
            cancel.check()
            if isinstance(step, Gate):
                step.wait(cancel)
            elif isinstance(step, AskConsent):
                assert consent is not None
                yield from self._play(list(step.then(consent(step.query, cancel=cancel))), cancel, consent)
            elif isinstance(step, Exception):
                raise step
            else:
                yield step


class MemoryLibrary:
    """A library whose files are read from disk as UTF-8 and kept in memory."""

    def __init__(self) -> None:
        self.user_store: Any = None
        self.texts: dict[Path, str] = {}
        self.failure: LamplightError | None = None
        self.gate: Gate | None = None
        self.encodings: dict[Path, str] = {}
        self.runs: list[tuple[Path, ...] | None] = []
        """What each run was about: paths that changed, or everything (None)."""
        self.taken: list[tuple[Path, ...]] = []
        """What runs took up that changed while they went on."""

    def add(self, paths: Sequence[Path]) -> None:
        for path in paths:
            if not path.exists():
                raise NotFound("There is no such file.", path=str(path))
        for path in paths:
            self.user_store.add_source(path)

    def finish_removals(self, cancel: CancelToken) -> None:
        cancel.check()

    def begin_removal(self, path: Path) -> None:
        self.user_store.remove_source(path)
        self.texts = {known: text for known, text in self.texts.items() if known != path and path not in known.parents}

    def sources(self) -> list[Path]:
        return list(self.user_store.sources())

    def choose_encoding(self, path: Path, encoding: str) -> str:
        self.encodings[path] = encoding
        return encoding

    def rebuild(self) -> None:
        self.failure = None
        self.texts.clear()

    def index(
        self, cancel: CancelToken, paths: Sequence[Path] | None = None, *, changed: ChangedPaths | None = None
    ) -> Iterator[IndexEvent]:
        self.runs.append(tuple(paths) if paths is not None else None)
        yield from self._read(cancel, paths if paths is not None else self.sources(), changed)

    def update(self, cancel: CancelToken, paths: Sequence[Path], *, changed: ChangedPaths | None = None) -> Iterator[IndexEvent]:
        self.runs.append(tuple(paths))
        self._forget_gone(paths)
        yield from self._read(cancel, [path for path in paths if path.exists()], changed)

    def _forget_gone(self, paths: Sequence[Path]) -> None:
        gone = [path for path in paths if not path.exists()]
        self.texts = {known: text for known, text in self.texts.items() if not any(known.is_relative_to(path) for path in gone)}

    def _read(self, cancel: CancelToken, paths: Sequence[Path], changed: ChangedPaths | None = None) -> Iterator[IndexEvent]:
        if self.failure is not None:
            raise self.failure
        files = [file for path in paths for file in (sorted(path.rglob("*.*")) if path.is_dir() else [path])]
        yield IndexStarted(len(files))
        done: dict[Path, IndexedFile] = {}
        for file in files:
            cancel.check()
            yield FileStarted(file, len(done), len(files))
            if self.gate is not None:
                self.gate.wait(cancel)
            yield from self._read_one(file, done, len(files))
            if changed is not None and (taken := changed.take()):
                self.taken.append(taken)
                self._forget_gone(taken)
                for other in taken:
                    if other.exists():
                        yield from self._read_one(other, done, len(files))
        yield IndexFinished(IndexReport(tuple(done.values())))

    def _read_one(self, file: Path, done: dict[Path, IndexedFile], total: int) -> Iterator[IndexEvent]:
        self.texts[file] = file.read_text(encoding="utf-8")
        done[file] = IndexedFile(file, "ready", encoding="utf-8", chunks=1)
        yield FileFinished(done[file], len(done), max(total, len(done)))

    def documents(self) -> list[Document]:
        return [
            Document(number, path, path.stem, "ready", "", "utf-8", "0" * 64, len(text), 0, 1)
            for number, (path, text) in enumerate(self.texts.items(), start=1)
        ]

    def text(self, path: Path) -> str:
        if path not in self.texts:
            raise NotFound("This file is not in the library.", path=str(path))
        return self.texts[path]

    def has_documents(self) -> bool:
        return bool(self.texts)


class FakeWatch:
    """A watch that notices what the test says."""

    def __init__(self) -> None:
        self.sources: list[tuple[Path, ...]] = []
        self.stopped = False
        self._changed: Callable[[tuple[Path, ...]], None] = lambda paths: None
        self._unwatched: Callable[[tuple[Path, ...]], None] = lambda sources: None

    def make(self, changed: Callable[[tuple[Path, ...]], None], unwatched: Callable[[tuple[Path, ...]], None]) -> FakeWatch:
        self._changed, self._unwatched = changed, unwatched
        return self

    def watch(self, sources: Sequence[Path], cancel: CancelToken) -> None:
        cancel.check()
        self.sources.append(tuple(sources))

    def stop(self, seconds: float) -> bool:
        self.stopped = True
        return True

    def say_changed(self, *paths: Path) -> None:
        """As a real one does: from a thread of its own."""
        self._from_a_thread(self._changed, paths)

    def say_unwatched(self, *sources: Path) -> None:
        self._from_a_thread(self._unwatched, sources)

    def _from_a_thread(self, say: Callable[[tuple[Path, ...]], None], paths: tuple[Path, ...]) -> None:
        thread = threading.Thread(target=say, args=(paths,))
        thread.start()
        thread.join()


class NoWeights:
    """A chat model and embedder that load at once and say nothing."""

    model_id = "no-weights"
    context_tokens = 4096
    dimension = 2
    is_ready = True

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.failure: LamplightError | None = None

    def stream(self, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> Iterator[str]:
        self.calls.append("stream")
        if self.failure is not None:
            raise self.failure
        yield "ok"

    def embed_query(self, text: str, *, cancel: CancelToken) -> Any:
        self.calls.append("embed_query")
        return np.zeros(2, dtype=np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        self.calls.append("count_tokens")
        return [len(text) for text in texts]


@dataclass
class WindowApplication:
    """What `desktop.assembly.Application` offers to the window."""

    paths: Paths
    settings: Settings = field(default_factory=Settings)
    session: Any = field(default_factory=ScriptedSession)
    library: MemoryLibrary = field(default_factory=MemoryLibrary)
    chat_model: NoWeights = field(default_factory=NoWeights)
    smaller_model: Any = None
    closed: bool = False

    def __post_init__(self) -> None:
        self.paths.home.mkdir(parents=True, exist_ok=True)
        self.user_store: Any = UserStore(self.paths.user_database)
        self.library.user_store = self.user_store
        self.embedder = self.answering = self.chat_model

    def with_settings(self, settings: Settings) -> WindowApplication:
        changed = copy.copy(self)
        changed.settings = settings
        return changed

    def close(self) -> None:
        self.closed = True
        self.user_store.close()


def citation(n: int, file: Path, text: str, quote: str) -> Citation:
    """A true citation of `quote` in the file's text."""
    start = text.index(quote)
    return Citation(n, quote, file, file.stem, start, start + len(quote), text[:start].count("\n") + 1)


def answer_of(question: str, text: str, **parts: Any) -> Answer:
    """An answer with sensible rest."""
    known: dict[str, Any] = {
        "standalone_question": question,
        "strategy": "simple",
        "route_reason": "",
        "origin": "model",
        "refused": False,
        "seconds": 1.5,
        "model": "no-weights",
    }
    return Answer(question=question, text=text, **(known | parts))


def step(node: str, detail: dict[str, object] | None = None, seconds: float = 0.4) -> list[AnswerEvent]:
    """A node that starts and finishes."""
    return [StepStarted(node), StepFinished(Step(node, seconds, Usage(10, 20, 5)), detail or {})]


def simple_run(question: str, text: str) -> list[Any]:
    """A run that needs no files."""
    words = [AnswerText(piece) for piece in text.split(" ")[:1] + [" " + word for word in text.split(" ")[1:]]]
    return [
        *step("route_question", {"strategy": "simple"}),
        StepStarted("direct_answer"),
        *words,
        StepFinished(Step("direct_answer", 0.8), {}),
        AnswerFinished(answer_of(question, text)),
    ]


def rewritten_run(question: str, standalone_question: str, text: str) -> list[Any]:
    """A follow-up that was made to stand alone and then needed no files."""
    steps = (Step("rewrite_question", 0.4), Step("direct_answer", 0.8))
    return [
        *step("rewrite_question", {"standalone_question": standalone_question}),
        *simple_run(question, text)[:-1],
        AnswerFinished(answer_of(question, text, standalone_question=standalone_question, steps=steps)),
    ]


def files_run(question: str, text: str, citations: Sequence[Citation], *, own_knowledge: str = "", **parts: Any) -> list[Any]:
    """A run that searches the files and cites them."""
    lookups = (SubQuestion(question, "", len(citations)),)
    steps = (
        Step("route_question", 0.3),
        Step("decompose_question", 0.9),
        Step("retrieve", 0.2),
        Step("evaluate_context", 0.7),
        Step("generate_answer", 4.1),
    )
    evidence = tuple(
        ScoredChunk(Chunk(c.n, 1, c.file or Path(), c.title, "", c.start, c.end, c.line, c.quote), 1.0 / c.n)
        for c in citations
        if c.file is not None
    )
    known: dict[str, Any] = {
        "strategy": "complex",
        "origin": "files",
        "citations": tuple(citations),
        "documents": evidence,
        "web": WebOutcome(),
    }
    answer = answer_of(question, text, own_knowledge=own_knowledge, sub_questions=lookups, steps=steps, **(known | parts))
    return [
        *step("route_question", {"strategy": "complex"}),
        *step("decompose_question", {"sub_questions": [question]}),
        *step("retrieve", {"query": question, "found": len(citations)}),
        *step("evaluate_context", {"enough": True, "missing": []}),
        StepStarted("generate_answer"),
        *[AnswerText(piece) for piece in text.splitlines(keepends=True)],
        *([AnswerText(own_knowledge, own_knowledge=True)] if own_knowledge else []),
        StepFinished(Step("generate_answer", 4.1), {}),
        AnswerFinished(answer),
    ]
