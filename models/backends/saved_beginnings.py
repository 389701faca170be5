"""What the chat engine has read of prompts that are begun with again and again, kept on disk between runs.

A cache that can be lost at any time: a file that is damaged, of another model or of another version is as good as none. llama.cpp
ends the process over a bad state, so nothing is handed to it that is not, bit by bit, what it once gave out for the same model,
version, settings and tokens. Holds only prompts made of the program's own texts; which ones, the caller answers for.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

MAX_BYTES = 256 * 1024 * 1024
"""Of all saved beginnings together; the ones that were not used for the longest time give way."""

_MAGIC = b"LMPBEGN1"
_DIGEST_BYTES = hashlib.sha256().digest_size
_ENDING = ".state"


class SavedBeginnings:
    """The states of prompts' beginnings in one folder, for one model under one engine.

    `identity` names everything besides the tokens that a state depends on: model file, engine version, settings of the cache.
    """

    def __init__(self, folder: Path, identity: Mapping[str, str | int | bool], *, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._identity = dict(identity)
        self._max_bytes = max_bytes

    def read(self, tokens: Sequence[int]) -> bytes | None:
        """The state after exactly these tokens, or None if there is no file that holds it whole."""
        key = self._key(tokens)
        file = self._file(key)
        try:
            data = file.read_bytes()
        except OSError:
            return None
        head, state = data[: len(_MAGIC) + 2 * _DIGEST_BYTES], memoryview(data)[len(_MAGIC) + 2 * _DIGEST_BYTES :]
        if head != _head(key, state):
            return None
        with contextlib.suppress(OSError):
            os.utime(file)
        return bytes(state)

    def write(self, tokens: Sequence[int], state: bytes) -> None:
        """Keep the state after these tokens. A folder that cannot be written to is no error: the beginning is read again next time."""
        key = self._key(tokens)
        beside = ""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, beside = tempfile.mkstemp(prefix=".", suffix=_ENDING, dir=self._folder)  # mkstemp makes it 0600
            with os.fdopen(descriptor, "wb") as output:
                output.write(_head(key, state))
                output.write(state)
            os.replace(beside, self._file(key))
            self._make_room(self._file(key))
        except OSError:
            if beside:
                with contextlib.suppress(OSError):
                    os.unlink(beside)

    def _key(self, tokens: Sequence[int]) -> bytes:
        described = json.dumps([self._identity, list(tokens)], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(described.encode("utf-8")).digest()

    def _file(self, key: bytes) -> Path:
        return self._folder / f"{key.hex()[:32]}{_ENDING}"

    def _make_room(self, newest: Path) -> None:
        # Files that a killed process left half-written begin with a dot and are the first to go.
        found = [(not file.name.startswith("."), file.stat().st_mtime_ns, file) for file in self._folder.glob(f"*{_ENDING}")]
        files = [file for _whole, _used, file in sorted(found, key=lambda entry: entry[:2])]
        total = sum(file.stat().st_size for file in files)
        for file in files:
            if total <= self._max_bytes and not file.name.startswith("."):
                return
            if file != newest:
                total -= file.stat().st_size
                file.unlink(missing_ok=True)


def model_identity(path: Path) -> dict[str, str | int | bool]:
    """What tells one model file from another without reading all of it: name, size, time of change, and both its ends."""
    end_bytes = 1024 * 1024
    status = path.stat()
    with path.open("rb") as file:
        digest = hashlib.sha256(file.read(end_bytes))
        file.seek(max(0, status.st_size - end_bytes))
        digest.update(file.read(end_bytes))
    return {"file": path.name, "bytes": status.st_size, "changed_ns": status.st_mtime_ns, "ends": digest.hexdigest()}


def _head(key: bytes, state: bytes | memoryview) -> bytes:
    whole = hashlib.sha256(key)
    whole.update(state)
    return _MAGIC + key + whole.digest()
