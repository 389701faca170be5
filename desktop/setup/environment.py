"""Makes the virtual environment and fills it, with pip as a child process whose every line becomes progress."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from desktop.setup.console import Console, SetupFailed
from desktop.setup.stamp import ROOT, RUNTIME, VENV, pinned, site_packages, venv_python
from desktop.setup.toolchain import find_compiler, missing_compiler_sentence

_LOG = VENV / "setup.log"
_BUILD_OPTIONS = Path(__file__).with_name("llama_build.cmake")
_GRACE_SECONDS = 5
_NO_CONNECTION = (
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "Connection broken",
    "SSLError",
)
# A person's own pip settings that would put packages somewhere else than into the virtual environment.
_MISLEADING = ("PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_HASHES", "PIP_NO_DEPS", "PYTHONPATH", "PYTHONHOME")


def read_lock(file: Path) -> dict[str, str]:
    """The requirements of a lock file by package name."""
    lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    return {line.split("==")[0]: line for line in lines if line and not line.startswith("#")}


def make_venv(console: Console) -> None:
    """Make the virtual environment, or again if the one that is there does not work."""
    if works(venv_python()):
        return
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    made = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
    )
    if made.returncode == 0 and works(venv_python()):
        return
    output = made.stdout + made.stderr
    if "ensurepip" in output:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        raise SetupFailed(
            f"This Python cannot make virtual environments: install its venv part (Debian and Ubuntu: sudo apt install {package}) and start again."
        )
    last = (output.strip().splitlines() or ["no output"])[-1]
    raise SetupFailed(f"The virtual environment {VENV} could not be made: {last}. Check that you may write there, then start again.")


def works(python: Path) -> bool:
    """Whether a virtual environment's Python starts and has pip."""
    if not python.exists():
        return False
    with contextlib.suppress(OSError):
        return (
            subprocess.run(
                [str(python), "-I", "-c", "import pip, sys; assert sys.version_info >= (3, 11)"], capture_output=True, check=False
            ).returncode
            == 0
        )
    return False


def install_packages(console: Console, title: str) -> None:
    """Install everything that is pinned, except the runtime that has to be built."""
    lock = read_lock(ROOT / "requirements.lock")
    lock.pop(RUNTIME)
    pip(console, title, ["install", lock.pop("pip")])
    _install_torch(console, title, lock["torch"])
    pip(console, title, ["install", *lock.values()], total=len(lock))


def _install_torch(console: Console, title: str, wanted: str) -> None:
    """The build without CUDA where the index offers it by name: a tenth of the size. Elsewhere the ordinary one is already that build."""
    if sys.platform.startswith("linux"):
        try:
            pip(console, f"{title}: torch", ["install", f"{wanted}+cpu"])
            return
        except _NotOffered:
            console.line("The package index offers no torch without CUDA; taking the full one, which is several GB.")
    pip(console, f"{title}: torch", ["install", wanted])


def install_tools(console: Console, title: str) -> None:
    """Install what the tests and checks need."""
    lock = read_lock(ROOT / "requirements-dev.lock")
    pip(console, title, ["install", *lock.values()], total=len(lock))


def install_project(console: Console, title: str) -> None:
    """Make the tree importable in the virtual environment, and `.venv/bin/lamplight` with it. Needs no network."""
    pip(console, title, ["install", "--no-deps", "--no-build-isolation", "--no-index", "--editable", str(ROOT)])


def build_runtime(console: Console, title: str) -> None:
    """Build and install llama.cpp's Python package; pip keeps the built wheel for the next virtual environment."""
    require_compiler()
    wanted = pinned(RUNTIME)
    options = ["-DLLAVA_BUILD=OFF", f"-DCMAKE_PROJECT_llama_cpp_INCLUDE={_BUILD_OPTIONS.as_posix()}"]
    mine = os.environ.get("CMAKE_ARGS", "")
    environment = {"CMAKE_ARGS": f"{shlex.join(options)} {mine}".strip()}
    pip(console, title, ["install", "-v", "--no-deps", wanted], environment=environment)
    if not _runs():
        # The wheel in pip's cache may have been built on a machine with other instructions than this one's.
        pip(console, title, ["install", "-v", "--no-deps", "--no-cache-dir", "--force-reinstall", wanted], environment=environment)
        if not _runs():
            raise SetupFailed(f"{wanted} was built but does not start on this machine; the details are in {_LOG}.")


def require_compiler() -> None:
    """Raise `SetupFailed` if the runtime has to be built and this machine cannot: asked before anything is downloaded."""
    if find_compiler() is None and not _built_already(pinned(RUNTIME)):
        raise SetupFailed(missing_compiler_sentence())


def _built_already(wanted: str) -> bool:
    """Whether pip can have the runtime without a compiler: from its own cache or as a ready wheel."""
    python = str(venv_python())
    cached = subprocess.run(
        [python, "-I", "-m", "pip", "cache", "list", RUNTIME, "--format=abspath"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if f"-{wanted.split('==')[1]}-" in cached.stdout:
        return True
    ready = [python, "-I", "-m", "pip", "install", "--dry-run", "--no-deps", f"--only-binary={RUNTIME}", wanted]
    return subprocess.run(ready, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def _runs() -> bool:
    probe = "import llama_cpp; llama_cpp.llama_backend_init(); llama_cpp.llama_print_system_info()"
    return (
        subprocess.run([str(venv_python()), "-I", "-c", probe], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    )


class _NotOffered(SetupFailed):
    """The package index has no such version."""


def pip(console: Console, title: str, arguments: Sequence[str], *, total: int = 0, environment: dict[str, str] | None = None) -> None:
    """Run pip in the virtual environment. Raises `SetupFailed` with one sentence; the whole output is appended to `.venv/setup.log`."""
    command = [
        str(venv_python()),
        "-I",
        "-m",
        "pip",
        arguments[0],
        "--no-input",
        "--disable-pip-version-check",
        *_progress_option(),
        *arguments[1:],
    ]
    tail: deque[str] = deque(maxlen=200)
    teller = PipTeller(title, total)
    with _LOG.open("a", encoding="utf-8") as log:
        log.write(f"$ pip {shlex.join(arguments)}\n")

        def hear(line: str) -> None:
            tail.append(line)
            if not line.startswith("Progress "):
                log.write(line)
            if (status := teller.hear(line)) is not None:
                console.status(status)

        code = run_lines(command, hear, environment)
    if code != 0:
        raise _pip_failed(arguments, "".join(tail))


def run_lines(command: Sequence[str], hear: Callable[[str], None], environment: dict[str, str] | None = None) -> int:
    """Run a child to its end, give each line of its output to `hear`, and return its exit code. An interruption ends the child and its children."""
    kept = {name: value for name, value in os.environ.items() if name not in _MISLEADING}
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=kept | {"PYTHONUNBUFFERED": "1"} | (environment or {}),
        # A session of its own, so that Ctrl-C reaches set-up alone, which then ends the whole group: pip does not end a compiler it started.
        start_new_session=os.name == "posix",
    )
    try:
        for line in child.stdout or ():
            hear(line)
        return child.wait()
    except BaseException:
        _end(child)
        raise
    finally:
        if child.stdout:
            child.stdout.close()


def _end(child: subprocess.Popen[str]) -> None:
    """End a child and everything it started: asked first, then made to."""
    for ask in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(child.pid, ask)
            else:
                child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE_SECONDS)
            break
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)


class PipTeller:
    """Turns pip's output into one line that says what is happening."""

    def __init__(self, title: str, total: int) -> None:
        self._title = title
        self._total = total
        self._seen = 0
        self._now = ""

    def hear(self, line: str) -> str | None:
        """The new status, or None if this line changes nothing."""
        words = line.split()
        if line.startswith(("Collecting ", "Requirement already satisfied: ")) and len(words) > 1:
            self._seen += 1
            self._now = ""
            count = f" {min(self._seen, self._total)} of {self._total}" if self._total else ""
            return f"{self._title}{count}"
        if words[:1] == ["Downloading"] and len(words) > 1:
            self._now = f": {words[1].split('/')[-1].split('-')[0]} {' '.join(words[2:])}"
            return self._title + self._now
        if words[:1] == ["Progress"] and len(words) == 4 and words[1].isdigit() and words[3].isdigit() and int(words[3]):
            return f"{self._title}{self._now} {int(words[1]) * 100 // int(words[3])} %"
        if match := re.match(r"\s*\[(\d+)/(\d+)\] ", line):
            return f"{self._title}: building, {int(match[1]) * 100 // int(match[2])} %"
        if line.startswith("Installing collected packages"):
            return f"{self._title}: putting them in place"
        return None


def _pip_failed(arguments: Sequence[str], output: str) -> SetupFailed:
    """One sentence for what pip could not do."""
    again = "then start Lamplight again; what is finished is kept"
    if any(sign in output for sign in _NO_CONNECTION):
        return SetupFailed(f"The package index cannot be reached: check the internet connection, {again}.")
    if "No space left" in output or "Errno 28" in output:
        return SetupFailed(f"The disk is full: make room, {again}.")
    if "No matching distribution found" in output or "Could not find a version" in output:
        return _NotOffered(f"The package index does not offer {arguments[-1]} for this Python and system; the details are in {_LOG}.")
    errors = [line.strip() for line in output.splitlines() if line.startswith("ERROR")]
    return SetupFailed(f"pip could not finish ({errors[-1] if errors else 'no reason given'}); the details are in {_LOG}.")


def _progress_option() -> list[str]:
    """The option for progress in plain numbers, which pip has from version 24.1 on; before set-up has brought its own, it may be older."""
    return ["--progress-bar", "raw"] if any(site_packages().glob("pip-2[6-9]*.dist-info")) else ["--progress-bar", "off"]
