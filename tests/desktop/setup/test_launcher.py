from __future__ import annotations

import configparser
import os
import plistlib
import re
import shlex
import stat
import struct
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from core.paths import RESOURCES
from desktop.setup import launcher
from desktop.setup.launcher import desktop_entry, icns, install_launcher, mac_bundle, windows_script, write_files


def exec_arguments(entry: bytes) -> list[str]:
    """Read Exec as a desktop does: the string's escapes first, then the quoting, then the field codes."""
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(entry.decode("utf-8"))
    value = parser["Desktop Entry"]["Exec"].replace("\\\\", "\\")
    quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', value)
    return [re.sub(r"\\(.)", r"\1", argument).replace("%%", "%") for argument in quoted]


@pytest.mark.parametrize("folder", ["/opt/lamplight", "/home/me/My Files", '/odd/"q"$HOME`id`', "/back\\slash", "/100%u", "/文件/it's"])
def test_a_linux_entry_starts_exactly_this_program_whatever_its_folder_is_called(folder: str) -> None:
    program = PurePosixPath(folder) / "lamplight.py"

    entry = desktop_entry(PurePosixPath("/usr/bin/python3"), program, PurePosixPath(folder) / "lamplight.svg")

    assert exec_arguments(entry.content) == ["/usr/bin/python3", str(program)]


@pytest.mark.parametrize("folder", ["/Applications/lamplight", "/Users/me/My Files", '/odd/"q"$HOME`id`\''])
def test_a_mac_bundle_starts_exactly_this_program(folder: str) -> None:
    program = PurePosixPath(folder) / "lamplight.py"

    plist, script, icon = mac_bundle(PurePosixPath("/usr/bin/python3"), program, b"png")

    assert plistlib.loads(plist.content)["CFBundleExecutable"] == "lamplight"
    assert script.executable and shlex.split(script.content.decode().splitlines()[1]) == ["exec", "/usr/bin/python3", str(program)]
    assert icon.content.startswith(b"icns")


def test_a_mac_icon_holds_the_png() -> None:
    content = icns(b"123456")

    assert content[4:8] == struct.pack(">I", len(content))
    assert content[8:12] == b"ic08" and content[16:] == b"123456"


def test_a_windows_script_quotes_folders_with_spaces_and_keeps_other_alphabets() -> None:
    file = windows_script(PureWindowsPath(r"C:\Program Files\Python\python.exe"), PureWindowsPath(r"C:\我的 文件\lamplight.py"))

    text = file.content.decode("utf-16")
    assert r'shell.Run """C:\Program Files\Python\python.exe"" ""C:\我的 文件\lamplight.py""", 0, False' in text
    assert r'shell.CurrentDirectory = "C:\我的 文件"' in text


def test_files_are_written_with_their_rights(tmp_path: Path) -> None:
    written = write_files(tmp_path, mac_bundle(PurePosixPath("/p"), PurePosixPath("/l.py"), b"png"))

    assert all(path.is_file() for path in written)
    if os.name == "posix":
        assert written[1].stat().st_mode & stat.S_IXUSR


def test_installing_says_where_the_launcher_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "my data"))

    assert install_launcher("linux") == 0

    file = tmp_path / "my data" / "applications" / "lamplight.desktop"
    assert str(file) in capsys.readouterr().out
    assert exec_arguments(file.read_bytes())[1] == str(launcher.ROOT / "lamplight.py")


def test_a_folder_that_cannot_be_written_to_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))

    assert install_launcher("linux") == 1

    assert "try again" in capsys.readouterr().err


def test_the_icon_is_there_in_both_forms() -> None:
    assert (RESOURCES / "icons" / "lamplight.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (RESOURCES / "icons" / "lamplight.svg").read_bytes()
