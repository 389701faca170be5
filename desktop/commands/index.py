"""`lamplight index PATH ...`: add files or folders to the library."""

from __future__ import annotations

from core.documents import IndexReport
from desktop.answer_json import index_report_json
from desktop.commands.indexing import add_and_index, file_row
from desktop.invocation import Invocation


def run(invocation: Invocation) -> int:
    """Index, then print a row for each file. A file that cannot be read is a row with a reason and does not stop the others."""
    terminal = invocation.terminal
    with invocation.application() as application:
        report = add_and_index(invocation, application, invocation.arguments.paths)
    if terminal.as_json:
        terminal.json(index_report_json(report))
    else:
        for file in report.files:
            terminal.result(file_row(file))
        terminal.note(_summary(report))
    return _exit_code(invocation, report)


def _summary(report: IndexReport) -> str:
    states = [file.state for file in report.files]
    unchanged = sum(file.unchanged for file in report.files)
    return (
        f"{states.count('ready')} ready ({unchanged} unchanged), {states.count('skipped')} skipped, {states.count('failed')} failed"
        f" in {report.seconds:.1f} s, {report.chunks_per_second:.1f} passages a second"
    )


def _exit_code(invocation: Invocation, report: IndexReport) -> int:
    if any(file.state == "ready" for file in report.files):
        return 0
    if report.files:
        invocation.terminal.note("lamplight: None of these files could be indexed. The rows above say why.")
    else:
        invocation.terminal.note("lamplight: There is no file to index there. Name a file, or a folder with files in it.")
    return 1
