"""The life cycle of a child process, with a child that behaves well and badly."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, ChildCrashed, ChildTimedOut, ModelMissing
from core.paths import PROGRAM
from core.process.host import ChildProcess, exit_words

CHILD = "tests.core.process.children"
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="watches processes by pidfd")


@pytest.fixture
def child() -> Iterator[ChildProcess]:
    with ChildProcess(CHILD, name="The child", grace_seconds=0.5) as process:
        yield process


def ended_within(pid: int, seconds: float) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def assert_answers(child: ChildProcess) -> None:
    assert child.call("echo", {"still": "alive"}, cancel=CancelToken()) == {"still": "alive"}


class TestAnswering:
    def test_nothing_is_started_before_the_first_request(self, child: ChildProcess) -> None:
        assert child.pid is None

        assert_answers(child)

        assert child.pid is not None

    def test_events_arrive_in_order(self, child: ChildProcess, cancel: CancelToken) -> None:
        assert [event["number"] for event in child.request("count", {"to": 500}, cancel=cancel)] == list(range(500))

    def test_the_child_is_kept_between_requests(self, child: ChildProcess, cancel: CancelToken) -> None:
        pids = {child.call("who", {}, cancel=cancel)["pid"] for _ in range(3)}

        assert pids == {child.pid}

    def test_an_error_of_the_operation_arrives_as_itself_and_the_child_lives_on(self, child: ChildProcess, cancel: CancelToken) -> None:
        with pytest.raises(ModelMissing) as caught:
            child.call("fail", {}, cancel=cancel)

        assert caught.value.message == "The model is not there."
        assert dict(caught.value.details) == {"path": "/models/m.gguf", "size": 3}
        assert_answers(child)

    def test_megabytes_travel_both_ways(self, child: ChildProcess, cancel: CancelToken) -> None:
        text = "水" * 1_000_000

        assert child.call("echo", {"text": text}, cancel=cancel) == {"text": text}

    def test_prints_of_the_child_do_not_disturb_the_wire(self, child: ChildProcess, cancel: CancelToken) -> None:
        assert child.call("prints", {}, cancel=cancel) == {"fine": True}
        assert_answers(child)

    def test_a_child_that_fills_stderr_is_drained(self, child: ChildProcess, cancel: CancelToken) -> None:
        assert child.call("chatter", {}, cancel=cancel) == {"fine": True}

    def test_requests_of_several_threads_wait_for_each_other(self, child: ChildProcess) -> None:
        results: list[list[int]] = []

        def ask() -> None:
            results.append([event["number"] for event in child.request("count", {"to": 200}, cancel=CancelToken())])

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)

        assert results == [list(range(200))] * 4

    def test_a_second_request_inside_the_first_is_an_error_and_no_deadlock(self, child: ChildProcess, cancel: CancelToken) -> None:
        events = child.request("count", {"to": 3}, cancel=cancel)
        next(events)

        with pytest.raises(RuntimeError, match="same thread"):
            child.call("echo", {}, cancel=cancel)

        events.close()
        assert_answers(child)

    def test_variables_of_other_programs_do_not_reach_the_child(self, cancel: CancelToken, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("LANGSMITH_API_KEY", "HTTPS_PROXY", "HF_TOKEN", "PYTHONPATH", "PYTHONSTARTUP"):
            monkeypatch.setenv(name, "secret")

        with ChildProcess(CHILD, name="The child", environment={"OMP_NUM_THREADS": "1"}) as child:
            environment = child.call("who", {}, cancel=cancel)["environment"]

        assert "secret" not in environment.values()
        assert environment["OMP_NUM_THREADS"] == "1"

    @linux_only
    def test_a_child_may_give_way_to_other_programs(self, child: ChildProcess, cancel: CancelToken) -> None:
        assert child.call("who", {}, cancel=cancel)["nice"] >= os.nice(0) + 5 or os.nice(0) >= 15


class TestCrashing:
    @pytest.mark.skipif(sys.platform == "win32", reason="signals")
    def test_a_crash_in_the_middle_says_how_it_ended_and_what_it_said_last(self, child: ChildProcess, cancel: CancelToken) -> None:
        events = child.request("crash", {}, cancel=cancel)
        assert next(events) == {"started": True}

        with pytest.raises(ChildCrashed) as caught:
            next(events)

        assert caught.value.message == "The child was ended by signal SIGSEGV."
        assert "something native went wrong" in str(caught.value.details["stderr"])
        assert_answers(child)

    def test_an_exit_code_is_told(self, child: ChildProcess, cancel: CancelToken) -> None:
        with pytest.raises(ChildCrashed, match="exit code 3"):
            child.call("leave", {}, cancel=cancel)

        assert_answers(child)

    def test_a_bug_in_an_operation_ends_the_child_with_its_traceback(self, child: ChildProcess, cancel: CancelToken) -> None:
        with pytest.raises(ChildCrashed) as caught:
            child.call("bug", {}, cancel=cancel)

        assert "KeyError: 'a bug'" in str(caught.value.details["stderr"])
        assert_answers(child)

    def test_a_module_that_is_not_there_is_a_crash_with_the_reason(self, cancel: CancelToken) -> None:
        with ChildProcess("core.process.nothing_here", name="The child") as child, pytest.raises(ChildCrashed) as caught:
            child.call("echo", {}, cancel=cancel)

        assert "nothing_here" in str(caught.value.details["stderr"])

    def test_garbage_on_stdout_ends_the_child(self, cancel: CancelToken) -> None:
        with ChildProcess("tests.core.process.garbage_child", name="The child") as child, pytest.raises(ChildCrashed) as caught:
            child.call("echo", {}, cancel=cancel)

        assert "not JSON" in str(caught.value.details["reason"])

    def test_a_line_without_end_ends_the_child(self, cancel: CancelToken) -> None:
        with (
            ChildProcess("tests.core.process.endless_line_child", name="The child", max_line_bytes=100_000) as child,
            pytest.raises(ChildCrashed) as caught,
        ):
            child.call("echo", {}, cancel=cancel)

        assert "limit" in str(caught.value.details["reason"])

    def test_a_huge_line_ends_the_child_and_the_next_request_works(self, cancel: CancelToken) -> None:
        with ChildProcess(CHILD, name="The child", max_line_bytes=100_000) as child:
            with pytest.raises(ChildCrashed):
                child.call("huge", {"characters": 200_000}, cancel=cancel)

            assert_answers(child)

    def test_a_request_over_the_limit_is_refused_before_it_is_sent(self, cancel: CancelToken) -> None:
        with ChildProcess(CHILD, name="The child", max_line_bytes=100_000) as child:
            with pytest.raises(ChildCrashed, match="more than fits"):
                child.call("echo", {"text": "x" * 200_000}, cancel=cancel)

            assert_answers(child)

    def test_a_child_that_was_killed_between_requests_is_started_again(self, child: ChildProcess) -> None:
        assert_answers(child)
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)

        for _ in range(2):
            try:
                assert_answers(child)
                break
            except ChildCrashed:
                continue

        assert_answers(child)


class TestStopping:
    def test_an_operation_that_obeys_is_cancelled_and_the_child_is_kept(self, child: ChildProcess, cancel: CancelToken) -> None:
        events = child.request("wait", {}, cancel=cancel)
        next(events)
        pid = child.pid
        started = time.monotonic()

        cancel.cancel()
        with pytest.raises(Cancelled):
            next(events)

        assert time.monotonic() - started < 1.0
        assert_answers(child)
        assert child.pid == pid

    @pytest.mark.parametrize("operation", ["deaf", "stuck"])
    def test_an_operation_that_does_not_obey_is_killed_within_the_grace(
        self, child: ChildProcess, cancel: CancelToken, operation: str
    ) -> None:
        events = child.request(operation, {}, cancel=cancel)
        next(events)
        pid = child.pid
        started = time.monotonic()

        cancel.cancel()
        with pytest.raises(Cancelled):
            next(events)

        assert time.monotonic() - started < 1.0
        assert_answers(child)
        assert child.pid != pid

    def test_a_token_cancelled_before_the_request_starts_nothing(self, child: ChildProcess, cancel: CancelToken) -> None:
        cancel.cancel()

        with pytest.raises(Cancelled):
            child.call("echo", {}, cancel=cancel)

        assert child.pid is None

    def test_waiting_for_another_thread_can_be_cancelled(self, child: ChildProcess, cancel: CancelToken) -> None:
        first = child.request("wait", {}, cancel=CancelToken())
        next(first)
        outcome: list[type[BaseException]] = []

        def ask() -> None:
            try:
                child.call("echo", {}, cancel=cancel)
            except Cancelled as error:
                outcome.append(type(error))

        second = threading.Thread(target=ask)
        second.start()
        cancel.cancel()
        second.join(5)

        assert outcome == [Cancelled]
        first.close()

    def test_leaving_the_events_early_stops_the_operation(self, child: ChildProcess, cancel: CancelToken) -> None:
        events = child.request("wait", {}, cancel=cancel)
        next(events)
        pid = child.pid

        events.close()

        assert_answers(child)
        assert child.pid == pid

    def test_a_child_that_hangs_is_ended_at_the_time_limit(self, child: ChildProcess, cancel: CancelToken) -> None:
        with pytest.raises(ChildTimedOut, match=r"within 0\.3 seconds"):
            child.call("deaf", {}, cancel=cancel, time_limit_seconds=0.3)

        assert_answers(child)


class TestEnding:
    @linux_only
    @pytest.mark.parametrize("operation", ["wait", "deaf", "stuck"])
    def test_closing_during_a_request_ends_it_and_leaves_nothing(self, operation: str, cancel: CancelToken) -> None:
        child = ChildProcess(CHILD, name="The child", grace_seconds=0.3)
        begun = threading.Event()
        outcome: list[BaseException] = []

        def ask() -> None:
            try:
                for _event in child.request(operation, {}, cancel=cancel):
                    begun.set()
            except Cancelled as error:
                outcome.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        assert begun.wait(20)
        pid = child.pid
        assert pid is not None

        child.close()
        thread.join(5)

        assert len(outcome) == 1
        assert ended_within(pid, 3)
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("The child")]

    def test_closing_twice_or_unused_is_fine_and_asking_afterwards_is_refused(self, cancel: CancelToken) -> None:
        child = ChildProcess(CHILD, name="The child")

        child.close()
        child.close()

        with pytest.raises(Cancelled):
            child.call("echo", {}, cancel=cancel)

    def test_unloading_ends_the_child_until_it_is_needed(self, child: ChildProcess) -> None:
        assert_answers(child)

        child.unload()

        assert child.pid is None
        assert_answers(child)

    @linux_only
    @pytest.mark.parametrize("operation", ["wait", "deaf", "stuck"])
    def test_a_killed_app_leaves_no_child_behind(self, operation: str) -> None:
        command = [sys.executable, "-m", "tests.core.process.app", operation]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=PROGRAM) as app:
            assert app.stdout is not None
            pid = int(app.stdout.readline())

            app.kill()

            assert ended_within(pid, 3)

    @linux_only
    def test_a_child_outlives_the_thread_that_first_asked_it(self, child: ChildProcess) -> None:
        pids: list[int | None] = []

        def ask() -> None:
            assert_answers(child)
            pids.append(child.pid)

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(20)

        assert_answers(child)
        assert pids == [child.pid]


def test_exit_codes_are_told_in_words() -> None:
    assert exit_words(-9) == "was ended by signal SIGKILL"
    assert exit_words(3) == "ended with exit code 3"
    assert exit_words(0xC0000005) == "ended with exit code 0xC0000005"
