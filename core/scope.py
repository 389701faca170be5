"""What a search or a question is restricted to: files, folders, and when they were last changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

EARLIEST_NS, LATEST_NS = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Scope:
    """The files that are searched; without any restriction, all of the library.

    `paths` are absolute: a file counts if it is one of them or lies inside one of them; none means anywhere. `since` and `until` are
    the first and the last day, both included, on which a file may have been changed last, by the calendar of this machine.
    """

    paths: tuple[Path, ...] = ()
    since: date | None = None
    until: date | None = None

    @property
    def is_everything(self) -> bool:
        """Whether nothing is restricted."""
        return self == EVERYTHING

    def modified_between(self) -> tuple[int, int]:
        """The times of last change that count, in nanoseconds of the Unix clock: from the first, up to but without the second."""
        first = EARLIEST_NS if self.since is None else _midnight_ns(self.since)
        if self.until is None or self.until == date.max:
            return first, LATEST_NS
        return first, _midnight_ns(self.until + timedelta(days=1))


EVERYTHING = Scope()


def _midnight_ns(day: date) -> int:
    try:
        moment = int(datetime(day.year, day.month, day.day).timestamp()) * 10**9
        return min(max(moment, EARLIEST_NS), LATEST_NS)
    except (OverflowError, ValueError, OSError):  # not every clock can tell the days of other ages
        return EARLIEST_NS if day.year < 1980 else LATEST_NS
