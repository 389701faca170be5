from __future__ import annotations

from typing import Any, cast

import pytest
from pydantic import BaseModel
from PySide6.QtGui import QIcon
from pytestqt.qtbot import QtBot

from core.settings import Settings
from desktop.preferences.field_editors import literal_options, make_editor
from desktop.preferences.setting_words import (
    DESCRIPTIONS,
    FIELD_LABELS,
    OPTION_WORDS,
    SECTION_ICONS,
    SECTION_TITLES,
    SPECIAL_VALUES,
    TEXT_KINDS,
)
from desktop.theme import icon

SECTIONS = {name: cast(type[BaseModel], field.annotation) for name, field in Settings.model_fields.items()}
FIELDS = [(section, name, field) for section, model in SECTIONS.items() for name, field in model.model_fields.items()]
PLACES = {(section, name) for section, name, _ in FIELDS}


def test_every_section_has_a_title_and_a_drawing(qtbot: QtBot) -> None:
    assert SECTION_TITLES.keys() == SECTIONS.keys()
    assert all(isinstance(icon(SECTION_ICONS[section]), QIcon) for section in SECTIONS)


def test_every_setting_has_a_name_and_no_name_is_left_over() -> None:
    assert FIELD_LABELS.keys() == PLACES


def test_every_option_has_words_and_no_word_is_left_over() -> None:
    options = {(section, name, option) for section, name, field in FIELDS for option in literal_options(field.annotation)}

    assert OPTION_WORDS.keys() == options


def test_the_registry_repeats_every_description() -> None:
    wanted = {field.description for _, _, field in FIELDS} | {(model.__doc__ or "").split("\n")[0] for model in SECTIONS.values()}
    missing, left_over = wanted - DESCRIPTIONS, DESCRIPTIONS - wanted

    assert not missing, "add to DESCRIPTIONS in desktop/preferences/setting_words.py:\n" + "\n".join(
        f'    QT_TRANSLATE_NOOP("settings", {text!r}),' for text in missing
    )
    assert not left_over, f"take out of DESCRIPTIONS: {left_over}"


def test_special_values_and_text_kinds_name_settings_that_exist() -> None:
    assert SPECIAL_VALUES.keys() <= PLACES
    assert TEXT_KINDS.keys() <= PLACES


@pytest.mark.parametrize(("section", "name", "field"), FIELDS, ids=lambda part: part if isinstance(part, str) else "")
def test_every_setting_has_an_editor_that_gives_back_its_default(section: str, name: str, field: Any, qtbot: QtBot) -> None:
    editor = make_editor(section, name, field)
    qtbot.addWidget(cast(Any, editor))

    editor.set_value(field.default)

    assert editor.value() == field.default
    assert editor.problem() == ""
