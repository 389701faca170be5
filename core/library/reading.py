"""The bytes of one file, safely: never a device, a pipe or a link, never more than the limit, never a wait."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from core.errors import DocumentUnreadable

MAX_FILE_BYTES = 50 * 1024 * 1024

_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)
_BLOCK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class FileContent:
    """What was read, and the stamps of the very file that was read."""

    data: bytes
    modified_ns: int


def read_file(path: Path, *, follow_link: bool = False, max_bytes: int = MAX_FILE_BYTES) -> FileContent:
    """Read a regular file. Raises `DocumentUnreadable` (vanished, unreadable, not_a_file, too_large, empty).

    `follow_link` is for a path that the person named themselves; a link found inside a folder is never followed.
    """
    try:
        descriptor = os.open(path.resolve() if follow_link else path, _FLAGS)
    except FileNotFoundError as error:
        raise DocumentUnreadable(f"{path} is not there any more.", code="vanished", path=str(path)) from error
    except IsADirectoryError as error:
        raise _not_a_file(path) from error
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    try:
        # Everything is asked of the open file, not of its name: the name may lead elsewhere a moment later.
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise _not_a_file(path)
        if found.st_size > max_bytes:
            raise _too_large(path, found.st_size, max_bytes)
        data = _read_all(descriptor, max_bytes + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    finally:
        os.close(descriptor)
    if len(data) > max_bytes:
        raise _too_large(path, len(data), max_bytes)
    if not data:
        raise DocumentUnreadable(f"{path} is empty.", code="empty", path=str(path))
    return FileContent(data, found.st_mtime_ns)


def _read_all(descriptor: int, limit: int) -> bytes:
    blocks: list[bytes] = []
    size = 0
    while size < limit:
        block = os.read(descriptor, min(_BLOCK_BYTES, limit - size))
        if not block:
            break
        blocks.append(block)
        size += len(block)
    return b"".join(blocks)


def _unreadable(path: Path, error: Exception) -> DocumentUnreadable:
    if isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.ENXIO):
        return _not_a_file(path)
    why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    return DocumentUnreadable(f"{path} cannot be read: {why}.", code="unreadable", path=str(path))


def _not_a_file(path: Path) -> DocumentUnreadable:
    return DocumentUnreadable(f"{path} is not a file.", code="not_a_file", path=str(path))


def _too_large(path: Path, size: int, max_bytes: int) -> DocumentUnreadable:
    return DocumentUnreadable(
        f"{path} is too large: {size / 1e6:.0f} MB, at most {max_bytes / 1e6:.0f} MB are read.",
        code="too_large",
        path=str(path),
        size_bytes=size,
    )
