"""Blocks of source code and of settings files: where a definition or a section begins, and what it is called.

No language is parsed. A line that defines something looks much the same in most of them, and a wrong guess only names a passage oddly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.library.outline import Heading, lines_of, title_of

_DEFINITION = re.compile(
    r"(?P<indent>[ \t]{0,40})(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|async|override|virtual|inline|extern|pub(?:\([a-z]+\))?"
    r"|unsafe|const|data|open|partial|local|declare)[ \t]+){0,6}"
    r"(?:(?:def|class|func|function|fn|sub|struct|enum|union|interface|trait|impl|type|module|namespace|object|protocol|extension|record|procedure|message|service|package|macro_rules!)"
    r"[ \t(]+(?P<name>[^\s({:;=<\[]{1,60})|(?i:create)[ \t]+(?i:or[ \t]+replace[ \t]+)?(?i:table|view|function|procedure|trigger|index)[ \t]+(?P<sql>\S{1,60}))"
)
# In C and its kin a definition is a type, a name and arguments, at the left edge, and no statement.
_C_FUNCTION = re.compile(r"[A-Za-z_][\w:<>*&,\[\] \t]{0,100}?[ \t*&](?P<name>[A-Za-z_~][\w:~]{0,60})[ \t]*\([^;=]*$")
_NO_FUNCTION = re.compile(r"(?:if|else|for|while|switch|return|case|do|using|import|from|print|and|or|not|in)\b")
# What stands right above a definition belongs to it.
_BELONGS_BELOW = re.compile(r"[ \t]*(?:@|#(?!include|define|if|endif|else|undef|pragma)|//|/\*|\*|--|;;|\"\"\"|\[<|#\[)")
_SETTINGS = re.compile(r"[ \t]*\[{1,2}([^\[\]\n]{1,120})\]{1,2}[ \t]*(?:[#;].*)?$")
_YAML_KEY = re.compile(r"(?P<indent> {0,8})(?:- )?(?P<name>[\w.\"'/ -]{1,80}?)[ \t]*:[ \t]*(?:#.*|[&!][^\n]{0,80})?$")
_LONGEST_LINE = 400


def code_blocks(text: str) -> Iterator[Heading]:
    """Functions, classes and the like, with the comments and decorators right above them; deeper ones lie in those less indented."""
    block_start: int | None = None
    for start, line in lines_of(text):
        if len(line) > _LONGEST_LINE or not line.strip():
            block_start = None
            continue
        found = _DEFINITION.match(line)
        name = (found["name"] or found["sql"]) if found else ""
        indent = len(found["indent"].expandtabs(4)) if found else 0
        if not name and not line[0].isspace() and not _NO_FUNCTION.match(line) and (function := _C_FUNCTION.match(line)):
            name = function["name"]
        if name:
            yield Heading(start if block_start is None else block_start, indent + 1, title_of(name))
            block_start = None
        elif not _BELONGS_BELOW.match(line):
            block_start = None
        elif block_start is None:
            block_start = start


def settings_sections(text: str) -> Iterator[Heading]:
    """Sections of .ini, .toml and their kin: a name in brackets, its points are levels."""
    for start, line in lines_of(text):
        if len(line) <= _LONGEST_LINE and (found := _SETTINGS.match(line)):
            yield Heading(start, 1, title_of(found[1]))


def yaml_sections(text: str) -> Iterator[Heading]:
    """Keys that have a block below them, as deep as they are indented."""
    for start, line in lines_of(text):
        if len(line) <= _LONGEST_LINE and (found := _YAML_KEY.match(line)):
            yield Heading(start, len(found["indent"]) + 1, title_of(found["name"].strip("\"'")))
