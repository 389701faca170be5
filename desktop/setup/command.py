"""What `lamplight.py` does: decides in a few milliseconds whether anything has to be set up, sets it up, and hands over.

Only what a start without set-up needs is imported here at the top; the rest is imported where it is used.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from desktop.setup.stamp import ROOT, is_done, read_stamp, venv_python, wanted_keys

INTERRUPTED = 130
_VALUE_OPTIONS = ("--home", "--web", "--model", "--embedder", "--budget")
_HELP = """\
python3 lamplight.py                      set up what is missing, then open the window
python3 lamplight.py COMMAND ...          the command line: ask, index, search, library, models, eval
python3 lamplight.py test [ARGS]          the test suite; ARGS go to pytest
python3 lamplight.py --install-launcher   an icon to double-click

The first start sets Lamplight up: a virtual environment (.venv), its packages, and the starter models (.models).
After that, `python3 lamplight.py --help` tells about the commands.
"""


@dataclass(frozen=True)
class Request:
    """What was asked for: "run" (window or command), "test" or "launcher", and the arguments to hand over."""

    kind: str
    arguments: tuple[str, ...]
    window: bool = False


def parse(argv: Sequence[str]) -> Request:
    """Read the command line of lamplight.py; everything but its own words is handed on untouched."""
    if argv[:1] == ["test"]:
        return Request("test", tuple(argv[1:]))
    if "--install-launcher" in argv:
        return Request("launcher", ())
    return Request("run", tuple(argv), window=not _names_command(argv))


def _names_command(argv: Sequence[str]) -> bool:
    """Whether a command (or a request for help) stands among the arguments; without one the window opens."""
    arguments = iter(argv)
    for argument in arguments:
        if argument in _VALUE_OPTIONS:
            next(arguments, None)
        elif argument in ("-h", "--help") or not argument.startswith("-"):
            return True
    return False


def main(argv: Sequence[str]) -> int:
    """Set up if needed, then become the program that was asked for. Returns an exit code where it does not."""
    request = parse(list(argv))
    if request.kind == "launcher":
        from desktop.setup.launcher import install_launcher

        return install_launcher()
    if request.window and sys.platform.startswith("linux"):
        from desktop.setup.screen import NO_DISPLAY, has_display

        if not has_display():
            sys.stderr.write(NO_DISPLAY + "\n")
            return 1
    wanted = wanted_keys(testing=request.kind == "test", window=request.window)
    stamp = read_stamp()
    if not all(is_done(step, wanted, stamp) for step in wanted):
        if request.arguments in (("--help",), ("-h",)) and not venv_python().exists():
            sys.stdout.write(_HELP)
            return 0
        from desktop.setup.steps import set_up

        if code := set_up(testing=request.kind == "test", window=request.window):
            return code
    return _hand_over(request)


def _hand_over(request: Request) -> int:
    """Become the window, the command or pytest."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    if request.kind == "test":
        os.chdir(ROOT)
        command = [str(venv_python()), "-m", "pytest", *request.arguments]
    else:
        # Isolated (-I): no module beside the person's files or in their environment can stand in for ours.
        command = [str(venv_python()), "-I", "-m", "desktop.cli", *request.arguments]
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execve(command[0], command, environment)
    try:
        return subprocess.call(command, env=environment)
    except KeyboardInterrupt:
        return INTERRUPTED
