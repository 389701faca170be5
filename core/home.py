"""The home folder on disk: made when it is missing, readable by its owner alone."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from core.errors import InvalidRequest, NotEnoughDisk
from core.paths import Paths

_FULL = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}


def prepare_home(paths: Paths) -> None:
    """Make the home folder if it is missing, and take other accounts' rights from what Lamplight keeps in it.

    Raises:
        InvalidRequest: the folder cannot be made or used; code `home_unusable`.
        NotEnoughDisk: there is no room for it.
    """
    try:
        known = not paths.home.exists() or paths.user_database.exists()
        paths.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(paths.home, error) from error
    if not paths.home.is_dir() or not os.access(paths.home, os.W_OK | os.X_OK):
        raise InvalidRequest("The folder for Lamplight's own files cannot be written to.", code="home_unusable", path=str(paths.home))
    # A folder that somebody named with --home may hold other things too: it keeps its mode until it is ours.
    if known or not any(paths.home.iterdir()):
        _make_private(paths.home, 0o700)
    _repair_modes(paths)


def write_whole(file: Path, text: str) -> None:
    """Replace `file` by `text` so that after a crash it is either the old file or the new one, never half of one.

    Raises:
        NotEnoughDisk: the disk is full; the old file is untouched.
        InvalidRequest: the file cannot be written; code `not_writable`.
    """
    beside: str | None = None
    try:
        descriptor, beside = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)  # mkstemp makes it 0600
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as output:
            output.write(text)
            output.flush()
            os.fsync(output.fileno())
        os.replace(beside, file)
        _sync_folder(file.parent)
    except OSError as error:
        if beside is not None:
            with contextlib.suppress(OSError):
                os.unlink(beside)
        if error.errno in _FULL:
            raise NotEnoughDisk("The disk is full.", path=str(file)) from error
        raise InvalidRequest("A file of Lamplight's own cannot be written.", code="not_writable", path=str(file)) from error


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, where the system can open a folder at all."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _repair_modes(paths: Paths) -> None:
    for pattern in ("user.db*", "index.db*", "settings.json*", "window.lock"):
        for file in paths.home.glob(pattern):
            _make_private(file, 0o600)
    if paths.logs.is_dir():
        _make_private(paths.logs, 0o700)
        for file in paths.logs.iterdir():
            _make_private(file, 0o600)


def _make_private(path: Path, mode: int) -> None:
    # A file of another owner, or a file system without modes: nothing we can mend, and no reason not to start.
    with contextlib.suppress(OSError):
        if not path.is_symlink() and path.stat().st_mode & 0o077:
            path.chmod(mode)


def _unusable(home: Path, error: OSError) -> InvalidRequest | NotEnoughDisk:
    if error.errno in _FULL:
        return NotEnoughDisk("The disk is full.", path=str(home))
    return InvalidRequest("The folder for Lamplight's own files cannot be made.", code="home_unusable", path=str(home))
