from __future__ import annotations

import io

from desktop.setup.console import Console


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        return True


class AsciiOnly(io.TextIOWrapper):
    """A stream that cannot say everything."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="ascii")


def test_on_a_terminal_one_line_changes_and_is_wiped_before_the_next() -> None:
    terminal = Terminal()
    console = Console(terminal)

    console.status("fetching 10 %")
    console.status("done")
    console.line("Ready.")

    assert terminal.getvalue() == "\rfetching 10 %\rdone         \r    \rReady.\n"


def test_in_a_log_the_changing_line_appears_every_twenty_seconds() -> None:
    now = [0.0]
    log = io.StringIO()
    console = Console(log, clock=lambda: now[0])

    for seconds in (1.0, 19.0, 20.0, 25.0, 41.0):
        now[0] = seconds
        console.status(f"at {seconds:.0f}")

    assert log.getvalue() == "at 20\nat 41\n"


def test_a_long_line_does_not_wrap() -> None:
    terminal = Terminal()

    Console(terminal).status("x" * 500)

    assert terminal.getvalue().endswith("...") and len(terminal.getvalue()) < 500


def test_a_stream_that_knows_ascii_alone_gets_ascii() -> None:
    with AsciiOnly() as stream:
        Console(stream).line("模型")

        assert stream.buffer.getvalue() == b"??\n"  # type: ignore[attr-defined]
