from __future__ import annotations

import re
import shutil
import subprocess
import typing
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLocale
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel
from pytestqt.qtbot import QtBot

from core.paths import PROGRAM
from core.settings import Settings
from desktop import translation
from desktop.error_text import ACTION_LABELS, ERRORS, LIMITS, NOTES, REASONS
from desktop.preferences.setting_words import FIELD_LABELS, OPTION_WORDS, SECTION_TITLES
from desktop.translation import TRANSLATIONS, compiled, install_language, system_language

SOURCE = TRANSLATIONS / "lamplight_zh_CN.ts"
Messages = dict[tuple[str, str], str]


def _messages(file: Path) -> Messages:
    """Every finished text of a translation file by context and source."""
    found: Messages = {}
    for context in ElementTree.parse(file).getroot().findall("context"):
        for message in context.findall("message"):
            words = message.find("translation")
            assert words is not None
            if words.get("type") is None and words.text:
                found[context.findtext("name", ""), message.findtext("source", "")] = words.text
    return found


@pytest.fixture(scope="module")
def chinese() -> Messages:
    return _messages(SOURCE)


def test_every_text_of_the_window_has_a_chinese_translation_and_none_is_left_over(tmp_path: Path) -> None:
    copy = tmp_path / SOURCE.name
    shutil.copyfile(SOURCE, copy)
    lupdate = translation._lrelease().with_name(translation._lrelease().name.replace("lrelease", "lupdate"))

    subprocess.run(
        [str(lupdate), "-silent", "-extensions", "py", "-no-obsolete", "-locations", "none", "desktop", "-ts", str(copy)],
        cwd=PROGRAM,
        check=True,
        capture_output=True,
    )

    sources = {
        (context.findtext("name", ""), message.findtext("source", ""))
        for context in ElementTree.parse(copy).getroot().findall("context")
        for message in context.findall("message")
    }
    finished = _messages(SOURCE).keys()
    assert sorted(sources - finished) == []
    assert sorted(finished - sources) == []


def test_no_text_got_the_context_of_another(chinese: Messages) -> None:
    # lupdate takes `a.b.translate(...)` for a context `a.b`; those texts would never be found.
    assert [place for place in chinese if "." in place[0] or place[0] in ("self", "QCoreApplication", "")] == []


def test_a_translation_keeps_every_blank(chinese: Messages) -> None:
    wrong = [
        source for (_, source), words in chinese.items() if sorted(re.findall(r"{\w+}", source)) != sorted(re.findall(r"{\w+}", words))
    ]

    assert wrong == []


def test_a_translation_keeps_a_files_form(chinese: Messages) -> None:
    wrong = [source for (_, source), words in chinese.items() if source.endswith("…") != words.endswith("…")]

    assert wrong == []


def test_every_error_reason_note_and_limit_is_translated(chinese: Messages) -> None:
    texts = [text for table in (ERRORS, REASONS, NOTES, LIMITS) for text in table.values()]
    sources = {text.title for text in texts} | {text.what_to_do for text in texts} | set(ACTION_LABELS.values())

    assert {source for source in sources if ("errors", source) not in chinese} == set()


def test_every_setting_is_translated(chinese: Messages) -> None:
    sections = [field.annotation for field in Settings.model_fields.values()]
    descriptions = [field.description for section in sections for field in typing.cast(typing.Any, section).model_fields.values()]
    sources = {*filter(None, descriptions), *SECTION_TITLES.values(), *FIELD_LABELS.values(), *OPTION_WORDS.values()}

    assert {source for source in sources if ("settings", source) not in chinese} == set()


class _Greeting(QLabel):
    """Repeats a text of the program whenever the language changes."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.setText(QCoreApplication.translate("errors", ERRORS["not_enough_disk"].title))


def test_the_language_switches_while_the_window_is_open(app: QApplication, qtbot: QtBot) -> None:
    label = _Greeting()
    qtbot.addWidget(label)

    assert install_language(app, "zh_CN") == "zh_CN"
    QApplication.processEvents()
    assert label.text() == "磁盘已满。"

    assert install_language(app, "en") == "en"
    QApplication.processEvents()
    assert label.text() == "The disk is full."


def test_qts_own_buttons_speak_the_language_too(app: QApplication, qtbot: QtBot) -> None:
    install_language(app, "zh_CN")

    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)

    assert box.button(QDialogButtonBox.StandardButton.Cancel).text() == "取消"


def test_switching_often_leaves_nothing_behind(app: QApplication) -> None:
    for _ in range(3):
        install_language(app, "zh_CN")
    install_language(app, "en")

    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [child for child in app.children() if type(child).__name__ == "_Words"] == []


@pytest.mark.parametrize(("locale", "language"), [("zh_CN", "zh_CN"), ("zh_TW", "zh_CN"), ("de_DE", "en"), ("en_GB", "en"), ("C", "en")])
def test_the_system_picks_a_language_the_window_has(locale: str, language: str) -> None:
    assert system_language(QLocale(locale)) == language


def test_a_missing_compiled_file_is_made_and_a_fresh_one_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "words.ts"
    shutil.copyfile(SOURCE, source)

    made = compiled(source, cache=tmp_path / "cache")
    assert made == tmp_path / "words.qm"
    before = made.stat().st_mtime_ns

    assert compiled(source, cache=tmp_path / "cache") == made
    assert made.stat().st_mtime_ns == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["words.qm", "words.ts"]


def test_where_the_program_may_not_write_the_cache_takes_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "program" / "words.ts"
    source.parent.mkdir()
    shutil.copyfile(SOURCE, source)
    really_replace = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if target.parent == source.parent:
            raise PermissionError(target)
        return really_replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)

    assert compiled(source, cache=tmp_path / "cache") == tmp_path / "cache" / "words.qm"
    assert [path.name for path in source.parent.iterdir()] == ["words.ts"]


def test_words_that_cannot_be_compiled_leave_the_window_in_english(
    app: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / SOURCE.name).write_text("no translation file", encoding="utf-8")
    monkeypatch.setattr(translation, "TRANSLATIONS", tmp_path)

    assert install_language(app, "zh_CN", cache=tmp_path / "cache") == "en"
