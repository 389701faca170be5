"""What a process that parses a stranger's files may not do: reach a network, start programs, change files, take all memory or run for ever.

Each part does what the platform can. The first two walls are Python's own, against code of a parser that goes astray; limits of the
operating system hold for native code, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from typing import Any

MAX_MEMORY_BYTES = 1_500 * 1024 * 1024
"""Address space. Python and the parsers themselves take about an eighth of it."""

_MAX_OPEN_FILES = 64
_CLONE_NEWUSER = 0x1000_0000
_CLONE_NEWNET = 0x4000_0000
_REFUSED = frozenset(
    {
        "subprocess.Popen",
        "os.system",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.startfile",
        "pty.spawn",
        "webbrowser.open",
    }
    | {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "shutil.rmtree"}
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine_reader(*, memory_bytes: int = MAX_MEMORY_BYTES) -> None:
    """Shut this process in, for good. Call it after everything is imported and before there is a second thread."""
    sys.dont_write_bytecode = True
    sys.addaudithook(_refuse)
    _leave_network()
    _limit_resources(memory_bytes)


def allow_cpu_seconds(seconds: int) -> None:
    """Let this process use so many more seconds of the processor; then the system ends it. On Windows only the wall clock counts."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + seconds, hard))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event.startswith(("socket.", "urllib.")) or event in _REFUSED:
        raise PermissionError(f"the reader of files may not do this: {event}")
    if event == "open" and isinstance(arguments[0], str | bytes) and isinstance(arguments[2], int) and arguments[2] & _WRITING:
        raise PermissionError("the reader of files may not write files")


def _leave_network() -> None:
    """On Linux, a network of its own with nothing in it, where the system lets a process have one."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def _limit_resources(memory_bytes: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    for limit, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NOFILE, _MAX_OPEN_FILES)):
        # macOS has no limit on address space that holds; the others it has.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))
