"""What the settings are called in the dialog. The help texts under them are the descriptions in `core/settings.py`.

`DESCRIPTIONS` repeats those so that lupdate sees them; `tests/desktop/preferences/test_setting_words.py` says what to write here
when a setting is added or its description changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate

EditorKind = Literal["chat_model", "embedder", "address"]


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark `text` for the translation files and return it unchanged."""
    return text


SECTION_TITLES: Mapping[str, str] = {
    "models": QT_TRANSLATE_NOOP("settings", "Models"),
    "answers": QT_TRANSLATE_NOOP("settings", "Answers"),
    "web": QT_TRANSLATE_NOOP("settings", "Web"),
    "appearance": QT_TRANSLATE_NOOP("settings", "Appearance"),
}

SECTION_ICONS: Mapping[str, str] = {"models": "model", "answers": "conversation", "web": "web", "appearance": "appearance"}

FIELD_LABELS: Mapping[tuple[str, str], str] = {
    ("models", "chat_model"): QT_TRANSLATE_NOOP("settings", "Chat model"),
    ("models", "embedder"): QT_TRANSLATE_NOOP("settings", "Embedding model"),
    ("models", "context_tokens"): QT_TRANSLATE_NOOP("settings", "Context size"),
    ("models", "threads"): QT_TRANSLATE_NOOP("settings", "Processor threads"),
    ("answers", "budget"): QT_TRANSLATE_NOOP("settings", "Thoroughness"),
    ("answers", "own_knowledge"): QT_TRANSLATE_NOOP("settings", "The model's own knowledge"),
    ("answers", "max_retrievals"): QT_TRANSLATE_NOOP("settings", "Lookups per question"),
    ("web", "mode"): QT_TRANSLATE_NOOP("settings", "Web fallback"),
    ("web", "engine_url"): QT_TRANSLATE_NOOP("settings", "Search server"),
    ("appearance", "theme"): QT_TRANSLATE_NOOP("settings", "Theme"),
    ("appearance", "language"): QT_TRANSLATE_NOOP("settings", "Language"),
}

OPTION_WORDS: Mapping[tuple[str, str, str], str] = {
    ("answers", "budget", "quick"): QT_TRANSLATE_NOOP("settings", "Quick"),
    ("answers", "budget", "careful"): QT_TRANSLATE_NOOP("settings", "Careful"),
    ("answers", "budget", "exhaustive"): QT_TRANSLATE_NOOP("settings", "Exhaustive"),
    ("web", "mode", "off"): QT_TRANSLATE_NOOP("settings", "Off"),
    ("web", "mode", "ask"): QT_TRANSLATE_NOOP("settings", "Ask before every search"),
    ("web", "mode", "auto"): QT_TRANSLATE_NOOP("settings", "Automatic"),
    ("appearance", "theme", "system"): QT_TRANSLATE_NOOP("settings", "As the system"),
    ("appearance", "theme", "light"): QT_TRANSLATE_NOOP("settings", "Light"),
    ("appearance", "theme", "dark"): QT_TRANSLATE_NOOP("settings", "Dark"),
    ("appearance", "language", "system"): QT_TRANSLATE_NOOP("settings", "As the system"),
    # A language is named in itself, so that whoever cannot read the others finds it.
    ("appearance", "language", "en"): QT_TRANSLATE_NOOP("settings", "English"),
    ("appearance", "language", "zh_CN"): QT_TRANSLATE_NOOP("settings", "简体中文"),
}

DESCRIPTIONS: frozenset[str] = frozenset(
    {
        QT_TRANSLATE_NOOP("settings", "Chat model: a catalogue id or a GGUF file. Empty uses the best installed one."),
        QT_TRANSLATE_NOOP(
            "settings", "Embedding model: a catalogue id or a sentence-transformers folder. Empty uses the best installed one."
        ),
        QT_TRANSLATE_NOOP("settings", "Context size in tokens: how much the model can read at once. More needs more memory."),
        QT_TRANSLATE_NOOP("settings", "Processor threads for the models. 0 uses what the machine has."),
        QT_TRANSLATE_NOOP("settings", "How much work goes into an answer: quick, careful or exhaustive."),
        QT_TRANSLATE_NOOP("settings", "When your files do not say, add what the model itself knows, plainly marked."),
        QT_TRANSLATE_NOOP("settings", "How many lookups one question may take at most."),
        QT_TRANSLATE_NOOP(
            "settings",
            "Web fallback: off, ask before every search, or automatic. Only the question's words ever leave this computer.",
        ),
        QT_TRANSLATE_NOOP(
            "settings", "Address of your own search server that answers as DuckDuckGo's HTML page does. Empty uses DuckDuckGo."
        ),
        QT_TRANSLATE_NOOP("settings", "Light or dark window, or whatever the system uses."),
        QT_TRANSLATE_NOOP("settings", "Language of the window."),
        QT_TRANSLATE_NOOP("settings", "Which models think and search."),
        QT_TRANSLATE_NOOP("settings", "How questions are answered."),
        QT_TRANSLATE_NOOP("settings", "Whether the web may be asked when the files do not say."),
        QT_TRANSLATE_NOOP("settings", "How the window looks."),
    }
)

SPECIAL_VALUES: Mapping[tuple[str, str], str] = {("models", "threads"): QT_TRANSLATE_NOOP("settings", "Automatic")}

# What kind of text a text setting holds; a text setting without an entry is free text.
TEXT_KINDS: Mapping[tuple[str, str], EditorKind] = {
    ("models", "chat_model"): "chat_model",
    ("models", "embedder"): "embedder",
    ("web", "engine_url"): "address",
}


def section_title(section: str) -> str:
    """The heading of a section in the window's language."""
    return translate("settings", SECTION_TITLES[section])


def field_label(section: str, name: str) -> str:
    """The name of a setting in the window's language."""
    return translate("settings", FIELD_LABELS[section, name])


def option_word(section: str, name: str, option: str) -> str:
    """One choice of a setting in the window's language."""
    return translate("settings", OPTION_WORDS[section, name, option])


def described(text: str) -> str:
    """A description of `core/settings.py` in the window's language."""
    return translate("settings", text)
