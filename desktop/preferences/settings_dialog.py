"""The settings, built from the settings model: a section is a page, a field is an editor with its description under it."""

from __future__ import annotations

from typing import cast

from pydantic import BaseModel, ValidationError
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.settings import Settings
from desktop.preferences.field_editors import FieldEditor, make_editor
from desktop.preferences.setting_words import SECTION_ICONS, described, field_label, section_title
from desktop.theme import icon
from desktop.widgets.safe_text import PlainLabel
from desktop.widgets.surface import TintedLabel


class SettingsDialog(QDialog):
    """Shows `settings` and lets them be changed; emits the new ones when they are accepted, and only if every field is right.

    `settings_accepted` carries a `Settings`. Nothing is saved or applied here.
    """

    settings_accepted = Signal(object)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sections = list(type(settings).model_fields)
        self.navigation = QListWidget()
        self.pages = QStackedWidget()
        self.rows: dict[tuple[str, str], SettingRow] = {}
        self._page_titles: dict[str, tuple[TintedLabel, PlainLabel, str]] = {}
        for section in self._sections:
            self.navigation.addItem(QListWidgetItem())
            self.pages.addWidget(self._page(section, type(getattr(settings, section))))
        self.navigation.currentRowChanged.connect(self.pages.setCurrentIndex)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).clicked.connect(self.reset_to_defaults)
        self._lay_out()
        self.show_settings(settings)
        self._retranslate()
        self.navigation.setCurrentRow(0)
        self.resize(self.sizeHint().boundedTo(self.screen().availableSize()))

    def show_settings(self, settings: Settings) -> None:
        """Put these values into the editors."""
        for (section, name), row in self.rows.items():
            row.editor.set_value(getattr(getattr(settings, section), name))
            row.say_problem()
        self._allow_ok()

    def reset_to_defaults(self) -> None:
        """Put the defaults into the editors; nothing changes until the dialog is accepted."""
        self.show_settings(Settings())

    def settings(self) -> Settings:
        """What the editors say now. Raises pydantic's `ValidationError` when that is no valid set of settings."""
        values: dict[str, dict[str, object]] = {section: {} for section in self._sections}
        for (section, name), row in self.rows.items():
            values[section][name] = row.editor.value()
        return Settings.model_validate(values)

    def show_field(self, section: str, name: str) -> None:
        """Turn to the page of a setting and put the cursor there."""
        self.navigation.setCurrentRow(self._sections.index(section))
        row = self.rows[section, name]
        cast(QScrollArea, self.pages.currentWidget()).ensureWidgetVisible(row)
        cast(QWidget, row.editor).setFocus()

    def accept(self) -> None:
        """Emit the new settings and close, or go to the first field that is wrong."""
        for place, row in self.rows.items():
            if row.say_problem():
                self.show_field(*place)
                return
        try:
            settings = self.settings()
        except ValidationError as error:
            self._say_wrong(error)
            return
        self.settings_accepted.emit(settings)
        super().accept()

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(line * 42, line * 34)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        elif event.type() == QEvent.Type.PaletteChange and hasattr(self, "buttons"):
            self._draw()

    def _page(self, section: str, model: type[BaseModel]) -> QScrollArea:
        line = self.fontMetrics().height()
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(line * 3 // 2, line, line * 3 // 2, line)
        column.setSpacing(line)
        title = TintedLabel(scale=1.35, bold=True)
        about = PlainLabel()
        about.setProperty("muted", True)
        self._page_titles[section] = (title, about, (model.__doc__ or "").split("\n")[0])
        heading = QVBoxLayout()
        heading.setSpacing(line // 5)
        heading.addWidget(title)
        heading.addWidget(about)
        column.addLayout(heading)
        for name, field in model.model_fields.items():
            row = SettingRow(section, name, make_editor(section, name, field), field.description or "")
            row.changed.connect(self._allow_ok)
            self.rows[section, name] = row
            column.addWidget(row)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(content)
        for part in (content, area.viewport()):
            part.setAutoFillBackground(False)  # the card behind shows through, round corners and all
        return area

    def _lay_out(self) -> None:
        line = self.fontMetrics().height()
        self.navigation.setFrameShape(QFrame.Shape.NoFrame)
        self.navigation.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.navigation.setSpacing(max(1, line // 8))
        card = QFrame()
        card.setProperty("card", True)
        inside = QVBoxLayout(card)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.pages)
        middle = QHBoxLayout()
        middle.setSpacing(line // 2)
        middle.addWidget(self.navigation)
        middle.addWidget(card, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(line * 3 // 4, line * 3 // 4, line * 3 // 4, line * 3 // 4)
        layout.setSpacing(line * 3 // 4)
        layout.addLayout(middle, 1)
        layout.addWidget(self.buttons)

    def _allow_ok(self) -> None:
        right = not any(row.editor.problem() for row in self.rows.values())
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(right)

    def _say_wrong(self, error: ValidationError) -> None:
        for found in error.errors():
            place = tuple(str(part) for part in found["loc"][:2])
            if len(place) == 2 and place in self.rows:
                self.rows[place].say_problem(self.tr("This value cannot be used."))
                self.show_field(*place)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Settings"))
        self.navigation.setAccessibleName(self.tr("Sections"))
        button = self.buttons.button
        button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("OK"))
        button(QDialogButtonBox.StandardButton.Cancel).setText(self.tr("Cancel"))
        button(QDialogButtonBox.StandardButton.RestoreDefaults).setText(self.tr("Reset to defaults"))
        for number, section in enumerate(self._sections):
            self.navigation.item(number).setText(section_title(section))
            title, about, text = self._page_titles[section]
            title.setText(section_title(section))
            about.setText(described(text))
        for row in self.rows.values():
            row.retranslate()
        self._draw()

    def _draw(self) -> None:
        line = self.fontMetrics().height()
        self.navigation.setIconSize(QSize(round(line * 1.15), round(line * 1.15)))
        for number, section in enumerate(self._sections):
            self.navigation.item(number).setIcon(icon(SECTION_ICONS.get(section, "settings")))
        self.navigation.setFixedWidth(self.navigation.sizeHintForColumn(0) + line * 2)
        for button in self.buttons.buttons():
            button.setIcon(QIcon())


class SettingRow(QWidget):
    """A setting: its name, its editor, what it is good for, and what is wrong with it if anything is."""

    changed = Signal()

    def __init__(self, section: str, name: str, editor: FieldEditor, description: str) -> None:
        super().__init__()
        self._section, self._name, self._description = section, name, description
        self.editor = editor
        self._label = TintedLabel(bold=True)
        self._label.setBuddy(cast(QWidget, editor))
        self._problem = PlainLabel()
        self._problem.setProperty("problem", True)
        self._help = PlainLabel()
        self._help.setProperty("muted", True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self.fontMetrics().height() // 4)
        for part in (self._label, cast(QWidget, editor), self._problem, self._help):
            column.addWidget(part)
        editor.edited.connect(self._edited)
        self.say_problem()

    @property
    def problem_text(self) -> str:
        """What the row says is wrong now."""
        return self._problem.text() if not self._problem.isHidden() else ""

    def say_problem(self, text: str = "") -> str:
        """Say beside the field what is wrong with it (by default what the editor finds), and return it."""
        found = text or self.editor.problem()
        self._problem.setText(found)
        self._problem.setVisible(bool(found))
        cast(QWidget, self.editor).setAccessibleDescription(found or described(self._description))
        return found

    def retranslate(self) -> None:
        """Say everything again in the language that is now in use."""
        self._label.setText(field_label(self._section, self._name))
        self._help.setText(described(self._description))
        self.editor.retranslate()
        self.say_problem()

    def _edited(self) -> None:
        self.say_problem()
        self.changed.emit()
