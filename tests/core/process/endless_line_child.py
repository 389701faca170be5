"""A child that writes one line without end."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    while True:
        sys.stdout.write("x" * 65536)
