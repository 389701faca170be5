"""Whether a window can open on this Linux machine, and what to install if it cannot."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from desktop.setup.toolchain import distribution_family

NO_DISPLAY = (
    "There is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set. Start Lamplight in a desktop session, or install a virtual one "
    '(Debian and Ubuntu: sudo apt install xvfb) and run `xvfb-run python3 lamplight.py`; `python3 lamplight.py ask "..."` works without a display.'
)
NO_CHINESE_FONT = (
    "No font with Chinese characters was found; to see Chinese text, install one (Debian and Ubuntu: sudo apt install fonts-noto-cjk)."
)

# Library -> Debian package, for everything that PySide6's window plugins load from the system (read with ldd, PySide6 6.12).
_DEBIAN = {
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libEGL.so.1": "libegl1",
    "libOpenGL.so.0": "libopengl0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
    "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6",
}
# Qt's own libraries that load the rest; the Wayland plugin is used only where there is a Wayland session.
_CHECKED = ("libQt6Widgets.so.6", "libQt6Svg.so.6", "libQt6Network.so.6")


def has_display(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a window could be shown; a platform chosen by hand (QT_QPA_PLATFORM) is trusted."""
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def missing_qt_libraries(site_packages: Path, *, wayland: bool) -> list[str]:
    """The system libraries that a window needs and this machine lacks; empty where that cannot be told."""
    qt = site_packages / "PySide6" / "Qt"
    plugin = "libqwayland.so" if wayland else "libqxcb.so"
    checked = [qt / "lib" / name for name in _CHECKED] + [qt / "plugins" / "platforms" / plugin]
    ldd = shutil.which("ldd")
    if ldd is None:
        return []
    present = [str(file) for file in checked if file.exists()]
    answer = subprocess.run(
        [ldd, *present], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
    )
    return not_found(answer.stdout)


def not_found(ldd_output: str) -> list[str]:
    """The libraries that `ldd` did not find, each once."""
    return sorted(set(re.findall(r"^\s*(\S+) => not found", ldd_output, re.MULTILINE)))


def missing_libraries_sentence(libraries: Iterable[str], family: str | None = None) -> str:
    """One sentence that says which packages to install."""
    libraries = list(libraries)
    packages = sorted({_DEBIAN[name] for name in libraries if name in _DEBIAN})
    unknown = [name for name in libraries if name not in _DEBIAN]
    what = f"The window needs system libraries that are missing ({', '.join(libraries)}): "
    if (distribution_family() if family is None else family) == "debian" and packages:
        how = f"run `sudo apt install {' '.join(packages)}`" + (f" and install what holds {', '.join(unknown)}" if unknown else "")
    else:
        how = "install the packages that hold them" + (f" (Debian and Ubuntu call them {', '.join(packages)})" if packages else "")
    return f'{what}{how}, then start Lamplight again; `python3 lamplight.py ask "..."` works without a window.'


def has_chinese_font() -> bool:
    """Whether fontconfig knows a font for Chinese; True where that cannot be told."""
    lister = shutil.which("fc-list")
    if lister is None:
        return True
    answer = subprocess.run([lister, ":lang=zh", "family"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return answer.returncode != 0 or bool(answer.stdout.strip())
