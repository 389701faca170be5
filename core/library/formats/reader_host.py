"""The reader's child process. Run by `core.process.host`, never imported by the app.

A file comes in pieces, because a message has a limit: `give` takes all but the last, `read` takes that and parses them together. The text goes back in
pieces, too, and the last event says what it is.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

from core.cancel import CancelToken
from core.library.formats.confinement import allow_cpu_seconds, confine_reader
from core.library.formats.parsed import ParsedDocument
from core.process.child import serve
from core.process.wire import Json

_PIECE_CHARACTERS = 1_000_000
_PIECE_PAGES = 100_000


class ReaderHost:
    """Holds the pieces of one file, then parses it with `parse(suffix, data, encoding)`."""

    def __init__(self, parse: Callable[[str, bytes, str], ParsedDocument]) -> None:
        self._parse = parse
        self._pieces: list[bytes] = []

    def give(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        """Take one piece; `first` begins a new file."""
        self._take(payload)
        yield {}

    def read(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        """Take the last piece, and parse what was given."""
        self._take(payload)
        data, self._pieces = b"".join(self._pieces), []
        document = self._parse(payload["suffix"], data, payload["encoding"])
        for start in range(0, len(document.text), _PIECE_CHARACTERS):
            yield {"text": document.text[start : start + _PIECE_CHARACTERS]}
        for first in range(0, len(document.pages), _PIECE_PAGES):
            yield {"pages": [[page.start, page.page] for page in document.pages[first : first + _PIECE_PAGES]]}
        yield {"title": document.title, "kind": document.kind, "encoding": document.encoding}

    def _take(self, payload: Json) -> None:
        allow_cpu_seconds(payload["cpu_seconds"])
        if payload["first"]:
            self._pieces = []
        self._pieces.append(base64.b64decode(payload["base64"]))


def run(parse: Callable[[str, bytes, str], ParsedDocument]) -> NoReturn:
    """Serve requests until the app is gone, shut in."""
    host = ReaderHost(parse)
    confine_reader()
    serve({"give": host.give, "read": host.read}, low_priority=True)


if __name__ == "__main__":
    # openpyxl takes numpy in where it finds it, only to know numpy's kinds of numbers. Numpy starts threads, and a process that has threads
    # gets no network of its own; it also reserves more memory than this process may have.
    sys.modules["numpy"] = None  # type: ignore[assignment]
    from core.library.formats.reading import read_document

    run(read_document)
