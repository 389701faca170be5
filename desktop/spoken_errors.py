"""Errors, notes and limits in the window's language."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from core.errors import LamplightError
from desktop.error_text import ACTION_LABELS, Action, ErrorText, describe


class Spoken(NamedTuple):
    """What happened, what helps, which button could do it, and that button's label."""

    title: str
    what_to_do: str
    action: Action
    label: str


def translated(text: str) -> str:
    """A source text of `desktop.error_text` in the window's language."""
    return QCoreApplication.translate("errors", text) if text else ""


def spoken_text(text: ErrorText) -> Spoken:
    """Words for one code, translated."""
    return Spoken(translated(text.title), translated(text.what_to_do), text.action, spoken_action(text.action))


def spoken_action(action: Action) -> str:
    """The label of a button that does `action`."""
    return translated(ACTION_LABELS.get(action, ""))


def spoken(error: LamplightError) -> Spoken:
    """What to show for an error."""
    return spoken_text(describe(error))
