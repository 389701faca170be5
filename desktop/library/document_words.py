"""The state of a file in a person's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from core.documents import DocumentState
from desktop.error_text import reason_text

translate = QCoreApplication.translate

RowState = DocumentState | Literal["indexing"]
# Python's names that nobody knows.
_WELL_KNOWN = {
    "big5hkscs": "Big5", "cp932": "Shift JIS", "cp949": "EUC-KR", "utf-8-sig": "UTF-8", "mac_roman": "Mac Roman", "cp874": "Windows-874",
    **{f"cp125{digit}": f"Windows-125{digit}" for digit in range(9)},
}  # fmt: skip
_UTF8 = frozenset({"", "ascii", "utf8", "utf8sig"})


@dataclass(frozen=True, slots=True)
class RowStatus:
    """How far one file has come. `done` of `total` passages are embedded while it is being indexed."""

    state: RowState
    reason: str = ""
    encoding: str = ""
    passages: int = 0
    done: int = 0
    total: int = 0
    encoding_is_chosen: bool = False


def state_line(status: RowStatus) -> str:
    """One line: the state, and the reason if there is one."""
    match status.state:
        case "waiting" if status.reason == "other_model":
            return reason_line(status.reason)
        case "waiting" if status.passages:
            return translate("LibraryWords", "Found by its words so far")
        case "waiting":
            return translate("LibraryWords", "Waiting")
        case "indexing" if status.total:
            return translate("LibraryWords", "Indexing {done}/{total}").format(done=status.done, total=status.total)
        case "indexing":
            return translate("LibraryWords", "Reading")
        case "ready":
            return translate("LibraryWords", "Ready · {passages}").format(passages=passages_text(status.passages))
        case "skipped":
            return translate("LibraryWords", "Skipped: {reason}").format(reason=reason_line(status.reason))
        case "failed":
            return translate("LibraryWords", "Failed: {reason}").format(reason=reason_line(status.reason))


def reason_line(code: str) -> str:
    """Why the file is not ready."""
    return translate("errors", reason_text(code).title)


def what_to_do(code: str) -> str:
    """What the person can do about it."""
    return translate("errors", reason_text(code).what_to_do)


def passages_text(count: int) -> str:
    """A number of passages."""
    if count == 1:
        return translate("LibraryWords", "1 passage")
    return translate("LibraryWords", "{count} passages").format(count=f"{count:,}")


def files_text(count: int) -> str:
    """A number of files."""
    return translate("LibraryWords", "1 file") if count == 1 else translate("LibraryWords", "{count} files").format(count=f"{count:,}")


def encoding_badge(encoding: str) -> str:
    """The name of an encoding worth mentioning; empty for UTF-8, which needs no mention."""
    plain = encoding.lower().replace("-", "").replace("_", "")
    return "" if plain in _UTF8 else encoding_name(encoding)


def encoding_name(encoding: str) -> str:
    """An encoding under the name that people know it by."""
    return _WELL_KNOWN.get(encoding, encoding.upper().replace("_", "-"))


def encoding_line(status: RowStatus) -> str:
    """Which encoding the file was read in, and who said so; empty for a file that is not text."""
    if not status.encoding:
        return ""
    if status.encoding_is_chosen:
        return translate("LibraryWords", "Encoding: {encoding}, chosen by you").format(encoding=encoding_name(status.encoding))
    return translate("LibraryWords", "Encoding: {encoding}").format(encoding=encoding_name(status.encoding))


def duration_text(seconds: float) -> str:
    """A rough duration, rounded up so that it does not promise too much."""
    if seconds < 60:
        return translate("LibraryWords", "{seconds} s").format(seconds=max(1, round(seconds)))
    minutes = -int(-seconds // 60)
    if minutes < 60:
        return translate("LibraryWords", "{minutes} min").format(minutes=minutes)
    return translate("LibraryWords", "{hours} h {minutes} min").format(hours=minutes // 60, minutes=minutes % 60)
