"""A tiny child with operations that behave well and badly. Run as `tests.core.process.children`."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Iterator

from core.cancel import CancelToken
from core.errors import ModelMissing
from core.process.child import serve
from core.process.wire import Json


def count(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    for number in range(payload["to"]):
        cancel.check()
        yield {"number": number}


def echo(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    yield payload


def who(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    yield {"pid": os.getpid(), "environment": dict(os.environ), "nice": os.nice(0) if hasattr(os, "nice") else 0}


def wait(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    """Works until it is cancelled."""
    yield {"started": True}
    cancel.wait(60)
    cancel.check()


def deaf(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    """Works on and never looks at its token."""
    yield {"started": True}
    threading.Event().wait(60)


def stuck(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    """Native code that keeps the interpreter's lock, so that no other thread of the child can run."""
    yield {"started": True}
    ctypes.PyDLL(None).sleep(60)


def crash(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    yield {"started": True}
    sys.stderr.write("something native went wrong\n")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGSEGV if hasattr(signal, "SIGSEGV") else signal.SIGTERM)


def leave(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    yield {"started": True}
    os._exit(3)


def bug(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    yield {"started": True}
    raise KeyError("a bug")


def fail(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    raise ModelMissing("The model is not there.", path="/models/m.gguf", size=3)
    yield {}


def prints(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    print("hello from Python")  # noqa: T201
    sys.stdout.flush()
    os.write(1, b"hello from native code\n")
    yield {"fine": True}


def chatter(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    """Far more on stderr than a pipe holds."""
    for _ in range(20_000):
        sys.stderr.write("x" * 200 + "\n")
    yield {"fine": True}


def huge(payload: Json, cancel: CancelToken) -> Iterator[Json]:
    yield {"text": "x" * payload["characters"]}


if __name__ == "__main__":
    serve(
        {
            **{"count": count, "echo": echo, "who": who, "wait": wait, "deaf": deaf, "stuck": stuck, "crash": crash, "leave": leave},
            **{"bug": bug, "fail": fail, "prints": prints, "chatter": chatter, "huge": huge},
        },
        low_priority=True,
    )
