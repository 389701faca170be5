from __future__ import annotations

import errno
import io
import os
from pathlib import Path

import pytest

from core.errors import InvalidRequest
from desktop.terminal import Terminal, printable, shown_path


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


class Gone(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_results_go_to_stdout_and_everything_else_to_stderr() -> None:
    out, err = io.StringIO(), io.StringIO()
    terminal = Terminal(as_json=False, out=out, err=err)

    terminal.result("found")
    terminal.note("told")

    assert (out.getvalue(), err.getvalue()) == ("found\n", "told\n")


def test_progress_is_written_over_and_taken_away_before_the_next_line() -> None:
    err = Screen()
    terminal = Terminal(as_json=False, out=io.StringIO(), err=err)

    terminal.progress("one of two")
    terminal.progress("two")
    terminal.note("done")

    assert err.getvalue().endswith("\r   \rdone\n")


def test_progress_is_not_shown_where_nobody_watches() -> None:
    err = io.StringIO()

    Terminal(as_json=False, out=io.StringIO(), err=err).progress("one of two")

    assert err.getvalue() == ""


def test_a_lost_stderr_does_no_harm() -> None:
    Terminal(as_json=False, out=io.StringIO(), err=Gone()).note("told")


def test_without_a_person_the_answer_is_no() -> None:
    assert Terminal(as_json=False, out=io.StringIO(), err=io.StringIO()).ask_yes_no("May I?") is False


def test_json_is_one_line_in_the_texts_own_script() -> None:
    out = io.StringIO()

    Terminal(as_json=True, out=out, err=io.StringIO()).json({"text": "灯塔\n"})

    assert out.getvalue() == '{"text": "灯塔\\n"}\n'


def test_nothing_printed_steers_the_terminal() -> None:
    assert printable("a\x1b[2J\x07b\tc\nd\u2028") == "a\ufffd[2J\ufffdb\tc\nd\ufffd"
    assert printable("灯塔 👩‍🚀") == "灯塔 👩‍🚀"


def test_a_path_is_one_safe_line() -> None:
    shown = shown_path(Path(os.fsdecode(b"/docs/a\nb\x1b\xff.txt")))

    assert shown.isprintable()
    assert "\n" not in shown


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_result_that_cannot_be_written_is_told_and_one_nobody_reads_is_not() -> None:
    writers = (Terminal.result, Terminal.stream, Terminal.raw)

    for write in writers:
        with pytest.raises(InvalidRequest) as caught:
            write(Terminal(as_json=False, out=Full(), err=io.StringIO()), "found")
        assert caught.value.code == "output_unwritable"
        with pytest.raises(BrokenPipeError):
            write(Terminal(as_json=False, out=Gone(), err=io.StringIO()), "found")
