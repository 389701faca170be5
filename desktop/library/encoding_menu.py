"""The menu in which a person says what encoding a file is in."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from core.library.encodings import AUTO, USUAL_ENCODINGS
from desktop.error_text import QT_TRANSLATE_NOOP
from desktop.library.document_words import encoding_name

translate = QCoreApplication.translate

_WRITTEN_IN = {
    "utf-8": QT_TRANSLATE_NOOP("Encodings", "all languages"),
    "utf-16": QT_TRANSLATE_NOOP("Encodings", "all languages"),
    "gb18030": QT_TRANSLATE_NOOP("Encodings", "Chinese, simplified"),
    "big5hkscs": QT_TRANSLATE_NOOP("Encodings", "Chinese, traditional"),
    "cp932": QT_TRANSLATE_NOOP("Encodings", "Japanese"),
    "euc_jp": QT_TRANSLATE_NOOP("Encodings", "Japanese"),
    "cp949": QT_TRANSLATE_NOOP("Encodings", "Korean"),
    "cp1252": QT_TRANSLATE_NOOP("Encodings", "Western Europe"),
    "cp1250": QT_TRANSLATE_NOOP("Encodings", "Central Europe"),
    "cp1251": QT_TRANSLATE_NOOP("Encodings", "Cyrillic"),
    "koi8-r": QT_TRANSLATE_NOOP("Encodings", "Cyrillic"),
    "cp1253": QT_TRANSLATE_NOOP("Encodings", "Greek"),
    "cp1254": QT_TRANSLATE_NOOP("Encodings", "Turkish"),
    "cp1255": QT_TRANSLATE_NOOP("Encodings", "Hebrew"),
    "cp1256": QT_TRANSLATE_NOOP("Encodings", "Arabic"),
    "cp874": QT_TRANSLATE_NOOP("Encodings", "Thai"),
}


def encoding_menu(menu: QMenu, encoding: str, *, is_chosen: bool, choose: Callable[[str], None]) -> QMenu:
    """A submenu of `menu` with the encodings that files are in; `choose` is told which, or "auto".

    `encoding` is what the file is read in now; `is_chosen` says that the person chose it and did not leave it to the program.
    """
    inside = menu.addMenu(translate("Encodings", "Encoding"))
    group = QActionGroup(inside)
    automatic = translate("Encodings", "Automatic")
    if encoding and not is_chosen:
        automatic = translate("Encodings", "Automatic ({encoding})").replace("{encoding}", encoding_name(encoding))
    _add(inside, group, automatic, AUTO, not is_chosen, choose)
    inside.addSeparator()
    names = USUAL_ENCODINGS if not is_chosen or encoding in USUAL_ENCODINGS else (encoding, *USUAL_ENCODINGS)
    for name in names:
        written_in = _WRITTEN_IN.get(name)
        words = f"{encoding_name(name)} · {translate('Encodings', written_in)}" if written_in else encoding_name(name)
        _add(inside, group, words, name, is_chosen and name == encoding, choose)
    return inside


def _add(menu: QMenu, group: QActionGroup, words: str, encoding: str, is_current: bool, choose: Callable[[str], None]) -> None:
    action = QAction(words, menu)
    action.setCheckable(True)
    action.setChecked(is_current)
    action.setData(encoding)
    action.triggered.connect(lambda: choose(encoding))
    group.addAction(action)
    menu.addAction(action)
