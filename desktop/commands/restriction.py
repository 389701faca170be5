"""`--in PATH`, `--since DATE` and `--until DATE`: what a search or a question is restricted to."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from core.errors import InvalidRequest, NotFound
from core.scope import Scope
from desktop.assembly import Application
from desktop.terminal import shown_path

LIKELY = 3
"""How many files of the same name are suggested."""


def scope_of(arguments: argparse.Namespace) -> Scope:
    """What the person named, as absolute paths with their links kept.

    Raises:
        InvalidRequest: the first day lies after the last.
    """
    paths = tuple(dict.fromkeys(Path(os.path.abspath(os.path.expanduser(path))) for path in arguments.within))
    if arguments.since and arguments.until and arguments.since > arguments.until:
        raise InvalidRequest(f"{arguments.since} comes after {arguments.until}. Give the earlier day to --since.", code="scope_empty")
    return Scope(paths, arguments.since, arguments.until)


def explained(error: NotFound | InvalidRequest, scope: Scope, application: Application) -> NotFound | InvalidRequest:
    """The error of a scope with what the person can do about it on the command line."""
    if error.code == "not_in_library":
        named = Path(str(error.details["path"]))
        likely = [document.path for document in application.library.documents() if document.path.name == named.name][:LIKELY]
        hint = f"Did you mean {' or '.join(map(shown_path, likely))}?" if likely else "See what is: lamplight library list"
        return NotFound(f"{shown_path(named)} is not in the library. {hint}", code=error.code, path=str(named))
    if error.code == "scope_empty":
        return InvalidRequest(
            f"There is nothing to search {scope_words(scope)}. See what is ready: lamplight library list", code=error.code
        )
    return error


def scope_words(scope: Scope) -> str:
    """The restriction in words that follow a verb: `in /notes/a.md among files changed since 2026-11-01`."""
    days = [f"{word} {day}" for word, day in (("since", scope.since), ("until", scope.until)) if day is not None]
    parts = [f"in {' or '.join(map(shown_path, scope.paths))}"] if scope.paths else []
    return " ".join((*parts, f"among files changed {' and '.join(days)}")) if days else " ".join(parts)
