from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from desktop.arguments import parse_arguments


def test_options_may_stand_before_and_after_the_command() -> None:
    before = parse_arguments(["--home", "/h", "--web", "auto", "ask", "why?"])
    after = parse_arguments(["ask", "why?", "--home", "/h", "--web", "auto"])

    assert vars(before) == vars(after)
    assert (before.home, before.web, before.model) == (Path("/h"), "auto", None)


def test_an_option_before_an_action_of_a_command_is_kept() -> None:
    assert parse_arguments(["--home", "/h", "library", "text", "a.md", "--json"]).home == Path("/h")


def test_several_paths_can_be_added() -> None:
    assert parse_arguments(["ask", "why?", "--add", "a", "b", "--add", "c"]).add == [Path("a"), Path("b"), Path("c")]


def test_no_arguments_mean_the_window() -> None:
    assert parse_arguments([]).command is None


@pytest.mark.parametrize("command", ["ask", "search"])
def test_a_search_and_a_question_can_be_restricted(command: str) -> None:
    found = parse_arguments([command, "why?", "--in", "a b", "--in", "丙", "--since", "2026-11-01", "--until", "2026-11-30"])

    assert (found.within, found.since, found.until) == ([Path("a b"), Path("丙")], date(2026, 11, 1), date(2026, 11, 30))


@pytest.mark.parametrize(
    "wrong",
    [
        ["search", "x", "--since", "yesterday"],
        ["search", "x", "--until", "2026-02-30"],
        ["ask", "x", "--in", ""],
        ["ask"],
        ["index"],
        ["search", "x", "-k", "0"],
        ["search", "x", "--mode", "magic"],
        ["library"],
        ["models"],
        ["eval"],
        ["fly"],
        ["ask", "x", "--web", "yes"],
    ],
)
def test_wrong_usage_ends_with_code_2(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_arguments(wrong)

    assert caught.value.code == 2
    assert "usage: lamplight" in capsys.readouterr().err


@pytest.mark.parametrize(
    "empty",
    [
        ["index", ""],
        ["index", "a", " "],
        ["ask", "x", "--add", ""],
        ["ask", "x", "--history", ""],
        ["library", "text", ""],
        ["library", "remove", ""],
        ["models", "install", ""],
        ["eval", "--docs", "", "--questions", "q", "--out", "o"],
        ["eval", "--docs", "d", "--questions", "", "--out", "o"],
        ["eval", "--docs", "d", "--questions", "q", "--out", ""],
        ["library", "list", "--home", ""],
        ["ask", "x", "--model", ""],
        ["ask", "x", "--embedder", ""],
    ],
)
def test_an_empty_name_is_a_slip_and_never_the_folder_one_is_in(empty: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_arguments(empty)

    assert caught.value.code == 2
    assert "is empty" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["0", "-1", "abc", "1.5", ""])
def test_a_count_that_is_none_is_told_in_words(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(["search", "x", "-k", wrong])

    assert "must be a whole number, 1 or more" in capsys.readouterr().err
