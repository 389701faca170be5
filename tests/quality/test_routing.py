from __future__ import annotations

from pathlib import Path

from core.paths import Paths
from core.settings import Settings
from desktop.assembly import assemble
from tests.quality.routing import Routed, RoutingQuestion, read_routing_questions, routed, table


def one(name: str, label: str, lang: str, strategy: str, probability: float | None, seconds: float = 0.2, pipeline: str = "full") -> Routed:
    asked = next(q for q in read_routing_questions() if q.half == name and q.label == label and q.lang == lang)
    return Routed(asked, strategy, probability, seconds, "", pipeline)


def cells(text: str, pipeline: str, half: str) -> list[str]:
    row = next(line for line in text.splitlines() if line.startswith(f"| {pipeline} | {half} |"))
    return [cell.strip() for cell in row.strip("|").split("|")][2:]


def test_the_halves_of_the_routing_questions_are_alike() -> None:
    questions = read_routing_questions()

    for half in ("tune", "report"):
        for label in ("files", "general"):
            for lang in ("en", "zh"):
                assert sum((q.half, q.label, q.lang) == (half, label, lang) for q in questions) == 25


def test_the_table_tells_the_halves_and_the_two_mistakes_apart() -> None:
    results = [
        one("tune", "files", "en", "complex", 0.9),
        one("report", "files", "en", "simple", 0.2, seconds=0.1),
        one("report", "files", "zh", "complex", 0.9, seconds=0.3),
        one("report", "general", "zh", "complex", 0.5, seconds=0.5),
        one("report", "general", "en", "simple", 0.1, seconds=0.3),
        one("report", "general", "en", "simple", None, seconds=9.0, pipeline="published"),
    ]

    text = table(results)

    assert cells(text, "full", "tune")[:2] == ["1", "1.000"]
    assert cells(text, "full", "report") == ["4", "0.500", "0.500", "0.500", "1", "1", "0.750", "0.300", "0.440"]
    assert cells(text, "published", "report") == ["1", "1.000", "1.000", "–", "0", "0", "–", "9.000", "9.000"]


def test_the_real_node_decides_without_touching_the_index(tmp_path: Path) -> None:
    application = assemble(Paths(tmp_path), Settings(), use_echo=True)
    asked = [RoutingQuestion("a", "What does the lease say?", "files", "en"), RoutingQuestion("b", "2 + 2", "general", "en")]

    try:
        found = list(routed(application, asked))
    finally:
        application.close()

    assert [result.asked.id for result in found] == ["a", "b"]
    assert found[1].strategy == "simple" and found[1].right
    assert all(result.seconds >= 0 for result in found)
    assert not Paths(tmp_path).index_database.exists()
