"""Every failure Lamplight can name, as one tree.

    LamplightError
    |-- Cancelled                 somebody asked to stop; a normal end, never shown as a failure
    |-- Permanent                 doing the same again gives the same failure
    |   |-- ModelMissing          the model file or folder is not there
    |   |-- ModelUnusable         it is there, but it is not a model this program can run
    |   |-- NotEnoughMemory       the model does not fit into this machine's memory
    |   |-- PromptTooLong         the prompt does not fit into the model's context window
    |   |-- ReplyUnusable         the model's reply does not fit the type that was asked for
    |   |-- GrammarInvalid        a reply type has no grammar that llama.cpp accepts
    |   |-- DocumentUnreadable    one file cannot be indexed; `code` says why
    |   |-- IndexDamaged          index.db cannot be used; it can be rebuilt
    |   |-- ChatsDamaged          user.db cannot be used
    |   |-- NotEnoughDisk         the disk is full
    |   |-- NotFound              a file, conversation or model that was named does not exist
    |   |-- InvalidRequest        what the person asked for cannot be done as asked
    |   `-- InstallFailed         a model could not be fetched or is not what it should be
    `-- Retryable                 the same may work a moment later
        |-- ChildCrashed          a child process ended while it was needed
        |-- ChildTimedOut         a child process did not answer in time and was ended
        |-- StoreLocked           another program holds the database
        `-- WebSearchFailed       the web could not be searched; `code` says why

Raise with what a person needs (a path, an exit code), wrap once at the border, catch once at the top. `message` is one plain
English sentence; what a front end shows is keyed by `code` in `desktop/error_text.py`, so that it can be translated.
Across a process only `code`, `message` and `details` travel.
"""

from __future__ import annotations

from collections.abc import Mapping


class LamplightError(Exception):
    """A failure with a code, one plain sentence, and the facts the sentence is about."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None, **details: str | int | float) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, str | int | float] = details
        if code is not None:
            self.code = code


class Cancelled(LamplightError):
    """The run was asked to stop, and stopped."""

    code = "cancelled"

    def __init__(self, message: str = "Stopped.", *, code: str | None = None, **details: str | int | float) -> None:
        super().__init__(message, code=code, **details)


class Permanent(LamplightError):
    """Doing the same again gives the same failure."""


class ModelMissing(Permanent):
    code = "model_missing"


class ModelUnusable(Permanent):
    code = "model_unusable"


class NotEnoughMemory(Permanent):
    code = "not_enough_memory"


class PromptTooLong(Permanent):
    code = "prompt_too_long"


class ReplyUnusable(Permanent):
    code = "reply_unusable"


class GrammarInvalid(Permanent):
    code = "grammar_invalid"


class DocumentUnreadable(Permanent):
    """One file cannot be indexed.

    Codes: empty, binary, wrong_encoding, too_large, unreadable, vanished, not_a_file, unsupported, no_text; of documents that need a parser also
    needs_password, no_text_layer, damaged, unpacks_too_large, timed_out, too_much_memory, reader_crashed, reader_unavailable.
    """

    code = "unreadable"


class IndexDamaged(Permanent):
    code = "index_damaged"


class ChatsDamaged(Permanent):
    code = "chats_damaged"


class NotEnoughDisk(Permanent):
    code = "not_enough_disk"


class NotFound(Permanent):
    code = "not_found"


class InvalidRequest(Permanent):
    code = "invalid_request"


class InstallFailed(Permanent):
    code = "install_failed"


class Retryable(LamplightError):
    """The same may work a moment later."""


class ChildCrashed(Retryable):
    code = "child_crashed"


class ChildTimedOut(Retryable):
    code = "child_timed_out"


class StoreLocked(Retryable):
    code = "store_locked"


class WebSearchFailed(Retryable):
    """The web could not be searched. Codes: web_offline, web_limited, web_timed_out, web_failed."""

    code = "web_failed"


def _subclasses(kind: type[LamplightError]) -> list[type[LamplightError]]:
    return [kind, *(found for child in kind.__subclasses__() for found in _subclasses(child))]


def from_wire(kind: str, message: str, code: str, details: Mapping[str, str | int | float]) -> LamplightError:
    """Build the error that a child process reported; an unknown `kind` (class name) becomes a plain `Permanent`."""
    by_name = {found.__name__: found for found in _subclasses(LamplightError)}
    return by_name.get(kind, Permanent)(message, code=code, **dict(details))
