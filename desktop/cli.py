"""The command line: the second front end over the same core, and the way everything is measured. Never imports Qt.

    lamplight ask "..." | index PATH ... | search "..." | library ... | models ... | eval ...

What each command prints is a contract: `docs/command-line.md`.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.offline import force_offline

if TYPE_CHECKING:
    import argparse

    from core.errors import LamplightError
    from core.logs import EventLog
    from desktop.terminal import Terminal

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

_MODULES = {
    "ask": "desktop.commands.ask",
    "index": "desktop.commands.index",
    "search": "desktop.commands.search",
    "library": "desktop.commands.library",
    "models": "desktop.commands.models",
    "eval": "desktop.commands.evaluate",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; without a command, open the window."""
    force_offline()
    _open_missing_streams()
    if argv is None:
        _insist_on_utf8()
    from desktop.arguments import parse_arguments
    from desktop.terminal import Terminal, use_utf8

    use_utf8()
    arguments = parse_arguments(argv)
    if arguments.command is None:
        return _open_window(arguments)
    terminal = Terminal(as_json=arguments.json)
    code = _guarded(arguments, terminal)
    terminal.clear_progress()
    _leave_if_waited_for(code)
    return code


def _open_missing_streams() -> None:
    """Where stdin, stdout or stderr was closed by whoever started us, put nothing in its place.

    Else the next file that is opened would get its number, and what a library prints there would be written into that file.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - it is open for as long as the process runs


def _insist_on_utf8() -> None:
    """Start again in UTF-8 mode under a locale that would read a Chinese question and its file names as broken bytes."""
    if os.name == "posix" and sys.getfilesystemencoding() != "utf-8" and sys.executable:
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _guarded(arguments: argparse.Namespace, terminal: Terminal) -> int:
    """Run the command; whatever goes wrong becomes one sentence and an exit code."""
    from core.errors import Cancelled, LamplightError
    from core.home import prepare_home
    from core.logs import EventLog, quiet_libraries
    from core.paths import Paths, default_home

    log: EventLog | None = None
    try:
        quiet_libraries()
        paths = Paths(Path(os.path.expanduser(arguments.home or default_home())).absolute())
        prepare_home(paths)
        log = EventLog(paths.logs / "command.log")
        return _run(arguments, terminal, paths, log)
    except (Cancelled, KeyboardInterrupt):
        terminal.note("Stopped.")
        return INTERRUPTED
    except BrokenPipeError:
        _drop_stdout()
        return FAILED
    except LamplightError as error:
        if error.code == "output_unwritable":
            _drop_stdout()
        return _failed(error, terminal, log)
    except Exception as error:
        return _surprised(error, terminal, log)
    finally:
        if log is not None:
            log.close()


def _run(arguments: argparse.Namespace, terminal: Terminal, paths: object, log: EventLog) -> int:
    from core.cancel import CancelToken
    from core.paths import Paths
    from core.settings_file import load_settings
    from desktop.invocation import Invocation, stop_on_interrupt
    from desktop.shown_name import shown_name
    from desktop.start_options import options_of

    assert isinstance(paths, Paths)
    settings, notices = load_settings(paths)
    for notice in notices:
        kept = f" The file as it was is kept as {notice.kept.name}." if notice.kept else ""
        what = f"The setting {shown_name(notice.setting)} could not be used" if notice.setting else "The settings could not be read"
        terminal.note(f"{what}; the default is used instead.{kept}")
    cancel = CancelToken()
    stop_on_interrupt(cancel)
    command = importlib.import_module(_MODULES[arguments.command])
    code = command.run(Invocation(arguments, paths, options_of(arguments).applied_to(settings), terminal, log, cancel))
    return int(code)


def _failed(error: LamplightError, terminal: Terminal, log: EventLog | None) -> int:
    if log is not None:
        log.failure(error)
    if terminal.as_json:
        _report_json(terminal, error.code, error.message)
    terminal.note(f"lamplight: {sentence(error)}")
    if os.environ.get("LAMPLIGHT_DEBUG"):
        raise error
    return FAILED


def _surprised(error: Exception, terminal: Terminal, log: EventLog | None) -> int:
    if os.environ.get("LAMPLIGHT_DEBUG"):
        raise error
    from core.logs import code_lines

    if log is not None:
        log.failure(error)
    place = code_lines(error.__traceback__)[-1:]
    where = f" at {place[0]}" if place else ""
    message = f"Something went wrong that Lamplight has no words for ({type(error).__name__}{where})."
    if terminal.as_json:
        _report_json(terminal, "error", message)
    terminal.note(f"lamplight: {message} Try again; if it happens again, set LAMPLIGHT_DEBUG=1 to see all of it.")
    return FAILED


def sentence(error: LamplightError) -> str:
    """What happened and what to do next. A message of two sentences says the second part itself."""
    from desktop.error_text import describe

    text = describe(error)
    message = error.message.strip() or text.title
    if error.code == "index_damaged":
        return f"{message} Make it again from your files, which are untouched: lamplight library rebuild"
    return message if re.search(r"[.!?] +[A-Z\"']", message) else f"{message} {text.what_to_do}"


def _report_json(terminal: Terminal, code: str, message: str) -> None:
    from core.errors import LamplightError

    try:
        terminal.json({"event": "error", "code": code, "message": message})
    except (OSError, LamplightError):
        _drop_stdout()


def _drop_stdout() -> None:
    """Whoever read stdout is gone: let Python's own flush at exit go nowhere instead of complaining."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return


def _leave_if_waited_for(code: int) -> None:
    """End now if an abandoned web request would keep the process alive: the search library joins its threads at exit."""
    if any(thread.name == "web search" for thread in threading.enumerate()):
        sys.stdout.flush()
        os._exit(code)


def _open_window(arguments: argparse.Namespace) -> int:
    if sys.platform.startswith("linux"):
        from desktop.setup.screen import NO_DISPLAY, has_display

        if not has_display():  # Qt would end the whole process
            sys.stderr.write(NO_DISPLAY + "\n")
            return FAILED
    try:
        from desktop import app
    except ImportError as error:
        # The window's libraries miss something of the system's; the command line does not need it.
        sys.stderr.write(f"lamplight: The window cannot open: {error}. The command line works without it: lamplight --help\n")
        return FAILED
    from core.errors import LamplightError
    from desktop.invocation import ECHO
    from desktop.start_options import options_of
    from desktop.terminal import Terminal

    use_echo = arguments.model == ECHO
    if use_echo:
        arguments.model = None  # no model of the settings: whatever they name is not used
    try:
        return int(app.run(arguments.home, options=options_of(arguments), use_echo=use_echo))
    except LamplightError as error:
        return _failed(error, Terminal(as_json=False), None)
    except Exception as error:
        return _surprised(error, Terminal(as_json=False), None)


if __name__ == "__main__":
    sys.exit(main())
