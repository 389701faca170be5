from __future__ import annotations

import pytest

from desktop.setup.command import Request, parse


@pytest.mark.parametrize(
    ("argv", "request_"),
    [
        ([], Request("run", (), window=True)),
        (["--home", "x"], Request("run", ("--home", "x"), window=True)),
        (["--home=x", "--web", "off"], Request("run", ("--home=x", "--web", "off"), window=True)),
        (["ask", "q", "--json"], Request("run", ("ask", "q", "--json"))),
        (["--home", "ask", "search", "q"], Request("run", ("--home", "ask", "search", "q"))),
        (["--help"], Request("run", ("--help",))),
        (["ask", "test"], Request("run", ("ask", "test"))),
        (["test", "-k", "x"], Request("test", ("-k", "x"))),
        (["--install-launcher"], Request("launcher", ())),
    ],
)
def test_each_way_to_start_is_understood(argv: list[str], request_: Request) -> None:
    assert parse(argv) == request_
