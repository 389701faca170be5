from __future__ import annotations

import threading

import pytest

from core.cancel import Aside, CancelToken, until_cancelled
from core.errors import Cancelled, DocumentUnreadable


def test_work_that_looks_at_no_token_is_left_behind_when_it_is_cancelled() -> None:
    cancel, begun, may_end = CancelToken(), threading.Event(), threading.Event()

    def work() -> int:
        begun.set()
        assert may_end.wait(20)
        return 1

    threading.Thread(target=lambda: (begun.wait(20), cancel.cancel())).start()
    with pytest.raises(Cancelled):
        until_cancelled(work, cancel)

    may_end.set()


def test_the_result_of_the_work_or_its_failure_comes_through() -> None:
    def fail() -> int:
        raise DocumentUnreadable("It is empty.", code="empty")

    assert Aside(lambda: 7).waited() == 7
    with pytest.raises(DocumentUnreadable):
        Aside(fail).waited()

    assert until_cancelled(lambda: 7, CancelToken()) == 7
    with pytest.raises(DocumentUnreadable, match="empty"):
        until_cancelled(fail, CancelToken())


def test_what_is_cancelled_already_gives_no_result() -> None:
    cancel = CancelToken()
    cancel.cancel()

    with pytest.raises(Cancelled):
        until_cancelled(lambda: 7, cancel)
