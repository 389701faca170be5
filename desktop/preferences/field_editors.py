"""One editor per kind of setting, chosen by its type: a new setting gets its editor without a line of code here."""

from __future__ import annotations

import os
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from desktop.preferences.setting_checks import problem_with
from desktop.preferences.setting_words import SPECIAL_VALUES, TEXT_KINDS, EditorKind, described, field_label, option_word

_FEW_OPTIONS = 3
_MANY = 1024


class FieldEditor(Protocol):
    """What the dialog needs of an editor. All are QWidgets with a signal `edited`."""

    edited: Any

    def value(self) -> object:
        """What stands there now."""
        ...

    def set_value(self, value: object) -> None:
        """Show a value; does not count as an edit."""
        ...

    def problem(self) -> str:
        """What is wrong with it in the window's language, or empty."""
        ...

    def retranslate(self) -> None:
        """Say everything again in the language that is now in use."""
        ...


def make_editor(section: str, name: str, field: FieldInfo) -> FieldEditor:
    """The editor for a setting. Raises `TypeError` for a type that has none yet."""
    options = literal_options(field.annotation)
    if options:
        return OptionButtons(section, name, options) if len(options) <= _FEW_OPTIONS else OptionList(section, name, options)
    if field.annotation is bool:
        return SwitchEditor(section, name)
    if field.annotation is int:
        return WholeNumberEditor(section, name, field)
    if field.annotation is float:
        return NumberEditor(section, name, field)
    if field.annotation is str:
        kind = TEXT_KINDS.get((section, name))
        return PathEditor(section, name, kind) if kind in ("chat_model", "embedder") else TextEditor(section, name, kind)
    raise TypeError(f"No editor for the setting {section}.{name} of type {field.annotation!r}.")


def literal_options(annotation: Any) -> tuple[str, ...]:
    """The choices of a `Literal` type, empty for any other."""
    return typing.get_args(annotation) if typing.get_origin(annotation) is Literal else ()


def bounds(field: FieldInfo) -> tuple[float | None, float | None]:
    """The least and the greatest number a setting takes; None where it has no bound."""
    least = next((cast(float, found.ge) for found in field.metadata if isinstance(found, Ge)), None)
    greatest = next((cast(float, found.le) for found in field.metadata if isinstance(found, Le)), None)
    return least, greatest


class _WheelGuard(QObject):
    """Keeps the wheel from changing a control that the person only scrolls past."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


def _guard(control: QWidget) -> None:
    control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    control.installEventFilter(_WheelGuard(control))


class _Editor(QWidget):
    edited = Signal()

    def __init__(self, section: str, name: str) -> None:
        super().__init__()
        self._section, self._name = section, name
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)

    def problem(self) -> str:
        return ""

    @property
    def label(self) -> str:
        return field_label(self._section, self._name)


class OptionButtons(_Editor):
    """A few choices, all in sight."""

    def __init__(self, section: str, name: str, options: tuple[str, ...]) -> None:
        super().__init__(section, name)
        self._options = options
        self._group = QButtonGroup(self)
        column = QVBoxLayout()
        column.setSpacing(0)
        self._layout.addLayout(column)
        for number, _ in enumerate(options):
            button = QRadioButton()
            self._group.addButton(button, number)
            column.addWidget(button)
        self._group.idToggled.connect(lambda _, on: self.edited.emit() if on else None)
        self.setFocusProxy(self._group.button(0))
        self.retranslate()

    def value(self) -> object:
        return self._options[max(0, self._group.checkedId())]

    def set_value(self, value: object) -> None:
        with QSignalBlocker(self._group):
            self._group.button(self._options.index(str(value))).setChecked(True)

    def retranslate(self) -> None:
        for number, option in enumerate(self._options):
            button = self._group.button(number)
            button.setText(option_word(self._section, self._name, option))
            button.setAccessibleName(f"{self.label}: {button.text()}")


class OptionList(_Editor):
    """Many choices behind one line."""

    def __init__(self, section: str, name: str, options: tuple[str, ...]) -> None:
        super().__init__(section, name)
        self._options = options
        self._box = QComboBox()
        self._box.addItems(options)
        _guard(self._box)
        self._box.currentIndexChanged.connect(self.edited)
        self._layout.addWidget(self._box)
        self._layout.addStretch(1)
        self.setFocusProxy(self._box)
        self.retranslate()

    def value(self) -> object:
        return self._options[self._box.currentIndex()]

    def set_value(self, value: object) -> None:
        with QSignalBlocker(self._box):
            self._box.setCurrentIndex(self._options.index(str(value)))

    def retranslate(self) -> None:
        self._box.setAccessibleName(self.label)
        for number, option in enumerate(self._options):
            self._box.setItemText(number, option_word(self._section, self._name, option))


class SwitchEditor(_Editor):
    """On or off; the setting's name stands beside the box."""

    def __init__(self, section: str, name: str) -> None:
        super().__init__(section, name)
        self._box = QCheckBox()
        self._box.toggled.connect(lambda _: self.edited.emit())
        self._layout.addWidget(self._box)
        self._layout.addStretch(1)
        self.setFocusProxy(self._box)
        self.retranslate()

    def value(self) -> object:
        return self._box.isChecked()

    def set_value(self, value: object) -> None:
        with QSignalBlocker(self._box):
            self._box.setChecked(bool(value))

    def retranslate(self) -> None:
        self._box.setText(self.tr("Use it"))
        self._box.setAccessibleName(self.label)


class WholeNumberEditor(_Editor):
    """A whole number within its bounds; numbers in the thousands go up in steps of 1,024, as memory does."""

    def __init__(self, section: str, name: str, field: FieldInfo) -> None:
        super().__init__(section, name)
        least, greatest = bounds(field)
        self._box = QSpinBox()
        self._box.setRange(int(least or 0), int(greatest if greatest is not None else 2**31 - 1))
        self._box.setSingleStep(_MANY if least is not None and least >= _MANY else 1)
        self._box.setGroupSeparatorShown(True)
        _prepare(self._box)
        self._box.valueChanged.connect(lambda _: self.edited.emit())
        self._layout.addWidget(self._box)
        self._layout.addStretch(1)
        self.setFocusProxy(self._box)
        self.retranslate()

    def value(self) -> object:
        self._box.interpretText()
        return self._box.value()

    def set_value(self, value: object) -> None:
        with QSignalBlocker(self._box):
            self._box.setValue(cast(int, value))

    def retranslate(self) -> None:
        self._box.setAccessibleName(self.label)
        self._box.setSpecialValueText(described(SPECIAL_VALUES.get((self._section, self._name), "")))
        self._box.setLocale(self.locale())


class NumberEditor(_Editor):
    """A number with decimals within its bounds."""

    def __init__(self, section: str, name: str, field: FieldInfo) -> None:
        super().__init__(section, name)
        least, greatest = bounds(field)
        self._box = QDoubleSpinBox()
        self._box.setDecimals(2)
        self._box.setRange(0.0 if least is None else least, 1e9 if greatest is None else greatest)
        self._box.setSingleStep(0.05 if greatest is not None and greatest <= 1 else 1.0)
        _prepare(self._box)
        self._box.valueChanged.connect(lambda _: self.edited.emit())
        self._layout.addWidget(self._box)
        self._layout.addStretch(1)
        self.setFocusProxy(self._box)
        self.retranslate()

    def value(self) -> object:
        self._box.interpretText()
        return self._box.value()

    def set_value(self, value: object) -> None:
        with QSignalBlocker(self._box):
            self._box.setValue(cast(float, value))

    def retranslate(self) -> None:
        self._box.setAccessibleName(self.label)


def _prepare(box: QAbstractSpinBox) -> None:
    box.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)
    box.setKeyboardTracking(False)
    box.lineEdit().setTextMargins(box.fontMetrics().height() // 3, 0, 0, 0)
    box.setMinimumWidth(box.fontMetrics().averageCharWidth() * 20)
    _guard(box)


class TextEditor(_Editor):
    """One line of text, checked while it is typed."""

    def __init__(self, section: str, name: str, kind: EditorKind | None) -> None:
        super().__init__(section, name)
        self.kind = kind
        self.line = QLineEdit()
        self.line.setClearButtonEnabled(True)
        self.line.textChanged.connect(self._edited)
        self._layout.addWidget(self.line, 1)
        self.setFocusProxy(self.line)
        self.retranslate()

    def value(self) -> object:
        return self.line.text().strip()

    def set_value(self, value: object) -> None:
        with QSignalBlocker(self.line):
            self.line.setText(str(value))
        self._mark()

    def problem(self) -> str:
        return problem_with(self.kind, str(self.value()))

    def retranslate(self) -> None:
        self.line.setAccessibleName(self.label)
        self.line.setPlaceholderText(self.tr("Automatic"))

    def _edited(self) -> None:
        self._mark()
        self.edited.emit()

    def _mark(self) -> None:
        self.line.setProperty("wrong", bool(self.problem()))
        self.line.style().unpolish(self.line)
        self.line.style().polish(self.line)


class PathEditor(TextEditor):
    """A model's name or its place on the disk, with a button to look for it there."""

    def __init__(self, section: str, name: str, kind: EditorKind | None) -> None:
        self._browse = QPushButton()
        super().__init__(section, name, kind)
        self._browse.setAutoDefault(False)
        self._browse.clicked.connect(self._look)
        self._layout.addWidget(self._browse)
        # Replaced in tests: the system's own dialog cannot be driven.
        self.ask_for_place: Callable[[str], str] = self._ask_for_file if kind == "chat_model" else self._ask_for_folder

    def retranslate(self) -> None:
        super().retranslate()
        words = self.tr("Choose a file…") if self.kind == "chat_model" else self.tr("Choose a folder…")
        self._browse.setText(words)
        self._browse.setAccessibleName(f"{self.label}: {words}")

    def _look(self) -> None:
        at = Path(os.path.expanduser(str(self.value())))
        start = at if at.is_dir() else at.parent
        if chosen := self.ask_for_place(str(start if self.value() and start.is_dir() else Path.home())):
            self.line.setText(chosen)

    def _ask_for_file(self, start: str) -> str:
        return QFileDialog.getOpenFileName(self, self.label, start, self.tr("GGUF models") + " (*.gguf)")[0]

    def _ask_for_folder(self, start: str) -> str:
        return QFileDialog.getExistingDirectory(self, self.label, start)
