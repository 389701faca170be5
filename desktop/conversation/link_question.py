"""Asks before a link leaves the window: the whole address is shown, and what is suspicious about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import unquote

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from desktop.widgets.safe_text import LONG_ADDRESS, opens_in_browser

COPIED_CHARACTERS = 24


def carries_text(address: str, passages: Sequence[str]) -> bool:
    """Whether the address repeats 24 or more characters of a passage: a sign that a text tries to send itself somewhere."""
    known = _letters(unquote(address))
    for passage in passages:
        letters = _letters(passage)
        if any(letters[at : at + COPIED_CHARACTERS] in known for at in range(max(0, len(letters) - COPIED_CHARACTERS + 1))):
            return True
    return False


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def warnings_for(address: str, passages: Sequence[str]) -> list[str]:
    """What to say about a suspicious address, in the window's language."""
    found = []
    if len(address) > LONG_ADDRESS:
        found.append(
            QCoreApplication.translate(
                "LinkQuestion", "This address is unusually long. Long addresses can carry text away from your computer."
            )
        )
    if carries_text(address, passages):
        found.append(
            QCoreApplication.translate(
                "LinkQuestion", "This address contains text from your files. Opening it would send that text to the site."
            )
        )
    return found


def ask_to_open(
    parent: QWidget, address: str, passages: Sequence[str] = (), open_url: Callable[[QUrl], object] | None = None
) -> QMessageBox | None:
    """Show the full address and open it in the browser only after a yes. Other addresses than web addresses open nothing."""
    url = QUrl(address, QUrl.ParsingMode.StrictMode)
    if not opens_in_browser(url):
        return None
    box = QMessageBox(parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(QCoreApplication.translate("LinkQuestion", "Open a link"))
    box.setText(QCoreApplication.translate("LinkQuestion", "Open this address in your browser?"))
    # Zero-width spaces only in what is shown: a long address has no place to break otherwise.
    shown = "\u200b".join(address[at : at + 20] for at in range(0, len(address), 20))
    box.setInformativeText("\n\n".join([shown, *warnings_for(address, passages)]))
    yes = box.addButton(QCoreApplication.translate("LinkQuestion", "Open in the browser"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QCoreApplication.translate("LinkQuestion", "Don't open"), QMessageBox.ButtonRole.RejectRole))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    opener = open_url or QDesktopServices.openUrl
    yes.clicked.connect(lambda: opener(url))
    box.open()
    return box
