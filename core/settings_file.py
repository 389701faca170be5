"""Settings on disk: JSON, only what differs from the defaults.

Any bytes are survived: each bad value falls back to its default alone, the bad file is kept beside as
`settings.json.bad-<time>`, and what happened comes back as notices for the front end to show.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from core.errors import LamplightError
from core.home import write_whole
from core.paths import Paths
from core.settings import Settings

MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class SettingsNotice:
    """Something in the settings file that was not used.

    `setting` is a dotted name such as `models.threads`, or empty when it concerns the whole file. `kept` is the copy of the
    bad file, or None when no copy could be made.
    """

    code: Literal["settings_unreadable", "setting_invalid", "setting_unknown"]
    setting: str
    kept: Path | None


@dataclass(frozen=True, slots=True)
class _Problem:
    code: Literal["settings_unreadable", "setting_invalid", "setting_unknown"]
    setting: str = ""


def load_settings(paths: Paths) -> tuple[Settings, tuple[SettingsNotice, ...]]:
    """Return the person's settings, with the default for everything that is missing or bad. Never raises."""
    try:
        with paths.settings_file.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Settings(), ()
    except OSError:
        return Settings(), (SettingsNotice("settings_unreadable", "", None),)

    settings, problems = _parse(raw)
    if not problems:
        return settings, ()
    kept = _keep_bad_file(paths.settings_file)
    if kept is not None:
        # The next start finds a good file and says nothing. If this fails, the next start says it again.
        with contextlib.suppress(LamplightError):
            save_settings(paths, settings)
    return settings, tuple(SettingsNotice(problem.code, problem.setting, kept) for problem in problems)


def save_settings(paths: Paths, settings: Settings) -> None:
    """Write what differs from the defaults, readable by the owner alone.

    Raises:
        NotEnoughDisk: the disk is full; the old settings are untouched.
        InvalidRequest: the file cannot be written; code `not_writable`.
    """
    changed = settings.model_dump(mode="json", exclude_defaults=True)
    write_whole(paths.settings_file, json.dumps(changed, ensure_ascii=False, indent=2, sort_keys=True) + "\n")


def _parse(raw: bytes) -> tuple[Settings, list[_Problem]]:
    if len(raw) > MAX_BYTES:
        return Settings(), [_Problem("settings_unreadable")]
    try:
        tree = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # ValueError: not UTF-8, not JSON, or a number of thousands of digits
        return Settings(), [_Problem("settings_unreadable")]
    if not isinstance(tree, dict):
        return Settings(), [_Problem("settings_unreadable")]

    problems: list[_Problem] = []
    defaults = Settings()
    sections: dict[str, BaseModel] = {}
    for name, values in tree.items():
        if name not in Settings.model_fields:
            problems.append(_Problem("setting_unknown", name))
        elif not isinstance(values, dict):
            problems.append(_Problem("setting_invalid", name))
        else:
            sections[name] = _section(getattr(defaults, name), name, values, problems)
    return defaults.model_copy(update=sections), problems


def _section(default: BaseModel, section: str, values: dict[str, object], problems: list[_Problem]) -> BaseModel:
    good: dict[str, object] = {}
    for name, value in values.items():
        setting = f"{section}.{name}"
        if name not in type(default).model_fields:
            problems.append(_Problem("setting_unknown", setting))
        elif _fits(type(default), name, value):
            good[name] = value
        else:
            problems.append(_Problem("setting_invalid", setting))
    return type(default).model_validate(good)


def _fits(section: type[BaseModel], name: str, value: object) -> bool:
    try:
        section.model_validate({name: value})
    except (ValidationError, RecursionError):
        return False
    return True


def _keep_bad_file(file: Path) -> Path | None:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    try:
        kept = next(candidate for candidate in _names(file, stamp) if not candidate.exists())
        file.rename(kept)
        if not kept.is_symlink():  # what a link leads to is not ours
            kept.chmod(0o600)
    except OSError:
        return None
    return kept


def _names(file: Path, stamp: str) -> Iterator[Path]:
    yield file.with_name(f"{file.name}.bad-{stamp}")
    number = 2
    while True:
        yield file.with_name(f"{file.name}.bad-{stamp}-{number}")
        number += 1
