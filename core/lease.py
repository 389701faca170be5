"""Who may use the processor's cores: asking has priority over indexing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from core.cancel import CancelToken


class ComputeLease:
    """Indexing waits between batches while a question is being answered. Safe to use from any thread."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._questions = 0

    @property
    def busy(self) -> bool:
        """Whether a question is being answered now."""
        return self._questions > 0

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Hold the cores for a question. Never waits; several questions may hold them at once."""
        with self._condition:
            self._questions += 1
        try:
            yield
        finally:
            with self._condition:
                self._questions -= 1
                self._condition.notify_all()

    def wait_until_free(self, cancel: CancelToken, seconds: float | None = None) -> bool:
        """Wait until no question is being answered, at most `seconds`; returns whether that is so. Raises `Cancelled` as soon as `cancel` is."""
        forget = cancel.on_cancel(self._wake)
        try:
            with self._condition:
                is_free = self._condition.wait_for(lambda: self._questions == 0 or cancel.cancelled, seconds)
        finally:
            forget()
        cancel.check()
        return is_free

    def _wake(self) -> None:
        with self._condition:
            self._condition.notify_all()
