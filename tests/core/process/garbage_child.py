"""A child that speaks no protocol at all: it greets on stdout, then waits."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.stdout.write("Welcome to version 2 of something else!\n")
    sys.stdout.flush()
    sys.stdin.read()
