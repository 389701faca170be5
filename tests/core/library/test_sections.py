"""How files of many kinds are cut into sections, and what these are called."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library.chunking import chunk
from core.library.file_kinds import Kind, kind_of
from core.library.sections import first_heading, sections

ALL_KINDS: tuple[Kind, ...] = (
    "prose", "markdown", "rst", "org", "asciidoc", "textile", "latex", "table", "code", "json", "records", "settings", "yaml", "log", "other",
)  # fmt: skip

RST = """\
=====
Lamps
=====

About lamps.

Oil
===

Which oil.

Sperm oil
---------

The best.

Wick
====

A table, no title::

    Not
    ===

===== =====
Oil   Price
===== =====
seal  4
===== =====
"""
ORG = """\
#+TITLE: The light
* TODO [#A] Oil                        :stock:work:
Which oil.
** Seal oil
Cheap.
#+BEGIN_SRC text
* no heading
#+END_SRC
* Wick
New.
"""
ASCIIDOC = "= The light\n\nIntro.\n\n== Oil\n\n----\n== no title\n----\n\n=== Seal oil ===\n\nCheap.\n"
LATEX = "\\documentclass{book}\n\\chapter[Short]{The \\emph{Light}}\nText.\n\\section*{Oil}\nMore.\n\\subsection{Seal}\nEnd.\n"
TEXTILE = "h1. The light\n\nIntro.\n\nh2(#oil). Oil\n\nText.\n"
PYTHON = '''\
"""Lamps."""
import os

LIMIT = 3


# How a lamp burns.
@cached
class Lamp:
    """A lamp."""

    def burn(self, oil: int) -> int:
        # def no_definition
        return oil

    async def put_out(self):
        pass


def light(lamps):
    return [lamp.burn(1) for lamp in lamps]
'''
C = "#include <stdio.h>\n\nstatic int burn(struct lamp *lamp,\n                int oil) {\n    if (oil) return 1;\n}\n\nint main(int argc, char **argv)\n{\n    burn(0, 1);\n}\n"
SQL = "-- who keeps it\nCREATE TABLE keepers (\n  name TEXT\n);\ncreate or replace view lit as select 1;\n"
TOML = "name = 'light'\n\n[tool.oil]\nkind = 'seal'\n\n[[lamp]]  # first\nheight = 3\n"
YAML = "version: 3\nservices:\n  lamp:\n    image: oil\n    ports:\n      - 80\n  keeper:\n    image: arno\nvolumes:\n  - a: 1\n"
JSON = json.dumps(
    {"name": "light", "oil": {"kind": "seal", "price": {"now": 4}}, "keepers": [{"name": "Arno"}, {"name": "Vik"}], "built": 1871}, indent=1
)


def found(text: str, kind: Kind) -> list[tuple[str, str]]:
    """The path of each section and how its text begins."""
    return [(part.heading_path, text[part.start : part.end].split("\n")[0].strip()) for part in sections(text, kind)]


def paths(text: str, kind: Kind) -> list[str]:
    return [path for path, _ in found(text, kind)]


def count_tokens(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) * 2 for text in texts]


def test_restructured_text_tells_levels_by_the_order_of_its_signs() -> None:
    assert paths(RST, "rst") == ["Lamps", "Lamps > Oil", "Lamps > Oil > Sperm oil", "Lamps > Wick"]
    assert found(RST, "rst")[0][1] == "====="
    assert first_heading(RST, "rst") == "Lamps"


def test_the_same_signs_above_and_below_are_another_level() -> None:
    assert paths("A\n=\nno\n\n===\nPart\n===\n\nChapter\n=======\n\nx\n", "rst") == ["", "Part", "Part > Chapter"]


def test_org_headings_are_their_words_alone() -> None:
    assert paths(ORG, "org") == ["", "Oil", "Oil > Seal oil", "Wick"]
    assert first_heading(ORG, "org") == "The light"


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (ASCIIDOC, "asciidoc", ["The light", "The light > Oil", "The light > Oil > Seal oil"]),
        (LATEX, "latex", ["", "The Light", "The Light > Oil", "The Light > Oil > Seal"]),
        (TEXTILE, "textile", ["The light", "The light > Oil"]),
    ],
)
def test_other_markups_have_headings_too(text: str, kind: Kind, expected: list[str]) -> None:
    assert paths(text, kind) == expected


def test_code_is_cut_at_its_definitions_with_what_belongs_to_them() -> None:
    assert found(PYTHON, "code") == [
        ("", '"""Lamps."""'),
        ("Lamp", "# How a lamp burns."),
        ("Lamp > burn", "def burn(self, oil: int) -> int:"),
        ("Lamp > put_out", "async def put_out(self):"),
        ("light", "def light(lamps):"),
    ]


def test_functions_without_a_word_for_it_are_found_at_the_left_edge() -> None:
    assert paths(C, "code") == ["", "burn", "main"]
    assert found(SQL, "code") == [("keepers", "-- who keeps it"), ("lit", "create or replace view lit as select 1;")]


def test_settings_have_sections() -> None:
    assert paths(TOML, "settings") == ["", "tool.oil", "lamp"]
    assert paths(YAML, "yaml") == ["", "services", "services > lamp", "services > lamp > ports", "services > keeper", "volumes"]


@pytest.mark.parametrize("indent", [1, None])
def test_json_is_cut_at_the_members_that_hold_others(indent: int | None) -> None:
    text = JSON if indent else json.dumps(json.loads(JSON))

    assert paths(text, "json") == ["", "oil", "oil > price", "keepers", "keepers", ""]
    assert [text[part.start :][:8] for part in sections(text, "json")][1] == '"oil": {'


def test_the_elements_of_a_list_of_records_are_sections_under_its_key() -> None:
    text = json.dumps({"items": [{"name": f"Lamp {number}", "note": "It burns. " * 30} for number in range(5)]})

    assert paths(text, "json")[1:] == ["items"] * 6


@pytest.mark.parametrize(
    "text", ['{"a": {"b": "unclosed', '{"a": [1, 2', "}{][", '{"a" "b": {', '// comment\n{"a": {}}', '["\\ud800", {"x": 1}]']
)
def test_json_that_is_none_is_cut_all_the_same(text: str) -> None:
    assert "".join(text[part.start : part.end] for part in sections(text, "json")) == text


def test_a_record_of_json_lines_is_never_cut_while_it_fits() -> None:
    lines = [json.dumps({"id": number, "text": "It burns. And it shines. " * 8}) for number in range(50)]

    spans = chunk("\n".join(lines), "records", count_tokens)

    assert len(spans) > 5
    assert all(piece in lines for span in spans for piece in "\n".join(lines)[span.start : span.end].split("\n"))


@pytest.mark.parametrize("kind", ["code", "log", "settings", "yaml"])
def test_lines_are_not_cut_at_their_full_stops(kind: Kind) -> None:
    lines = [f"12:00:{number:02} INFO lamp {number}. It burns. Oil is low. All is well" for number in range(60)]
    text = "\n".join(lines)

    pieces = [piece for span in chunk(text, kind, count_tokens) for piece in text[span.start : span.end].split("\n")]

    assert pieces == lines


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.rst", "rst"), ("A.ORG", "org"), ("a.jsonl", "records"), ("a.yml", "yaml"), ("a.toml", "settings"), ("a.log", "log"), ("a.tex", "latex"), ("a", "other")],
)  # fmt: skip
def test_the_kind_is_told_from_the_name(name: str, kind: Kind) -> None:
    assert kind_of(Path(name)) == kind


def test_a_string_that_is_no_key_gives_no_section_its_name() -> None:
    for text in ('{""[]:', '{"a" [{}]: {"b": [1]}}', '["a", [], : {}]'):
        parts = sections(text, "json")
        assert all(one.end <= other.start for one, other in pairwise(parts))


@pytest.mark.parametrize("kind", ALL_KINDS)
@given(text=st.text(alphabet="ab \n=-#*|{}[]:,\"'\\.()@/1第章", max_size=200))
def test_any_text_is_cut_without_gaps(kind: Kind, text: str) -> None:
    parts = sections(text, kind)

    assert "".join(text[part.start : part.end] for part in parts).split() == text.split()
    assert all(one.end <= other.start for one, other in pairwise(parts))


@pytest.mark.parametrize("kind", ALL_KINDS)
@pytest.mark.parametrize(
    "unit", ['"', '"\\"', "{", '{"a":', "[[", "=\n", "a\n=\n", "* ", "| a ", "|-|\n", "def f(", "@x\n", "a(", "key:\n", "-" * 50 + "\n", "\\section{", "(", "pub "]
)  # fmt: skip
def test_pathological_texts_take_linear_time(kind: Kind, unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.thread_time()
        sections(text, kind)
        return time.thread_time() - started

    seconds(10_000)
    small, large = seconds(50_000), seconds(400_000)

    assert large < 8 * 4 * small + 0.2
