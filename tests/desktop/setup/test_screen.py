from __future__ import annotations

from desktop.setup.screen import has_display, missing_libraries_sentence, not_found

LDD = """\
/somewhere/libqxcb.so:
\tlinux-vdso.so.1 (0x00007ffd)
\tlibxcb-icccm.so.4 => not found
\tlibGL.so.1 => /lib/x86_64-linux-gnu/libGL.so.1 (0x00007f)
/somewhere/libQt6Widgets.so.6:
\tlibxcb-icccm.so.4 => not found
\tlibEGL.so.1 => not found
"""


def test_each_missing_library_is_found_once() -> None:
    assert not_found(LDD) == ["libEGL.so.1", "libxcb-icccm.so.4"]
    assert not_found("") == []


def test_debian_is_told_the_exact_command() -> None:
    sentence = missing_libraries_sentence(["libEGL.so.1", "libxcb-icccm.so.4"], "debian")

    assert "sudo apt install libegl1 libxcb-icccm4" in sentence
    assert "`python3 lamplight.py ask" in sentence


def test_other_systems_are_told_the_libraries() -> None:
    sentence = missing_libraries_sentence(["libEGL.so.1", "libodd.so.9"], "fedora")

    assert "libEGL.so.1, libodd.so.9" in sentence and "Debian and Ubuntu call them libegl1" in sentence
    assert "libodd.so.9" in missing_libraries_sentence(["libodd.so.9"], "debian")


def test_a_display_is_x_wayland_or_a_platform_chosen_by_hand() -> None:
    assert has_display({"DISPLAY": ":0"})
    assert has_display({"WAYLAND_DISPLAY": "wayland-0"})
    assert has_display({"QT_QPA_PLATFORM": "offscreen"})
    assert not has_display({"DISPLAY": ""})
