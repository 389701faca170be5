"""The child's side: answers requests one at a time in its main thread and never outlives the app.

A module that is run as a child calls `serve` with its operations. An operation is a generator of events; what it raises as a
`LamplightError` travels to the app, anything else is a bug and ends the child with a traceback that the app keeps.
"""

from __future__ import annotations

import ctypes
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO, NoReturn

from core.cancel import CancelToken
from core.errors import Cancelled, LamplightError, NotEnoughMemory
from core.process.wire import Json, WireError, encode, error_to_wire, read_message

Operation = Callable[[Json, CancelToken], Iterator[Json]]

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_BELOW_NORMAL_PRIORITY_CLASS = 0x4000


def serve(operations: Mapping[str, Operation], *, low_priority: bool = False) -> NoReturn:
    """Answer requests from stdin until it ends; then the process ends at once, whatever it is doing."""
    confine(low_priority=low_priority)
    requests, replies = take_over_standard_streams()
    inbox: queue.SimpleQueue[tuple[Json, CancelToken]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, inbox), name="wire", daemon=True).start()
    while True:
        request, cancel = inbox.get()
        _answer(request, cancel, operations, replies)


def confine(*, low_priority: bool) -> None:
    """Leave no core dump, die with the app, and give way to other programs if asked to. Does what the platform can."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if low_priority:
            os.nice(5)
    elif low_priority:
        kernel32 = ctypes.windll.kernel32
        kernel32.SetPriorityClass(kernel32.GetCurrentProcess(), _BELOW_NORMAL_PRIORITY_CLASS)
    if sys.platform == "linux":
        # Besides end-of-file on stdin, which native code that keeps the interpreter's lock could leave unread.
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def take_over_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep the pipes to the app for the wire alone: from here on, prints of Python and of native code go to stderr."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, replies


def _read(requests: BinaryIO, inbox: queue.SimpleQueue[tuple[Json, CancelToken]]) -> None:
    tokens: dict[object, CancelToken] = {}
    try:
        while (message := read_message(requests)) is not None:
            if "cancel" in message:
                if token := tokens.get(message["cancel"]):
                    token.cancel()
                continue
            # The app sends the next request only after the last one ended, so older tokens are done with.
            token = CancelToken()
            tokens = {message.get("id"): token}
            inbox.put((message, token))
    except WireError:
        traceback.print_exc()
        os._exit(2)
    finally:
        # The main thread may be deep in native code: only this ends it at once.
        os._exit(0)


def _answer(request: Json, cancel: CancelToken, operations: Mapping[str, Operation], replies: BinaryIO) -> None:
    number = request.get("id")

    def send(message: Json) -> None:
        replies.write(encode({"id": number, **message}))
        replies.flush()

    try:
        for event in operations[request["op"]](request["payload"], cancel):
            send({"event": event})
        send({"done": True})
    except Cancelled as error:
        send({"error": error_to_wire(error)})
    except LamplightError as error:
        send({"error": error_to_wire(error)})
    except MemoryError:
        send({"error": error_to_wire(NotEnoughMemory("There is not enough free memory for this."))})
    except BrokenPipeError:
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
