"""Memory that a process no longer needs and would keep."""

from __future__ import annotations

import ctypes
import gc
import mmap
import sys

_MADV_PAGEOUT = 21


def give_back_memory() -> None:
    """Drop what nothing refers to any more, and let the operating system have its pages.

    Models refer to themselves in circles, so they stay until the collector comes by, which is seldom in a process with so many objects; and glibc
    keeps what lies below anything that is in use. Elsewhere than on glibc only the first is done.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def page_out(address: int, size: int) -> None:
    """Tell Linux that `size` bytes at `address` are not needed for now: what was mapped from a file is read from there again when it is.

    Nothing is ever lost by it; where the system does not know the call, nothing happens.
    """
    if sys.platform == "linux":
        start = -(-address // mmap.PAGESIZE) * mmap.PAGESIZE
        length = (address + size) // mmap.PAGESIZE * mmap.PAGESIZE - start
        if length > 0:
            ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(length), _MADV_PAGEOUT)
