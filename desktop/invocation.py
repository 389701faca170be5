"""One run of the command line: what was asked for, and everything a command needs to do it."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from core.cancel import CancelToken
from core.logs import EventLog
from core.paths import Paths
from core.settings import Settings
from desktop.terminal import Terminal

if TYPE_CHECKING:
    from desktop.assembly import Application

ECHO = "echo"
"""The model that needs no weights and repeats what it was given: for trying things out and for tests."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """What every command is given."""

    arguments: argparse.Namespace
    paths: Paths
    settings: Settings
    terminal: Terminal
    log: EventLog
    cancel: CancelToken

    @contextmanager
    def application(self, paths: Paths | None = None) -> Iterator[Application]:
        """The stores, models and graph, closed at the end of the `with` whatever happens."""
        from desktop.assembly import assemble

        use_echo = self.settings.models.chat_model == ECHO
        application = assemble(paths or self.paths, self.settings, use_echo=use_echo, model_paths=self.paths)
        try:
            yield application
        finally:
            application.close()


def stop_on_interrupt(cancel: CancelToken) -> None:
    """Let Ctrl-C stop the run in order, and a second Ctrl-C at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        if cancel.cancelled:
            raise KeyboardInterrupt
        # In a thread of its own: the interrupted one may hold the very locks that stopping needs.
        threading.Thread(target=cancel.cancel, name="stop", daemon=True).start()

    signal.signal(signal.SIGINT, stop)
