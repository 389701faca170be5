"""An index of any size for measuring searches, made by code, the same every time: texts whose words are as unevenly common as real ones, and vectors
that lie as those of real texts do.

Half of the chunks are English in kind (made-up words), half Chinese (made-up pairs of characters); the k-th word is about k times rarer than the first. Vectors are drawn from the
normal distribution that has the mean and the covariance of real vectors: of the texts of this project, embedded with the real model. A hundred chunks make a
document and lean one way together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.protocols import Vectors
from core.store.index_store import IndexStore
from core.store.records import ChunkSpan, FileFacts

CHUNKS_IN_DOCUMENT = 100
EMBEDDER = "generated"
_WORDS = 300_000
_WORDS_IN_CHUNK = 90
_LEANING = 0.3
_NEARNESS = 0.55
"""How much of a query's vector, away from the mean, is that of the chunk it asks for: about as much as with real questions."""

_CONSONANTS, _VOWELS = "bcdfghklmnprstvz", "aeiou"
_FIRST_CHARACTER, _CHARACTERS = 0x4E00, 4000


@dataclass(frozen=True, slots=True)
class Block:
    """The chunks of one document: its number, their texts, and their unit vectors."""

    number: int
    texts: tuple[str, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class Query:
    """A query with its vector, and the number of the chunk it was made from."""

    text: str
    vector: Vectors
    chunk: int


class Generator:
    """Draws documents and queries; `like` are real vectors (n, dimension), `seed` makes everything repeatable."""

    def __init__(self, like: Vectors, seed: int) -> None:
        self._mean = like.mean(axis=0)
        covariance = np.cov((like - self._mean).T)
        spread = 0.9 * covariance + 0.1 * np.diag(np.diag(covariance))
        self._factor = np.linalg.cholesky(spread).astype(np.float32)
        self._seed = seed
        self._words = (_english_words(), _chinese_words())
        common = 1.0 / np.arange(2.7, _WORDS + 2.7) ** 1.05
        self._shares = np.cumsum(common / common.sum())

    def document(self, number: int) -> Block:
        """The document with this number."""
        draw = np.random.default_rng([self._seed, number])
        language = number % 2
        chosen = self._words[language][self._drawn(draw, CHUNKS_IN_DOCUMENT * _WORDS_IN_CHUNK)].reshape(CHUNKS_IN_DOCUMENT, _WORDS_IN_CHUNK)
        glue = ("", " ")[language == 0]
        first = number * CHUNKS_IN_DOCUMENT
        texts = tuple(f"{code_of(first + place)} {glue.join(words)}.\n" for place, words in enumerate(chosen))
        return Block(number, texts, self._placed(self._directions(number)))

    def query(self, number: int, documents: int) -> Query:
        """A query for some chunk of the first `documents` documents: six words of it, a run of twelve characters, one word, or its code."""
        draw = np.random.default_rng([self._seed, 7, number])
        document = int(draw.integers(documents))
        place = int(draw.integers(CHUNKS_IN_DOCUMENT))
        text = self.document(document).texts[place]
        code, _, rest = text.strip(".\n").partition(" ")
        start = int(draw.integers(_WORDS_IN_CHUNK - 6))
        asked = " ".join(rest.split(" ")[start : start + 6]) if document % 2 == 0 else rest[start * 2 : start * 2 + 12]
        if number % 4 == 3:
            asked = code if number % 8 == 3 else (asked.split(" ")[0] if document % 2 == 0 else asked[:2])
        nearness = _NEARNESS * self._directions(document)[place]
        away = np.sqrt(1 - _NEARNESS**2) * draw.standard_normal(len(self._mean))
        vector: Vectors = self._placed((nearness + away)[None, :])[0]
        return Query(asked, vector, document * CHUNKS_IN_DOCUMENT + place)

    def _directions(self, document: int) -> npt.NDArray[np.float64]:
        draw = np.random.default_rng([self._seed, 3, document])
        together = draw.standard_normal(len(self._mean))
        apart = draw.standard_normal((CHUNKS_IN_DOCUMENT, len(self._mean)))
        return np.sqrt(_LEANING) * together + np.sqrt(1 - _LEANING) * apart

    def _placed(self, directions: npt.NDArray[np.float64]) -> Vectors:
        vectors = self._mean + directions.astype(np.float32) @ self._factor.T
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def _drawn(self, draw: np.random.Generator, count: int) -> npt.NDArray[np.int64]:
        return np.minimum(np.searchsorted(self._shares, draw.random(count)), _WORDS - 1)


def code_of(chunk: int) -> str:
    """A code that only this chunk has."""
    return f"KX-{chunk:07}"


def fill(store: IndexStore, generator: Generator, documents: range) -> Iterator[Block]:
    """Write documents into an index, one transaction each, and yield them."""
    for number in documents:
        block = generator.document(number)
        spans = list(_spans(block.texts))
        keys = [code_of(number * CHUNKS_IN_DOCUMENT + place).encode() for place in range(len(spans))]
        store.put(
            FileFacts(Path(f"/generated/{number}.txt"), f"document {number}", "utf-8", str(number)),
            "".join(block.texts),
            spans,
            keys,
            block.vectors,
            EMBEDDER,
        )
        yield block


def _spans(texts: Sequence[str]) -> Iterator[ChunkSpan]:
    start = 0
    for line, text in enumerate(texts, start=1):
        yield ChunkSpan(start, start + len(text), line)
        start += len(text)


def _english_words() -> npt.NDArray[np.object_]:
    return np.array([_word(number) for number in range(_WORDS)], dtype=object)


def _word(number: int) -> str:
    letters, rest = "", number + 7
    while rest:
        rest, syllable = divmod(rest, len(_CONSONANTS) * len(_VOWELS))
        letters += _CONSONANTS[syllable // len(_VOWELS)] + _VOWELS[syllable % len(_VOWELS)]
    return letters


def _chinese_words() -> npt.NDArray[np.object_]:
    numbers = np.random.default_rng(5).permutation(_CHARACTERS * 75)
    return np.array(
        [chr(_FIRST_CHARACTER + int(n) % _CHARACTERS) + chr(_FIRST_CHARACTER + int(n) // _CHARACTERS * 53 % _CHARACTERS) for n in numbers],
        dtype=object,
    )
