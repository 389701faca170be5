"""What both front ends write into their logs about the same things: names and numbers, never a text."""

from __future__ import annotations

from core.documents import Answer, IndexReport
from core.logs import EventLog


def log_answer(log: EventLog, answer: Answer) -> None:
    """A question has been answered."""
    log.event(
        "answered",
        seconds=answer.seconds,
        steps=len(answer.steps),
        citations=len(answer.citations),
        refused=int(answer.refused),
        limits=len(answer.limits_hit),
        interrupted=int(answer.interrupted),
    )


def log_index_report(log: EventLog, report: IndexReport) -> None:
    """An indexing run is over."""
    states = [file.state for file in report.files]
    log.event("index_finished", ready=states.count("ready"), failed=states.count("failed"), seconds=report.seconds)
