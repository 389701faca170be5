"""How the window looks: colours with roles, light and dark, the palette and style sheet made from them, and tinted icons.

The accent is lamp light: amber on warm, quiet neutrals. Whoever paints by hand asks `current_colors()` at paint time, and makes
icons anew on `QEvent.PaletteChange`, so that everything follows a switch of the system at once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from string import Template

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QFontMetricsF, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from core.paths import RESOURCES
from core.settings import Theme

_ICON_PIXELS = (16, 20, 24, 32, 48, 64)
# Tried in this order where the system's own font has no Chinese, Japanese or Korean glyphs.
_CJK_FAMILIES = (
    "PingFang SC",
    "Microsoft YaHei UI",
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "Hiragino Sans",
    "Yu Gothic UI",
    "Malgun Gothic",
)


@dataclass(frozen=True, slots=True)
class Colors:
    """Colours by role, as `#rrggbb`.

    Backgrounds: `window`, `panel` (lists, cards, inputs), `user_bubble`, `highlight` (a cited passage), `hover`, `selection`.
    On every one of them `text` is readable. `muted_text`, `accent`, `error` and the four origins of an answer (`files`, `web`,
    `own_knowledge`, `refusal`) are readable as text and as icons on `window`, `panel`, `hover` and `user_bubble`.
    `accent_text` goes on `accent`; `lamp` fills the one thing to press, with `lamp_text` on it. `border` is for lines that only decorate; `outline` for the edges of controls.
    """

    window: str
    panel: str
    text: str
    muted_text: str
    accent: str
    accent_text: str
    lamp: str
    lamp_text: str
    border: str
    outline: str
    hover: str
    selection: str
    user_bubble: str
    own_knowledge: str
    files: str
    web: str
    refusal: str
    highlight: str
    error: str


LIGHT = Colors(
    window="#f6f3ee",
    panel="#fffdfa",
    text="#2b2723",
    muted_text="#665e55",
    accent="#8f5200",
    accent_text="#ffffff",
    lamp="#f2b552",
    lamp_text="#2f1d03",
    border="#e2dbd0",
    outline="#857b6e",
    hover="#efe9df",
    selection="#f3e0bd",
    user_bubble="#f0e7d8",
    own_knowledge="#6b4a97",
    files="#1f6b4c",
    web="#1c5f94",
    refusal="#735a2b",
    highlight="#ffe29a",
    error="#ab2f26",
)

DARK = Colors(
    window="#1d1b19",
    panel="#262320",
    text="#ece6dd",
    muted_text="#aea498",
    accent="#f2b45a",
    accent_text="#2a1a04",
    lamp="#f2b45a",
    lamp_text="#2a1a04",
    border="#3a3631",
    outline="#82796e",
    hover="#302c28",
    selection="#463823",
    user_bubble="#37302a",
    own_knowledge="#c6a9ee",
    files="#84cfa8",
    web="#8cc0ee",
    refusal="#d9bd83",
    highlight="#6b4f13",
    error="#f39a8f",
)


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Dress the whole application; "system" keeps following the system while the window is open. Call again to switch."""
    follower = app.findChild(_SystemFollower) or _SystemFollower(app)
    follower.follow(theme)


def current_colors() -> Colors:
    """The colours in use now. GUI thread only."""
    app = QGuiApplication.instance()
    follower = app.findChild(_SystemFollower) if app is not None else None
    return follower.colors if follower is not None else LIGHT


def icon(name: str, color: str | None = None) -> QIcon:
    """The line icon `resources/icons/<name>.svg` in `color` (default: the text colour), paler when disabled.

    Raises `FileNotFoundError` for a name that has no drawing.
    """
    colors = current_colors()
    return _tinted(name, color or colors.text, colors.outline)


def contrast(one: str, other: str) -> float:
    """The WCAG 2 contrast ratio of two `#rrggbb` colours, 1 to 21."""
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


class _SystemFollower(QObject):
    """Remembers the chosen theme for as long as the application lives, and dresses it anew when the system switches."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._theme: Theme = "system"
        self.colors = LIGHT
        app.styleHints().colorSchemeChanged.connect(self._system_switched)
        app.aboutToQuit.connect(_tinted.cache_clear)  # drawings must not outlive the application

    def follow(self, theme: Theme) -> None:
        self._theme = theme
        hints = self._app.styleHints()
        if theme == "system":
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(Qt.ColorScheme.Dark if theme == "dark" else Qt.ColorScheme.Light)
        self._dress()

    @Slot()
    def _system_switched(self) -> None:
        if self._theme == "system":
            self._dress()

    def _dress(self) -> None:
        dark = self._theme == "dark" or (self._theme == "system" and self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark)
        self.colors = DARK if dark else LIGHT
        if self._app.style().name() != "fusion":
            self._app.setStyle("Fusion")
        self._app.setFont(with_cjk_fallbacks(self._app.font()))
        self._app.setPalette(palette_of(self.colors))
        self._app.setStyleSheet(style_sheet(self.colors, self._app.font()))


def with_cjk_fallbacks(font: QFont) -> QFont:
    """The same font, with the installed CJK families behind it."""
    installed = set(QFontDatabase.families())
    # What the font is now comes first: an alias such as "Sans Serif" is passed over in a list, and Latin letters would come from a CJK font.
    families = [QFontInfo(font).family(), *font.families(), *(family for family in _CJK_FAMILIES if family in installed)]
    changed = QFont(font)
    changed.setFamilies(list(dict.fromkeys(families)))
    return changed


def palette_of(colors: Colors) -> QPalette:
    """The Qt palette that says the same as `colors`."""
    palette = QPalette()
    role = QPalette.ColorRole
    for name, value in {
        role.Window: colors.window,
        role.WindowText: colors.text,
        role.Base: colors.panel,
        role.AlternateBase: colors.hover,
        role.Text: colors.text,
        role.PlaceholderText: colors.muted_text,
        role.Button: colors.panel,
        role.ButtonText: colors.text,
        role.BrightText: colors.accent_text,
        role.ToolTipBase: colors.panel,
        role.ToolTipText: colors.text,
        role.Highlight: colors.selection,
        role.HighlightedText: colors.text,
        role.Link: colors.accent,
        role.LinkVisited: colors.accent,
        role.Accent: colors.accent,
        role.Light: colors.panel,
        role.Midlight: colors.hover,
        role.Mid: colors.border,
        role.Dark: colors.outline,
        role.Shadow: colors.border,
    }.items():
        palette.setColor(name, QColor(value))
    for disabled in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, disabled, QColor(colors.outline))
    return palette


def style_sheet(colors: Colors, font: QFont) -> str:
    """`resources/themes/lamplight.qss` with colours filled in and every length measured in the font's own height."""
    line = QFontMetricsF(font).height()
    lengths = {
        "gap": line * 0.5,
        "half_gap": line * 0.25,
        "pad": line * 0.4,
        "wide_pad": line * 0.8,
        "radius": line * 0.4,
        "bar": line * 0.45,
        "half_bar": line * 0.2,
        "grip": line * 0.65,
        "grip_radius": line * 0.2,
        "handle": line * 1.8,
        "indicator": line * 0.95,
        "half_indicator": line * 0.475,
    }
    pixels = {name: f"{max(1, round(value))}px" for name, value in lengths.items()}
    icons = {"icons": (RESOURCES / "icons").as_posix()}
    tone = {"tone": "dark" if colors is DARK else "light"}
    return Template(_style_template()).substitute(asdict(colors) | pixels | icons | tone)


@lru_cache(maxsize=1)
def _style_template() -> str:
    return (RESOURCES / "themes" / "lamplight.qss").read_text(encoding="utf-8")


@lru_cache(maxsize=256)
def _tinted(name: str, color: str, disabled_color: str) -> QIcon:
    made = QIcon()
    for mode, tint in ((QIcon.Mode.Normal, color), (QIcon.Mode.Selected, color), (QIcon.Mode.Disabled, disabled_color)):
        for pixels in _ICON_PIXELS:
            made.addPixmap(_drawn(name, tint, pixels), mode)
    return made


def _drawn(name: str, color: str, pixels: int) -> QPixmap:
    drawing = (RESOURCES / "icons" / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", color)
    pixmap = QPixmap(QSize(pixels, pixels))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(drawing.encode())).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return pixmap


def _luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
