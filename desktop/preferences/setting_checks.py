"""What is wrong with a text a person typed into a setting. Qt-free except for the words; looks at the disk, never at the network."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication

from desktop.preferences.setting_words import EditorKind

translate = QCoreApplication.translate
_FOLDER_MARK = "modules.json"


def problem_with(kind: EditorKind | None, text: str) -> str:
    """One sentence in the window's language, or empty when the text can be used. An empty text always can: it means the default."""
    if not text:
        return ""
    match kind:
        case "chat_model":
            return _chat_model_problem(text)
        case "embedder":
            return _embedder_problem(text)
        case "address":
            return _address_problem(text)
        case None:
            return ""


def looks_like_path(text: str) -> bool:
    """Whether the text names a place on the disk rather than a model of the catalogue."""
    return "/" in text or "\\" in text or text.startswith("~") or text.lower().endswith(".gguf")


def _chat_model_problem(text: str) -> str:
    if not looks_like_path(text):
        return _id_problem(text)
    path = Path(os.path.expanduser(text))
    if path.is_dir():
        return translate("SettingChecks", "This is a folder. Choose the .gguf file in it.")
    if not path.is_file():
        return translate("SettingChecks", "There is no file here.")
    if path.suffix.lower() != ".gguf":
        return translate("SettingChecks", "This is not a .gguf file.")
    return ""


def _embedder_problem(text: str) -> str:
    if not looks_like_path(text):
        return _id_problem(text)
    path = Path(os.path.expanduser(text))
    if not path.is_dir():
        return translate("SettingChecks", "There is no folder here.")
    if not (path / _FOLDER_MARK).is_file():
        return translate("SettingChecks", "This folder is not a sentence-transformers model: it has no modules.json.")
    return ""


def _id_problem(text: str) -> str:
    if text.replace("-", "").replace("_", "").replace(".", "").isalnum() and text.isascii():
        return ""
    return translate("SettingChecks", "This is neither a model's name nor a place on this computer.")


def _address_problem(text: str) -> str:
    try:
        address = urlsplit(text)
        usable = address.scheme in ("http", "https") and bool(address.hostname) and (address.port is None or address.port > 0)
    except ValueError:
        usable = False
    return "" if usable else translate("SettingChecks", "This is not a web address. One looks like http://127.0.0.1:8080/html.")
