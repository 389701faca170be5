"""One window per home: a second start raises the first and hands over its paths."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from core.paths import Paths

MESSAGE_LIMIT_BYTES = 64 * 1024
CONNECT_MS = 2000


def _server_name(paths: Paths) -> str:
    # A hash, because socket paths are limited to about 100 bytes and homes are not.
    return "lamplight-" + hashlib.sha256(str(paths.home.resolve()).encode("utf-8")).hexdigest()[:16]


def encode(files: Sequence[Path]) -> bytes:
    """The message of a second start: as many of `files` as fit into the limit."""
    texts = [str(path) for path in files]
    while True:
        message = json.dumps({"open": texts}).encode("utf-8") + b"\n"
        if len(message) <= MESSAGE_LIMIT_BYTES:
            return message
        texts = texts[: len(texts) // 2]


def decode(message: bytes) -> tuple[Path, ...] | None:
    """The absolute paths of a message, or None when it is not one of ours. The message is data from outside."""
    try:
        body = json.loads(message.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict) or set(body) != {"open"} or not isinstance(body["open"], list):
        return None
    if not all(isinstance(text, str) and "\0" not in text for text in body["open"]):
        return None
    return tuple(path for path in map(Path, body["open"]) if path.is_absolute())


class SingleInstance(QObject):
    """Holds the home's lock for the first window and listens to later starts."""

    raised = Signal(object)  # tuple[Path, ...] that the second start was given

    def __init__(self, paths: Paths, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = _server_name(paths)
        paths.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = QLockFile(str(paths.lock_file))
        self._lock.setStaleLockTime(0)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept)
        self._received: dict[QLocalSocket, bytearray] = {}

    def acquire(self) -> bool:
        """Become the one window of this home; False when another one is open."""
        if not self._lock.tryLock(0):
            return False
        QLocalServer.removeServer(self._name)
        self._server.listen(self._name)
        return True

    def hand_over(self, files: Sequence[Path]) -> bool:
        """Raise the first window and give it `files`; False when it does not answer."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(CONNECT_MS):
            return False
        socket.write(encode([path.absolute() for path in files]))
        sent = socket.waitForBytesWritten(CONNECT_MS)
        socket.disconnectFromServer()
        if socket.state() != QLocalSocket.LocalSocketState.UnconnectedState:
            socket.waitForDisconnected(CONNECT_MS)
        return sent

    def release(self) -> None:
        """Stop listening and free the home for the next start."""
        self._server.close()
        self._lock.unlock()

    def _accept(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            # Ours, not Python's: otherwise the last Python reference ends the socket in the midst of its own signal.
            socket.setParent(self)
            self._received[socket] = bytearray()
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(self._clear)
        self._read()
        self._clear()

    def _read(self) -> None:
        for socket, received in list(self._received.items()):
            received += bytes(socket.read(MESSAGE_LIMIT_BYTES + 1 - len(received)).data())
            if len(received) > MESSAGE_LIMIT_BYTES:
                received.clear()
                socket.abort()
            elif received.endswith(b"\n"):
                files = decode(bytes(received))
                received.clear()
                if files is not None:
                    self.raised.emit(files)
                socket.disconnectFromServer()

    def _clear(self) -> None:
        for socket in [socket for socket in self._received if socket.state() == QLocalSocket.LocalSocketState.UnconnectedState]:
            del self._received[socket]
            socket.deleteLater()
