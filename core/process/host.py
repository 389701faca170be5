"""The app's side of a child process: started when first needed, asked one thing at a time, always ended."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from core.cancel import CancelToken
from core.errors import Cancelled, ChildCrashed, ChildTimedOut
from core.paths import PROGRAM
from core.process.wire import MAX_LINE_BYTES, Json, WireError, encode, error_from_wire, read_message

# With -I Python looks neither at the working folder nor at PYTHONPATH, so the program's folder is handed over.
_BOOTSTRAP = "import runpy, sys; sys.path.insert(0, sys.argv[1]); runpy.run_module(sys.argv[2], run_name='__main__', alter_sys=True)"

# What a child may see of the app's environment. Keys, tokens, proxies and tracing switches of other programs stay out.
_KEPT_VARIABLES = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}
    | {"SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "PROGRAMDATA", "COMSPEC", "PATHEXT"}
    | {"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "CUDA_VISIBLE_DEVICES"}
)

_STDERR_LINES = 60
_STDERR_LINE_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class _Ended:
    """The child's output ended. `broken` says what was wrong with it, if it was not the end of the process."""

    broken: str = ""


@dataclass(frozen=True, slots=True)
class _CancelAsked:
    number: int


class ChildProcess:
    """One child process that runs `module`. Use it as a `with`, or `close()` it.

    Calls from several threads wait for each other. After a crash, a time-out or a cancel that was not obeyed the next request starts
    the child again. `environment` is added to the few variables a child inherits.
    """

    def __init__(
        self,
        module: str,
        *,
        name: str,
        environment: Mapping[str, str] | None = None,
        program_root: Path = PROGRAM,
        time_limit_seconds: float = 600.0,
        grace_seconds: float = 0.7,
        max_line_bytes: int = MAX_LINE_BYTES,
    ) -> None:
        self._command = [sys.executable, "-I", "-X", "utf8", "-c", _BOOTSTRAP, str(program_root), module]
        self._name = name
        self._environment = dict(environment or {})
        self._time_limit_seconds = time_limit_seconds
        self._grace_seconds = grace_seconds
        self._max_line_bytes = max_line_bytes
        self._turn = threading.Lock()
        self._turn_owner: int | None = None
        self._state = threading.Lock()
        self._life: _Life | None = None
        self._closed = False
        self._numbers = itertools.count(1)

    @property
    def pid(self) -> int | None:
        """The running child's process id, or None."""
        life = self._life
        return life.process.pid if life is not None and life.process.poll() is None else None

    def request(
        self, operation: str, payload: Json, *, cancel: CancelToken, time_limit_seconds: float | None = None
    ) -> Generator[Json, None, None]:
        """Yield the events of one operation as they come.

        Raises the error that the child reported, `Cancelled`, `ChildCrashed` or `ChildTimedOut`. Closing the generator early cancels
        the operation. While it is open, other threads wait for their turn.
        """
        cancel.check()
        self._take_turn(cancel)
        try:
            life = self._living()
            limit = self._time_limit_seconds if time_limit_seconds is None else time_limit_seconds
            yield from self._converse(life, operation, payload, cancel, limit)
        finally:
            self._turn_owner = None
            self._turn.release()

    def call(self, operation: str, payload: Json, *, cancel: CancelToken, time_limit_seconds: float | None = None) -> Json:
        """The last event of one operation; for operations that answer once."""
        last: Json = {}
        for event in self.request(operation, payload, cancel=cancel, time_limit_seconds=time_limit_seconds):
            last = event
        return last

    def unload(self) -> None:
        """End the child and free its memory; the next request starts it again. A request that is running is cancelled."""
        with self._state:
            life, self._life = self._life, None
        if life is not None:
            life.unloaded = True
            life.end(self._grace_seconds)

    def close(self) -> None:
        """End the child for good: end-of-file, terminate, kill, each with a bounded wait. Safe to call twice and from any thread."""
        with self._state:
            self._closed = True
        self.unload()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _take_turn(self, cancel: CancelToken) -> None:
        me = threading.get_ident()
        while not self._turn.acquire(timeout=0.05):
            cancel.check()
            if self._turn_owner == me:
                raise RuntimeError(f"{self._name}: a request was made while the same thread still reads another one's events")
        self._turn_owner = me

    def _living(self) -> _Life:
        with self._state:
            if self._closed:
                raise Cancelled(f"{self._name} is closed.")
            if self._life is not None and self._life.process.poll() is None and not self._life.finished.is_set():
                return self._life
            if self._life is not None:
                self._life.end(0.0)
            self._life = _Life(self._command, self._child_environment(), self._name, self._max_line_bytes)
            return self._life

    def _child_environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if key.upper() in _KEPT_VARIABLES}
        return {**kept, **self._environment}

    def _converse(
        self, life: _Life, operation: str, payload: Json, cancel: CancelToken, limit_seconds: float
    ) -> Generator[Json, None, None]:
        number = next(self._numbers)
        try:
            life.outbox.put(encode({"id": number, "op": operation, "payload": payload}, max_bytes=self._max_line_bytes))
        except WireError as error:
            raise ChildCrashed(f"{self._name} was asked more than fits into one message.", reason=str(error)) from error
        deadline = time.monotonic() + limit_seconds
        forget = cancel.on_cancel(lambda: life.inbox.put(_CancelAsked(number)))
        stopping = False
        over = False
        try:
            while True:
                try:
                    item = life.inbox.get(timeout=max(0.0, deadline - time.monotonic()))
                except queue.Empty:
                    life.kill()
                    over = True
                    if stopping:
                        raise Cancelled() from None
                    raise ChildTimedOut(f"{self._name} did not answer within {limit_seconds:g} seconds and was ended.") from None
                if isinstance(item, _CancelAsked):
                    if item.number == number and not stopping:
                        stopping = True
                        life.outbox.put(encode({"cancel": number}))
                        deadline = min(deadline, time.monotonic() + self._grace_seconds)
                elif isinstance(item, _Ended):
                    over = True
                    raise self._ending(life, item, stopping)
                elif item.get("id") == number:
                    if not stopping and "event" in item:
                        yield item["event"]
                        self._turn_owner = threading.get_ident()
                    elif "error" in item:
                        over = True
                        raise Cancelled() if stopping else error_from_wire(item["error"])
                    elif "done" in item:
                        over = True
                        if stopping:
                            raise Cancelled()
                        return
        finally:
            forget()
            if not over:
                self._abandon(life, number)

    def _abandon(self, life: _Life, number: int) -> None:
        """The reader of the events left early: stop the operation, or the child if it does not stop."""
        life.outbox.put(encode({"cancel": number}))
        deadline = time.monotonic() + self._grace_seconds
        while True:
            try:
                item = life.inbox.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                life.kill()
                return
            if isinstance(item, _Ended) or (isinstance(item, dict) and item.get("id") == number and "event" not in item):
                return

    def _ending(self, life: _Life, ended: _Ended, stopping: bool) -> Cancelled | ChildCrashed:
        exit_code = life.reap()
        if stopping or life.unloaded:
            return Cancelled()
        tail = life.stderr_tail()
        if ended.broken:
            message = f"{self._name} sent something that is not a message and was ended."
            return ChildCrashed(message, reason=ended.broken, exit_code=exit_code, stderr=tail)
        return ChildCrashed(f"{self._name} {exit_words(exit_code)}.", exit_code=exit_code, stderr=tail)


class _Life:
    """One run of the child, with the threads that keep its three pipes moving."""

    def __init__(self, command: list[str], environment: dict[str, str], name: str, max_line_bytes: int) -> None:
        self.inbox: queue.SimpleQueue[Json | _CancelAsked | _Ended] = queue.SimpleQueue()
        self.outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.finished = threading.Event()
        self.unloaded = False
        self.process: subprocess.Popen[bytes]
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._max_line_bytes = max_line_bytes
        started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError] = queue.SimpleQueue()
        # Linux ends a child with the *thread* that started it. The thread that reads its output lives as long as the child does.
        self._threads = [
            threading.Thread(target=self._start_and_read, args=(command, environment, started), name=f"{name} out", daemon=True)
        ]
        self._threads[0].start()
        outcome = started.get()
        if isinstance(outcome, OSError):
            raise ChildCrashed(f"{name} could not be started.", reason=str(outcome)) from outcome
        self.process = outcome
        for target, part in ((self._write, "in"), (self._drain, "err")):
            self._threads.append(threading.Thread(target=target, name=f"{name} {part}", daemon=True))
            self._threads[-1].start()

    def stderr_tail(self) -> str:
        """The last lines the child wrote to stderr."""
        self._threads[-1].join(0.3)
        return "\n".join(list(self._stderr)[-20:])

    def kill(self) -> None:
        """End the child and whatever it started, now."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform != "win32" and self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5.0)
        self.finished.set()

    def reap(self) -> int:
        """The exit code of a child whose output ended; a child that lingers is killed."""
        try:
            return self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.process.returncode if self.process.returncode is not None else -1

    def end(self, grace_seconds: float) -> None:
        """End-of-file, terminate, kill; then wait until the threads are done."""
        self.outbox.put(None)
        try:
            self.process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(grace_seconds)
        self.kill()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(2.0)

    def _start_and_read(
        self, command: list[str], environment: dict[str, str], started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError]
    ) -> None:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=sys.platform != "win32",
                creationflags=_creation_flags(),
            )
        except OSError as error:
            started.put(error)
            return
        started.put(process)
        stdout = process.stdout
        assert stdout is not None
        ended = _Ended()
        with stdout:
            try:
                while (message := read_message(stdout, max_bytes=self._max_line_bytes)) is not None:
                    self.inbox.put(message)
            except (WireError, OSError, ValueError) as error:
                ended = _Ended(broken=str(error) or type(error).__name__)
                # Its next words could not be understood either.
                with contextlib.suppress(OSError):
                    process.kill()
        self.finished.set()
        self.inbox.put(ended)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5.0)

    def _write(self) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        # A child that is gone is reported by the end of its output.
        with contextlib.suppress(OSError, ValueError), stdin:
            while (line := self.outbox.get()) is not None:
                stdin.write(line)
                stdin.flush()

    def _drain(self) -> None:
        stderr = self.process.stderr
        assert stderr is not None
        with contextlib.suppress(OSError, ValueError), stderr:
            while line := stderr.readline(_STDERR_LINE_CHARACTERS):
                self._stderr.append(line.decode("utf-8", errors="replace").rstrip())


def exit_words(exit_code: int) -> str:
    """How a process ended, in words: `was ended by signal SIGKILL`, `ended with exit code 3`."""
    if exit_code < 0:
        try:
            return f"was ended by signal {signal.Signals(-exit_code).name}"
        except ValueError:
            return f"was ended by signal {-exit_code}"
    if exit_code > 0xFFFF:
        return f"ended with exit code 0x{exit_code:08X}"
    return f"ended with exit code {exit_code}"


def _creation_flags() -> int:
    if sys.platform == "win32":
        return subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    return 0
