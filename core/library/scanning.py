"""Which files lie under the linked paths."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from core.cancel import CancelToken

_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages", "bower_components", "__MACOSX", "$RECYCLE.BIN"})
_SKIPPED_FILES = frozenset({"Thumbs.db", "desktop.ini", "Icon\r"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that is there. `reason` is empty, or the code that says why it cannot be read."""

    path: Path
    size_bytes: int = 0
    modified_ns: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """All files under the paths that were asked for, each once, in a fixed order.

    `unseen` are folders that could not be listed: nothing is known about what lies under them. They are among the files, too, so that
    somebody is told.
    """

    files: tuple[FoundFile, ...]
    unseen: tuple[Path, ...]


def scan(roots: Iterable[Path], *, excluded: Iterable[Path] = (), cancel: CancelToken) -> Scan:
    """List the files under `roots` (absolute paths of files or folders). Links to folders are not followed, so loops end.

    Hidden names, folders of tools (.git, node_modules, .venv) and what programs leave beside the files that they have open are left out, unless a root names them. A root that is no file
    and no folder is listed with its reason; a root that is gone is not listed. Raises `Cancelled`.
    """
    files: dict[Path, FoundFile] = {}
    unseen: list[Path] = []
    visited: set[tuple[int, int]] = set()
    left_out = frozenset(excluded)
    for root in roots:
        cancel.check()
        try:
            # A root may be a link: the person named it. What it leads to is listed under the name they gave.
            found = os.stat(root)
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            files[root] = FoundFile(root, reason="unreadable")
            continue
        if stat.S_ISDIR(found.st_mode):
            for entry in _walk(root, (found.st_dev, found.st_ino), visited, left_out, unseen, cancel):
                files.setdefault(entry.path, entry)
        elif root not in left_out:
            files[root] = _file(root, found)
    return Scan(tuple(files[path] for path in sorted(files, key=os.fsencode)), tuple(unseen))


def scan_changed(sources: Iterable[Path], changed: Iterable[Path], *, excluded: Iterable[Path] = (), cancel: CancelToken) -> Scan:
    """List what `scan(sources)` would list at the `changed` paths and below them, and look nowhere else. All paths are absolute.

    What lies outside the sources, or is left out there, is not listed; nor is what is gone. Raises `Cancelled`.
    """
    files: dict[Path, FoundFile] = {}
    unseen: list[Path] = []
    visited: set[tuple[int, int]] = set()
    left_out = frozenset(excluded)
    roots = list(sources)
    walked: dict[tuple[Path, Path], bool] = {}
    for path in changed:
        cancel.check()
        for root in roots:
            if path == root:
                found = scan([root], excluded=left_out, cancel=cancel)
                files.update((file.path, file) for file in found.files)
                unseen.extend(found.unseen)
            elif path.is_relative_to(root) and _leads_to(path.parent, root, left_out, walked):
                files.update((file.path, file) for file in _entry(path, visited, left_out, unseen, cancel))
    listed = Scan(tuple(files[path] for path in sorted(files, key=os.fsencode)), tuple(unseen))
    return without_second_names(listed, roots, excluded=left_out)


def is_left_out(relative: PurePath) -> bool:
    """Whether a path below a source is left out for its name alone; the disk is not asked."""
    *folders, name = relative.parts
    return _is_skipped_file(name) or name.startswith(".") or any(folder.startswith(".") or folder in _SKIPPED_FOLDERS for folder in folders)


def _leads_to(folder: Path, root: Path, excluded: frozenset[Path], walked: dict[tuple[Path, Path], bool]) -> bool:
    """Whether a scan of `root` would come into `folder`. What is found out is kept in `walked`: many changes lie in few folders."""
    if folder == root:
        return True
    key = (folder, root)
    if key not in walked:
        walked[key] = (
            _leads_to(folder.parent, root, excluded, walked)
            and not folder.name.startswith(".")
            and folder not in excluded
            and not folder.is_symlink()
            and _is_walked(folder)
        )
    return walked[key]


def _entry(
    path: Path, visited: set[tuple[int, int]], excluded: frozenset[Path], unseen: list[Path], cancel: CancelToken
) -> Iterator[FoundFile]:
    """What `_walk` finds at one entry of a folder."""
    if path.name.startswith(".") or path in excluded:
        return
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError):
        unseen.append(path)
        return
    if stat.S_ISDIR(found.st_mode):
        if _is_walked(path):
            yield from _walk(path, (found.st_dev, found.st_ino), visited, excluded, unseen, cancel)
    elif not _is_skipped_file(path.name):
        yield _link(path) if stat.S_ISLNK(found.st_mode) else _file(path, found)


def _walk(
    root: Path, identity: tuple[int, int], visited: set[tuple[int, int]], excluded: frozenset[Path], unseen: list[Path], cancel: CancelToken
) -> Iterator[FoundFile]:
    waiting = [(root, identity)]
    while waiting:
        folder, key = waiting.pop()
        cancel.check()
        # On Windows a scanned entry may carry no inode; a folder is then only known by its path, and its links are not followed anyway.
        if key[1] and key in visited:
            continue
        visited.add(key)
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            unseen.append(folder)
            yield FoundFile(folder, reason="unreadable")
            continue
        for entry in entries:
            path = folder / entry.name
            if entry.name.startswith(".") or path in excluded:
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    if _is_walked(path):
                        found = entry.stat(follow_symlinks=False)
                        waiting.append((path, (found.st_dev, found.st_ino)))
                    continue
                if _is_skipped_file(entry.name):
                    continue
                if entry.is_symlink():
                    yield _link(path)
                else:
                    yield _file(path, entry.stat(follow_symlinks=False))
            except OSError:
                yield FoundFile(path, reason="unreadable")


def _is_skipped_file(name: str) -> bool:
    """Files of the system, and those of programs: "~$report.docx" says that Office has it open, "notes.md~" and "#notes.md#" are what editors keep of before."""
    return name in _SKIPPED_FILES or name.startswith("~$") or name.endswith("~") or (name.startswith("#") and name.endswith("#"))


def without_second_names(found: Scan, sources: Sequence[Path], *, excluded: Iterable[Path] = ()) -> Scan:
    """`found` without the files that a scan of all `sources` lists under another name: a folder may be linked a second time through a symbolic link."""
    real = {source: Path(os.path.realpath(source)) for source in sources}
    if all(source == leads_to for source, leads_to in real.items()):
        return found
    left_out = frozenset(excluded)
    walked: dict[tuple[Path, Path], bool] = {}
    known: dict[Path, bool] = {}

    def is_second(file: FoundFile) -> bool:
        folder = file.path.parent
        if file.path in real:
            return False  # somebody named it
        if folder not in known:
            known[folder] = _has_earlier_name(folder, real, left_out, walked)
        return known[folder]

    return Scan(tuple(file for file in found.files if not is_second(file)), found.unseen)


def _has_earlier_name(folder: Path, real: Mapping[Path, Path], excluded: frozenset[Path], walked: dict[tuple[Path, Path], bool]) -> bool:
    real_folder = Path(os.path.realpath(folder))
    for source, leads_to in real.items():
        if folder.is_relative_to(source):
            return False
        if real_folder.is_relative_to(leads_to) and _leads_to(source / real_folder.relative_to(leads_to), source, excluded, walked):
            return True
    return False


def _is_walked(folder: Path) -> bool:
    return folder.name not in _SKIPPED_FOLDERS and not os.path.lexists(folder / "pyvenv.cfg")


def _link(path: Path) -> FoundFile:
    """Links are not read: they lead out of the folder, or to a file that is listed anyway."""
    reason = "not_a_file" if path.exists() else "vanished"
    return FoundFile(path, reason=reason)


def _file(path: Path, found: os.stat_result) -> FoundFile:
    reason = "" if stat.S_ISREG(found.st_mode) else "not_a_file"
    return FoundFile(path, found.st_size, found.st_mtime_ns, reason)
