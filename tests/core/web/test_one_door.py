"""What import-linter cannot see: names inside packages that are allowed otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.paths import PROGRAM

REACHES_OUT = {
    "urllib.request",
    "urllib.robotparser",
    "xmlrpc.client",
    "QNetworkAccessManager",
    "QTcpSocket",
    "QUdpSocket",
    "QSslSocket",
    "QWebSocket",
}
OURS = [file for folder in ("core", "models", "desktop") for file in sorted((PROGRAM / folder).rglob("*.py"))]


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (name for alias in node.names for name in (f"{node.module}.{alias.name}", alias.name, node.module or ""))


@pytest.mark.parametrize("file", OURS, ids=lambda file: str(file.relative_to(PROGRAM)))
def test_no_module_has_another_way_to_the_network(file: Path) -> None:
    assert not REACHES_OUT & set(imported(file))
