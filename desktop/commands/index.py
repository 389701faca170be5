"""`lamplight index PATH ...`: add files or folders to the library."""

from __future__ import annotations

from core.documents import IndexReport
from desktop.commands.indexing import add_and_index, show_report
from desktop.invocation import Invocation


def run(invocation: Invocation) -> int:
    """Index, then print a row for each file. A file that cannot be read is a row with a reason and does not stop the others."""
    with invocation.application() as application:
        report = add_and_index(invocation, application, invocation.arguments.paths)
    show_report(invocation.terminal, report)
    return _exit_code(invocation, report)


def _exit_code(invocation: Invocation, report: IndexReport) -> int:
    if any(file.state == "ready" for file in report.files):
        return 0
    if report.files:
        invocation.terminal.note("lamplight: None of these files could be indexed. The rows above say why.")
    else:
        invocation.terminal.note(
            "lamplight: There is no file to index there. Name a file, or a folder with files in it; what is in the library under another name is not added twice."
        )
    return 1
