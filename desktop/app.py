"""The start of the window: one for each home, with its signals, its log and its last resort; `window_app` is what it opens."""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSocketNotifier
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from core.home import prepare_home
from core.logs import EventLog, quiet_libraries
from core.paths import Paths, default_home
from core.settings import Settings
from core.settings_file import load_settings
from desktop.last_resort import LastResort
from desktop.single_instance import SingleInstance
from desktop.start_options import StartOptions
from desktop.theme import current_colors, icon
from desktop.window_app import WindowApp, dress

if TYPE_CHECKING:
    from desktop.assembly import Application
    from desktop.library.library_controller import Hears, SourceWatch


def _app_icon() -> QIcon:
    return icon("lamp", current_colors().accent)


def _quit_on_signals(app: QApplication) -> QSocketNotifier | None:
    """Ctrl-C and SIGTERM close the window as a person would. Python runs its handlers only when something wakes it: this does."""
    if sys.platform == "win32":
        return None
    receiver, sender = socket.socketpair()
    receiver.setblocking(False)
    sender.setblocking(False)
    signal.set_wakeup_fd(sender.fileno())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: app.closeAllWindows())
    notifier = QSocketNotifier(receiver.fileno(), QSocketNotifier.Type.Read, app)
    notifier.activated.connect(lambda *_: receiver.recv(64))
    notifier._sockets = (receiver, sender)  # type: ignore[attr-defined]  # they live as long as the notifier
    return notifier


def run(home: Path | None = None, *, options: StartOptions | None = None, use_echo: bool = False) -> int:
    """Open the window of a home and stay until it is closed; returns the exit code. A second start raises the first and returns at once.

    Raises:
        InvalidRequest: the home folder cannot be used.
        NotEnoughDisk: there is no room for it.
    """
    app = QApplication(sys.argv[:1])
    app.setApplicationName("lamplight")
    app.setApplicationDisplayName("Lamplight")
    app.setDesktopFileName("lamplight")
    paths = Paths(Path(os.path.expanduser(home or default_home())).absolute())
    prepare_home(paths)
    instance = SingleInstance(paths)
    if not instance.acquire():
        return 0 if instance.hand_over(()) else 1
    quiet_libraries()
    log = EventLog(paths.logs / "window.log")
    last_resort = LastResort(log)
    log.event("window_started")
    try:
        return _run_window(app, paths, instance, log, last_resort, options or StartOptions(), use_echo=use_echo)
    except Exception as failure:
        log.failure(failure)
        raise
    finally:
        instance.release()
        last_resort.remove()
        log.event("window_stopped")
        log.close()


def _run_window(
    app: QApplication,
    paths: Paths,
    instance: SingleInstance,
    log: EventLog,
    last_resort: LastResort,
    options: StartOptions,
    *,
    use_echo: bool,
) -> int:
    saved, notices = load_settings(paths)
    dress(paths, options.applied_to(saved))
    app.setWindowIcon(_app_icon())

    def assemble_here(paths: Paths, settings: Settings) -> Application:
        from desktop.assembly import assemble  # after the first paint

        return assemble(paths, settings, use_echo=use_echo)

    def watch_here(changed: Hears, unwatched: Hears) -> SourceWatch:
        from core.library.watching import SourceWatcher  # after the first paint

        return SourceWatcher(changed, on_unwatched=unwatched, ignored=[paths.home])

    lamplight = WindowApp(paths, saved, assemble_here, options=options, log=log, make_watch=watch_here)
    instance.raised.connect(lamplight.second_start)
    last_resort.surprised.connect(lamplight.show_problem)
    notifier = _quit_on_signals(app)
    lamplight.show()
    lamplight.show_notices(notices)
    code = app.exec()
    lamplight.stop()
    if notifier is not None:
        signal.set_wakeup_fd(-1)
    return code
