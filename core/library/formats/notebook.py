"""Notebooks (.ipynb) as a person sees them: Markdown as it is, code in fences of its language, and below each cell what it wrote, without pictures.

Source: The Jupyter Notebook format, versions 2 to 4. Before 4 cells lie in worksheets, and the forms of an output have short names and lie in the output itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from core.library.decoding import clean
from core.library.encoded_data import without_encoded_data
from core.library.formats.html_text import html_to_text
from core.library.formats.markdown import one_line
from core.library.formats.parsed import ParsedDocument

Json = dict[str, Any]

_LONGEST = 4_000
"""Characters of one output. Of longer ones the beginning and the end are kept: logs end with what came of it."""

# Where a result has such a form, its plain text is not seen; the last four are the names of version 3.
_SHOWN_OTHERWISE = (
    "image/", "application/javascript", "application/vnd.jupyter.widget", "application/vnd.plotly", "png", "jpeg", "svg", "javascript"
)  # fmt: skip
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_OVERWRITTEN = re.compile(r"^[^\n]*\r(?=[^\r\n])", re.MULTILINE)
"""What was on a line before a bar of progress was drawn over it."""


def read_notebook(text: str) -> ParsedDocument:
    """What is no notebook (cut off, or with the marks of a merge in it) is read as the JSON that it is: what somebody wrote is in there, and is found."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        notebook = None
    if not isinstance(notebook, dict) or not notebook.keys() & {"cells", "worksheets", "nbformat"}:
        return ParsedDocument(without_encoded_data(text), kind="json")
    language = _at(notebook, "metadata", "language_info", "name") or _at(notebook, "metadata", "kernelspec", "language")
    cells = [cell for sheet in [notebook, *_objects(notebook, "worksheets")] for cell in _objects(sheet, "cells")]
    blocks = [block.strip("\n") for cell in cells for block in _cell(cell, language)]
    return ParsedDocument(without_encoded_data("\n\n".join(block for block in blocks if block.strip())))


def _cell(cell: Json, language: str) -> Iterator[str]:
    source = _text(cell.get("source", cell.get("input")))
    match cell.get("cell_type"):
        case "markdown":
            yield _closed(source)
        case "heading" if source.strip():
            yield f"{'#' * min(max(_whole(cell.get('level')), 1), 6)} {one_line(source)}"
        case "code":
            yield _fenced(source, _at(cell, "language") or language)
            yield from _outputs(cell)
        case _:
            yield _fenced(source)


def _outputs(cell: Json) -> Iterator[str]:
    for is_stream, outputs in groupby(_objects(cell, "outputs"), lambda output: output.get("output_type") == "stream"):
        if is_stream:
            yield _fenced(_short("".join(_text(output.get("text")) for output in outputs)))
        else:
            yield from map(_output, outputs)


def _output(output: Json) -> str:
    """An error or a result. Of the several forms of a result one is seen, the richest; pictures and what scripts draw have no text."""
    if output.get("output_type") in ("error", "pyerr"):
        message = ": ".join(filter(None, (_text(output.get("ename")), _text(output.get("evalue")))))
        return _fenced(_short(message or _text(output.get("traceback"))))
    forms = output.get("data")
    forms = forms if isinstance(forms, dict) else output
    if html := _form(forms, "text/html", "html"):
        return _closed(_short(html_to_text(html).text))
    if marked := _form(forms, "text/markdown", "markdown") or _form(forms, "text/latex", "latex"):
        return _closed(_short(marked))
    return "" if any(name.startswith(_SHOWN_OTHERWISE) for name in forms) else _fenced(_short(_form(forms, "text/plain", "text")))


def _form(forms: Json, name: str, old_name: str) -> str:
    return _text(forms.get(name, forms.get(old_name)))


def _short(text: str) -> str:
    """What a terminal would show in the end, its middle left out where it is long."""
    shown = without_encoded_data(clean(_OVERWRITTEN.sub("", text.replace("\r\n", "\n"))))
    if len(shown) <= _LONGEST:
        return shown
    begin, end = shown[: _LONGEST // 2], shown[-_LONGEST // 2 :]
    return "\n".join([begin.rpartition("\n")[0] or begin, "…", end.partition("\n")[2] or end])


def _fenced(text: str, language: str = "") -> str:
    """A block of code, in a fence that nothing in it ends."""
    text = text.strip("\n")
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    name = language if _LANGUAGE.fullmatch(language) else ""
    return f"{fence}{name}\n{text}\n{fence}" if text.strip() else ""


def _closed(markdown: str) -> str:
    """A fence that a cell leaves open ends with the cell."""
    fence = ""
    for found in _FENCE.finditer(markdown):
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence):
            fence = ""
    return f"{markdown}\n{fence}" if fence else markdown


def _text(value: object) -> str:
    """A text, which may be kept as a list of its lines, in old files without their ends."""
    if isinstance(value, list):
        lines = [line for line in value if isinstance(line, str)]
        return ("" if any(line.endswith(("\n", "\r")) for line in lines) else "\n").join(lines)
    return value if isinstance(value, str) else ""


def _objects(parent: Json, name: str) -> list[Json]:
    found = parent.get(name)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _at(parent: Json, *path: str) -> str:
    """The text at the end of a path of names, or ""."""
    found: object = parent
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 1
