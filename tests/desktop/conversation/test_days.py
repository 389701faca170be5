"""Restricting a question to files changed on certain days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QDate
from pytestqt.qtbot import QtBot

from core.documents import WebOutcome
from core.scope import EVERYTHING, Scope
from desktop.conversation.days import LAST_DAYS, Days, DaysButton, days_words, last_days
from desktop.conversation.question_box import QuestionBox
from desktop.conversation.turn_view import sources_strip
from tests.fakes.window import answer_of

TODAY = date(2026, 12, 1)
NOVEMBER = Scope(since=date(2026, 11, 1), until=date(2026, 11, 30))


@pytest.fixture
def box(qtbot: QtBot) -> Iterator[QuestionBox]:
    made = QuestionBox()
    made.days_button._today = lambda: TODAY
    qtbot.addWidget(made)
    made.show()
    yield made


def chips(box: QuestionBox) -> list[str]:
    return [button.text() for button in box.chips.buttons]


@pytest.mark.parametrize(("count", "since"), list(zip(LAST_DAYS, ["2026-11-24", "2026-11-01", "2025-12-01"], strict=True)))
def test_the_last_days_become_a_chip_that_says_the_day(box: QuestionBox, count: int, since: str) -> None:
    box.days_button.last_actions[count].trigger()

    assert box.scope == Scope(since=date.fromisoformat(since))
    assert chips(box) == [f"files changed since {since}  ✕"]
    assert box.chips.isVisible() and box.chips.label.text() == "Only:"


def test_two_days_are_chosen_in_a_dialog_whose_last_is_never_before_its_first(qtbot: QtBot, box: QuestionBox) -> None:
    dialog = box.days_button.ask_for_days()
    assert (dialog.first.date(), dialog.last.date()) == (QDate(2026, 11, 1), QDate(2026, 12, 1))

    dialog.first.setDate(QDate(2027, 1, 5))
    assert dialog.last.date() == QDate(2027, 1, 5)
    dialog.first.setDate(QDate(2026, 11, 1))
    dialog.last.setDate(QDate(2026, 11, 30))
    dialog.accept()

    assert box.scope == NOVEMBER
    assert chips(box) == ["files changed from 2026-11-01 to 2026-11-30  ✕"]


def test_a_dialog_that_is_put_away_changes_nothing(box: QuestionBox) -> None:
    box.set_scope(NOVEMBER)

    dialog = box.days_button.ask_for_days()
    assert (dialog.first.date(), dialog.last.date()) == (QDate(2026, 11, 1), QDate(2026, 11, 30))
    dialog.reject()

    assert box.scope == NOVEMBER


def test_days_and_files_go_together_and_each_chip_takes_its_own_away(box: QuestionBox) -> None:
    box.edit.places.chosen.emit(Path("/w/a.md"))
    box.days_button.last_actions[7].trigger()
    box.edit.places.chosen.emit(Path("/w/b.md"))
    assert box.scope == Scope((Path("/w/a.md"), Path("/w/b.md")), since=date(2026, 11, 24))

    box.chips.buttons[0].click()
    assert box.scope == Scope((Path("/w/b.md"),), since=date(2026, 11, 24))
    box.chips.buttons[1].click()
    assert box.scope == Scope((Path("/w/b.md"),))
    box.days_button.last_actions[30].trigger()
    box.days_button.any_action.trigger()
    assert box.scope == Scope((Path("/w/b.md"),))


def test_the_restriction_of_a_conversation_comes_back_with_its_days(box: QuestionBox) -> None:
    box.set_scope(NOVEMBER)
    assert box.scope == NOVEMBER

    box.set_scope(EVERYTHING)
    assert box.scope == EVERYTHING and not box.chips.isVisible()


def test_while_the_web_may_be_asked_the_chips_say_that_it_is_not_restricted(box: QuestionBox) -> None:
    box.set_scope(NOVEMBER)
    assert not box.chips.web_label.isVisible()

    box.set_web_mode("ask")
    assert box.chips.web_label.isVisible()

    box.set_web_mode("off")
    assert not box.chips.web_label.isVisible()


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (Days(), ""),
        (Days(since=TODAY), "files changed since 2026-12-01"),
        (Days(until=TODAY), "files changed up to 2026-12-01"),
        (Days(TODAY, TODAY), "files changed on 2026-12-01"),
        (last_days(365, date(2028, 2, 29)), "files changed since 2027-03-01"),
    ],
)
def test_days_are_said_in_words(days: Days, words: str) -> None:
    assert days_words(days) == words


def test_a_button_without_a_clock_of_its_own_uses_that_of_the_machine(qtbot: QtBot) -> None:
    button, chosen = DaysButton(), []
    qtbot.addWidget(button)
    button.chosen.connect(chosen.append)

    button.last_actions[7].trigger()

    assert chosen and (date.today() - chosen[0].since).days in (7, 8)


def test_an_answer_says_between_which_days_it_looked_and_that_the_web_was_not_restricted() -> None:
    answer = answer_of("q", "a", origin="files", scope=Scope((Path("/w/a.md"),), since=date(2026, 11, 1)))
    assert sources_strip(answer, 9) == "only in a.md · only files changed since 2026-11-01"

    asked_the_web = answer_of("q", "a", origin="web", scope=NOVEMBER, web=WebOutcome(searched=True, query="q"))
    assert sources_strip(asked_the_web, 9) == "only files changed from 2026-11-01 to 2026-11-30 · the web search was not restricted"
