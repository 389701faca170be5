"""A disk whose power can be cut: what was not synced may be lost, sector by sector, and a sector may be written in part."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import apsw

_SECTOR = 512
_TORN = 0.05


class PowerCutDisk(apsw.VFS):
    """While in use (as a `with`), every database opened in this process lies on this disk.

    After each write `on_write` is called; it may call `cut` to see what the disk would hold if the power went at that moment.
    """

    def __init__(self, on_write: Callable[[PowerCutDisk], None]) -> None:
        self.vfs_name = "power-cut"
        self.durable: dict[str, bytearray] = {}
        self.pending: dict[str, list[tuple[int, bytes | None]]] = {}
        self._on_write = on_write
        self.base = apsw.vfs_names()[0]
        super().__init__(self.vfs_name, self.base, makedefault=True)

    def __enter__(self) -> PowerCutDisk:
        return self

    def __exit__(self, *exc: object) -> None:
        self.unregister()

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:
        return _File(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.durable.pop(filename, None)
        self.pending.pop(filename, None)
        super().xDelete(filename, syncdir)

    def opened(self, name: str) -> None:
        """What a file held before it was first opened here is taken for safe."""
        if name and name not in self.durable and name not in self.pending and (size := os.path.getsize(name)):
            self.durable[name] = bytearray(Path(name).read_bytes()[:size])

    def wrote(self, name: str, offset: int, data: bytes | None) -> None:
        """Remember a write, or (`data` None) that the file was cut to `offset` bytes."""
        self.pending.setdefault(name, []).append((offset, data))
        self._on_write(self)

    def synced(self, name: str) -> None:
        """Everything written to the file so far is safe."""
        image = self.durable.setdefault(name, bytearray())
        for offset, data in self.pending.pop(name, []):
            _apply(image, offset, data)

    def cut(self, folder: Path, chance: random.Random) -> None:
        """Write into `folder` what the disk holds after a cut now: all that was synced, and any part of the rest."""
        for name in {*self.durable, *self.pending}:
            image = bytearray(self.durable.get(name, b""))
            for offset, data in self.pending.get(name, []):
                if data is None:
                    if chance.random() < 0.5:
                        _apply(image, offset, None)
                    continue
                for start in range(0, len(data), _SECTOR):
                    if chance.random() < 0.5:
                        sector = data[start : start + _SECTOR]
                        _apply(image, offset + start, sector[: chance.randrange(_SECTOR)] if chance.random() < _TORN else sector)
            (folder / Path(name).name).write_bytes(image)


class _File(apsw.VFSFile):
    def __init__(self, disk: PowerCutDisk, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        self._disk = disk
        self._name = name.filename() if isinstance(name, apsw.URIFilename) else os.fspath(name or "")
        super().__init__(disk.base, name, flags)
        disk.opened(self._name)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._disk.wrote(self._name, offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._disk.wrote(self._name, newsize, None)

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._disk.synced(self._name)


def _apply(image: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        del image[offset:]
        return
    if len(image) < offset:
        image.extend(bytes(offset - len(image)))
    image[offset : offset + len(data)] = data


class EverythingLost(random.Random):
    """The chance for `cut` that takes all of what was not synced."""

    def random(self) -> float:
        return 1.0
