"""The figures of the search are counted as they are described."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from core.cancel import CancelToken
from core.documents import Chunk, Message, ScoredChunk
from tests.fakes.hash_embedder import FakeEmbedder
from tests.quality import followups, identifiers
from tests.quality.retrieval import Lookup, RememberedQueries, documents_folder, lookups, measure


def found(file: str, text: str = "") -> ScoredChunk:
    return ScoredChunk(Chunk(1, 1, Path("/docs") / file, "", "", 0, len(text), 1, text), 0.5)


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_first_recall_and_answer_are_shares_of_what_is_needed() -> None:
    asked = [Lookup("a", frozenset({"1.txt"}), ("Forty Two",)), Lookup("b", frozenset({"1.txt", "2.txt"}))]
    passages = {"a": [found("1.txt", "it is forty\ntwo")], "b": [found("9.txt"), found("2.txt"), *[found("9.txt")] * 3, found("1.txt")]}

    figures = measure(asked, lambda query: passages[query])

    assert (figures.first, figures.recall, figures.answer, figures.lookups) == (0.5, 0.75, 1.0, 2)


def test_an_answer_in_another_document_does_not_count() -> None:
    assert measure([Lookup("a", frozenset({"1.txt"}), ("42",))], lambda query: [found("2.txt", "42")]).answer == 0.0


def test_rows_of_a_corpus_become_files_that_are_known_by_their_ids(tmp_path: Path) -> None:
    write(tmp_path / "set", "corpus.jsonl", [{"id": "c1", "title": "A/B: what?", "text": "Text."}])
    write(
        tmp_path / "set",
        "questions.jsonl",
        [
            {"id": 1, "question": "q", "type": "single", "answers": ["x"], "supporting": ["A/B: what?"], "supporting_ids": ["c1"]},
            {"id": 2, "question": "no", "type": "unanswerable", "answers": [], "supporting": ["A/B: what?"], "supporting_ids": ["c1"]},
        ],
    )

    (file,) = documents_folder(tmp_path / "set", tmp_path / "home").iterdir()

    assert file.name == "c1__A_B_ what_.txt"
    assert file.read_text(encoding="utf-8") == "A/B: what?\n\nText."
    assert lookups(tmp_path / "set", None) == [Lookup("q", frozenset({"c1"}), ("x",))]


def test_a_query_is_embedded_once_in_its_life(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    first = RememberedQueries(embedder, tmp_path / "kept.npz")
    vector = first.embed_query("a lamp", cancel=CancelToken())
    first.keep()
    embedder.before_query = lambda: (_ for _ in ()).throw(AssertionError("asked again"))

    assert np.array_equal(RememberedQueries(embedder, tmp_path / "kept.npz").embed_query("a lamp", cancel=CancelToken()), vector)


def test_each_answer_of_the_identifier_set_stands_in_one_line_only(tmp_path: Path) -> None:
    assert identifiers.write(tmp_path) == 4 * identifiers.QUESTIONS

    lines = [line for file in (tmp_path / "docs").iterdir() for line in file.read_text(encoding="utf-8").splitlines()]
    for line in (tmp_path / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)["answers"][0]
        assert sum(answer in text for text in lines) == 1


def test_a_follow_up_counts_the_sentences_it_needs_where_they_are_named() -> None:
    turns = (Message("user", "Who?"), Message("assistant", "She."))
    named = followups.FollowUp("And?", turns, "And she?", frozenset({"1.txt"}), ("abc", "def"))

    assert followups.recall(named, [found("9.txt", "A B\nC")]) == 0.5
    assert followups.recall(followups.FollowUp("And?", turns, "And she?", frozenset({"1.txt"}), ()), [found("1.txt")]) == 1.0
