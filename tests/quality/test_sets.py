from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop.evaluation import read_questions
from tests.quality.set_reading import SetUnusable, chat_turns, half_of, read_set
from tests.quality.sets import Choice, main, prepare


def write_lines(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def asked(name: str, kind: str = "single", **more: Any) -> dict[str, Any]:
    return {"id": name, "question": f"What about {name}?", "answers": [name], "type": kind, "lang": "en", "supporting": [], **more}


@pytest.fixture
def corpus_set(tmp_path: Path) -> Path:
    """Forty passages of which the questions need one or two."""
    folder = tmp_path / "passages"
    rows = [{"id": f"p{number:02d}", "title": f"Title {number}/a", "text": f"text of {number}"} for number in range(40)]
    write_lines(folder / "corpus.jsonl", rows)
    questions = [asked("one", supporting=["Title 3/a"], supporting_ids=["p03"])]
    questions += [asked("two", "multi", supporting=["Title 20/a", "Title 5/a"], supporting_ids=["p20", "p05"], hops=2)]
    questions += [asked(f"q{number}", supporting_ids=[f"p{number:02d}"], supporting=[f"Title {number}/a"]) for number in range(10)]
    write_lines(folder / "questions.jsonl", questions)
    history = [{"question": "Who?", "answer": "Ann"}]
    write_lines(
        folder / "followups.jsonl",
        [asked("then", "followup", history=history, standalone_question="What about Ann?", supporting_ids=["p07"], supporting=["x"])],
    )
    return folder


@pytest.fixture
def docs_set(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    (folder / "docs" / "deep").mkdir(parents=True)
    (folder / "docs" / "deep" / "a.md").write_text("# A\n\nFirst paragraph.\n\nSecond one\nof two lines.\n", encoding="utf-8")
    (folder / "docs" / "b.txt").write_text("Ann said: it is red. Bob said: it is red.", encoding="utf-8")
    write_lines(folder / "docs_index.jsonl", [{"file": "docs/deep/a.md", "title": "Page A", "id": "A1"}])
    write_lines(
        folder / "questions.jsonl",
        [
            asked("paragraph", supporting=["Page A"], paragraph_index=1),
            asked("sentence", supporting=["b.txt"], supporting_sentences=[{"doc": "b.txt", "sentence": "it is red", "char_offset": 32}]),
            asked("file", supporting=["deep/a.md"]),
        ],
    )
    return folder


def prepared(out: Path) -> dict[str, dict[str, Any]]:
    lines = [json.loads(line) for line in (out / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    return {line["id"]: line for line in lines}


def files(out: Path) -> set[str]:
    return {file.relative_to(out / "docs").as_posix() for file in (out / "docs").rglob("*") if file.is_file()}


def test_a_passage_becomes_a_file_called_after_its_title_in_a_folder_called_after_its_id(corpus_set: Path, tmp_path: Path) -> None:
    prepare([Choice(corpus_set)], tmp_path / "out", seed=1)

    file = tmp_path / "out" / "docs" / "passages" / "p03" / "Title 3_a.txt"
    assert file.read_text(encoding="utf-8") == "text of 3"
    assert len(files(tmp_path / "out")) == 40
    assert prepared(tmp_path / "out")["passages/one"]["evidence"] == [{"places": [{"file": "passages/p03/Title 3_a.txt"}]}]


def test_hops_keep_their_order(corpus_set: Path, tmp_path: Path) -> None:
    prepare([Choice(corpus_set)], tmp_path / "out", seed=1)

    needed = [entry["places"][0]["file"] for entry in prepared(tmp_path / "out")["passages/two"]["evidence"]]
    assert needed == ["passages/p20/Title 20_a.txt", "passages/p05/Title 5_a.txt"]


def test_eval_reads_what_was_written(corpus_set: Path, tmp_path: Path) -> None:
    prepare([Choice(corpus_set, {"followup": None, "multi": None})], tmp_path / "out", seed=1)

    questions = {question.id: question for question in read_questions(tmp_path / "out" / "questions.jsonl")}
    assert set(questions) == {"passages/two", "passages/then"}
    assert [turn.role for turn in questions["passages/then"].history] == ["user", "assistant"]


def test_places_in_documents_are_found_by_paragraph_and_by_the_sentence_nearest_to_its_offset(docs_set: Path, tmp_path: Path) -> None:
    prepare([Choice(docs_set)], tmp_path / "out", seed=1)

    lines = prepared(tmp_path / "out")
    (paragraph,) = lines["pages/paragraph"]["evidence"][0]["places"]
    (sentence,) = lines["pages/sentence"]["evidence"][0]["places"]
    page = (tmp_path / "out" / "docs" / "pages" / "deep" / "a.md").read_text(encoding="utf-8")
    assert page[paragraph["start"] : paragraph["end"]] == "Second one\nof two lines."
    assert (sentence["start"], sentence["end"]) == (31, 40)
    assert lines["pages/file"]["evidence"] == [{"places": [{"file": "pages/deep/a.md"}]}]


def test_where_many_passages_say_the_same_one_for_each_part_is_enough(tmp_path: Path) -> None:
    folder = tmp_path / "news"
    write_lines(
        folder / "corpus.jsonl", [{"id": f"n{number}", "title": "", "text": text} for number, text in enumerate(["red", "blue", "red"])]
    )
    ids = ["n0", "n1", "n2"]
    write_lines(
        folder / "questions.jsonl",
        [asked("any", supporting_ids=ids, answers=["red"]), asked("both", supporting_ids=ids, answer_parts=[["red"], ["blue"]])],
    )

    prepare([Choice(folder)], tmp_path / "out", seed=1)

    red, blue = [{"file": "news/n0/n0.txt"}, {"file": "news/n2/n2.txt"}], [{"file": "news/n1/n1.txt"}]
    lines = prepared(tmp_path / "out")
    assert lines["news/any"]["evidence"] == [{"places": red}]
    assert lines["news/both"]["evidence"] == [{"places": red}, {"places": blue}]


def test_a_small_pool_keeps_what_the_questions_need_and_says_which_files(corpus_set: Path, tmp_path: Path) -> None:
    manifest = prepare([Choice(corpus_set, {"multi": None}, pool=6)], tmp_path / "out", seed=1)

    kept = files(tmp_path / "out")
    assert len(kept) == 2 + 6
    assert {"passages/p20/Title 20_a.txt", "passages/p05/Title 5_a.txt"} <= kept
    # Half of the distractors are neighbours: the nearest of either side.
    assert len(kept & {f"passages/p{near:02d}/Title {near}_a.txt" for near in (19, 21, 4, 6)}) >= 3
    assert manifest["sets"][0]["files"] == sorted(kept)
    assert json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")) == manifest


def test_the_same_seed_takes_the_same_questions_and_more_of_them_begin_alike(corpus_set: Path, tmp_path: Path) -> None:
    for name, number, seed in (("a", 3, 1), ("b", 3, 1), ("c", 5, 1), ("d", 3, 2)):
        prepare([Choice(corpus_set, {"single": number})], tmp_path / name, seed=seed)
    taken = {name: set(prepared(tmp_path / name)) for name in "abcd"}

    assert taken["a"] == taken["b"] < taken["c"]
    assert taken["a"] != taken["d"]


def test_the_halves_part_every_set_once_and_for_all(corpus_set: Path, tmp_path: Path) -> None:
    for half in ("tune", "report"):
        prepare([Choice(corpus_set, half=half)], tmp_path / half, seed=1)
    tune, report = prepared(tmp_path / "tune"), prepared(tmp_path / "report")

    assert not set(tune) & set(report)
    assert len(tune) + len(report) == 12
    assert {line["half"] for line in tune.values()} == {"tune"}
    # sha256("hotpotqa_train100:5a77ec115542992a6e59dff7") begins with an even byte
    assert half_of("hotpotqa_train100", "5a77ec115542992a6e59dff7") == "tune"


def test_a_follow_up_and_its_standalone_form_are_the_same_question_in_the_same_half(corpus_set: Path, tmp_path: Path) -> None:
    prepare([Choice(corpus_set, {"followup": None, "standalone": None})], tmp_path / "out", seed=1)

    lines = prepared(tmp_path / "out")
    then, alone = lines["passages/then"], lines["passages/then/standalone"]
    assert alone["question"] == then["standalone_question"] == "What about Ann?"
    assert "history" not in alone
    assert alone["half"] == then["half"]
    assert alone["evidence"] == then["evidence"]


def test_follow_ups_are_taken_only_when_asked_for(corpus_set: Path, tmp_path: Path) -> None:
    prepare([Choice(corpus_set)], tmp_path / "out", seed=1)

    assert {line["type"] for line in prepared(tmp_path / "out").values()} == {"single", "multi"}


def test_sets_are_merged_and_each_question_keeps_its_own(corpus_set: Path, docs_set: Path, tmp_path: Path) -> None:
    manifest = prepare([Choice(corpus_set), Choice(docs_set)], tmp_path / "out", seed=1)

    lines = prepared(tmp_path / "out")
    assert {line["set"] for line in lines.values()} == {"passages", "pages"}
    assert {file.split("/")[0] for file in files(tmp_path / "out")} == {"passages", "pages"}
    assert (manifest["questions"], manifest["documents"]) == (15, 42)


def test_a_question_of_another_set_is_unanswerable_here_and_its_documents_stay_out(
    corpus_set: Path, docs_set: Path, tmp_path: Path
) -> None:
    prepare([Choice(docs_set), Choice(corpus_set, {"single": 4}, out_of_corpus=True)], tmp_path / "out", seed=1)

    outside = [line for line in prepared(tmp_path / "out").values() if line["set"] == "passages"]
    assert len(outside) == 4
    assert all((line["type"], line["answers"], line["evidence"]) == ("unanswerable", [], []) for line in outside)
    assert all(line["id"].startswith("out_of_corpus/") and line["answer_if_restored"] for line in outside)
    assert {file.split("/")[0] for file in files(tmp_path / "out")} == {"pages"}


def test_a_question_that_these_files_may_answer_too_is_not_called_unanswerable(docs_set: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    questions = [
        asked("known", answers=["it is red"], supporting=["Bob.txt"]),
        asked("unknown", answers=["it is green"], supporting=["Bob.txt"]),
    ]
    write_lines(folder / "questions.jsonl", questions)

    prepare([Choice(docs_set), Choice(folder, out_of_corpus=True)], tmp_path / "out", seed=1)

    assert [name for name in prepared(tmp_path / "out") if "other" in name] == ["out_of_corpus/other/unknown"]


def test_general_routing_questions_are_simple_questions(tmp_path: Path) -> None:
    rows = [
        {"id": "r1", "question": "hi", "label": "general", "lang": "en"},
        {"id": "r2", "question": "the lease?", "label": "files", "lang": "en"},
    ]
    write_lines(tmp_path / "routing.jsonl", rows)

    prepare([Choice(tmp_path / "routing.jsonl")], tmp_path / "out", seed=1)

    assert [(line["question"], line["type"]) for line in prepared(tmp_path / "out").values()] == [("hi", "simple")]


def test_turns_with_roles_stay_as_they_are() -> None:
    turns = [{"role": "user", "content": "a"}]

    assert chat_turns(turns) == turns
    assert chat_turns([{"question": "a", "answer": "b"}]) == [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]


def test_the_command_understands_a_choice_for_each_set(
    corpus_set: Path, docs_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([f"{corpus_set}=multi,single:2,pool:4", str(docs_set), "--types", "single", "--limit", "3", "--out", str(tmp_path / "out")])

    lines = prepared(tmp_path / "out").values()
    assert code == 0
    assert sum(line["set"] == "passages" for line in lines) == 3
    assert "6 questions" in capsys.readouterr().out
    assert "pool:4" in json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["command"]


@pytest.mark.parametrize("choice", ["nowhere", "{set}=pool:many", "{set}=unanswerable"])
def test_what_cannot_be_prepared_is_told_in_a_sentence(
    choice: str, corpus_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([choice.format(set=corpus_set), "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err


def test_a_folder_that_holds_something_is_left_alone(corpus_set: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")

    with pytest.raises(SetUnusable, match="not empty"):
        prepare([Choice(corpus_set)], tmp_path / "out", seed=1)


def test_the_questions_of_our_own_can_be_prepared_with_a_place_for_every_hop(tmp_path: Path) -> None:
    own = Path(__file__).parent / "graph_questions"

    prepare([Choice(own, {"single": None, "multi": None, "followup": None})], tmp_path / "out", seed=1)

    lines = prepared(tmp_path / "out").values()
    assert len(lines) == 48
    assert all(len(line["evidence"]) == line.get("hops", 1) for line in lines)
    places = [place for line in lines if line["type"] != "followup" for entry in line["evidence"] for place in entry["places"]]
    assert all("start" in place for place in places)
    assert len(read_set(own).documents) == 16
