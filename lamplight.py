#!/usr/bin/env python3
"""Lamplight's one command: `python3 lamplight.py` sets up what is missing, then opens the window.

    python3 lamplight.py                      the window
    python3 lamplight.py COMMAND ...          the command line (ask, index, search, library, models, eval)
    python3 lamplight.py test [ARGS]          the test suite; ARGS go to pytest
    python3 lamplight.py --install-launcher   an icon to double-click

This file stays readable for old Pythons, so that they can say what is missing instead of failing on the syntax.
"""

import sys

if sys.version_info < (3, 11):
    sys.stderr.write(
        "Lamplight needs Python 3.11 or newer, and this is Python %d.%d. Install a newer one and start it with that, "
        "for example: python3.12 lamplight.py\n" % sys.version_info[:2]
    )
    sys.exit(1)

from desktop.setup.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
