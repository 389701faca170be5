"""What kind of disk a folder lies on: SQLite's write-ahead log needs memory that all its users share, and a network has none."""

from __future__ import annotations

import sys
from pathlib import Path

_NETWORK_TYPES = frozenset(
    {"9p", "afs", "ceph", "cifs", "coda", "davfs", "fuse.cephfs", "fuse.davfs2", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}
    | {"glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "smb2", "smb3", "smbfs"}
)
_DRIVE_REMOTE = 4


def is_on_network(path: Path, mount_table: str | None = None) -> bool:
    """Whether `path` (which need not exist) lies on a network file system. Unknown counts as no.

    `mount_table` is text in the form of /proc/self/mounts; by default it is read from there on Linux.
    """
    if sys.platform == "win32":
        return _is_network_drive(path)
    if mount_table is None:
        try:
            mount_table = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return False
    return _file_system_type(path, mount_table) in _NETWORK_TYPES


def _file_system_type(path: Path, mount_table: str) -> str:
    wanted = Path(path).resolve()
    best, found = -1, ""
    for line in mount_table.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        # The kernel writes space, tab, newline and backslash in mount points as octal escapes.
        mount_point = Path(fields[1].replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\"))
        depth = len(mount_point.parts)
        if depth >= best and wanted.is_relative_to(mount_point):
            best, found = depth, fields[2]
    return found


def _is_network_drive(path: Path) -> bool:
    absolute = path.resolve()
    if absolute.drive.startswith("\\\\"):
        return True
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.kernel32.GetDriveTypeW(absolute.anchor) == _DRIVE_REMOTE)
    return False
