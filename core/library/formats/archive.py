"""A ZIP file whose members are read by name, into memory, and never more of them than a document needs."""

from __future__ import annotations

import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterable
from io import BytesIO

from core.errors import DocumentUnreadable
from core.library.formats.parsed import damaged, needs_password

MAX_MEMBERS = 5_000
MAX_MEMBER_BYTES = 100 * 1024 * 1024
MAX_TOTAL_BYTES = 200 * 1024 * 1024
MAX_RATIO = 200
"""How many times larger than packed a member may be. XML of large tables reaches some dozens; a bomb goes up to 1032, where deflate ends."""

_FREE_BYTES = 1024 * 1024
_END_MARK = b"PK\x05\x06"
_END_BYTES = 22
_COMMENT_BYTES = 65_535
_ENTRY_BYTES = 46
_LONGEST_LIST_BYTES = MAX_MEMBERS * (_ENTRY_BYTES + 300)
_ENCRYPTED = 0x1


class Archive:
    """The members of a ZIP file by name.

    A name is only ever looked up in the archive's own list, so `../` leads nowhere. What may be unpacked is checked against the sizes in
    that list before a byte is: `zipfile` never gives out more than the list says, and a member that holds more fails its checksum.
    """

    def __init__(self, data: bytes) -> None:
        """Raises `DocumentUnreadable`: damaged (not a ZIP file), unpacks_too_large (too many members)."""
        _check_length_of_list(data)
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
            raise damaged("it is not a whole ZIP archive") from error
        self._members = {_plain(info.filename): info for info in self._zip.infolist()}
        if len(self._zip.infolist()) > MAX_MEMBERS:
            raise _too_many()
        self._left = MAX_TOTAL_BYTES

    @property
    def names(self) -> list[str]:
        """The names of all members, "/" between folders."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return _plain(name) in self._members

    def read(self, name: str) -> bytes:
        """The content of a member. Raises `DocumentUnreadable`: damaged, needs_password, unpacks_too_large."""
        info = self._members.get(_plain(name))
        if info is None:
            raise damaged("a part of it is missing")
        if info.flag_bits & _ENCRYPTED:
            raise needs_password()
        if info.file_size > _FREE_BYTES and info.file_size > info.compress_size * MAX_RATIO:
            raise _too_large()
        self._left -= info.file_size
        if info.file_size > MAX_MEMBER_BYTES or self._left < 0:
            raise _too_large()
        try:
            return self._zip.read(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, lzma.LZMAError, OSError) as error:
            raise damaged("a part of it cannot be unpacked") from error

    def read_if_there(self, name: str) -> bytes | None:
        """The content of a member, or None where there is none of that name."""
        return self.read(name) if name in self else None

    def repacked(self, names: Iterable[str], prepare: Callable[[str, bytes], bytes]) -> BytesIO:
        """An archive of these members alone, each as `prepare(name, content)` gives it back, for a library that opens archives itself.

        What the library sees was unpacked here, within the limits, and lies there unpacked. Raises like `read`.
        """
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
            for name in names:
                archive.writestr(zipfile.ZipInfo(_plain(name)), prepare(_plain(name), self.read(name)))
        packed.seek(0)
        return packed


def resolve(base: str, target: str) -> str:
    """The member that `target` names, seen from the member `base`. What leads out of the archive names no member."""
    joined = target.lstrip("/") if target.startswith("/") else posixpath.join(posixpath.dirname(base), target)
    return posixpath.normpath(joined)


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")


def _check_length_of_list(data: bytes) -> None:
    """Refuse a long list of members before it is read: a million entries would take seconds and gigabytes."""
    place = data.rfind(_END_MARK, max(0, len(data) - _END_BYTES - _COMMENT_BYTES))
    if place < 0 or len(data) - place < _END_BYTES:
        return
    count, size = int.from_bytes(data[place + 10 : place + 12], "little"), int.from_bytes(data[place + 12 : place + 16], "little")
    # Where a field is full, the true number stands elsewhere; such a file is larger than any document with 65,535 parts.
    if count > MAX_MEMBERS or _LONGEST_LIST_BYTES < size < 0xFFFF_FFFF:
        raise _too_many()


def _too_many() -> DocumentUnreadable:
    return DocumentUnreadable(f"The file has more than {MAX_MEMBERS:,} parts.", code="unpacks_too_large")


def _too_large() -> DocumentUnreadable:
    return DocumentUnreadable("Unpacked, the file is larger than a document can be.", code="unpacks_too_large")
