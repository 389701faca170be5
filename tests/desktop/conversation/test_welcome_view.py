from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.conversation.welcome_view import WelcomeView


@pytest.fixture
def view(qtbot: QtBot) -> WelcomeView:
    made = WelcomeView()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize("width", [330, 460, 1000])
def test_the_buttons_say_all_they_say_at_any_width(view: WelcomeView, width: int) -> None:
    view.resize(width, 640)
    QApplication.processEvents()

    for button in (view.files_button, view.folder_button, view.sample_button):
        assert button.width() >= button.sizeHint().width()
        assert view.drop_area.rect().contains(button.geometry())


def test_buttons_that_stood_below_each_other_stand_side_by_side_again_where_there_is_room(view: WelcomeView) -> None:
    view.resize(330, 640)
    QApplication.processEvents()
    below = view.files_button.y() < view.folder_button.y() < view.sample_button.y()
    view.resize(1000, 640)
    QApplication.processEvents()

    assert below
    assert view.files_button.x() < view.folder_button.x() < view.sample_button.x()
