"""The language of the window: picks it, loads the translation files, and switches while the window is open.

Sources are `resources/translations/lamplight_<language>.ts`; Qt reads the `.qm` beside it, which is compiled here when it is
missing or older. To bring the sources up to date after changing a text, run in the project folder

    pyside6-lupdate -extensions py -no-obsolete -locations none desktop -ts resources/translations/lamplight_zh_CN.ts
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import PySide6
from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from core.paths import RESOURCES, default_home
from core.settings import Language

TRANSLATIONS = RESOURCES / "translations"
_log = logging.getLogger(__name__)
_COMPILE_SECONDS = 20


def system_language(locale: QLocale | None = None) -> Language:
    """The language of the system that the window has words for: Chinese of any script reads Simplified, all others English."""
    return "zh_CN" if (locale or QLocale.system()).language() == QLocale.Language.Chinese else "en"


def install_language(app: QCoreApplication, language: Language, *, cache: Path | None = None) -> Language:
    """Let every window of `app` speak `language`, at once; returns the language in use, which is never "system".

    Every open widget gets a `QEvent.LanguageChange`. `cache` takes the compiled file when the program's folder cannot be
    written (default: the cache of the home folder). If the words cannot be loaded the window speaks English.
    """
    chosen = system_language() if language == "system" else language
    for old in app.findChildren(_Words):
        app.removeTranslator(old)
        old.setParent(None)
        old.deleteLater()
    QLocale.setDefault(QLocale(chosen))
    if chosen == "en":
        return chosen
    ours = compiled(TRANSLATIONS / f"lamplight_{chosen}.ts", cache=cache)
    if ours is None:
        return "en"
    # Qt asks the translator that was installed last first: ours has the last word over Qt's own button labels.
    _install(app, Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)) / f"qtbase_{chosen}.qm")
    return chosen if _install(app, ours) else "en"


def compiled(source: Path, *, cache: Path | None = None) -> Path | None:
    """The `.qm` of a `.ts`, made anew when it is missing or older than its source; None when it cannot be made."""
    folders = [source.parent, cache or default_home() / "cache"]
    for folder in folders:
        target = folder / f"{source.stem}.qm"
        if _is_fresh(target, source):
            return target
    for folder in folders:
        target = folder / f"{source.stem}.qm"
        if _compile(source, target):
            return target
    return None


class _Words(QTranslator):
    """A translator this module installed, so that it finds its own again."""


def _install(app: QCoreApplication, file: Path) -> bool:
    words = _Words(app)
    if words.load(str(file)):
        app.installTranslator(words)
        return True
    _log.warning("The translation file %s cannot be loaded.", file)
    words.setParent(None)
    return False


def _is_fresh(target: Path, source: Path) -> bool:
    try:
        return target.stat().st_mtime_ns >= source.stat().st_mtime_ns
    except OSError:
        return False


def _compile(source: Path, target: Path) -> bool:
    beside = target.with_name(f"{target.stem}.{os.getpid()}.qm")  # two windows may start at once
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [str(_lrelease()), "-silent", str(source), "-qm", str(beside)],
            check=True,
            capture_output=True,
            timeout=_COMPILE_SECONDS,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        beside.replace(target)
    except (OSError, subprocess.SubprocessError) as error:
        _log.info("%s cannot be compiled into %s: %s", source.name, target.parent, error)
        beside.unlink(missing_ok=True)
        return False
    return True


def _lrelease() -> Path:
    """Qt's compiler for translation files; it ships in the PySide6 package, where on macOS and Linux tools lie in different folders."""
    package = Path(PySide6.__file__).parent
    name = "lrelease.exe" if sys.platform == "win32" else "lrelease"
    candidates = [package / name, package / "Qt" / "libexec" / name]
    return next((found for found in candidates if found.is_file()), candidates[0])
