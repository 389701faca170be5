"""The command line as a person runs it: a process of its own, with models that need no weights."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.paths import PROGRAM

SECONDS = 120


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Every line of stdout as the JSON object it must be."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def last(self) -> dict[str, Any]:
        return self.objects[-1]


@dataclass(frozen=True)
class CommandLine:
    """`lamplight` for one home. `model` is `echo` unless a test wants weights; a command has so many `seconds`."""

    home: Path
    model: str = "echo"
    seconds: float = SECONDS

    def __call__(self, *arguments: str | Path, stdin: str = "", **environment: str) -> Ran:
        done = subprocess.run(
            self.command(*arguments),
            env=self.environment(**environment),
            cwd=PROGRAM,
            input=stdin.encode(),
            capture_output=True,
            timeout=self.seconds,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace"))

    def command(self, *arguments: str | Path) -> list[str]:
        named = ["--model", self.model] if self.model else []
        return [sys.executable, "-m", "desktop.cli", "--home", str(self.home), *named, *map(str, arguments)]

    def environment(self, **changes: str) -> dict[str, str]:
        return {**os.environ, "LAMPLIGHT_FORBID_NETWORK": "1", **changes}

    def start(self, *arguments: str | Path, **environment: str) -> subprocess.Popen[bytes]:
        """Start a command and leave it running; the caller ends it."""
        return subprocess.Popen(
            self.command(*arguments),
            env=self.environment(**environment),
            cwd=PROGRAM,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
