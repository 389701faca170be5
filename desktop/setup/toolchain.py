"""Whether this machine can compile llama.cpp, and what to install if it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_INSTALL = {
    "debian": "sudo apt install g++",
    "fedora": "sudo dnf install gcc-c++",
    "rhel": "sudo dnf install gcc-c++",
    "arch": "sudo pacman -S gcc",
    "suse": "sudo zypper install gcc-c++",
    "alpine": "sudo apk add g++",
}


def find_compiler(platform: str = sys.platform) -> str | None:
    """The C++ compiler that the build would use, or None."""
    if platform == "win32":
        return shutil.which("cl") or _visual_studio()
    if chosen := os.environ.get("CXX"):
        return shutil.which(chosen.split()[0])
    found = next((path for name in ("c++", "g++", "clang++") if (path := shutil.which(name))), None)
    # On a Mac without the command line tools, /usr/bin/c++ exists and only offers to install them.
    if platform == "darwin" and found == "/usr/bin/c++" and not _succeeds(["xcode-select", "-p"]):
        return None
    return found


def missing_compiler_sentence(platform: str = sys.platform, os_release: str | None = None) -> str:
    """One sentence for a machine without a compiler."""
    start = "Lamplight has to build its language model runtime once and found no C++ compiler: "
    end = ", then start Lamplight again."
    if platform == "win32":
        return start + 'install "Build Tools for Visual Studio 2022" with its "Desktop development with C++"' + end
    if platform == "darwin":
        return start + "run `xcode-select --install`" + end
    family = distribution_family(os_release)
    if family in _INSTALL:
        return start + f"run `{_INSTALL[family]}`" + end
    return start + "install g++ or clang++ (Debian and Ubuntu: g++, Fedora: gcc-c++, Arch: gcc)" + end


def distribution_family(os_release: str | None = None) -> str:
    """The family of the Linux distribution (debian, fedora, arch, ...), or an empty string."""
    if os_release is None:
        try:
            os_release = Path("/etc/os-release").read_text(encoding="utf-8")
        except OSError:
            return ""
    fields = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    names = f"{fields.get('ID', '')} {fields.get('ID_LIKE', '')}".replace('"', "").split()
    names = ["debian" if name == "ubuntu" else "suse" if name.startswith("opensuse") else name for name in names]
    return next((name for name in names if name in _INSTALL), "")


def _visual_studio() -> str | None:
    """The folder of a Visual Studio with C++ tools."""
    root = os.environ.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)")
    vswhere = Path(root) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
    if not vswhere.exists():
        return None
    command = [
        str(vswhere),
        "-latest",
        "-products",
        "*",
        "-requires",
        "Microsoft.VisualStudio.Component.VC.Tools.x86.x64",
        "-property",
        "installationPath",
    ]
    answer = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
    )
    return answer.stdout.strip() or None


def _succeeds(command: list[str]) -> bool:
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
