from __future__ import annotations

import threading

import pytest

from core.cancel import CancelToken
from core.errors import Cancelled
from core.lease import ComputeLease


def test_indexing_does_not_wait_when_nobody_asks(cancel: CancelToken) -> None:
    ComputeLease().wait_until_free(cancel)


def test_indexing_waits_until_the_last_question_is_answered(cancel: CancelToken) -> None:
    lease = ComputeLease()
    went_on = threading.Event()
    waiter = threading.Thread(target=lambda: (lease.wait_until_free(cancel), went_on.set()))

    with lease.asking():
        with lease.asking():
            waiter.start()
        assert not went_on.wait(0.05)
    waiter.join(5)

    assert went_on.is_set()
    assert not lease.busy


def test_a_cancelled_run_stops_waiting(cancel: CancelToken) -> None:
    lease = ComputeLease()
    outcome: list[BaseException] = []

    def wait() -> None:
        try:
            lease.wait_until_free(cancel)
        except Cancelled as error:
            outcome.append(error)

    with lease.asking():
        waiter = threading.Thread(target=wait)
        waiter.start()
        cancel.cancel()
        waiter.join(5)

    assert len(outcome) == 1


def test_a_question_that_fails_gives_the_cores_back(cancel: CancelToken) -> None:
    lease = ComputeLease()

    with pytest.raises(RuntimeError), lease.asking():
        raise RuntimeError("the answer failed")

    lease.wait_until_free(cancel)
