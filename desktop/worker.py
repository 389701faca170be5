"""Work off the GUI thread. Long work: one thread, one generator job at a time, late events dropped by ticket. Short work: errands in order."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from core.cancel import CancelToken
from core.errors import Cancelled, LamplightError, Permanent

Job = Callable[[CancelToken], Iterator[Any]]

GRACE_SECONDS = 5.0


class _Run:
    """One job in its thread. Everything it says carries its ticket."""

    def __init__(self, ticket: int, job: Job, name: str, after: _Run | None) -> None:
        self.ticket = ticket
        self.job = job
        self.cancel = CancelToken()
        self.after = after
        self.thread = threading.Thread(target=lambda: None, name=name, daemon=True)


class Worker(QObject):
    """Runs jobs of one kind, one at a time, in a thread of their own.

    `start`, `cancel` and `stop` are for the GUI thread, which is also where the signals arrive. A new `start` cancels what runs and begins
    after it; nothing of the old job is heard any more.
    """

    reported = Signal(int, object)  # ticket, event
    ended = Signal(int, object)  # ticket, LamplightError or None

    _said = Signal(int, object)
    _over = Signal(int, object)

    def __init__(self, name: str, parent: QObject | None = None, *, grace_seconds: float = GRACE_SECONDS) -> None:
        super().__init__(parent)
        self._name = name
        self._grace_seconds = grace_seconds
        self._ticket = 0
        self._run: _Run | None = None
        self._last: _Run | None = None
        self._runs: set[_Run] = set()
        self._said.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._over.connect(self._finish, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether a job runs whose end has not been reported yet."""
        return self._run is not None

    def start(self, job: Job) -> int:
        """Run `job`; returns the ticket its events carry."""
        if self._run is not None:
            self._run.cancel.cancel()
        self._ticket += 1
        run = _Run(self._ticket, job, self._name, self._last)
        run.thread = threading.Thread(target=self._work, args=(run,), name=self._name, daemon=True)
        self._run = self._last = run
        self._runs = {known for known in self._runs if known.thread.is_alive()} | {run}
        run.thread.start()
        return run.ticket

    def cancel(self) -> None:
        """Ask the job to stop. Its last events still arrive; a job that does not obey within the grace period is given up."""
        run = self._run
        if run is None or run.cancel.cancelled:
            return
        run.cancel.cancel()
        QTimer.singleShot(int(self._grace_seconds * 1000), self, lambda: self._give_up(run))

    def stop(self, seconds: float) -> bool:
        """Cancel everything and wait at most `seconds`; nothing is reported afterwards. Returns whether all threads ended."""
        self._run = None
        self._ticket += 1
        for run in self._runs:
            run.cancel.cancel()
        deadline = threading.Event()
        timer = threading.Timer(seconds, deadline.set)
        timer.daemon = True
        timer.start()
        for run in self._runs:
            while run.thread.is_alive() and not deadline.is_set():
                run.thread.join(0.02)
        timer.cancel()
        return not any(run.thread.is_alive() for run in self._runs)

    def _work(self, run: _Run) -> None:
        if run.after is not None:  # also after one that was given up: two jobs never write at the same time if it can be helped
            run.after.thread.join(self._grace_seconds)
            run.after = None
        error: LamplightError | None = None
        try:
            run.cancel.check()
            for event in run.job(run.cancel):
                self._said.emit(run.ticket, event)
        except Exception as failure:  # the top of the thread: a defect must become a sentence in the window, not a silent thread
            error = as_lamplight_error(failure)
        try:
            self._over.emit(run.ticket, error)
        except RuntimeError:  # the window is gone already
            return

    @Slot(int, object)
    def _deliver(self, ticket: int, event: object) -> None:
        if self._run is not None and ticket == self._run.ticket:
            self.reported.emit(ticket, event)

    @Slot(int, object)
    def _finish(self, ticket: int, error: object) -> None:
        if self._run is not None and ticket == self._run.ticket:
            self._run = None
            self.ended.emit(ticket, error)

    def _give_up(self, run: _Run) -> None:
        if self._run is run:
            self._run = None
            self.ended.emit(run.ticket, Cancelled())


class Errands(QObject):
    """Short calls to the stores, one after the other in one thread, so that the GUI thread never waits for a disk.

    `on_done` is called in the GUI thread with the result, `on_failed` with the error; without `on_failed` the error is reported by `failed`.
    """

    failed = Signal(object)  # LamplightError
    went_wrong = Signal(object)  # the same, also of errands with an `on_failed` of their own: for the log

    _settled = Signal(object, object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._stopped = False
        self._settled.connect(self._settle, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def do(
        self,
        errand: Callable[[], Any],
        on_done: Callable[[Any], None] | None = None,
        on_failed: Callable[[LamplightError], None] | None = None,
    ) -> None:
        """Run `errand` after all that were given before."""

        def run() -> None:
            try:
                result = errand()
            except Exception as failure:  # the top of the thread, as in Worker
                error = as_lamplight_error(failure)
                self._settled.emit(self.went_wrong.emit, error)
                self._settled.emit(on_failed or self.failed.emit, error)
            else:
                if on_done is not None:
                    self._settled.emit(on_done, result)

        if not self._stopped:
            self._queue.put(run)

    def stop(self, seconds: float) -> bool:
        """Finish what was given, at most `seconds` long; nothing is reported afterwards. Returns whether the thread ended."""
        self._stopped = True
        self._queue.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while (run := self._queue.get()) is not None:
            try:
                run()
            except RuntimeError:  # the window is gone already
                return

    @Slot(object, object)
    def _settle(self, report: Callable[[Any], None], result: object) -> None:
        if not self._stopped:
            report(result)


def as_lamplight_error(failure: Exception) -> LamplightError:
    """`failure` itself, or a defect of ours as an error that the window can show."""
    if isinstance(failure, LamplightError):
        return failure
    error = Permanent(f"Something went wrong inside Lamplight: {type(failure).__name__}: {failure}", code="defect")
    error.__cause__ = failure
    return error
