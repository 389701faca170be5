"""One file packed by itself (.gz), as rotated logs and large tables are."""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO

from core.errors import DocumentUnreadable
from core.library.formats.parsed import damaged
from core.library.reading import MAX_FILE_BYTES


def unpack(data: bytes, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """What is in a .gz file, if it is no larger than a file may be that is not packed. Raises `DocumentUnreadable`: damaged, unpacks_too_large."""
    try:
        with gzip.open(BytesIO(data)) as stream:
            content = stream.read(max_bytes + 1)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise damaged("it is not a whole .gz file") from error
    if len(content) > max_bytes:
        raise DocumentUnreadable("The file is too large unpacked.", code="unpacks_too_large")
    return content
