"""A cut of the power loses no question that was sent, and never leaves a half-indexed file."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest

from core.cancel import CancelToken
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts, MadeVector
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder
from tests.fakes.power_cut import EverythingLost, PowerCutDisk

CUTS = 60


class Cuts:
    """Cuts the power at random writes, and remembers what had been acknowledged by then."""

    def __init__(self, folder: Path, one_in: int) -> None:
        self.acknowledged: list[str] = []
        self.taken: list[tuple[Path, list[str]]] = []
        self._folder = folder
        self._one_in = one_in
        self._chance = random.Random(4)

    def maybe(self, disk: PowerCutDisk) -> None:
        if len(self.taken) < CUTS and self._chance.randrange(self._one_in) == 0:
            place = self._folder / f"cut-{len(self.taken)}"
            place.mkdir(parents=True)
            disk.cut(place, self._chance)
            self.taken.append((place, list(self.acknowledged)))


def test_no_question_that_was_sent_is_lost(tmp_path: Path) -> None:
    cuts = Cuts(tmp_path / "cuts", one_in=10)
    with PowerCutDisk(cuts.maybe):
        store = UserStore(tmp_path / "live" / "user.db")
        conversation = store.create_conversation("kept")
        cuts.acknowledged.append("kept")
        for number in range(150):
            question = f"question {number} " + "word " * (number % 50)
            turn = store.add_turn(conversation, question)
            cuts.acknowledged.append(question)
            store.save_partial(turn, "some text " * (number % 200))
        store.close()

    assert len(cuts.taken) == CUTS
    for place, acknowledged in cuts.taken:
        found = UserStore(place / "user.db")
        assert found.integrity_problems() == []
        there = {item.title for item in found.conversations()} | {turn.question for turn in found.turns(1)}
        assert set(acknowledged) <= there
        found.close()


def test_no_file_is_half_indexed(tmp_path: Path) -> None:
    cuts = Cuts(tmp_path / "cuts", one_in=25)
    embedder = FakeEmbedder()
    with PowerCutDisk(cuts.maybe):
        store = IndexStore(tmp_path / "live" / "index.db")
        for number in range(90):
            text = f"file {number} about the lamp and the sea. " * 20
            spans = [ChunkSpan(start, start + 100, 1) for start in range(0, 300, 100)]
            vectors = embedder.embed_passages([text[span.start : span.end] for span in spans], cancel=CancelToken())
            file, model = FileFacts(Path(f"/docs/{number % 60}.txt"), "t"), embedder.model_id
            known = [None, vectors[1].tobytes(), None] if number % 2 else [None] * 3
            document = store.put_text(file, text, spans, [b"k"] * 3, known, model, embedder.dimension)
            missing = store.missing(document, model, after=-1, limit=9)
            made = [MadeVector(item.chunk_id, item.key, vectors[item.ordinal].tobytes()) for item in missing]
            assert store.add_vectors(made, [document], model, embedder.dimension) == {document}
        store.close()

    assert len(cuts.taken) == CUTS
    for place, _ in cuts.taken:
        found = IndexStore(place / "index.db")
        counts = found.check()
        assert counts.problems == ()
        assert counts.chunks == (counts.ready + counts.words_only) * 3
        found.close()


class FullDisk(PowerCutDisk):
    """Once it is full, only the logs still fit on it."""

    is_full = False

    def wrote(self, name: str, offset: int, data: bytes | None) -> None:
        if self.is_full and not name.endswith("-wal"):
            raise apsw.FullError("There is no room.")
        super().wrote(name, offset, data)


def put(store: IndexStore, name: str, *, durable: bool = False) -> None:
    embedder = FakeEmbedder()
    vectors = embedder.embed_passages(["the lamp"], cancel=CancelToken())
    store.put(FileFacts(Path(f"/docs/{name}")), "the lamp", [ChunkSpan(0, 8, 1)], [b"k"], vectors, embedder.model_id, durable=durable)


def left_by_a_cut(disk: PowerCutDisk, place: Path) -> None:
    place.mkdir()
    disk.cut(place, EverythingLost())


def names_in(place: Path) -> list[str]:
    store = IndexStore(place / "index.db")
    assert store.check().problems == ()
    names = [item.document.path.name for item in store.documents()]
    store.close()
    return names


def test_only_what_was_waited_for_survives_every_cut(tmp_path: Path) -> None:
    with PowerCutDisk(lambda disk: None) as disk:
        store = IndexStore(tmp_path / "live" / "index.db")
        put(store, "a")
        put(store, "b", durable=True)
        put(store, "c")
        left_by_a_cut(disk, tmp_path / "before")
        store.make_durable()
        left_by_a_cut(disk, tmp_path / "after")
        store.close()

    assert names_in(tmp_path / "before") == ["a", "b"]
    assert names_in(tmp_path / "after") == ["a", "b", "c"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_disk_without_room_for_the_log_s_content_keeps_the_log(tmp_path: Path) -> None:
    with FullDisk(lambda disk: None) as disk:
        store = IndexStore(tmp_path / "live" / "index.db")
        put(store, "a")
        disk.is_full = True
        store.make_durable()
        left_by_a_cut(disk, tmp_path / "cut")
        disk.is_full = False
        store.close()

    assert names_in(tmp_path / "cut") == ["a"]
