"""Memory that a process no longer needs and would keep."""

from __future__ import annotations

import ctypes
import gc
import sys


def give_back_memory() -> None:
    """Drop what nothing refers to any more, and let the operating system have its pages.

    Models refer to themselves in circles, so they stay until the collector comes by, which is seldom in a process with so many objects; and glibc
    keeps what lies below anything that is in use. Elsewhere than on glibc only the first is done.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
