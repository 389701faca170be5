"""From many vectors on there are codes: they are kept in step with the vectors, and the search they shorten finds what the whole one finds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import Cancelled
from core.protocols import Vectors
from core.scope import EVERYTHING, Scope
from core.store import codes
from core.store.codes import BLOCK, code, words_per_code
from core.store.index_schema import MIGRATIONS, VECTORS
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts, MadeVector, embedding_key

MODEL, DIMENSION = "fake-1", 384


@pytest.fixture(autouse=True)
def few_vectors_have_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "CODED_FROM", 500)


@pytest.fixture
def store(home: Path) -> Iterator[IndexStore]:
    store = IndexStore(home / "index.db")
    yield store
    store.close()


def vectors_like_a_model(count: int, seed: int) -> Vectors:
    """Vectors that lean one way together and differ in fewer ways than they have dimensions, as those of embedding models do."""
    draw = np.random.default_rng(seed)
    ways = np.random.default_rng(0).standard_normal((32, DIMENSION))
    made: Vectors = (6.0 + draw.standard_normal((count, 32)) @ ways).astype(np.float32)
    return made


def put(store: IndexStore, name: str, vectors: Vectors, model: str = MODEL, said: str = "") -> Path:
    path = Path(f"/docs/{name}.txt")
    text = "".join(f"{said or name} {number}\n" for number in range(len(vectors)))
    lines = text.splitlines(keepends=True)
    starts = np.cumsum([0, *map(len, lines)])
    spans = [
        ChunkSpan(int(start), int(start) + len(line), number)
        for number, (start, line) in enumerate(zip(starts[:-1], lines, strict=True), 1)
    ]
    store.put(FileFacts(path, name, "utf-8", f"sha of {text}"), text, spans, [embedding_key(line) for line in lines], vectors, model)
    return path


def filled(store: IndexStore, files: int = 6, chunks: int = 400) -> Vectors:
    made = [vectors_like_a_model(chunks, seed) for seed in range(files)]
    for number, vectors in enumerate(made):
        put(store, f"file{number}", vectors)
    return np.concatenate(made)


def centre(path: Path) -> bytes | None:
    with apsw.Connection(str(path / "index.db")) as connection:
        value: bytes | None = connection.execute("SELECT centre FROM embedders WHERE model_id = ?", (MODEL,)).get
    return value


def test_few_vectors_have_no_codes_and_many_have_one_each(store: IndexStore, home: Path) -> None:
    put(store, "few", vectors_like_a_model(499, 1))
    assert centre(home) is None

    put(store, "one more", vectors_like_a_model(1, 2))

    assert centre(home) is not None
    assert store.check().problems == ()


def test_the_search_by_codes_finds_what_a_look_at_every_vector_finds(store: IndexStore) -> None:
    filled(store)
    shares = []
    for query in vectors_like_a_model(40, 99):
        exact = store.search_vectors(query, 10, MODEL, exact=True)
        near = store.search_vectors(query, 10, MODEL)
        shares.append(len(dict(exact).keys() & dict(near).keys()) / 10)
        common = dict(exact).keys() & dict(near).keys()
        assert all(dict(near)[item] == pytest.approx(dict(exact)[item], abs=1e-5) for item in common)
        assert [score for _, score in near] == sorted((score for _, score in near), reverse=True)
    assert np.mean(shares) >= 0.98


def test_several_vectors_at_once_find_what_each_finds_alone(store: IndexStore) -> None:
    queries = list(vectors_like_a_model(3, 99))
    within = Scope((Path("/docs/file2.txt"), Path("/docs/file4.txt")))
    assert store.search_several(queries, 10, MODEL) == [[], [], []]
    filled(store)

    for scope in (EVERYTHING, within):
        together = store.search_several(queries, 10, MODEL, scope)
        assert together == [store.search_vectors(query, 10, MODEL, scope) for query in queries]
    assert store.search_several([], 10, MODEL) == []


def test_what_an_edit_leaves_and_what_a_removal_takes_is_so_in_the_codes_too(store: IndexStore, home: Path) -> None:
    filled(store)
    query = vectors_like_a_model(1, 7)[0]
    store.search_vectors(query, 10, MODEL)
    path = put(store, "the same", np.tile(query, (3, 1)))
    ids = {chunk.id for chunk in store.chunks_of(path)}
    assert {item for item, _ in store.search_vectors(query, 3, MODEL)} == ids

    put(store, "the same", np.tile(-query, (2, 1)), said="another text")
    assert not ids & {item for item, _ in store.search_vectors(query, 50, MODEL)}

    store.remove([path])
    assert not ids & {item for item, _ in store.search_vectors(-query, 50, MODEL)}
    assert store.check().problems == ()
    with apsw.Connection(str(home / "index.db")) as connection:
        (held, words) = connection.execute("SELECT held, words FROM codes ORDER BY block DESC LIMIT 1").fetchone() or (b"", b"")
    gone = sorted(ids)[0] % BLOCK
    if held:
        assert not np.frombuffer(words, dtype="<u8").reshape(-1, BLOCK)[:, gone].any()


def test_another_process_that_writes_is_noticed(store: IndexStore, home: Path) -> None:
    filled(store)
    query = vectors_like_a_model(1, 7)[0]
    store.search_vectors(query, 1, MODEL)
    other = IndexStore(home / "index.db")
    path = put(other, "new", query[None, :])
    assert [item for item, _ in store.search_vectors(query, 1, MODEL)] == [chunk.id for chunk in store.chunks_of(path)]

    other.remove([path])
    other.close()
    assert store.search_vectors(query, 1, MODEL)[0][1] < 0.999


def test_a_scope_holds_for_the_codes_too(store: IndexStore) -> None:
    filled(store)
    query = vectors_like_a_model(1, 3)[0]
    within = Scope((Path("/docs/file2.txt"), Path("/docs/file4.txt")))
    allowed = {chunk.id for path in within.paths for chunk in store.chunks_of(path)}

    near = store.search_vectors(query, 700, MODEL, within)

    assert {item for item, _ in near} <= allowed
    assert len(near) == 700
    assert [item for item, _ in near[:20]] == [item for item, _ in store.search_vectors(query, 20, MODEL, within, exact=True)]


def test_vectors_that_come_later_have_codes_when_they_come(store: IndexStore) -> None:
    filled(store)
    text = "late\n"
    document = store.put_text(
        FileFacts(Path("/docs/late.txt"), "late"), text, [ChunkSpan(0, 5, 1)], [embedding_key(text)], [None], MODEL, DIMENSION
    )
    vector = vectors_like_a_model(1, 11)[0]
    (lack,) = store.missing(document, MODEL, after=-1, limit=5)
    assert lack.chunk_id not in dict(store.search_vectors(vector, 1, MODEL))

    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    store.add_vectors([MadeVector(lack.chunk_id, lack.key, unit.tobytes())], [document], MODEL, DIMENSION)

    assert [item for item, _ in store.search_vectors(vector, 1, MODEL)] == [lack.chunk_id]


def test_two_models_have_codes_of_their_own(store: IndexStore) -> None:
    made = filled(store)
    for number in range(6):
        put(store, f"file{number}", made[number * 400 : (number + 1) * 400, ::-1].copy(), "fake-2")
    assert store.check().problems == ()
    for model, vector in ((MODEL, made[5]), ("fake-2", made[5, ::-1].copy())):
        assert store.search_vectors(vector, 1, model)[0][1] == pytest.approx(1.0, abs=1e-5)

    assert store.take_over("fake-2")
    assert store.check().problems == ()
    assert store.search_vectors(made[5], 3, MODEL) == []
    assert store.search_vectors(made[5, ::-1].copy(), 1, "fake-2")[0][1] == pytest.approx(1.0, abs=1e-5)


def test_a_check_tells_codes_that_are_not_in_step(store: IndexStore, home: Path) -> None:
    filled(store)
    with apsw.Connection(str(home / "index.db")) as connection:
        connection.execute("UPDATE codes SET held = x'', words = x'' WHERE block = 1")
    assert store.check().problems == ("2400 vectors have 1376 codes",)


def test_making_codes_can_be_cancelled_and_nothing_is_written_then(store: IndexStore, home: Path) -> None:
    put(store, "few", vectors_like_a_model(499, 1))
    cancel = CancelToken()
    text = "more\n"
    document = store.put_text(
        FileFacts(Path("/docs/late.txt"), "late"), text, [ChunkSpan(0, 5, 1)], [embedding_key(text)], [None], MODEL, DIMENSION
    )
    (lack,) = store.missing(document, MODEL, after=-1, limit=5)
    cancel.cancel()
    vector = np.full(DIMENSION, DIMENSION**-0.5, np.float32).tobytes()
    with pytest.raises(Cancelled):
        store.add_vectors([MadeVector(lack.chunk_id, lack.key, vector)], [document], MODEL, DIMENSION, cancel)
    assert centre(home) is None
    assert store.check().problems == ()


def test_an_index_from_before_the_codes_keeps_its_vectors(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / "index.db"
    made = vectors_like_a_model(600, 5)
    unit = made / np.linalg.norm(made, axis=1, keepdims=True)
    old = IndexStore(path)
    monkeypatch.setattr(old._database, "_migrations", MIGRATIONS[:1])
    with old._database.writing() as connection:
        connection.execute("INSERT INTO embedders (slot, model_id, dimension) VALUES (1, ?, ?)", (MODEL, DIMENSION))
        connection.execute(VECTORS[1].create.replace("DIMENSION", str(DIMENSION)))
        for chunk_id, vector in enumerate(unit, start=1):
            connection.execute(VECTORS[1].insert, (chunk_id, vector.tobytes()))
    old.close()

    store = IndexStore(path)
    for query, nearest in ((made[3], 4), (made[599], 600)):
        assert store.search_vectors(query, 1, MODEL)[0] == (nearest, pytest.approx(1.0, abs=1e-5))
    store.close()


def test_searches_from_several_threads_while_files_come_and_go(store: IndexStore) -> None:
    made = filled(store)
    wrong: list[str] = []
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            hit, score = store.search_vectors(made[1000], 1, MODEL)[0]
            if score < 0.999:
                wrong.append(f"{hit}: {score}")

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(8):
        path = put(store, f"guest{number}", vectors_like_a_model(50, 50 + number))
        store.remove([path])
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("dimension", [8, 64, 96, 384, 1000])
def test_a_code_has_two_signs_for_each_dimension(dimension: int) -> None:
    vector = np.full((1, dimension), -0.1, np.float32)
    vector[0, [0, dimension - 1]] = 1.0, 0.1
    width = words_per_code(dimension)

    made = code(vector, np.zeros(dimension, np.float32))

    assert made.shape == (1, 2 * width)
    own, second = (np.unpackbits(part.copy().view(np.uint8), bitorder="little")[:dimension] for part in (made[:, :width], made[:, width:]))
    assert [int(bit) for bit in np.flatnonzero(own)] == [0, dimension - 1]
    # The second sign of what lies near is the opposite of its first.
    assert [int(bit) for bit in np.flatnonzero(second == own)] == [0]


def test_the_scales_make_up_for_what_the_signs_leave_out() -> None:
    vectors = vectors_like_a_model(200, 3)
    centre = vectors.mean(axis=0)
    query = vectors_like_a_model(1, 4)[0] - centre
    away = vectors - centre
    first = np.where(away > 0, 1.0, -1.0)
    far = np.abs(away) > 0.9816 * np.sqrt((away**2).mean(axis=1, keepdims=True))
    both = first * np.where(far, 1.510, 0.4528)
    coarse, fine, level = codes.scales(vectors, centre).T
    true = away @ query

    assert level == pytest.approx(vectors @ centre, rel=1e-5)
    assert (coarse * (first * away).sum(axis=1)) == pytest.approx((away**2).sum(axis=1), rel=1e-4)
    assert np.corrcoef(fine * (both @ query), true)[0, 1] > np.corrcoef(coarse * (first @ query), true)[0, 1] > 0.9
