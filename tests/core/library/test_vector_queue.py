"""The files that lack vectors: their order, and how they share batches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.events import FileFinished
from core.library.vector_queue import VectorQueue, WaitingFile
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts
from tests.core.library.shelf import Shelf, long_text
from tests.fakes.hash_embedder import FakeEmbedder


@pytest.fixture
def store(home: Path) -> Iterator[IndexStore]:
    store = IndexStore(home / "index.db")
    yield store
    store.close()


def waiting(store: IndexStore, name: str, chunks: int, *, modified_ns: int = 0) -> WaitingFile:
    """A file of so many chunks of one letter, stored without any vector."""
    facts = FileFacts(Path(f"/docs/{name}"), name, sha256=name, modified_ns=modified_ns)
    spans = [ChunkSpan(start, start + 1, 1) for start in range(chunks)]
    keys = [f"{name} {start}".encode() for start in range(chunks)]
    return WaitingFile(facts, store.put_text(facts, "x" * chunks, spans, keys, [None] * chunks, "fake-1", 32), chunks)


def taken(queue: VectorQueue, size: int) -> tuple[list[str], list[str]]:
    """The file of each chunk of the next batch, and the files that it completes; all of it is done afterwards."""
    batch = queue.next_batch(size)
    assert batch is not None
    queue.count_done(batch.chunks)
    for item in batch.whole:
        queue.finish(item)
    return [item.facts.path.name for item, _ in batch.chunks], [item.facts.path.name for item in batch.whole]


def test_small_files_share_a_batch_and_a_large_one_is_in_several(store: IndexStore) -> None:
    queue = VectorQueue(store, FakeEmbedder())
    for age, (name, chunks) in enumerate({"a": 1, "b": 2, "c": 4}.items()):
        queue.add(waiting(store, name, chunks, modified_ns=9 - age), heard=0)

    assert (len(queue), queue.done, queue.left) == (3, 0, 7)
    assert taken(queue, 5) == (["a", "b", "b", "c", "c"], ["a", "b"])
    assert (len(queue), queue.done, queue.left) == (1, 5, 2)
    assert taken(queue, 5) == (["c", "c"], ["c"])
    assert queue.next_batch(5) is None
    assert (len(queue), queue.done, queue.left) == (0, 7, 0)


def test_what_was_heard_of_last_is_next_and_what_was_begun_goes_on_after_it(store: IndexStore) -> None:
    queue = VectorQueue(store, FakeEmbedder())
    queue.add(waiting(store, "a", 4), heard=0)
    assert taken(queue, 2) == (["a", "a"], [])

    queue.add(waiting(store, "b", 1, modified_ns=-9), heard=1)

    assert taken(queue, 2) == (["b", "a"], ["b"])
    assert taken(queue, 2) == (["a"], ["a"])


def test_a_file_that_is_read_again_or_goes_waits_no_longer_as_it_was(store: IndexStore) -> None:
    queue, before = VectorQueue(store, FakeEmbedder()), waiting(store, "a", 3)
    queue.add(before, heard=0)
    batch = queue.next_batch(2)
    assert batch is not None

    after = waiting(store, "a", 1)
    queue.add(after, heard=1)
    queue.count_done(batch.chunks)

    assert before not in queue and after in queue
    assert (queue.done, queue.left) == (2, 1)
    queue.drop(after.facts.path)
    assert (len(queue), queue.left) == (0, 0)


def test_what_was_changed_last_gets_its_vectors_first(shelf: Shelf) -> None:
    for number, age in enumerate((500, 100, 900)):
        shelf.write(f"{number}.txt", f"{number} {long_text(40)}", age_seconds=age)

    events = shelf.events()

    finished = [event.file.path.name for event in events if isinstance(event, FileFinished)]
    assert finished == ["1.txt", "0.txt", "2.txt"]
