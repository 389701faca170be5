"""The figures of the search are counted as they are described."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from core.cancel import CancelToken
from core.documents import Chunk, Message, ScoredChunk
from tests.fakes.hash_embedder import FakeEmbedder
from tests.quality import followups, identifiers, keywords, paired
from tests.quality.retrieval import Found, Lookup, RememberedQueries, ahead, documents_folder, lookups, mean_interval, measure, rank_fusion


def found(file: str, text: str = "", start: int = 0) -> ScoredChunk:
    return ScoredChunk(Chunk(1, 1, Path("/docs") / file, "", "", start, start + len(text), 1, text), 0.5)


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_first_recall_and_answer_are_shares_of_what_is_needed() -> None:
    asked = [Lookup("a", frozenset({"1.txt"}), ("Forty Two",)), Lookup("b", frozenset({"1.txt", "2.txt"}))]
    passages = {"a": [found("1.txt", "it is forty\ntwo")], "b": [found("9.txt"), found("2.txt"), *[found("9.txt")] * 3, found("1.txt")]}

    figures = measure(asked, lambda query: passages[query])

    assert (figures.first, figures.recall_first, figures.recall, figures.answer, figures.lookups) == (0.5, 0.5, 0.75, 1.0, 2)


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


def test_files_of_one_name_in_several_folders_are_told_apart() -> None:
    asked = [Lookup("q", frozenset({"en/page.md"}))]

    assert measure(asked, lambda query: [found("zh/page.md"), found("en/page.md")]).recall_first == 0.0
    assert measure(asked, lambda query: [found("en/page.md")]).recall_first == 1.0


def test_an_id_is_not_the_beginning_of_another_one() -> None:
    assert measure([Lookup("q", frozenset({"c1"}))], lambda query: [found("c11__title.txt"), found("c2__c1.txt")]).recall == 0.0


def test_where_a_paragraph_is_needed_another_one_of_its_document_is_not_enough(tmp_path: Path) -> None:
    text = "# Title\n\nThe first paragraph.\n\nThe second one.\n"
    (tmp_path / "set" / "docs").mkdir(parents=True)
    (tmp_path / "set" / "docs" / "long.md").write_text(text, encoding="utf-8")
    question = {"id": 1, "question": "q", "type": "single", "answers": ["x"], "supporting": ["long.md"], "paragraph_index": 1}
    write(tmp_path / "set", "questions.jsonl", [question])

    asked = lookups(tmp_path / "set", None)

    assert [text[start:end] for start, end in asked[0].places["long.md"]] == ["The second one."]
    half = found("long.md", "second one.\n", text.index("second one."))
    assert measure(asked, lambda query: [half]).recall == 1.0
    assert measure(asked, lambda query: [found("long.md", "The first paragraph.", text.index("The first"))]).recall == 0.0


def test_a_query_is_embedded_once_in_its_life(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    first = RememberedQueries(embedder, tmp_path / "kept.npz")
    vector = first.embed_query("a lamp", cancel=CancelToken())
    first.keep()
    embedder.before_query = lambda: (_ for _ in ()).throw(AssertionError("asked again"))

    assert np.array_equal(RememberedQueries(embedder, tmp_path / "kept.npz").embed_query("a lamp", cancel=CancelToken()), vector)


def test_ranks_are_fused_by_their_reciprocals() -> None:
    one, two, three = (ScoredChunk(Chunk(number, 1, Path(f"/docs/{number}"), "", "", 0, 1, 1, "x"), 0.5) for number in (1, 2, 3))

    assert rank_fusion([lambda query: [one, two], lambda query: [three, two]])("q") == [two, one, three]


def test_the_hybrid_search_is_set_against_the_better_leg_of_each_measure() -> None:
    recalls = {"words": (0.5, 0.6), "vectors": (0.4, 0.7), "ranks": (0.3, 0.9), "hybrid": (0.6, 0.8)}
    found = {name: Found(0.0, np.array([values, values]), None) for name, values in recalls.items()}

    assert ahead(found).round(3).tolist() == [[0.1, 0.1, 0.3, -0.1]] * 2


def test_the_interval_of_a_mean_is_about_sets_however_many_questions_each_has() -> None:
    small, large = np.array([[0.0], [1.0]]), np.full((98, 1), 0.5)

    low, high = mean_interval([small, large])

    assert (low.tolist(), high.tolist()) == ([0.25], [0.75])
    assert [end.tolist() for end in mean_interval([large])] == [[0.5], [0.5]]


def test_every_keyword_has_a_note_of_its_own_and_its_neighbours_are_none(tmp_path: Path) -> None:
    assert keywords.write(tmp_path) == len(keywords.keywords())

    notes = {file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "docs").iterdir()}
    for line in (tmp_path / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        for name, code in zip(question["supporting"], question["answers"], strict=True):
            assert [file for file, text in notes.items() if code in text] == [name]


def test_most_keywords_in_chinese_and_japanese_are_of_one_to_six_characters() -> None:
    asked = [keyword.asked for keyword in keywords.keywords() if keyword.language != "en"]

    assert len(asked) >= 150
    assert sum(len(word) <= 6 for word in asked) >= 0.95 * len(asked)


def test_every_paired_question_is_asked_in_three_languages_of_a_file_that_is_there() -> None:
    files = {file.name for folder in paired.OWN_DOCS for file in folder.iterdir()}
    asked = paired.pairs(paired.OWN_QUESTIONS)

    assert len(asked) >= 40
    assert all(set(pair.asked) == set(paired.LANGUAGES) and pair.documents <= files for pair in asked)
    assert {pair.file_language for pair in asked} == {"en", "zh"}


def test_paired_questions_are_counted_by_language_and_by_the_language_of_their_file() -> None:
    asked = [
        paired.Pair({"en": "a", "zh": "甲"}, frozenset({"one.md"})),
        paired.Pair({"en": "b", "zh": "乙"}, frozenset({"二.md"})),
    ]
    passages = {"a": [found("one.md")], "甲": [found("one.md")], "b": [found("one.md")], "乙": [found("二.md")]}

    figures = paired.compare(asked, lambda query: passages[query])

    assert {key: value.recall for key, value in figures.items()} == {
        ("en", "all"): 0.5, ("en", "own"): 1.0, ("en", "other"): 0.0, ("zh", "all"): 1.0, ("zh", "own"): 1.0, ("zh", "other"): 1.0,
    }  # fmt: skip


def test_each_answer_of_the_identifier_set_stands_in_one_line_only(tmp_path: Path) -> None:
    assert identifiers.write(tmp_path) == 8 * identifiers.QUESTIONS == 200

    lines = [line for file in (tmp_path / "docs").iterdir() for line in file.read_text(encoding="utf-8").splitlines()]
    for line in (tmp_path / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)["answers"][0]
        assert sum(answer in text for text in lines) == 1


def test_a_follow_up_counts_the_sentences_it_needs_where_they_are_named() -> None:
    turns = (Message("user", "Who?"), Message("assistant", "She."))
    named = followups.FollowUp("And?", turns, "And she?", frozenset({"1.txt"}), ("abc", "def"))

    assert followups.recall(named, [found("9.txt", "A B\nC")]) == 0.5
    assert followups.recall(followups.FollowUp("And?", turns, "And she?", frozenset({"1.txt"}), ()), [found("1.txt")]) == 1.0
