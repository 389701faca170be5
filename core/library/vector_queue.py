"""The files that lack vectors: in which order these are made, and which chunks go into a batch together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.documents import DocumentState, IndexedFile
from core.protocols import Embedder
from core.store.index_store import IndexStore
from core.store.records import FileFacts, MissingVector


@dataclass(slots=True, eq=False)
class WaitingFile:
    """A file whose text and words are stored, and which lacks vectors."""

    facts: FileFacts
    document_id: int
    chunks: int
    seconds: float = 0.0
    heard: int = 0  # 0: it was there when the run began; else the later, the higher
    after: int = -1  # the ordinal of the last chunk that was given to a batch
    left: int = 0  # chunks that lack a vector
    spoilt: bool = False  # a text of it has no vector that means anything

    def row(self, state: DocumentState) -> IndexedFile:
        """The file in a report."""
        return IndexedFile(self.facts.path, state, "", self.facts.encoding, self.chunks, round(self.seconds, 3))


WaitingChunk = tuple[WaitingFile, MissingVector]


@dataclass(frozen=True, slots=True)
class Batch:
    """Chunks to embed together, and the files that lack nothing after it."""

    chunks: Sequence[WaitingChunk]
    whole: Sequence[WaitingFile]


class VectorQueue:
    """Files wait here from when they are found by their words until they have all their vectors, or change, or go."""

    def __init__(self, index_store: IndexStore, embedder: Embedder) -> None:
        self._store = index_store
        self._embedder = embedder
        self._waiting: dict[Path, WaitingFile] = {}
        self._order: deque[WaitingFile] = deque()  # empty: to be ordered anew
        self._done = 0
        self._left = 0  # summing up what is left of each for every file would take for ever among many

    @property
    def done(self) -> int:
        """Chunks that were embedded so far."""
        return self._done

    @property
    def left(self) -> int:
        """Chunks of all files here that lack a vector."""
        return self._left

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, item: WaitingFile) -> bool:
        """Whether it is still this reading of the file that waits: it has neither changed nor gone meanwhile."""
        return self._waiting.get(item.facts.path) is item

    def add(self, item: WaitingFile, *, heard: int) -> None:
        """Let a file wait, before all that were heard of earlier."""
        self.drop(item.facts.path)
        item.heard = heard
        item.left = self._store.count_missing(item.document_id, self._embedder.model_id)
        self._waiting[item.facts.path] = item
        self._left += item.left
        self._order.clear()

    def drop(self, path: Path) -> None:
        """Forget a file that has changed or gone, if it waits."""
        if dropped := self._waiting.pop(path, None):
            self._left -= dropped.left
            self._order.clear()

    def next_batch(self, size: int) -> Batch | None:
        """The next `size` chunks, in the order of the files, so that small files share the encoder's batches; None at the end."""
        if not self._order:
            self._order.extend(_in_order(self._waiting.values()))
        chunks: list[WaitingChunk] = []
        whole: list[WaitingFile] = []
        while self._order and (room := size - len(chunks)):
            item = self._order[0]
            found = self._store.missing(item.document_id, self._embedder.model_id, after=item.after, limit=room)
            chunks += [(item, lack) for lack in found]
            if len(found) < room:
                whole.append(self._order.popleft())
            else:
                item.after = found[-1].ordinal
        return Batch(chunks, whole) if chunks or whole else None

    def count_done(self, chunks: Sequence[WaitingChunk]) -> None:
        """These chunks of a batch were embedded."""
        self._done += len(chunks)
        for item, _ in chunks:
            if item.left and item in self:
                item.left -= 1
                self._left -= 1

    def finish(self, item: WaitingFile) -> None:
        """A file of a batch waits no longer; the order of the others stays."""
        self._left -= self._waiting.pop(item.facts.path).left


def _in_order(waiting: Iterable[WaitingFile]) -> list[WaitingFile]:
    """What was heard of last first, then what was changed last. Files of the same content stay together, the one known longest first.

    A copy waits for the vectors of the file it is a copy of: that one comes forward with it.
    """
    items = list(waiting)
    newest: dict[str, tuple[int, int]] = {}
    for item in items:
        sha256 = item.facts.sha256
        newest[sha256] = max(newest.get(sha256, (0, 0)), (item.heard, item.facts.modified_ns))
    return sorted(items, key=lambda item: (newest[item.facts.sha256], item.facts.sha256, -item.document_id), reverse=True)
