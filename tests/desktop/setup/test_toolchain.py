from __future__ import annotations

from pathlib import Path

import pytest

from desktop.setup.toolchain import distribution_family, find_compiler, missing_compiler_sentence

UBUNTU = 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n'


@pytest.mark.parametrize(
    ("platform", "os_release", "words"),
    [
        ("linux", "ID=debian\n", "sudo apt install g++"),
        ("linux", UBUNTU, "sudo apt install g++"),
        ("linux", "ID=fedora\n", "sudo dnf install gcc-c++"),
        ("linux", 'ID="rocky"\nID_LIKE="rhel centos fedora"\n', "sudo dnf install gcc-c++"),
        ("linux", "ID=arch\n", "sudo pacman -S gcc"),
        ("linux", 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', "sudo zypper install gcc-c++"),
        ("linux", "ID=strange\n", "Debian and Ubuntu: g++"),
        ("linux", "", "Debian and Ubuntu: g++"),
        ("darwin", "", "xcode-select --install"),
        ("win32", "", "Build Tools for Visual Studio 2022"),
    ],
)
def test_each_system_is_told_in_one_sentence_what_to_install(platform: str, os_release: str, words: str) -> None:
    sentence = missing_compiler_sentence(platform, os_release)

    assert words in sentence
    assert sentence.endswith("then start Lamplight again.") and "\n" not in sentence


def test_without_a_compiler_on_the_path_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROGRAMFILES(X86)", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)

    assert find_compiler("linux") is None
    assert find_compiler("win32") is None


def test_a_compiler_that_was_chosen_has_to_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "my-c++"
    compiler.write_text("#!/bin/sh\n", encoding="utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    monkeypatch.setenv("CXX", "my-c++ -O2")
    assert find_compiler("linux") == str(compiler)
    monkeypatch.setenv("CXX", "other-c++")
    assert find_compiler("linux") is None


def test_a_derived_distribution_is_known_by_its_family() -> None:
    assert distribution_family("ID=linuxmint\nID_LIKE='ubuntu'\n".replace("'", '"')) == "debian"
    assert distribution_family("") == ""
