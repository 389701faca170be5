"""What a question can be restricted to in the window: the files of the library and the folders they lie in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop.shown_name import shown_name


@dataclass(frozen=True, slots=True)
class Place:
    """A file or a folder. `words` tell it from every other: its name first, then where it lies."""

    path: Path
    words: str


def places(documents: Iterable[Path], sources: Sequence[Path]) -> tuple[Place, ...]:
    """Folders first, then files, each by name. A folder is offered if it was linked or lies inside a linked one, and holds a file."""
    files = sorted(documents, key=lambda path: (path.name.casefold(), path))
    folders = {
        folder for file in files for folder in file.parents if any(folder == source or folder.is_relative_to(source) for source in sources)
    }
    ordered = [*sorted(folders, key=lambda path: (path.name.casefold(), path)), *files]
    return tuple(Place(path, f"{_name(path)}{'/' if path in folders else ''}  ·  {shown_name(str(path.parent))}") for path in ordered)


def matching(found: Iterable[Place], typed: str) -> tuple[Place, ...]:
    """The places that are meant by what is typed so far: names that begin with it, then names that hold it, then all that lie in a folder of such a name.

    Cases do not matter; within the three kinds the order stays.
    """
    wanted = typed.casefold()
    kinds: tuple[list[Place], list[Place], list[Place]] = ([], [], [])
    for place in found:
        name, words = _name(place.path).casefold(), place.words.casefold()
        if wanted in words:
            kinds[0 if name.startswith(wanted) else 1 if wanted in name else 2].append(place)
    return tuple(place for kind in kinds for place in kind)


def short_names(paths: Sequence[Path]) -> Mapping[Path, str]:
    """Each path by its name, and by as many of its folders as tell it from the others: `合同.md`, `work/a.md`, `home/a.md`."""
    return {path: shown_name(str(Path(*path.parts[-_parts_needed(path, paths) :]))) for path in paths}


def _parts_needed(path: Path, paths: Sequence[Path]) -> int:
    others = [other.parts for other in paths if other != path]
    for count in range(1, len(path.parts)):
        if all(parts[-count:] != path.parts[-count:] for parts in others):
            return count
    return len(path.parts)


def _name(path: Path) -> str:
    return shown_name(path.name or str(path))
