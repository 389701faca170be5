from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.paths import RESOURCES
from desktop.theme import DARK, LIGHT, Colors, apply_theme, contrast, current_colors, icon, palette_of, style_sheet

THEMES = [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")]
BACKGROUNDS = ["window", "panel", "hover", "user_bubble"]


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    yield qapp
    apply_theme(qapp, "light")


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("colors", THEMES)
@pytest.mark.parametrize("background", [*BACKGROUNDS, "selection", "highlight"])
def test_text_is_readable_on_every_background(colors: Colors, background: str) -> None:
    assert contrast(colors.text, getattr(colors, background)) >= 4.5


@pytest.mark.parametrize("colors", THEMES)
@pytest.mark.parametrize("background", [*BACKGROUNDS, "selection"])
@pytest.mark.parametrize("role", ["muted_text", "accent", "error", "files", "web", "own_knowledge", "refusal"])
def test_coloured_words_are_readable(colors: Colors, role: str, background: str) -> None:
    assert contrast(getattr(colors, role), getattr(colors, background)) >= 4.5


@pytest.mark.parametrize("colors", THEMES)
def test_words_on_filled_buttons_are_readable(colors: Colors) -> None:
    assert contrast(colors.accent_text, colors.accent) >= 4.5
    assert contrast(colors.lamp_text, colors.lamp) >= 4.5


@pytest.mark.parametrize("colors", THEMES)
@pytest.mark.parametrize("background", BACKGROUNDS)
def test_edges_of_controls_and_pale_icons_can_be_seen(colors: Colors, background: str) -> None:
    assert contrast(colors.outline, getattr(colors, background)) >= 3.0


@pytest.mark.parametrize("colors", THEMES)
def test_the_palette_says_the_same_as_the_colours(colors: Colors) -> None:
    palette = palette_of(colors)

    assert palette.color(QPalette.ColorRole.Window).name() == colors.window
    assert palette.color(QPalette.ColorRole.PlaceholderText).name() == colors.muted_text
    assert palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text).name() == colors.outline


@pytest.mark.parametrize("colors", THEMES)
def test_the_style_sheet_has_every_blank_filled_and_every_picture(colors: Colors, app: QApplication) -> None:
    sheet = style_sheet(colors, app.font())

    pictures = [part.split('"')[1] for part in sheet.split("url(")[1:]]
    assert "$" not in sheet
    assert pictures
    assert all((RESOURCES / "icons" / picture.rsplit("/", 1)[1]).is_file() for picture in pictures)


def test_a_theme_can_be_switched_while_the_window_is_open(app: QApplication) -> None:
    apply_theme(app, "dark")
    assert current_colors() == DARK
    assert app.palette().color(QPalette.ColorRole.Window).name() == DARK.window

    apply_theme(app, "light")
    assert current_colors() == LIGHT
    assert app.palette().color(QPalette.ColorRole.Window).name() == LIGHT.window


def test_the_system_theme_follows_a_switch_of_the_system(app: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    apply_theme(app, "system")
    hints = app.styleHints()
    monkeypatch.setattr(type(hints), "colorScheme", lambda _: Qt.ColorScheme.Dark)

    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)

    assert current_colors() == DARK


def test_a_chosen_theme_does_not_follow_the_system(app: QApplication) -> None:
    apply_theme(app, "light")

    app.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)

    assert current_colors() == LIGHT


def test_switching_often_leaves_one_follower_and_a_font_that_stays(app: QApplication) -> None:
    apply_theme(app, "dark")
    families = app.font().families()

    for _ in range(5):
        apply_theme(app, "system")

    assert app.font().families() == families
    assert len([child for child in app.children() if type(child).__name__ == "_SystemFollower"]) == 1


@pytest.mark.parametrize("name", sorted(path.stem for path in (RESOURCES / "icons").glob("*.svg")))
def test_every_drawing_can_be_drawn(name: str, qtbot: QtBot) -> None:
    image = icon(name, "#8f5200").pixmap(24, 24).toImage()

    drawn = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    assert any(pixel.alpha() > 200 for pixel in drawn)


def test_an_icon_has_the_colour_that_was_asked_for(qtbot: QtBot) -> None:
    image = icon("stop", "#ff0000").pixmap(64, 64).toImage()

    solid = {image.pixelColor(x, y).name() for x in range(64) for y in range(64) if image.pixelColor(x, y).alpha() == 255}
    assert solid == {"#ff0000"}


def test_an_icon_is_pale_when_disabled(app: QApplication) -> None:
    apply_theme(app, "light")

    image = icon("stop").pixmap(64, QIcon.Mode.Disabled).toImage()

    solid = {image.pixelColor(x, y).name() for x in range(64) for y in range(64) if image.pixelColor(x, y).alpha() == 255}
    assert solid == {LIGHT.outline}


def test_a_drawing_that_does_not_exist_is_an_error(qtbot: QtBot) -> None:
    with pytest.raises(FileNotFoundError):
        icon("no-such-drawing")


@pytest.mark.parametrize("colors", THEMES)
def test_every_colour_is_a_colour(colors: Colors) -> None:
    assert all(QColor(value).isValid() and len(value) == 7 for value in asdict(colors).values())
