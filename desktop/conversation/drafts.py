"""What stands in the question box and was not sent, for each conversation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from desktop.worker import Errands

if TYPE_CHECKING:
    from core.store.user_store import UserStore

SAVE_AFTER_MS = 800


class Drafts(QObject):
    """Drafts by conversation. They reach the disk a moment after the last key, and at once with `save`."""

    def __init__(self, errands: Errands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._errands = errands
        self._store: UserStore | None = None
        self._texts: dict[int, str] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)

    def use(self, store: UserStore | None) -> None:
        """Where drafts are kept from now on; None: nowhere, for the store is about to be closed."""
        self._store = store

    def keep(self, conversation_id: int, text: str) -> None:
        """The box of a conversation holds this text now."""
        self._texts[conversation_id] = text
        self._timer.start()

    def forget(self, conversation_id: int) -> None:
        """The draft was sent, or its conversation is gone."""
        self._texts.pop(conversation_id, None)

    def save(self) -> None:
        """Put what was typed on the disk."""
        self._timer.stop()
        texts, self._texts = self._texts, {}
        if self._store is not None:
            for conversation_id, text in texts.items():
                self._errands.do(partial(self._store.save_draft, conversation_id, text))
