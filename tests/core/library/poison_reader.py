"""A reader's child whose parser does what the file says: crash, hang, eat memory, or try to get out. Run by `core.process.host`."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from core.library.formats.parsed import ParsedDocument
from core.library.formats.reader_host import run

_AF_INET, _SOCK_STREAM = 2, 1


def parse(suffix: str, data: bytes, encoding: str) -> ParsedDocument:
    words = data.decode("utf-8")
    order, _, detail = words.partition(" ")
    match order:
        case "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        case "spin":
            started = time.process_time()
            while time.process_time() - started < 60:
                pass
        case "wait":
            threading.Event().wait(60)
        case "eat":
            kept = []
            while True:
                kept.append(bytes(64 * 1024 * 1024))
        case "native":
            return ParsedDocument(f"connect: {native_connect(int(detail))}")
        case "try":
            return ParsedDocument(_outcome(detail))
        case "environment":
            return ParsedDocument(" ".join(sorted(os.environ)))
        case "who":
            return ParsedDocument(str(os.getpid()))
    return ParsedDocument(words, kind="prose")


def _outcome(detail: str) -> str:
    what, _, where = detail.partition(" ")
    try:
        match what:
            case "connect":
                socket.create_connection(("127.0.0.1", int(where)), timeout=2)
            case "look-up":
                socket.getaddrinfo("example.org", 80)
            case "start":
                subprocess.run([sys.executable, "-c", ""], check=False)
            case "fork":
                os.fork()
            case "write":
                Path(where).write_text("x", encoding="utf-8")
            case "delete":
                Path(where).unlink()
            case "read":
                return Path(where).read_text(encoding="utf-8")
    except OSError as error:
        return f"refused: {type(error).__name__}"
    return "done"


def native_connect(port: int) -> int:
    """What a native library would do, which no rule of Python's sees; 0 if there is a connection."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.socket(_AF_INET, _SOCK_STREAM, 0)
    address = _AF_INET.to_bytes(2, sys.byteorder) + port.to_bytes(2, "big") + bytes((127, 0, 0, 1)) + bytes(8)
    return int(libc.connect(handle, address, len(address)))


if __name__ == "__main__":
    run(parse)
