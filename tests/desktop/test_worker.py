from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from core.cancel import CancelToken
from core.errors import Cancelled, NotFound
from desktop.worker import Errands, Worker
from tests.fakes.window import Gate


class Heard:
    """What a worker said, in order."""

    def __init__(self, worker: Worker) -> None:
        self.events: list[tuple[int, object]] = []
        self.ends: list[tuple[int, object]] = []
        worker.reported.connect(lambda ticket, event: self.events.append((ticket, event)))
        worker.ended.connect(lambda ticket, error: self.ends.append((ticket, error)))


@pytest.fixture
def worker(qtbot: QtBot) -> Iterator[Worker]:
    made = Worker("tested", grace_seconds=0.2)
    yield made
    assert made.stop(2.0)
    made.deleteLater()


def counting(cancel: CancelToken) -> Iterator[int]:
    yield from range(3)


def test_a_job_reports_its_events_in_order_and_its_end(qtbot: QtBot, worker: Worker) -> None:
    heard = Heard(worker)

    ticket = worker.start(counting)

    qtbot.waitUntil(lambda: bool(heard.ends))
    assert heard.events == [(ticket, 0), (ticket, 1), (ticket, 2)]
    assert heard.ends == [(ticket, None)]
    assert not worker.busy


def test_events_arrive_in_the_gui_thread(qtbot: QtBot, worker: Worker) -> None:
    threads: list[threading.Thread] = []
    worker.reported.connect(lambda *_: threads.append(threading.current_thread()))

    worker.start(counting)

    qtbot.waitUntil(lambda: len(threads) == 3)
    assert set(threads) == {threading.main_thread()}


def test_an_error_is_the_end(qtbot: QtBot, worker: Worker) -> None:
    heard = Heard(worker)
    error = NotFound("gone")

    def failing(cancel: CancelToken) -> Iterator[int]:
        yield 1
        raise error

    ticket = worker.start(failing)

    qtbot.waitUntil(lambda: bool(heard.ends))
    assert heard.ends == [(ticket, error)]


def test_a_defect_becomes_an_error_that_can_be_shown(qtbot: QtBot, worker: Worker) -> None:
    heard = Heard(worker)

    def broken(cancel: CancelToken) -> Iterator[int]:
        raise ZeroDivisionError("oh")
        yield 1

    worker.start(broken)

    qtbot.waitUntil(lambda: bool(heard.ends))
    (_, error) = heard.ends[0]
    assert getattr(error, "code", "") == "defect"


def test_cancel_lets_the_last_events_through(qtbot: QtBot, worker: Worker) -> None:
    heard = Heard(worker)
    gate = Gate()

    def stoppable(cancel: CancelToken) -> Iterator[str]:
        try:
            gate.wait(cancel)
        except Cancelled:
            yield "kept"

    worker.start(stoppable)
    qtbot.waitUntil(gate.reached.is_set)

    worker.cancel()

    qtbot.waitUntil(lambda: bool(heard.ends))
    assert [event for _, event in heard.events] == ["kept"]


def test_a_job_that_does_not_obey_is_given_up(qtbot: QtBot, worker: Worker) -> None:
    heard = Heard(worker)
    gate = threading.Event()

    def deaf(cancel: CancelToken) -> Iterator[str]:
        gate.wait(20)
        yield "late"

    worker.start(deaf)
    worker.cancel()

    qtbot.waitUntil(lambda: bool(heard.ends))
    assert isinstance(heard.ends[0][1], Cancelled)
    gate.set()
    ticket = worker.start(counting)
    qtbot.waitUntil(lambda: len(heard.ends) == 2)
    assert {known for known, _ in heard.events} == {ticket}


def test_late_events_of_a_replaced_job_are_dropped(qtbot: QtBot, worker: Worker) -> None:
    heard = Heard(worker)
    gate = threading.Event()

    def old(cancel: CancelToken) -> Iterator[str]:
        gate.wait(20)
        yield "old"

    worker.start(old)
    ticket = worker.start(counting)
    gate.set()

    qtbot.waitUntil(lambda: bool(heard.ends))
    assert {known for known, _ in heard.events} == {ticket}
    assert heard.ends == [(ticket, None)]


def test_two_jobs_of_a_worker_never_overlap(qtbot: QtBot, worker: Worker) -> None:
    running = threading.Lock()
    overlaps: list[bool] = []

    def alone(cancel: CancelToken) -> Iterator[int]:
        free = running.acquire(blocking=False)
        overlaps.append(not free)
        yield 1
        if free:
            running.release()

    heard = Heard(worker)
    for _ in range(20):
        worker.start(alone)

    qtbot.waitUntil(lambda: bool(heard.ends))
    assert not any(overlaps)


def test_after_stop_nothing_is_heard(qtbot: QtBot) -> None:
    worker = Worker("tested")
    heard = Heard(worker)
    gate = Gate()

    def waiting(cancel: CancelToken) -> Iterator[int]:
        yield 1
        gate.wait(cancel)

    worker.start(waiting)
    qtbot.waitUntil(gate.reached.is_set)

    assert worker.stop(2.0)

    qtbot.wait(1)
    assert heard.ends == []
    worker.deleteLater()


def test_errands_run_in_order_and_report_in_the_gui_thread(qtbot: QtBot) -> None:
    errands = Errands("tested")
    done: list[object] = []

    for number in range(5):
        errands.do(lambda number=number: number, done.append)

    qtbot.waitUntil(lambda: len(done) == 5)
    assert done == [0, 1, 2, 3, 4]
    assert errands.stop(2.0)
    errands.deleteLater()


def test_a_failed_errand_is_reported_and_the_next_runs(qtbot: QtBot) -> None:
    errands = Errands("tested")
    failures: list[object] = []
    own: list[object] = []
    errands.failed.connect(failures.append)
    error = NotFound("gone")

    def fail() -> None:
        raise error

    errands.do(fail)
    errands.do(fail, None, own.append)

    qtbot.waitUntil(lambda: bool(failures and own))
    assert (failures, own) == ([error], [error])
    assert errands.stop(2.0)
    errands.deleteLater()


def test_stop_finishes_the_errands_that_were_given(qtbot: QtBot) -> None:
    errands = Errands("tested")
    written: list[int] = []
    for number in range(50):
        errands.do(lambda number=number: written.append(number))

    assert errands.stop(5.0)

    assert len(written) == 50
    errands.deleteLater()
