"""What a search costs as the library grows, and what the bounded search loses against comparing every vector.

    python -m tests.quality.search_speed --home HOME [--chunks 10000 100000 1000000] [--queries 200] [--plot FILE.svg]

Makes one index of each size in HOME (a million chunks take a quarter of an hour and 5 GB; what is there is used again) and asks each the same kinds of queries, by turns with a
plain search through all vectors in vec0. The file is read once before, so the disk does not count. The library is half Chinese, so each question is searched in
both scripts; `alone` is what it takes where a library has one language. The vector of a query is known beforehand: embedding it costs the same at every size. What a person waits for is `encoded`: the embedding model makes a
vector of the query each time, which is thrown away, while the words are searched; the memory is that without it. Each size is measured in a process of its own, for its memory.

    recall@10   of the ten chunks nearest in truth, the share that is among the ten of the bounded search
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from core.cancel import CancelToken
from core.paths import Paths
from core.protocols import Embedder, Vectors
from core.retrieval.hybrid import HybridRetriever
from core.retrieval.languages import Languages, Script
from core.settings import ModelSettings
from core.store.index_store import IndexStore
from core.store.words import match_query
from models.factory import build_models
from tests.quality.generated_index import CHUNKS_IN_DOCUMENT, EMBEDDER, Generator, Query, fill

SEED = 1
TOP = 10
_LIKE = "like.npy"
_LABEL_AT = {"plain vec0": (-7, 4, "end"), "hybrid": (6, -6, "start"), "vectors": (6, -6, "start"), "words": (6, 15, "start")}
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Speed:
    """Milliseconds of one kind of search over all queries."""

    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything about one size; memory in bytes, of the whole process."""

    chunks: int
    hybrid: Speed
    alone: Speed
    encoded: Speed
    words: Speed
    vectors: Speed
    plain: Speed
    first: float
    recall: float
    found: float
    memory: int
    index_bytes: int


class OneLanguage(Languages):
    """Takes a library for one in a single language."""

    def beside(self, here: Script | None) -> tuple[Script, ...]:
        return ()


class KnownQueries:
    """Implements `Embedder` for queries whose vectors are known; of anything else it knows the usual one."""

    model_id = EMBEDDER
    is_ready = True

    def __init__(self, queries: Sequence[Query], encoder: Embedder | None = None) -> None:
        """With `encoder` a query takes as long as that one takes for it."""
        self._encoder = encoder
        self._vectors = {query.text: query.vector for query in queries}
        self._usual: Vectors = np.mean([query.vector for query in queries], axis=0)
        self.dimension = len(queries[0].vector)

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        known = self._vectors.get(text)
        if self._encoder is not None and known is not None:
            self._encoder.embed_query(text, cancel=cancel)
        return self._usual if known is None else known

    def embed_passages(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        raise NotImplementedError

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        raise NotImplementedError


def main() -> int:
    arguments = _arguments()
    home = Path(arguments.home)
    home.mkdir(parents=True, exist_ok=True)
    if arguments.measure:
        sys.stdout.write(json.dumps(asdict(measure(home, arguments.chunks[0], arguments.queries))))
        return 0
    like = _like(home)
    for chunks in arguments.chunks:
        build(home, chunks, arguments.queries, like)
    results = [_measured_apart(home, chunks, arguments.queries) for chunks in arguments.chunks]
    sys.stdout.write("\n".join([*table(results), ""]))
    if arguments.plot:
        Path(arguments.plot).write_text(plot(results), encoding="utf-8")
    return 0


def build(home: Path, chunks: int, queries: int, like: Vectors) -> None:
    """Make the index of one size, if it is not there whole, and remember which chunks are nearest to each query in truth."""
    folder = home / str(chunks)
    if (folder / "truth.npy").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    store = IndexStore(folder / "index.db")
    generator = Generator(like, SEED)
    documents = chunks // CHUNKS_IN_DOCUMENT
    asked = np.array([generator.query(number, documents).vector for number in range(queries)])
    best = np.full((queries, TOP), -1.0, dtype=np.float32)
    numbers = np.zeros((queries, TOP), dtype=np.int64)
    started = time.monotonic()
    for block in fill(store, generator, range(documents)):
        pass_on = np.hstack([best, asked @ block.vectors.T])
        ids = np.hstack([numbers, np.tile(np.arange(CHUNKS_IN_DOCUMENT) + block.number * CHUNKS_IN_DOCUMENT, (queries, 1))])
        order = np.argsort(-pass_on, axis=1)[:, :TOP]
        best, numbers = np.take_along_axis(pass_on, order, axis=1), np.take_along_axis(ids, order, axis=1)
        if block.number % 500 == 499:
            sys.stderr.write(f"{(block.number + 1) * CHUNKS_IN_DOCUMENT:,} chunks, {time.monotonic() - started:.0f} s\n")
    store.erase_deleted()
    store.close()
    np.save(folder / "truth.npy", numbers)


def measure(home: Path, chunks: int, count: int) -> Measured:
    """Ask all queries in each way. The ids of chunks are their numbers and one, as the index was filled in order."""
    folder = home / str(chunks)
    generator = Generator(np.load(home / _LIKE), SEED)
    queries = [generator.query(number, chunks // CHUNKS_IN_DOCUMENT) for number in range(count)]
    truth = np.load(folder / "truth.npy") + 1
    del generator
    store = IndexStore(folder / "index.db")
    embedder = KnownQueries(queries)
    retriever = HybridRetriever(store, embedder)
    alone_retriever = HybridRetriever(store, embedder, languages=OneLanguage(store))
    _read(folder / "index.db")
    first = _seconds(lambda: retriever.search(queries[0].text, k=TOP, cancel=CancelToken()))
    hybrid, words, vectors, recalls, found = [], [], [], [], []
    half = count // 2
    alone = [_seconds(lambda asked=query.text: alone_retriever.search(asked, k=TOP, cancel=CancelToken())) for query in queries[half:]]
    for query, nearest in zip(queries, truth, strict=True):
        hybrid.append(_seconds(lambda asked=query.text: found.append(retriever.search(asked, k=TOP, cancel=CancelToken()))))
        words.append(_seconds(lambda asked=query.text: store.search_words(match_query(asked), 50)))
        near: list[tuple[int, float]] = []
        vectors.append(_seconds(lambda asked=query.vector, near=near: near.extend(store.search_vectors(asked, 50, EMBEDDER))))
        recalls.append(len({item for item, _ in near[:TOP]} & set(map(int, nearest))) / TOP)
    memory = _peak_bytes()
    with build_models(ModelSettings(), Paths(home)).embedder as encoder:
        encoded_retriever = HybridRetriever(store, KnownQueries(queries, encoder))
        encoded_retriever.search(queries[0].text, k=TOP, cancel=CancelToken())
        encoded = [
            _seconds(lambda asked=query.text: encoded_retriever.search(asked, k=TOP, cancel=CancelToken())) for query in queries[:half]
        ]
    plain = [
        _seconds(lambda asked=query.vector: store.search_vectors(asked, 50, EMBEDDER, exact=True))
        for query in queries[:: max(1, count // 20)]
    ]
    hits = [any(passage.chunk.id == query.chunk + 1 for passage in passages) for query, passages in zip(queries, found, strict=True)]
    size = sum(file.stat().st_size for file in folder.glob("index.db*"))
    return Measured(
        chunks,
        _speed(hybrid[:half]),
        _speed(alone),
        _speed(encoded),
        _speed(words),
        _speed(vectors),
        _speed(plain),
        first,
        float(np.mean(recalls)),
        float(np.mean(hits)),
        memory,
        size,
    )


def table(results: Sequence[Measured]) -> list[str]:
    """A table in Markdown, one line for each size."""
    lines = [
        "| chunks | hybrid p50 / p95, ms | alone | encoded | words | vectors | plain vec0 | plain over vectors / hybrid | first search, ms | recall@10 | asked chunk among ten | memory, MB | index, MB |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results:
        columns = (
            f"{one.chunks:,}",
            *(f"{speed.median:.1f} / {speed.p95:.1f}" for speed in (one.hybrid, one.alone, one.encoded, one.words, one.vectors, one.plain)),
            f"{one.plain.median / one.vectors.median:.1f} / {one.plain.median / one.hybrid.median:.1f}",
            f"{one.first:.0f}",
            f"{one.recall:.3f}",
            f"{one.found:.3f}",
            f"{one.memory / 1e6:.0f}",
            f"{one.index_bytes / 1e6:.0f}",
        )
        lines.append(f"| {' | '.join(columns)} |")
    return lines


def _peak_bytes() -> int:
    """The most memory this program held so far. What `resource` tells of a child begins with what its parent held when it was started."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM:"))) * 1024


def _read(file: Path) -> None:
    with file.open("rb") as stream:
        while stream.read(1 << 24):
            pass


def _seconds(work: Callable[[], object]) -> float:
    """Milliseconds that a piece of work takes."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3


def _speed(milliseconds: Sequence[float]) -> Speed:
    return Speed(float(np.median(milliseconds)), float(np.percentile(milliseconds, 95)))


def plot(results: Sequence[Measured]) -> str:
    """Milliseconds over chunks, both on a logarithmic scale, as SVG."""
    lines = {
        "plain vec0": ("#999999", [one.plain.median for one in results]),
        "hybrid": ("#c2410c", [one.hybrid.median for one in results]),
        "vectors": ("#1d4ed8", [one.vectors.median for one in results]),
        "words": ("#15803d", [one.words.median for one in results]),
    }
    sizes = [one.chunks for one in results]
    across, down = _scale(sizes, 60, 500), _scale([value for _, values in lines.values() for value in values], 262, 30)
    drawn = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 330" font-family="sans-serif" font-size="12">']
    drawn.append('<rect width="640" height="330" fill="white"/><text x="10" y="18">median of a search, milliseconds</text>')
    for size in sizes:
        drawn.append(f'<line x1="{across(size):.0f}" y1="30" x2="{across(size):.0f}" y2="285" stroke="#dddddd"/>')
        drawn.append(f'<text x="{across(size):.0f}" y="302" text-anchor="middle">{size:,}</text>')
    drawn.append('<text x="280" y="322" text-anchor="middle">chunks</text>')
    for name, (colour, values) in lines.items():
        points = [(across(size), down(value)) for size, value in zip(sizes, values, strict=True)]
        drawn.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
        )
        across_by, down_by, anchor = _LABEL_AT[name]
        for (x, y), value in zip(points, values, strict=True):
            label = f'<text x="{x + across_by:.1f}" y="{y + down_by:.1f}" text-anchor="{anchor}" fill="{colour}">{value:.3g}</text>'
            drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>{label}')
        drawn.append(f'<text x="{points[-1][0] + 44:.1f}" y="{points[-1][1] + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*drawn, "</svg>", ""])


def _scale(values: Sequence[float], low: float, high: float) -> Callable[[float], float]:
    """From a value to its place between `low` and `high`, on a logarithmic scale."""
    first, last = np.log(min(values)), np.log(max(values))
    return lambda value: float(low + (high - low) * (np.log(value) - first) / max(last - first, 1e-9))


def _like(home: Path) -> Vectors:
    """Vectors of the project's own texts, with the real embedding model; kept in `home`."""
    file = home / _LIKE
    if not file.exists():
        with build_models(ModelSettings(), Paths(home)).embedder as embedder:
            np.save(file, embedder.embed_passages(list(_own_texts()), cancel=CancelToken()))
    vectors: Vectors = np.load(file)
    return vectors


def _own_texts() -> Iterator[str]:
    for folder in ("resources/sample_library", "tests/quality/graph_questions/docs", "docs"):
        for file in sorted((_ROOT / folder).rglob("*.*")):
            text = file.read_text(encoding="utf-8", errors="ignore") if file.suffix in (".md", ".txt", ".csv") else ""
            length = 300 if any("\u4e00" <= character <= "\u9fff" for character in text[:500]) else 700
            yield from (text[start : start + length] for start in range(0, len(text), length))


def _measured_apart(home: Path, chunks: int, queries: int) -> Measured:
    command = [
        sys.executable,
        "-m",
        "tests.quality.search_speed",
        "--home",
        str(home),
        "--chunks",
        str(chunks),
        "--queries",
        str(queries),
        "--measure",
    ]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=_ROOT).stdout)
    return Measured(**{name: Speed(**value) if isinstance(value, dict) else value for name, value in told.items()})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", required=True)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--plot", help="where to write a drawing")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
