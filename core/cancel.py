"""Stopping a run from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from core.errors import Cancelled

T = TypeVar("T")


class CancelToken:
    """Cancelled from one thread, obeyed in another. A token is used for one run and never reset."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask the run to stop; wakes everything that waits on this token. Safe to call twice and from any thread."""
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def check(self) -> None:
        """Raise `Cancelled` if somebody asked to stop."""
        if self.cancelled:
            raise Cancelled()

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds`; return whether the token was cancelled."""
        return self._event.wait(seconds)

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` once on cancellation (at once if already cancelled). Returns a function that takes it back."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return lambda: self._forget(callback)
        callback()
        return lambda: None

    def _forget(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)


class Aside(Generic[T]):
    """Work in a thread of its own, begun when this is made."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._over = threading.Event()
        self._results: list[T] = []
        self._failures: list[BaseException] = []
        self._work = work
        threading.Thread(target=self._do, name="aside", daemon=True).start()

    def _do(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as failure:
            self._failures.append(failure)
        self._over.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait at most `seconds`; returns whether the work is over."""
        return self._over.wait(seconds)

    def leave(self) -> None:
        """Whoever waits need not wait any longer."""
        self._over.set()

    def result(self) -> T:
        """What the work made; raises what it raised. Only when it is over."""
        if self._failures:
            raise self._failures[0]
        return self._results[0]

    def waited(self) -> T:
        """The same, after waiting for it."""
        self._over.wait()
        return self.result()


def until_cancelled(work: Callable[[], T], cancel: CancelToken) -> T:
    """Do work that looks at no token, in a thread of its own, and leave it behind as soon as `cancel` is cancelled.

    For work that ends by itself and changes nothing: its result is thrown away then. Raises what the work raises, and `Cancelled`.
    """
    aside = Aside(work)
    forget = cancel.on_cancel(aside.leave)
    try:
        aside.wait()
    finally:
        forget()
    cancel.check()
    return aside.result()
