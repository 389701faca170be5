"""What this machine has to run models on: cores and free memory."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import subprocess
import sys
from pathlib import Path

_CPUS = Path("/sys/devices/system/cpu")
_MEMINFO = Path("/proc/meminfo")
_CPUINFO = Path("/proc/cpuinfo")
_CGROUP = Path("/sys/fs/cgroup")


def default_threads() -> int:
    """Threads for a model: one a physical core; one core is left to everything else when there are four or more."""
    cores = physical_cores()
    return cores - 1 if cores >= 4 else cores


def physical_cores() -> int:
    """Physical cores this process may use, at least 1. Two hardware threads of a core do not count twice when there are more than two."""
    if hasattr(os, "sched_getaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        # On two logical processors a second thread still helps, whatever the machine says they are.
        cores = len({_siblings(cpu) for cpu in allowed}) if len(allowed) > 2 else len(allowed)
        return max(1, min(cores, _quota() or cores))
    logical = os.cpu_count() or 1
    if sys.platform == "darwin":
        return _mac_cores() or logical
    return max(1, logical // 2) if logical > 2 else logical


def _siblings(cpu: int) -> str:
    try:
        return (_CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text(encoding="ascii").strip()
    except OSError:
        return str(cpu)


def _quota() -> int | None:
    """Whole processors a container may use."""
    try:
        quota, period = (_CGROUP / "cpu.max").read_text(encoding="ascii").split()
        return max(1, round(int(quota) / int(period)))
    except (OSError, ValueError):
        return None


def _mac_cores() -> int | None:
    # Performance cores first: a model waits for its slowest thread.
    for name in ("hw.perflevel0.physicalcpu", "hw.physicalcpu"):
        answer = subprocess.run(["/usr/sbin/sysctl", "-n", name], capture_output=True, encoding="ascii", check=False)
        if answer.returncode == 0 and answer.stdout.strip().isdigit():
            return int(answer.stdout)
    return None


def processor_name() -> str:
    """What kind of processor this is, as the system calls it; on some machines only its family."""
    with contextlib.suppress(OSError):
        told = _CPUINFO.read_text(encoding="utf-8", errors="replace").split("\n\n", 1)[0]
        kept = ("model name", "cpu model", "CPU implementer", "CPU part", "flags", "Features")
        if lines := sorted(line for line in told.splitlines() if line.startswith(kept)):
            return "\n".join(lines)
    if sys.platform == "darwin":
        answer = subprocess.run(["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, encoding="utf-8", check=False)
        return answer.stdout.strip()
    return platform.processor() or platform.machine()


def available_memory_bytes() -> int | None:
    """Memory that can be used without swapping, or None where it cannot be told."""
    if sys.platform == "win32":
        return _windows_available()
    if _MEMINFO.exists():
        return _linux_available()
    try:
        # What is free is not told cheaply here; programs that are open rarely hold more than a third.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 2 // 3
    except (OSError, ValueError):
        return None


def _linux_available() -> int | None:
    available = memory_available_in(_MEMINFO.read_text(encoding="ascii", errors="replace"))
    try:
        limit = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((_CGROUP / "memory.current").read_text(encoding="ascii"))
        lines = (_CGROUP / "memory.stat").read_text(encoding="ascii").splitlines()
        reclaimable = sum(int(line.split()[1]) for line in lines if line.startswith(("inactive_file ", "active_file ")))
    except (OSError, ValueError, IndexError):
        return available
    in_container = max(0, limit - used + reclaimable)
    return in_container if available is None else min(available, in_container)


def memory_available_in(meminfo: str) -> int | None:
    """The `MemAvailable` of the text of /proc/meminfo, in bytes."""
    for line in meminfo.splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _windows_available() -> int | None:
    class MemoryStatus(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *(
                (name, ctypes.c_uint64)
                for name in ("total", "available", "total_page", "available_page", "total_virtual", "available_virtual", "extended")
            ),
        )

    status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
    if sys.platform == "win32" and ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return int(status.available)
    return None
