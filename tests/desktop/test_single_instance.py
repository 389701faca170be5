from __future__ import annotations

import random
from pathlib import Path

from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from core.paths import Paths
from desktop.single_instance import MESSAGE_LIMIT_BYTES, SingleInstance, decode, encode


def send(name: str, message: bytes) -> QLocalSocket:
    socket = QLocalSocket()
    socket.connectToServer(name)
    assert socket.waitForConnected(2000)
    socket.write(message)
    socket.flush()
    return socket


def test_the_second_start_hands_over_its_paths(qtbot: QtBot, paths: Paths, tmp_path: Path) -> None:
    first, second = SingleInstance(paths), SingleInstance(paths)
    assert first.acquire()
    assert not second.acquire()

    with qtbot.waitSignal(first.raised) as raised:
        assert second.hand_over([tmp_path / "a b 文.txt"])

    assert raised.args == [(tmp_path / "a b 文.txt",)]
    first.release()


def test_the_home_is_free_after_release(qtbot: QtBot, paths: Paths) -> None:
    first, second = SingleInstance(paths), SingleInstance(paths)
    assert first.acquire()

    first.release()

    assert second.acquire()
    second.release()


def test_two_homes_do_not_disturb_each_other(qtbot: QtBot, tmp_path: Path) -> None:
    one, other = SingleInstance(Paths(tmp_path / "one")), SingleInstance(Paths(tmp_path / "other"))

    assert one.acquire() and other.acquire()

    one.release()
    other.release()


def test_a_flood_is_cut_off_and_raises_nothing(qtbot: QtBot, paths: Paths) -> None:
    first = SingleInstance(paths)
    assert first.acquire()
    raised: list[object] = []
    first.raised.connect(raised.append)

    socket = send(first._name, b"x" * (MESSAGE_LIMIT_BYTES * 4))

    qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState)
    assert raised == []
    first.release()


def test_noise_is_ignored_and_a_good_message_still_arrives(qtbot: QtBot, paths: Paths) -> None:
    first = SingleInstance(paths)
    assert first.acquire()
    noise = random.Random(5)
    for _ in range(50):
        send(first._name, noise.randbytes(noise.randrange(200)) + b"\n").close()

    with qtbot.waitSignal(first.raised) as raised:
        assert SingleInstance(paths).hand_over([])

    assert raised.args == [()]
    first.release()


def test_only_messages_of_our_form_are_understood() -> None:
    assert decode(b'{"open": ["/a"]}') == (Path("/a"),)
    for message in (
        b"",
        b"[]",
        b"{}",
        b'{"open": "/a"}',
        b'{"open": [1]}',
        b'{"open": [], "run": "x"}',
        b'{"open": ["a\\u0000b"]}',
        b"\xff",
        b"[" * 50_000,
    ):
        assert decode(message) is None


def test_relative_paths_are_left_out() -> None:
    assert decode(b'{"open": ["a.txt", "/b.txt"]}') == (Path("/b.txt"),)


def test_a_message_never_exceeds_the_limit() -> None:
    assert len(encode([Path(f"/folder/{'x' * 200}/{number}") for number in range(5000)])) <= MESSAGE_LIMIT_BYTES
