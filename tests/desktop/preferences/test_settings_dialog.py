from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.settings import AnswerSettings, AppearanceSettings, ModelSettings, Settings, WebSettings
from desktop.preferences.field_editors import NumberEditor, OptionList, PathEditor, make_editor
from desktop.preferences.settings_dialog import SettingsDialog
from desktop.theme import apply_theme
from desktop.translation import install_language

OK = QDialogButtonBox.StandardButton.Ok
CHANGED = Settings(
    models=ModelSettings(chat_model="smollm2-135m", embedder="all-minilm-l6-v2", context_tokens=8192, threads=2),
    answers=AnswerSettings(budget="quick", own_knowledge=False, max_retrievals=3),
    web=WebSettings(mode="ask", engine_url="http://127.0.0.1:8080/html"),
    appearance=AppearanceSettings(theme="dark", language="zh_CN"),
)


def _dialog(qtbot: QtBot, settings: Settings | None = None) -> SettingsDialog:
    dialog = SettingsDialog(settings or Settings())
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


@pytest.fixture
def dialog(qtbot: QtBot) -> SettingsDialog:
    return _dialog(qtbot)


def _line(dialog: SettingsDialog, section: str, name: str) -> QLineEdit:
    editor = dialog.rows[section, name].editor
    assert isinstance(editor, QWidget)
    return editor.findChildren(QLineEdit)[0]


def test_every_setting_of_the_model_is_in_the_dialog(dialog: SettingsDialog) -> None:
    settings = Settings()

    assert set(dialog.rows) == {
        (section, name) for section in Settings.model_fields for name in type(getattr(settings, section)).model_fields
    }
    assert [dialog.navigation.item(row).text() for row in range(dialog.navigation.count())] == ["Models", "Answers", "Web", "Appearance"]


@pytest.mark.parametrize("settings", [Settings(), CHANGED])
def test_the_dialog_gives_back_what_it_was_given(qtbot: QtBot, settings: Settings) -> None:
    dialog = _dialog(qtbot, settings)

    with qtbot.waitSignal(dialog.settings_accepted) as accepted:
        qtbot.mouseClick(dialog.buttons.button(OK), Qt.MouseButton.LeftButton)

    assert accepted.args == [settings]
    assert not dialog.isVisible()


def test_cancel_changes_nothing(qtbot: QtBot, dialog: SettingsDialog) -> None:
    with qtbot.assertNotEmitted(dialog.settings_accepted):
        dialog.reject()


def test_defaults_come_back_at_the_press_of_a_button(qtbot: QtBot) -> None:
    dialog = _dialog(qtbot, CHANGED)

    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults), Qt.MouseButton.LeftButton)

    assert dialog.settings() == Settings()
    assert dialog.isVisible()


def test_what_is_wrong_is_said_beside_the_field_and_holds_ok_back(qtbot: QtBot, dialog: SettingsDialog) -> None:
    row = dialog.rows["models", "chat_model"]

    _line(dialog, "models", "chat_model").setText("/nowhere/model.gguf")
    assert row.problem_text == "There is no file here."
    assert not dialog.buttons.button(OK).isEnabled()

    _line(dialog, "models", "chat_model").setText("")
    assert row.problem_text == ""
    assert dialog.buttons.button(OK).isEnabled()


def test_return_with_a_wrong_field_goes_to_that_field(qtbot: QtBot, dialog: SettingsDialog) -> None:
    _line(dialog, "web", "engine_url").setText("no address")

    with qtbot.assertNotEmitted(dialog.settings_accepted):
        dialog.accept()

    assert dialog.navigation.currentRow() == 2
    assert dialog.isVisible()


def test_a_wrong_field_is_told_to_the_screen_reader(dialog: SettingsDialog) -> None:
    editor = dialog.rows["web", "engine_url"].editor
    assert isinstance(editor, QWidget)
    assert editor.accessibleDescription().startswith("Address of your own search server")

    _line(dialog, "web", "engine_url").setText("no address")

    assert editor.accessibleDescription().startswith("This is not a web address")


def test_the_browse_button_puts_the_chosen_file_into_the_line(qtbot: QtBot, dialog: SettingsDialog, tmp_path: Path) -> None:
    model = tmp_path / "model.gguf"
    model.touch()
    editor = dialog.rows["models", "chat_model"].editor
    assert isinstance(editor, PathEditor)
    editor.ask_for_place = lambda start: str(model)

    qtbot.mouseClick(editor.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)

    assert editor.value() == str(model)
    assert dialog.settings().models.chat_model == str(model)


def test_a_number_cannot_leave_its_bounds(dialog: SettingsDialog) -> None:
    box = dialog.rows["models", "context_tokens"].editor.findChildren(QSpinBox)[0]  # type: ignore[attr-defined]

    box.setValue(5)
    assert dialog.settings().models.context_tokens == 1024
    box.setValue(10**9)
    assert dialog.settings().models.context_tokens == 131072


def test_the_wheel_over_a_field_does_not_change_it(dialog: SettingsDialog) -> None:
    box = dialog.rows["models", "context_tokens"].editor.findChildren(QSpinBox)[0]  # type: ignore[attr-defined]
    box.clearFocus()
    wheel = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, 120), QPoint(0, 120), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip

    QApplication.sendEvent(box, wheel)

    assert box.value() == 4096


class _MoreSettings(BaseModel):
    share: float = Field(0.5, ge=0, le=1)
    theme: Literal["a", "b", "c", "d"] = "a"
    names: list[str] = Field(default_factory=list)


def test_a_new_kind_of_setting_gets_its_editor_or_a_clear_refusal(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    from desktop.preferences import setting_words

    monkeypatch.setattr(setting_words, "OPTION_WORDS", {("appearance", "theme", option): option for option in "abcd"})
    fields = _MoreSettings.model_fields

    share: Any = make_editor("appearance", "theme", fields["share"])
    theme: Any = make_editor("appearance", "theme", fields["theme"])
    for editor in (share, theme):
        qtbot.addWidget(editor)
    share.set_value(0.25)
    theme.set_value("c")

    assert isinstance(share, NumberEditor) and share.value() == 0.25
    assert isinstance(theme, OptionList) and theme.value() == "c"
    with pytest.raises(TypeError, match=r"No editor for the setting appearance\.names"):
        make_editor("appearance", "names", fields["names"])


def test_every_control_has_a_name_for_the_screen_reader(dialog: SettingsDialog) -> None:
    kinds = (QComboBox, QRadioButton, QCheckBox, QSpinBox)
    controls = [control for kind in kinds for control in dialog.findChildren(kind)]

    assert controls
    assert all(control.accessibleName() for control in controls)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_no_word_is_cut_off(qtbot: QtBot, app: QApplication, language: str, scale: float) -> None:
    font = QFont(app.font())
    font.setPointSizeF(font.pointSizeF() * scale)
    app.setFont(font)
    apply_theme(app, "light")
    install_language(app, language)  # type: ignore[arg-type]
    dialog = _dialog(qtbot)

    for page in range(dialog.navigation.count()):
        dialog.navigation.setCurrentRow(page)
        QApplication.processEvents()
        visible = [label for label in dialog.findChildren(QLabel) if label.isVisible() and label.text()]
        buttons = [button for button in dialog.findChildren(QPushButton) if button.isVisible()]
        assert visible
        assert [label.text() for label in visible if label.height() < label.heightForWidth(label.width())] == []
        assert [button.text() for button in buttons if button.width() < button.sizeHint().width()] == []
    longest = max(dialog.navigation.sizeHintForColumn(0), 0)
    assert dialog.navigation.viewport().width() >= longest


def test_the_dialog_speaks_another_language_at_once(qtbot: QtBot, app: QApplication) -> None:
    dialog = _dialog(qtbot)

    install_language(app, "zh_CN")
    QApplication.processEvents()

    assert dialog.windowTitle() == "设置"
    assert dialog.navigation.item(1).text() == "回答"
    assert dialog.buttons.button(OK).text() == "确定"
    assert "快速" in [button.text() for button in dialog.findChildren(QRadioButton)]
