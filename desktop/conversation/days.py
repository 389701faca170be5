"""Between which days the files that a question searches were last changed: the choices, and what they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from PySide6.QtCore import QCoreApplication, QDate, QEvent, Signal
from PySide6.QtWidgets import QDateEdit, QDialog, QDialogButtonBox, QFormLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from core.scope import Scope
from desktop.theme import icon
from desktop.widgets.safe_text import plain_tooltip
from desktop.widgets.surface import TintedLabel

LAST_DAYS = (7, 30, 365)


@dataclass(frozen=True, slots=True)
class Days:
    """A first and a last day, both included; None: open on that side."""

    since: date | None = None
    until: date | None = None

    def __bool__(self) -> bool:
        return self.since is not None or self.until is not None


def days_of(scope: Scope) -> Days:
    """The days of a restriction."""
    return Days(scope.since, scope.until)


def last_days(count: int, today: date) -> Days:
    """From the day that many days ago on. The day is fixed: tomorrow it is still that one."""
    return Days(since=today - timedelta(days=count))


def days_words(days: Days) -> str:
    """Which files are meant: `files changed since 2026-11-24`. Empty for all."""
    since, until = ("" if day is None else day.isoformat() for day in (days.since, days.until))
    if since and since == until:
        return QCoreApplication.translate("Days", "files changed on {day}").replace("{day}", since)
    if since and until:
        words = QCoreApplication.translate("Days", "files changed from {first} to {last}")
        return words.replace("{first}", since).replace("{last}", until)
    if since:
        return QCoreApplication.translate("Days", "files changed since {day}").replace("{day}", since)
    return QCoreApplication.translate("Days", "files changed up to {day}").replace("{day}", until) if until else ""


class DaysButton(QToolButton):
    """A button with a menu of days. It keeps nothing: what is chosen is shown as a chip."""

    chosen = Signal(object)  # Days

    def __init__(self, parent: QWidget | None = None, *, today: Callable[[], date] = date.today) -> None:
        super().__init__(parent)
        self._today = today
        self._days = Days()
        self.setProperty("flat", True)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self.any_action = menu.addAction("")
        self.any_action.triggered.connect(lambda: self.chosen.emit(Days()))
        self.last_actions = {count: menu.addAction("") for count in LAST_DAYS}
        for count, action in self.last_actions.items():
            action.triggered.connect(lambda _checked=False, count=count: self.chosen.emit(last_days(count, self._today())))
        menu.addSeparator()
        self.between_action = menu.addAction("")
        self.between_action.triggered.connect(lambda: self.ask_for_days())
        self.setMenu(menu)
        self._retranslate()

    def show_days(self, days: Days) -> None:
        """These are chosen now: the dialog begins with them."""
        self._days = days

    def ask_for_days(self) -> DaysDialog:
        """Let the person choose a first and a last day."""
        today = self._today()
        since = self._days.since or today - timedelta(days=LAST_DAYS[1])
        dialog = DaysDialog(Days(since, self._days.until or max(since, today)), self.window())
        dialog.chosen.connect(self.chosen)
        dialog.open()
        return dialog

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange) and hasattr(self, "between_action"):
            self._retranslate()

    def _retranslate(self) -> None:
        self.setIcon(icon("days"))
        words = self.tr("Search only files changed on certain days")
        self.setToolTip(plain_tooltip(words))
        self.setAccessibleName(words)
        self.any_action.setText(self.tr("Files changed at any time"))
        for count, action in self.last_actions.items():
            action.setText(self.tr("Files changed in the last {count} days").replace("{count}", str(count)))
        self.between_action.setText(self.tr("Files changed between two days…"))


class DaysDialog(QDialog):
    """A first and a last day; the last is never before the first."""

    chosen = Signal(object)  # Days

    def __init__(self, days: Days, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Files changed between two days"))
        self.first, self.last = _day_edit(days.since), _day_edit(days.until)
        self.first.dateChanged.connect(self.last.setMinimumDate)
        self.last.setMinimumDate(self.first.date())
        form = QFormLayout()
        form.addRow(self.tr("From"), self.first)
        form.addRow(self.tr("To"), self.last)
        about = TintedLabel(
            self.tr("Both days are included. What counts is when the file was last saved on this computer."), "muted_text", self, scale=0.92
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(about)
        layout.addWidget(buttons)
        self.accepted.connect(lambda: self.chosen.emit(Days(_day(self.first), _day(self.last))))
        self.finished.connect(self.deleteLater)


def _day_edit(day: date | None) -> QDateEdit:
    edit = QDateEdit(QDate(day.year, day.month, day.day) if day is not None else QDate.currentDate())
    edit.setCalendarPopup(True)
    edit.setDisplayFormat("yyyy-MM-dd")
    return edit


def _day(edit: QDateEdit) -> date:
    day = edit.date()
    return date(day.year(), day.month(), day.day())
