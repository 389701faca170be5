"""The list that opens at an @ in the question box: files and folders to restrict the question to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QStringListModel, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit

from desktop.conversation.places import Place, matching

# Not in an address: a@b. A Chinese character may stand right before it.
_MENTION = re.compile(r"(?<![A-Za-z0-9._%+-])@([^\s@]{0,60})$")
_WIDTH = 420
_MOST = 200


class PlaceCompleter(QObject):
    """Offers places for what is typed behind an @. The @ and what follows it go when one is chosen; nothing of it reaches a model."""

    wanted = Signal()  # an @ was typed: which places are there?
    chosen = Signal(object)  # Path

    def __init__(self, edit: QPlainTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._places: tuple[Place, ...] = ()
        self._asked = False
        self._words = QStringListModel(self)
        self.completer = QCompleter(self._words, self)
        self.popup = QListView()
        self.popup.setObjectName("places")
        self.completer.setPopup(self.popup)  # which is the completer's from then on
        self.completer.setWidget(edit)
        # What fits is chosen here and in a better order than the completer's, which knows no better and worse.
        self.completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.completer.activated[QModelIndex].connect(self._choose)  # type: ignore[index]  # the stubs know no overloads of signals
        edit.textChanged.connect(self._follow)

    @property
    def is_open(self) -> bool:
        """Whether the list is shown: then Enter, Tab and Escape are its keys."""
        return self.popup.isVisible()

    def offer(self, places: Sequence[Place]) -> None:
        """These are the places there are now."""
        self._places = tuple(places)
        self._show()

    def _follow(self) -> None:
        if self._mention() is None:
            self._asked = False
            self.popup.hide()
        elif not self._asked:
            self._asked = True
            self.wanted.emit()
        else:
            self._show()

    def _show(self) -> None:
        mention = self._mention()
        if mention is None or not self._edit.hasFocus():
            return
        self._words.setStringList([place.words for place in matching(self._places, mention[1])[:_MOST]])
        if not self.completer.completionCount():
            self.popup.hide()
            return
        place = self._edit.cursorRect()
        place.setWidth(_WIDTH)
        self.completer.complete(place)
        self.popup.setCurrentIndex(self.completer.completionModel().index(0, 0))

    def _mention(self) -> re.Match[str] | None:
        cursor = self._edit.textCursor()
        # Qt counts UTF-16 units, Python does not: the text is taken by the cursor, not cut by its position.
        cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock, QTextCursor.MoveMode.KeepAnchor)
        return _MENTION.search(cursor.selectedText())

    def _choose(self, index: QModelIndex) -> None:
        mention = self._mention()
        words = index.data()
        place = next((place for place in self._places if place.words == words), None)
        if mention is None or place is None:
            return
        cursor = self._edit.textCursor()
        cursor.setPosition(cursor.position() - len(mention[0].encode("utf-16-le")) // 2, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self.chosen.emit(place.path)
