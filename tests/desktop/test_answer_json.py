from __future__ import annotations

import json
import os
from pathlib import Path

from core.documents import (
    Answer,
    Chunk,
    Citation,
    ClosestPassage,
    Doubt,
    Evaluation,
    IndexedFile,
    IndexReport,
    Judgement,
    Refusal,
    ScoredChunk,
    Step,
    SubQuestion,
    Usage,
    WebOutcome,
    WebResult,
)
from core.events import AnswerText, FileFinished, FileSearchable, StepFinished, StepStarted
from desktop.answer_json import answer_event_json, answer_json, index_event_json, index_report_json, json_line, passages_json

CHUNK = ScoredChunk(Chunk(1, 1, Path("/docs/a.md"), "a", "", 10, 14, 2, "text"), 0.5)
ANSWER = Answer(
    question="and?",
    standalone_question="and who?",
    strategy="complex",
    route_reason="files",
    text="So [1] [2].",
    origin="files",
    refused=False,
    sub_questions=(SubQuestion("who?", "him", 3),),
    citations=(
        Citation(1, "text", Path("/docs/a.md"), "a", 10, 14, 2, page=12),
        Citation(2, "said", title="Page", url="https://p.example/"),
    ),
    documents=(CHUNK,),
    web=WebOutcome(True, "who", "", (WebResult("Page", "https://p.example/", "p.example", "said", "2024"),)),
    evaluation=Evaluation(False, ("when",), "half"),
    judgement=Judgement(1, 0.5, 1, 0.8),
    doubts=(Doubt(3, 6, "number"),),
    refusal=Refusal(("who?",), (ClosestPassage(1, "no_answer"),), "A document that says who."),
    limits_hit=("seconds",),
    steps=(Step("retrieve", 0.12345, Usage(5, 6, 7)),),
    seconds_to_first_word=0.5,
    seconds=1.25,
    model="m",
    embedder="e",
)


def test_the_answer_has_the_words_of_the_contract() -> None:
    found = answer_json(ANSWER, "q1")

    contract = {
        "event": "answer",
        "id": "q1",
        "question": "and?",
        "standalone_question": "and who?",
        "strategy": "complex",
        "route_reason": "files",
        "answer": "So [1] [2].",
        "refused": False,
        "evaluation": {"enough": False, "missing": ["when"], "reason": "half", "confidence": None},
        "judgement": {"relevance": 1, "completeness": 0.5, "faithfulness": 1, "score": 0.8},
        "doubts": [{"start": 3, "end": 6, "kind": "number", "text": "[1]"}],
        "refusal": {"searched": ["who?"], "closest": [{"n": 1, "why": "no_answer"}], "would_settle": "A document that says who."},
        "limits_hit": ["seconds"],
        "seconds_to_first_word": 0.5,
        "seconds": 1.25,
        "model": "m",
        "embedder": "e",
    }
    assert {key: found[key] for key in contract} == contract
    assert found["sub_questions"][0] | {"error": ""} == {"query": "who?", "answer": "him", "found": 3, "error": ""}
    assert {"n": 1, "file": "/docs/a.md", "quote": "text", "start": 10, "end": 14, "line": 2, "page": 12}.items() <= found["citations"][
        0
    ].items()
    assert {"file": "/docs/a.md", "start": 10, "end": 14, "score": 0.5}.items() <= found["documents"][0].items()
    assert {"node": "retrieve", "seconds": 0.123, "tokens_evaluated": 5, "tokens_reused": 6, "tokens_generated": 7}.items() <= found[
        "steps"
    ][0].items()
    assert found["web"]["results"] == [{"title": "Page", "url": "https://p.example/", "domain": "p.example", "published": "2024"}]


def test_citations_of_pages_stand_with_the_web_and_not_among_files() -> None:
    found = answer_json(ANSWER)

    assert [citation["n"] for citation in found["citations"]] == [1]
    assert found["web"]["citations"] == [{"n": 2, "title": "Page", "url": "https://p.example/", "quote": "said"}]


def test_events_are_named_and_plain() -> None:
    assert answer_event_json(StepStarted("retrieve")) == {"event": "step_started", "node": "retrieve"}
    assert answer_event_json(AnswerText("a", True)) == {"event": "text", "text": "a", "own_knowledge": True}
    detail = answer_event_json(StepFinished(Step("retrieve", 1.0), {"file": Path("/a"), "list": (1, None)}))["detail"]
    assert json.loads(json_line(detail)) == {"file": "/a", "list": [1, None]}


def test_indexing_ends_with_the_contracts_words() -> None:
    file = IndexedFile(Path("/docs/a.md"), "failed", "binary", "utf-8", 0, 0.25)

    report = index_report_json(IndexReport((file,), 12.345, 2.0))

    assert report["event"] == "indexed"
    assert (report["chunks_per_second"], report["seconds"]) == (12.35, 2.0)
    row = {"file": "/docs/a.md", "state": "failed", "reason": "binary", "encoding": "utf-8", "chunks": 0, "seconds": 0.25}
    assert row.items() <= report["files"][0].items()
    assert row.items() <= index_event_json(FileFinished(file, 1, 1)).items()
    assert {**row, "event": "file_searchable"}.items() <= index_event_json(FileSearchable(file, 1, 1)).items()


def test_passages_carry_their_text() -> None:
    found = passages_json("q", [CHUNK], 0.1)

    assert (found["event"], found["query"], found["seconds"]) == ("passages", "q", 0.1)
    assert {"file": "/docs/a.md", "start": 10, "end": 14, "score": 0.5, "text": "text"}.items() <= found["passages"][0].items()


def test_a_name_with_undecodable_bytes_survives_json() -> None:
    name = os.fsdecode(b"/docs/\xff\n.md")

    written = json_line({"file": name}).encode("utf-8", "backslashreplace")

    assert json.loads(written)["file"] == name
    assert b"\n" not in written
