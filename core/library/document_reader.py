"""Documents that need a parser are read in a child process: whatever a file does to its parser, the app loses one file and no more."""

from __future__ import annotations

import base64
import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import cast

from core.cancel import CancelToken
from core.documents import PageStart
from core.errors import ChildCrashed, ChildTimedOut, DocumentUnreadable, NotEnoughMemory
from core.library.extraction import ExtractedText
from core.library.file_kinds import Kind, is_document, is_packed
from core.library.sections import first_heading
from core.process.host import ChildProcess
from core.process.wire import Json

CPU_SECONDS = 60
"""Time on the processor for one file; the operating system ends the child after it."""

WALL_SECONDS = 120.0
"""Time by the clock for one file, for a parser that waits for something."""

_MODULE = "core.library.formats.reader_host"
_PAGE_SUFFIX = ".html"
_PIECE_BYTES = 8 * 1024 * 1024
_GIVE_SECONDS = 60.0
_ENDED_FOR_CPU_TIME = -signal.SIGXCPU if hasattr(signal, "SIGXCPU") else None


class DocumentReader:
    """Reads documents, one after the other, in one child that is started when the first of them comes. `close` it.

    The file's bytes go through the pipe, in pieces: no copy of a person's document lies anywhere on the disk.
    """

    def __init__(self, module: str = _MODULE, *, cpu_seconds: int = CPU_SECONDS, wall_seconds: float = WALL_SECONDS) -> None:
        self._child = ChildProcess(module, name="The reader of files", time_limit_seconds=_GIVE_SECONDS)
        self._cpu_seconds = cpu_seconds
        self._wall_seconds = wall_seconds
        self._one_file = threading.Lock()

    def read(self, path: Path, data: bytes, cancel: CancelToken, *, encoding: str = "") -> ExtractedText:
        """The text of the document `data`; `path` only tells its kind and its name. A name that tells nothing stands for a web page.

        `encoding` is what the person has chosen for a file that is text itself.

        Raises:
            DocumentUnreadable: binary, empty, wrong_encoding, needs_password, no_text_layer, no_text, damaged, unpacks_too_large, too_large, unsupported for what is in
                the file; timed_out, too_much_memory, reader_crashed for what it did to its parser, after which the next file gets a fresh child;
                reader_unavailable if there is no child to read it.
            Cancelled: the token was cancelled, or the reader closed.
        """
        with self._one_file:
            try:
                return self._read(path, data, cancel, encoding)
            except ChildTimedOut as error:
                raise _unreadable(path, "timed_out", "it takes too long") from error
            except NotEnoughMemory as error:
                # It may still hold what it had got.
                self._child.unload()
                raise _unreadable(path, "too_much_memory", "it needs too much memory") from error
            except ChildCrashed as error:
                if error.details.get("exit_code") == _ENDED_FOR_CPU_TIME:
                    raise _unreadable(path, "timed_out", "it takes too long") from error
                raise _unreadable(path, "reader_crashed", "its parser crashed") from error

    def unload(self) -> None:
        """End the child and free its memory; the next document starts it again."""
        self._child.unload()

    def close(self) -> None:
        """End the child for good. Safe to call twice and from any thread."""
        self._child.close()

    @property
    def pid(self) -> int | None:
        """The running child's process id, or None."""
        return self._child.pid

    def _read(self, path: Path, data: bytes, cancel: CancelToken, encoding: str) -> ExtractedText:
        last = max(0, len(data) - 1) // _PIECE_BYTES * _PIECE_BYTES
        self._give(path, data[:last], cancel)
        suffix = "".join(path.suffixes[-2 if is_packed(path) else -1 :]).lower() if is_document(path) else _PAGE_SUFFIX
        payload = {"suffix": suffix, "encoding": encoding, **self._piece(data[last:], first=last == 0)}
        texts: list[str] = []
        pages: list[PageStart] = []
        title, kind, found_encoding = "", "prose", ""
        for event in self._child.request("read", payload, cancel=cancel, time_limit_seconds=self._wall_seconds):
            texts.append(str(event.get("text", "")))
            pages += (PageStart(int(start), int(page)) for start, page in event.get("pages", ()))
            title, kind = str(event.get("title", title)), str(event.get("kind", kind))
            found_encoding = str(event.get("encoding", found_encoding))
        kind_of_text = cast(Kind, kind)
        return _titled(ExtractedText("".join(texts), title, found_encoding, kind_of_text, tuple(pages)), path.stem)

    def _piece(self, data: bytes, *, first: bool) -> Json:
        return {"first": first, "base64": base64.b64encode(data).decode("ascii"), "cpu_seconds": self._cpu_seconds}

    def _give(self, path: Path, data: bytes, cancel: CancelToken) -> None:
        """Hand over all but the last piece of a file, which goes with the request to read it: a small file is one trip through the pipe."""
        try:
            if self._child.pid is None:
                self._child.call("give", self._piece(b"", first=True), cancel=cancel)
            for start in range(0, len(data), _PIECE_BYTES):
                self._child.call("give", self._piece(data[start : start + _PIECE_BYTES], first=start == 0), cancel=cancel)
        except (ChildCrashed, ChildTimedOut) as error:
            # Nothing of the file was looked at yet, so it is not to blame.
            raise _unreadable(path, "reader_unavailable", "the reader of files does not start") from error


def _titled(found: ExtractedText, stem: str) -> ExtractedText:
    """The text with a title. One that the text does not begin with is put above it: it is part of what the document says."""
    above = f"# {found.title}\n\n" if found.title and found.title not in found.text[:500] else ""
    text = above + found.text
    # What stands before the first page with text is on it, too.
    pages = tuple(PageStart(page.start + len(above) if number else 0, page.page) for number, page in enumerate(found.pages))
    return replace(found, text=text, title=found.title or first_heading(text, found.kind) or stem, pages=pages)


def _unreadable(path: Path, code: str, why: str) -> DocumentUnreadable:
    return DocumentUnreadable(f"{path} cannot be read: {why}.", code=code, path=str(path))
