"""Answers as JSON text, readable for as long as the person keeps them."""

from __future__ import annotations

import json
import logging
import os
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from core.documents import Answer
from core.scope import EVERYTHING, Scope
from core.store.storable import storable

_ANSWER = TypeAdapter(Answer)
_SCOPE = TypeAdapter(Scope)
_REQUIRED = {"question": "", "standalone_question": "", "strategy": "", "route_reason": "", "text": "", "origin": "none", "refused": False}


def answer_to_json(answer: Answer) -> str:
    """The whole answer as JSON. Lone surrogates become a replacement character, except in paths, where they are part of the name."""
    return json.dumps(_plain(_ANSWER.dump_python(answer)))


def answer_from_json(stored: str | None) -> Answer | None:
    """The answer, or None where nothing is stored or it cannot be read any more.

    Fields that an older version did not know get their defaults; fields that a newer version added are ignored.
    """
    if stored is None:
        return None
    try:
        found = json.loads(stored)
        return _ANSWER.validate_python({**_REQUIRED, **found} if isinstance(found, dict) else found)
    except (ValidationError, ValueError, RecursionError):
        logging.getLogger(__name__).info("a stored answer cannot be read; its text is shown without sources")
        return None


def scope_to_json(scope: Scope) -> str:
    """A scope as JSON; empty for everything."""
    return "" if scope.is_everything else json.dumps(_plain(_SCOPE.dump_python(scope)))


def scope_from_json(stored: str) -> Scope:
    """The scope. One that cannot be read any more is everything: it is shown with its question, never searched by itself."""
    if not stored:
        return EVERYTHING
    try:
        return _SCOPE.validate_python(json.loads(stored))
    except (ValidationError, ValueError, RecursionError):
        logging.getLogger(__name__).info("a stored restriction cannot be read")
        return EVERYTHING


def _plain(value: Any) -> Any:
    match value:
        case str():
            return storable(value)
        case Path():
            return os.fspath(value)
        case date():
            return value.isoformat()
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value
