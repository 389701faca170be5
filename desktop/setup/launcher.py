"""An icon to double-click: what is written on each system is a pure function, so every system's files are tested on all of them."""

from __future__ import annotations

import os
import shlex
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from xml.sax.saxutils import escape

from desktop.setup.stamp import ROOT, read_stamp, wanted_keys

_ICONS = ROOT / "resources" / "icons"
_PNG_256_IN_ICNS = b"ic08"


@dataclass(frozen=True)
class LauncherFile:
    """One file of a launcher, relative to the folder it goes into."""

    name: str
    content: bytes
    executable: bool = False


def desktop_entry(python: PurePath, program: PurePath, icon: PurePath) -> LauncherFile:
    """The entry for the application menu of a Linux desktop (freedesktop.org Desktop Entry Specification 1.5)."""
    lines = [
        "[Desktop Entry]",
        "Type=Application",
        "Version=1.5",
        "Name=Lamplight",
        "GenericName=Ask your own files",
        "GenericName[zh_CN]=问问自己的文件",
        "Comment=Ask your own files, offline",
        "Comment[zh_CN]=离线向自己的文件提问",
        f"Exec={_exec_argument(str(python))} {_exec_argument(str(program))}",
        f"Icon={_desktop_string(str(icon))}",
        f"Path={_desktop_string(str(program.parent))}",
        "Terminal=false",
        "Categories=Office;Utility;",
        "StartupWMClass=lamplight",
    ]
    return LauncherFile("lamplight.desktop", ("\n".join(lines) + "\n").encode("utf-8"))


def _exec_argument(text: str) -> str:
    """One argument of Exec: quoted, field codes doubled, and then escaped once more as every string value is."""
    quoted = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in text)
    return _desktop_string(f'"{quoted}"'.replace("%", "%%"))


def _desktop_string(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def mac_bundle(python: PurePath, program: PurePath, icon_png: bytes) -> tuple[LauncherFile, ...]:
    """A minimal application bundle that starts the tree it was made from."""
    plist = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>CFBundleName</key><string>{escape("Lamplight")}</string>
    <key>CFBundleIdentifier</key><string>app.lamplight.launcher</string>
    <key>CFBundleExecutable</key><string>lamplight</string>
    <key>CFBundleIconFile</key><string>lamplight</string>
    <key>CFBundlePackageType</key><string>APPL</string>
    <key>CFBundleShortVersionString</key><string>0.1</string>
    <key>NSHighResolutionCapable</key><true/>
</dict>
</plist>
"""
    script = f"#!/bin/sh\nexec {shlex.quote(str(python))} {shlex.quote(str(program))}\n"
    return (
        LauncherFile("Lamplight.app/Contents/Info.plist", plist.encode("utf-8")),
        LauncherFile("Lamplight.app/Contents/MacOS/lamplight", script.encode("utf-8"), executable=True),
        LauncherFile("Lamplight.app/Contents/Resources/lamplight.icns", icns(icon_png)),
    )


def icns(png: bytes) -> bytes:
    """An Apple icon file around one 256-pixel PNG."""
    entry = _PNG_256_IN_ICNS + struct.pack(">I", len(png) + 8) + png
    return b"icns" + struct.pack(">I", len(entry) + 8) + entry


def windows_script(python: PurePath, program: PurePath) -> LauncherFile:
    """A script that starts Lamplight without a console window. UTF-16, so that any folder name survives."""
    command = f'"{python}" "{program}"'.replace('"', '""')
    folder = str(program.parent).replace('"', '""')
    lines = ['Set shell = CreateObject("WScript.Shell")', f'shell.CurrentDirectory = "{folder}"', f'shell.Run "{command}", 0, False']
    return LauncherFile("Lamplight.vbs", b"\xff\xfe" + ("\r\n".join(lines) + "\r\n").encode("utf-16-le"))


def write_files(folder: Path, files: Sequence[LauncherFile]) -> list[Path]:
    """Write a launcher's files below `folder` and return their paths."""
    written = []
    for file in files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        if file.executable:
            path.chmod(0o755)
        written.append(path)
    return written


def _launcher(platform: str) -> tuple[Path, tuple[LauncherFile, ...]]:
    """The folder and the files of this system's launcher."""
    # From inside the virtual environment, its own Python is not the one to set up with.
    python = Path(getattr(sys, "_base_executable", sys.executable))
    program = ROOT / "lamplight.py"
    if platform == "win32":
        roaming = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
        return roaming / "Microsoft" / "Windows" / "Start Menu" / "Programs", (windows_script(python, program),)
    if platform == "darwin":
        return Path.home() / "Applications", mac_bundle(python, program, (_ICONS / "lamplight.png").read_bytes())
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return data / "applications", (desktop_entry(python, program, _ICONS / "lamplight.svg"),)


def install_launcher(platform: str = sys.platform) -> int:
    """Write the launcher, say where it is, and return an exit code."""
    folder, files = _launcher(platform)
    try:
        written = write_files(folder, files)
    except OSError as error:
        sys.stderr.write(
            f"The launcher cannot be written to {folder}: {error.strerror or error}. Check the permissions of that folder and try again.\n"
        )
        return 1
    sys.stdout.write(f"Lamplight can now be started from the application menu ({written[0]}).\n")
    if not set(wanted_keys(testing=False, window=True)) <= set(read_stamp()):
        sys.stdout.write("Run `python3 lamplight.py` once before that: the first start sets Lamplight up and shows how far it is.\n")
    return 0
