"""Files of Office before 2007: an OLE container, which is a small file system of named streams. olefile reads it."""

from __future__ import annotations

from io import BytesIO

from olefile import DEFECT_INCORRECT, OleFileIO

from core.library.formats.parsed import damaged, needs_password

_ENCRYPTED_STREAM = "EncryptedPackage"


class OldContainer:
    """The streams of a container by name; names are the same in capital and small letters."""

    def __init__(self, data: bytes) -> None:
        """Raises `DocumentUnreadable`: damaged (also one that is cut off), needs_password (a newer document in an encrypted container)."""
        try:
            self._file = OleFileIO(BytesIO(data), raise_defects=DEFECT_INCORRECT)
        except (OSError, ValueError, RecursionError, MemoryError) as error:
            if isinstance(error, MemoryError):
                raise
            raise damaged("its container is not whole") from error
        if _ENCRYPTED_STREAM in self:
            raise needs_password()

    def __contains__(self, name: str) -> bool:
        return bool(self._file.exists(name)) and self._file.get_type(name) == 2

    def read(self, name: str) -> bytes:
        """A whole stream. Raises `DocumentUnreadable` (damaged) where there is none of that name or a part of it is missing."""
        if name not in self:
            raise damaged("a part of it is missing")
        try:
            return bytes(self._file.openstream(name).getvalue())
        except (OSError, IndexError) as error:
            raise damaged("a part of it is not whole") from error
