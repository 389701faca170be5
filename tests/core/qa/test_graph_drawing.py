from __future__ import annotations

import pytest

from core.qa.drawing import BEGIN, END, PAGE, drawn_in, mermaid, redrawn
from core.qa.graph import build_graph


def test_the_drawing_in_the_docs_is_the_graph_that_runs() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert drawn_in(page) == mermaid(), "the graph has changed: run `python -m core.qa.drawing` and look at docs/architecture.md"


def test_every_node_and_every_edge_is_drawn() -> None:
    graph = build_graph().get_graph()

    lines = [line.strip() for line in mermaid().splitlines()]

    assert lines[0] == "flowchart TD"
    assert len(lines) == 1 + len(graph.nodes) + len(graph.edges)
    assert {name for name in graph.nodes if not name.startswith("__")} <= set(lines)


def test_what_is_always_taken_and_what_is_chosen_look_different() -> None:
    lines = {line.strip() for line in mermaid().splitlines()}

    assert "decompose_question --> retrieve" in lines
    assert "evaluate_context -.-> web_search" in lines


def test_only_what_stands_between_the_marks_is_replaced() -> None:
    page = redrawn(f"before\n{BEGIN}\nold\n{END}\nafter\n")

    assert page.startswith(f"before\n{BEGIN}\n```mermaid\nflowchart TD\n")
    assert page.endswith(f"```\n{END}\nafter\n")
    assert drawn_in(page) == mermaid()


def test_a_page_without_marks_is_an_error_and_not_an_empty_drawing() -> None:
    with pytest.raises(ValueError, match="substring"):
        drawn_in("no marks here")
