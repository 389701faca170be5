"""Indexing with progress on stderr: what `index`, `ask --add` and `eval` share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from core.documents import IndexedFile, IndexReport
from core.errors import NotFound
from core.events import IndexEvent, IndexFinished
from desktop.answer_json import index_event_json, index_report_json
from desktop.assembly import Application
from desktop.error_text import reason_text
from desktop.event_lines import log_index_report
from desktop.invocation import Invocation
from desktop.library.index_pace import IndexPace
from desktop.shown_name import shown_name
from desktop.terminal import Terminal, shown_path


def add_and_index(invocation: Invocation, application: Application, named: Sequence[Path]) -> IndexReport:
    """Add files and folders to the library and index what is new in them.

    Raises:
        NotFound: one of them does not exist; nothing was added.
    """
    paths = existing(named)
    application.library.add(paths)
    return run_index(invocation, application, paths)


def run_index(invocation: Invocation, application: Application, paths: Sequence[Path] | None) -> IndexReport:
    """Index what is new in these files and folders, or in all that are linked, and show how far it is."""
    report = IndexReport()
    pace = IndexPace()
    for event in application.library.index(invocation.cancel, paths):
        pace.follow(event)
        _show(event, pace, invocation.terminal)
        if isinstance(event, IndexFinished):
            report = event.report
    invocation.terminal.clear_progress()
    log_index_report(invocation.log, report)
    return report


def say_smaller_model(application: Application, terminal: Terminal) -> None:
    """Say once in a run that a smaller chat model than the one meant has to do."""
    if smaller := application.smaller_model:
        terminal.note(
            f"{smaller.wanted} could not be fetched at set-up, so the smaller {smaller.installed} answers."
            f" To fetch it now: lamplight models install {smaller.wanted_id}"
        )


def existing(named: Sequence[Path]) -> list[Path]:
    """The absolute paths of what a person named. Links are not followed: the library shows the name that was given.

    Raises:
        NotFound: one of them does not exist, or the system will not say.
    """
    paths = [Path(os.path.abspath(os.path.expanduser(path))) for path in named]
    for path in paths:
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError) as error:
            raise NotFound(f"There is no file or folder at {shown_path(path)}.", path=str(path)) from error
        except OSError as error:
            raise NotFound(f"{shown_path(path)} cannot be looked at: {error.strerror or error}.", path=str(path)) from error
    return paths


def show_report(terminal: Terminal, report: IndexReport) -> None:
    """The result of an indexing command: a row for each file, and the sum of it."""
    if terminal.as_json:
        terminal.json(index_report_json(report))
        return
    for file in report.files:
        terminal.result(file_row(file))
    states = [file.state for file in report.files]
    unchanged = sum(file.unchanged for file in report.files if file.state == "ready")
    terminal.note(
        f"{states.count('ready')} ready ({unchanged} unchanged), {states.count('skipped')} skipped, {states.count('failed')} failed"
        f" in {report.seconds:.1f} s, {report.chunks_per_second:.1f} passages a second"
    )


def file_row(file: IndexedFile) -> str:
    """One file as a row: state, passages, name, and the reason if there is one."""
    reason = f"  {reason_text(file.reason).title} {reason_text(file.reason).what_to_do}" if file.reason else ""
    return f"{file.state:8} {file.chunks:6}  {shown_path(file.path)}{reason}"


def _show(event: IndexEvent, pace: IndexPace, terminal: Terminal) -> None:
    if not terminal.as_json:
        terminal.progress(progress_line(pace))
    elif not isinstance(event, IndexFinished):
        terminal.json(index_event_json(event))


def progress_line(pace: IndexPace) -> str:
    """How far a run is, how fast it goes, and when it ends, as far as that has been measured: `1,200/45,000 passages, 38/s, 19 min left: a.md`."""
    if pace.counts_passages:
        said, speed = [f"{pace.done:,}/{pace.total:,} passages"], pace.chunks_per_second
    else:
        said, speed = [f"Reading {pace.done:,}/{pace.total:,} files"], pace.files_per_second
    if speed is not None:
        said.append(f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.1f}/s")
    if pace.loading:
        said.append("loading the embedding model")
    if pace.seconds_left is not None:
        said.append(f"{_duration(pace.seconds_left)} left")
    return ", ".join(said) + (f": {shown_name(pace.name)}" if pace.name else "")


def _duration(seconds: float) -> str:
    """Rounded up, so that it does not promise too much."""
    if seconds < 60:
        return f"{max(1, -int(-seconds // 1))} s"
    minutes = -int(-seconds // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
