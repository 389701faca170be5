"""Questions in one language over files in another, with an embedder that prefers its own language as real ones do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from core.cancel import CancelToken
from core.protocols import Vectors
from core.retrieval.hybrid import LEAST_COMPARED, HybridRetriever
from core.retrieval.languages import Languages, Script, script_of
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts

TOPICS = (
    ("herring", "鲱鱼"),
    ("lamp", "灯塔"),
    ("bread", "面包"),
    ("mill", "磨坊"),
    ("bell", "雾钟"),
    ("rope", "缆绳"),
    ("kiln", "窑炉"),
    ("goose", "灰鹅"),
)
BIAS = 2.0


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("How long is the pier?", "latin"), ("¿Qué es esto?", "latin"), ("P-02 的额定流量是多少？", "han"), ("Halvard 的传感器保修多久？", "han"), ("東京は日本の首都です。", "kana"),
        ("データベース", "kana"), ("燈塔", "han"), ("The 灯 of Tern Harbour burns all night", "latin"), ("", None), ("42 + 7", None), ("Сколько это стоит?", None),
        ("데이터베이스 설정", None),
    ],
)  # fmt: skip
def test_a_text_is_in_the_script_that_says_most_of_it(text: str, script: Script | None) -> None:
    assert script_of(text) == script


class BiasedEmbedder:
    """Knows what a text is about, and lets its language count twice as much."""

    model_id = "biased"
    dimension = 16
    is_ready = True

    def __init__(self) -> None:
        self.queries = 0

    def embed_passages(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        self.queries += 1
        return self._vector(text)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def _vector(self, text: str) -> Vectors:
        vector = np.full(self.dimension, 0.01, dtype=np.float32)
        for place, words in enumerate(TOPICS):
            vector[place] += any(word in text for word in words)
        vector[{"latin": 13, "han": 14, "kana": 15, None: 12}[script_of(text)]] += BIAS
        return (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.fixture
def embedder() -> BiasedEmbedder:
    return BiasedEmbedder()


@pytest.fixture
def store(home: Path) -> Iterator[IndexStore]:
    store = IndexStore(home / "index.db")
    yield store
    store.close()


def put(store: IndexStore, embedder: BiasedEmbedder, texts: Sequence[str]) -> None:
    for text in texts:
        vectors = embedder.embed_passages([text], cancel=CancelToken())
        file = FileFacts(Path(f"/docs/{text}.txt"))
        store.put(file, text, [ChunkSpan(0, len(text), 1)], [text.encode()], vectors, embedder.model_id)


def english(about: Sequence[int]) -> list[str]:
    return [f"All that is known of {TOPICS[place][0]} on the islands" for place in about]


def chinese(about: Sequence[int]) -> list[str]:
    return [f"关于{TOPICS[place][1]}的全部说明都在此处" for place in about]


def test_the_right_passage_in_another_language_comes_before_the_wrong_ones_in_the_questions_own(
    store: IndexStore, embedder: BiasedEmbedder, cancel: CancelToken
) -> None:
    put(store, embedder, [*english(range(1, 8)), *chinese([0, 2, 3, 4, 5, 6])])
    retriever = HybridRetriever(store, embedder)

    assert retriever.search("Where are herring caught?", k=1, cancel=cancel)[0].chunk.text == chinese([0])[0]
    assert retriever.search("灯塔什么时候点亮？", k=1, cancel=cancel)[0].chunk.text == english([1])[0]


def test_the_right_passage_in_the_questions_own_language_stays_before_the_one_in_another(
    store: IndexStore, embedder: BiasedEmbedder, cancel: CancelToken
) -> None:
    put(store, embedder, [*english(range(8)), *chinese(range(8))])
    retriever = HybridRetriever(store, embedder)

    assert [item.chunk.text for item in retriever.search("Where are herring caught?", k=2, cancel=cancel)] == [
        english([0])[0],
        chinese([0])[0],
    ]
    assert [item.chunk.text for item in retriever.search("灯塔什么时候点亮？", k=2, cancel=cancel)] == [chinese([1])[0], english([1])[0]]


def test_a_library_in_one_language_is_searched_once(store: IndexStore, embedder: BiasedEmbedder, cancel: CancelToken) -> None:
    put(store, embedder, english(range(8)))

    for question in ("Where are herring caught?", "鲱鱼在哪里捕？", "Сколько?"):
        HybridRetriever(store, embedder).search(question, k=3, cancel=cancel)

    assert embedder.queries == 3


def test_what_is_usual_for_a_language_is_asked_of_the_model_once(store: IndexStore, embedder: BiasedEmbedder, cancel: CancelToken) -> None:
    put(store, embedder, [*english(range(8)), *chinese(range(8))])
    retriever = HybridRetriever(store, embedder)
    retriever.search("Where are herring caught?", k=3, cancel=cancel)
    asked = embedder.queries

    retriever.search("Where is bread baked?", k=3, cancel=cancel)
    retriever.search("灯塔什么时候点亮？", k=3, cancel=cancel)

    assert embedder.queries == asked + 2


def test_a_few_passages_in_another_language_are_not_set_against_the_rest(
    store: IndexStore, embedder: BiasedEmbedder, cancel: CancelToken
) -> None:
    put(store, embedder, [*english(range(8)), *chinese(range(LEAST_COMPARED - 1))])
    alone = HybridRetriever(store, embedder, mode="vectors").search("Where are herring caught?", k=9, cancel=cancel)

    assert [item.chunk.text for item in alone[:8]] == sorted(
        (item.chunk.text for item in alone[:8]), key=lambda text: "herring" not in text
    )
    assert all(script_of(item.chunk.text) == "latin" for item in alone[:8])


def test_files_that_come_later_are_noticed(store: IndexStore, embedder: BiasedEmbedder) -> None:
    put(store, embedder, english(range(8)))
    languages = Languages(store)
    before = languages.beside("latin")

    put(store, embedder, chinese(range(8)))

    assert (before, languages.beside("latin"), languages.beside("kana")) == ((), ("han",), ())


def test_a_few_stray_files_in_another_script_are_no_second_language(store: IndexStore, embedder: BiasedEmbedder) -> None:
    put(store, embedder, [f"{text}, note {number}" for number in range(15) for text in english(range(8))])
    put(store, embedder, chinese(range(6)))
    languages = Languages(store)

    assert (languages.beside("latin"), languages.beside("han")) == ((), ())
