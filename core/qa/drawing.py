"""The graph as a drawing, made from the compiled graph itself, so that docs/architecture.md cannot say anything else.

python -m core.qa.drawing      writes the drawing into docs/architecture.md, between its two marks
"""

from __future__ import annotations

from pathlib import Path

from core.paths import PROGRAM
from core.qa.graph import build_graph

PAGE = PROGRAM / "docs" / "architecture.md"
BEGIN, END = "<!-- graph:begin -->", "<!-- graph:end -->"

_ENDS = {"__start__": "start([question])", "__end__": "finish([answer])"}


def mermaid() -> str:
    """The graph in mermaid's notation: solid arrows are always taken, dotted ones are chosen in `routes.py`."""
    graph = build_graph().get_graph()
    order = {name: number for number, name in enumerate(graph.nodes)}
    lines = [_ENDS.get(name, name) for name in graph.nodes]
    for edge in sorted(graph.edges, key=lambda edge: (order[edge.source], order[edge.target])):
        arrow = "-.->" if edge.conditional else "-->"
        lines.append(f"{_name(edge.source)} {arrow} {_name(edge.target)}")
    return "\n".join(["flowchart TD", *(f"    {line}" for line in lines)])


def drawn_in(page: str) -> str:
    """The drawing that stands between the marks of `page`. Raises `ValueError` when a mark is missing."""
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return page[begin:end].strip().removeprefix("```mermaid").removesuffix("```").strip()


def redrawn(page: str) -> str:
    """`page` with the drawing of today's graph between its marks."""
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:begin]}\n```mermaid\n{mermaid()}\n```\n{page[end:]}"


def redraw(page: Path = PAGE) -> None:
    """Bring the drawing in `page` up to date."""
    text = redrawn(page.read_text(encoding="utf-8"))
    page.write_text(text, encoding="utf-8", newline="\n")


def _name(node: str) -> str:
    return _ENDS.get(node, node).split("(")[0]


if __name__ == "__main__":
    redraw()
