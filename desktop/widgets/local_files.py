"""Which local files and folders a drop or a paste carries. Nothing here touches the disk: a path may lie on a dead server."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData

LIMIT = 100_000


def local_files(mime: QMimeData) -> tuple[Path, ...]:
    """The absolute local paths among the URLs; other schemes and other hosts are left out."""
    if not mime.hasUrls():
        return ()
    paths = []
    for url in mime.urls()[:LIMIT]:
        if url.isLocalFile() and url.host() in ("", "localhost") and "\0" not in url.toLocalFile():
            path = Path(url.toLocalFile())
            if path.is_absolute():
                paths.append(path)
    return tuple(dict.fromkeys(paths))
