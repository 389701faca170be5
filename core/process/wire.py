"""The language between the app and its children: one JSON object a line, UTF-8, of limited size.

To the child: `{"id": 7, "op": "stream", "payload": {...}}` and `{"cancel": 7}`.
From the child: any number of `{"id": 7, "event": {...}}`, then `{"id": 7, "done": true}` or `{"id": 7, "error": {...}}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from core.errors import LamplightError, from_wire

Json = dict[str, Any]

MAX_LINE_BYTES = 64 * 1024 * 1024


class WireError(Exception):
    """What came over the wire is not a message."""


def encode(message: Mapping[str, Any], *, max_bytes: int = MAX_LINE_BYTES) -> bytes:
    """One line for `message`. Raises `WireError` if it would be longer than the other side reads."""
    # ASCII only: a lone surrogate in a text must not be able to break the protocol.
    line = json.dumps(message, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
    if len(line) > max_bytes:
        raise WireError(f"a message of {len(line)} bytes is over the limit of {max_bytes}")
    return line


def read_message(stream: IO[bytes], *, max_bytes: int = MAX_LINE_BYTES) -> Json | None:
    """The next message, or None at the end of the stream. Raises `WireError` for anything that is not one whole message."""
    line = stream.readline(max_bytes + 1)
    if not line:
        return None
    if len(line) > max_bytes:
        raise WireError(f"a line is over the limit of {max_bytes} bytes")
    if not line.endswith(b"\n"):
        raise WireError("the last line is cut off")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError(f"a line is not JSON: {line[:80]!r}") from error
    if not isinstance(message, dict):
        raise WireError(f"a line is not a JSON object: {line[:80]!r}")
    return message


def error_to_wire(error: LamplightError) -> Json:
    """What travels of an error: its class name, code, sentence and facts."""
    return {"kind": type(error).__name__, "code": error.code, "message": error.message, "details": dict(error.details)}


def error_from_wire(data: object) -> LamplightError:
    """The error that the other side reported. Raises `WireError` if it is not one."""
    match data:
        case {"kind": str(kind), "code": str(code), "message": str(message), "details": dict(details)}:
            facts = {str(key): value for key, value in details.items() if isinstance(value, str | int | float)}
            reserved = {"message", "code", "self"}
            return from_wire(kind, message, code, {key: value for key, value in facts.items() if key not in reserved})
        case _:
            raise WireError(f"not an error: {str(data)[:80]}")
