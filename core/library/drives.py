"""Whether files are gone, or only the drive they are on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

MOUNT_FOLDERS = (Path("/media"), Path("/run/media"), Path("/mnt"), Path("/Volumes"))
"""Where Linux and macOS put drives that come and go. On Windows a drive takes the parent of all its folders along."""


def is_unplugged(source: Path, mount_folders: Iterable[Path] = MOUNT_FOLDERS) -> bool:
    """Whether `source` may be on a drive that is not plugged in now, so that nothing is known about its files.

    A drive takes its folders along, or leaves an empty one where it was. A folder that somebody emptied on a drive that is there is empty.
    """
    if not os.path.lexists(source.parent):
        return True
    above = next((folder for folder in mount_folders if folder in source.parents), None)
    if above is None or _holds_something(source):
        return False
    return not any(os.path.ismount(folder) for folder in [source, *takewhile(lambda parent: parent != above, source.parents)])


def _holds_something(source: Path) -> bool:
    try:
        with os.scandir(source) as entries:
            return any(True for _ in entries)
    except FileNotFoundError:
        return False
    except OSError:  # a file, or a folder that cannot be listed
        return True
