"""How well the search finds the passages that questions need: by words, by vectors, by plain rank fusion of the two, and by the hybrid search.

    python -m tests.quality.retrieval SET [SET ...] --home HOME [--half tune|report] [--words-weight A ...]

SET is a folder of questions and documents (see `set_reading`), or a retrieval set (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`). Each set has
its index in `HOME/NAME of the folder`, or in HOME itself if an index lies there; it is made if it is missing. Without `--half` the two halves are
reported one after the other. `--words-weight` tries other weights. A second table says how far the hybrid search is ahead of the better of words and
vectors, and of rank fusion, for each set and on average, with a 95 % bootstrap interval of that (questions drawn within each set). Where a set says which paragraph of a long document is needed, it has to be that paragraph.

    recall@1  share of the needed documents that the first passage is from (a question that needs three has at most a third)
    recall@5  share of the needed documents that are among the first five passages
    first     share of questions whose first passage is from a document that the question needs
    answer@5  share of single-hop questions with an accepted answer in one of the first five passages, in a document they need
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.cancel import CancelToken
from core.documents import Chunk, ScoredChunk
from core.paths import Paths
from core.protocols import Embedder, Vectors
from core.retrieval.hybrid import CANDIDATES, HybridRetriever, Mode
from core.settings import Settings
from core.store.index_store import IndexStore
from desktop.assembly import Application, assemble
from tests.quality.set_reading import Half, by_name, evidence_of, half_of, read_set

_UNSAFE = re.compile(r'[\\/:*?"<>|\x00-\x1f]+')
_TITLE_CHARACTERS = 80
PASSAGES = 5
RANK_CONSTANT = 60
DRAWS = 10_000

Recalls = npt.NDArray[np.float64]
Place = tuple[int, int]
"""Where a paragraph begins and ends in the text of its document, in characters."""

Search = Callable[[str], Sequence[ScoredChunk]]
"""Passages for a query, best first."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is searched, and the documents (by their names, see `is_of`) that it should bring.

    Of those in `places` one of the paragraphs is needed, of the others any passage.
    """

    query: str
    documents: frozenset[str]
    answers: tuple[str, ...] = ()
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """The figures of one way to search. `each` has a row for each lookup: recall of the first passage, and of the first five."""

    first: float
    each: Recalls
    answer: float | None

    @property
    def recall_first(self) -> float:
        return float(self.each[:, 0].mean())

    @property
    def recall(self) -> float:
        return float(self.each[:, 1].mean())

    @property
    def lookups(self) -> int:
        return len(self.each)


class RememberedQueries:
    """An embedder that embeds each query once in its life: the vectors are kept in `file`, so that a second run needs no model."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self._embedder = embedder
        self._file = file
        self.model_id = embedder.model_id
        self.dimension = embedder.dimension
        self._vectors: dict[str, Vectors] = {}
        if file.exists():
            with np.load(file, allow_pickle=False) as kept:
                if str(kept["model_id"]) == self.model_id:
                    self._vectors = dict(zip(map(str, kept["texts"]), kept["vectors"], strict=True))

    @property
    def is_ready(self) -> bool:
        return self._embedder.is_ready

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed_query(text, cancel=cancel)
        return self._vectors[text]

    def embed_passages(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        return self._embedder.embed_passages(texts, cancel=cancel)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    def keep(self) -> None:
        """Write the vectors to the file."""
        if self._vectors:
            np.savez(
                self._file, model_id=self.model_id, texts=np.array(list(self._vectors)), vectors=np.stack(list(self._vectors.values()))
            )


def rows(file: Path) -> Iterator[dict[str, object]]:
    """The lines of a JSONL file."""
    return (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip())


def is_of(path: Path, document: str) -> bool:
    """Whether a file is what a question calls so: the id of a row of a corpus (`documents_folder` puts it before `__`), or the end of the file's path."""
    return path.name.startswith(f"{document}__") or path.as_posix().endswith(f"/{document}")


def lookups(folder: Path, half: Half | None) -> list[Lookup]:
    """The answerable questions of a set, or of one half of it."""
    if (folder / "queries.jsonl").exists():
        return _retrieval_lookups(folder, half)
    index = folder / "docs_index.jsonl"
    files = {str(row["title"]): str(row["file"]).removeprefix("docs/") for row in rows(index)} if index.exists() else {}
    places = needed_places(folder)
    found = []
    for row in rows(folder / "questions.jsonl"):
        if row["type"] == "unanswerable" or (half and half_of(folder.name, str(row["id"])) != half):
            continue
        has_docs = (folder / "docs").is_dir()
        named = row["supporting"] if has_docs else row.get("supporting_ids") or row["supporting"]
        assert isinstance(named, list) and isinstance(row["answers"], list)
        documents = frozenset(files.get(str(name), str(name)) for name in named)
        answers = tuple(map(str, row["answers"])) if row["type"] == "single" else ()
        if documents:
            found.append(Lookup(str(row["question"]), documents, answers, places.get(str(row["id"]), {})))
    return found


def needed_places(folder: Path) -> dict[str, dict[str, tuple[Place, ...]]]:
    """The paragraphs that the questions of a set need, by question and document; empty for a set whose documents are no longer than that."""
    if not (folder / "docs").is_dir():
        return {}
    content = read_set(folder)
    asked = [row for row in content.questions if {"paragraph_index", "supporting_passages"} & row.keys()]
    documents = by_name(content.documents)
    needed = {document.file: document for row in asked for name in row["supporting"] for document in documents.get(name, ())}
    texts = {file: document.indexed_text() for file, document in needed.items()}
    found: dict[str, dict[str, tuple[Place, ...]]] = {}
    for row in asked:
        by_document = found.setdefault(str(row["id"]), {})
        for place in (place for entry in evidence_of(row, documents, texts) for place in entry["places"] if "start" in place):
            document = place["file"].removeprefix(f"{content.name}/")
            by_document[document] = (*by_document.get(document, ()), (place["start"], place["end"]))
    return found


def _retrieval_lookups(folder: Path, half: Half | None) -> list[Lookup]:
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if float(score) > 0:
            relevant.setdefault(query, set()).add(document)
    queries = ((str(row["id"]), str(row["text"])) for row in rows(folder / "queries.jsonl"))
    return [
        Lookup(text, frozenset(relevant[query]))
        for query, text in queries
        if query in relevant and (half is None or half_of(folder.name, query) == half)
    ]


def documents_folder(folder: Path, home: Path) -> Path:
    """The documents of a set as files: its own, or the rows of its corpus written below `home`."""
    if (folder / "docs").is_dir():
        return folder / "docs"
    written = home / "documents"
    written.mkdir(parents=True, exist_ok=True)
    for row in rows(folder / "corpus.jsonl"):
        title = str(row.get("title") or "")
        name = _UNSAFE.sub("_", title).strip(" .")[:_TITLE_CHARACTERS]
        (written / f"{row['id']}__{name}.txt").write_text(f"{title}\n\n{row['text']}", encoding="utf-8", newline="")
    return written


def home_of(folder: Path, home: Path) -> Path:
    """Where the index of a set is or will be."""
    return home if Paths(home).index_database.exists() else home / folder.name


def query_vectors(folder: Path, home: Path) -> Path:
    """Where the vectors of a set's queries are kept."""
    return home_of(folder, home) / "query_vectors.npz"


def open_set(folder: Path, home: Path, settings: Settings | None = None) -> Application:
    """The app over a set, indexed: what an earlier run that was stopped did not get to is done now."""
    place = home_of(folder, home)
    application = assemble(Paths(place), settings or Settings())
    sys.stderr.write(f"indexing {folder.name}\n")
    for _ in application.library.index(CancelToken(), [documents_folder(folder, place)]):
        pass
    return application


def recall(lookup: Lookup, passages: Sequence[ScoredChunk]) -> float:
    """Share of the needed documents among these passages."""
    return sum(any(is_needed(item.chunk, lookup, name) for item in passages) for name in lookup.documents) / len(lookup.documents)


def is_needed(passage: Chunk, lookup: Lookup, document: str) -> bool:
    """Whether a passage is of this document; of a needed paragraph in it at least half has to be there, or half of the passage inside it."""
    if not is_of(passage.path, document):
        return False
    places = lookup.places.get(document, ())
    return not places or any(
        2 * (min(passage.end, end) - max(passage.start, start)) >= min(passage.end - passage.start, end - start) for start, end in places
    )


def states(passage: Chunk, lookup: Lookup) -> bool:
    """Whether a passage of a needed document contains an accepted answer; case and white space do not count."""
    text = plain_text(passage.text)
    needed = any(is_of(passage.path, document) for document in lookup.documents)
    return needed and any(plain_text(answer) in text for answer in lookup.answers)


def plain_text(text: str) -> str:
    """Without white space and upper case."""
    return re.sub(r"\s+", "", text.casefold())


def measure(asked: Sequence[Lookup], search: Search) -> Found:
    """The figures of one way to search, over all lookups."""
    first, each, stated = 0, [], []
    for lookup in asked:
        passages = search(lookup.query)[:PASSAGES]
        each.append((recall(lookup, passages[:1]), recall(lookup, passages)))
        first += each[-1][0] > 0
        if lookup.answers:
            stated.append(any(states(item.chunk, lookup) for item in passages))
    return Found(first / len(asked), np.array(each), sum(stated) / len(stated) if stated else None)


def ways(store: IndexStore, embedder: Embedder, weights: Sequence[float]) -> Mapping[str, Search]:
    """The ways to search that are compared, by name."""
    modes: tuple[tuple[str, Mode], ...] = (("words", "words"), ("vectors", "vectors"), ("hybrid", "hybrid"))
    retrievers = {name: HybridRetriever(store, embedder, mode=mode) for name, mode in modes}
    retrievers |= {f"hybrid {weight:g}": HybridRetriever(store, embedder, words_weight=weight) for weight in weights}
    searches = {name: _search_with(retriever, PASSAGES) for name, retriever in retrievers.items()}
    legs = [_search_with(retrievers[name], CANDIDATES) for name in ("words", "vectors")]
    return {"words": searches.pop("words"), "vectors": searches.pop("vectors"), "ranks": rank_fusion(legs), **searches}


def rank_fusion(searches: Sequence[Search]) -> Search:
    """Reciprocal rank fusion of several searches, with the constant of its authors (Cormack, Clarke, Buettcher, SIGIR 2009)."""

    def search(query: str) -> list[ScoredChunk]:
        scores: dict[int, float] = {}
        found: dict[int, ScoredChunk] = {}
        for ranked in searches:
            for rank, item in enumerate(ranked(query), start=1):
                found.setdefault(item.chunk.id, item)
                scores[item.chunk.id] = scores.get(item.chunk.id, 0.0) + 1 / (RANK_CONSTANT + rank)
        return [found[item] for item in sorted(scores, key=lambda item: (-scores[item], item))]

    return search


def _search_with(retriever: HybridRetriever, passages: int) -> Search:
    cancel = CancelToken()
    return lambda query: retriever.search(query, k=passages, cancel=cancel)


def ahead(found: Mapping[str, Found]) -> Recalls:
    """How far the hybrid search is ahead at each lookup: recall@1 and recall@5 over the better of words and vectors, then both over rank fusion.

    The better one is the one with the higher mean, so it is picked with hindsight, for each of the two measures.
    """
    hybrid, ranks, legs = found["hybrid"].each, found["ranks"].each, (found["words"].each, found["vectors"].each)
    better = [max((leg[:, column] for leg in legs), key=np.mean) for column in (0, 1)]
    return np.column_stack((hybrid[:, 0] - better[0], hybrid[:, 1] - better[1], hybrid - ranks))


def mean_interval(differences: Sequence[Recalls], *, seed: int = 1) -> tuple[Recalls, Recalls]:
    """The ends of the 95 % bootstrap interval of the mean over several sets, each column by itself; lookups are drawn within each set."""
    random = np.random.default_rng(seed)
    means = [of_set[random.integers(len(of_set), size=(DRAWS, len(of_set)))].mean(axis=1) for of_set in differences]
    low, high = np.percentile(np.mean(means, axis=0), (2.5, 97.5), axis=0)
    return low, high


def _in_points(differences: Iterable[float]) -> str:
    return " | ".join(f"{100 * difference:+.1f}" for difference in differences)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.quality.retrieval", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--half", choices=("tune", "report"))
    parser.add_argument("--words-weight", nargs="*", type=float, default=[], metavar="A")
    parsed = parser.parse_args(arguments)
    out = sys.stdout
    halves: tuple[Half, ...] = (parsed.half,) if parsed.half else ("tune", "report")
    differences: dict[tuple[Half, str], Recalls] = {}
    out.write("| half | set | search | recall@1 | recall@5 | first | answer@5 | questions |\n|---|---|---|---|---|---|---|---|\n")
    for folder in parsed.sets:
        application = open_set(folder, parsed.home)
        embedder = RememberedQueries(application.embedder, query_vectors(folder, parsed.home))
        try:
            for half in halves:
                asked = lookups(folder, half)
                found = {
                    name: measure(asked, search) for name, search in ways(application.index_store, embedder, parsed.words_weight).items()
                }
                for name, figures in found.items():
                    answer = "" if figures.answer is None else f"{figures.answer:.3f}"
                    row = f"{figures.recall_first:.3f} | {figures.recall:.3f} | {figures.first:.3f} | {answer} | {figures.lookups}"
                    out.write(f"| {half} | {folder.name} | {name} | {row} |\n")
                out.flush()
                differences[half, folder.name] = ahead(found)
        finally:
            embedder.keep()
            application.close()
    out.write("\nThe hybrid search is ahead by so many points:\n\n")
    out.write("| half | set | of the better leg @1 | @5 | of ranks @1 | @5 |\n|---|---|---|---|---|---|\n")
    for half in halves:
        of_half = {name: values for (named, name), values in differences.items() if named == half}
        for name, values in of_half.items():
            out.write(f"| {half} | {name} | {_in_points(values.mean(axis=0))} |\n")
        out.write(f"| {half} | **mean** | {_in_points(np.mean([values.mean(axis=0) for values in of_half.values()], axis=0))} |\n")
        for end, bounds in zip(("lower", "upper"), mean_interval(list(of_half.values())), strict=True):
            out.write(f"| {half} | {end} end | {_in_points(bounds)} |\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
