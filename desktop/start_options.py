"""What a start was told on the command line instead of the settings: it holds for this start, and is never saved."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.settings import Settings

Place = tuple[str, str]
"""Section and name of a setting."""


@dataclass(frozen=True, slots=True)
class StartOptions:
    """Values that hold instead of the saved ones, by setting."""

    values: Mapping[Place, Any] = field(default_factory=dict)

    def applied_to(self, saved: Settings) -> Settings:
        """The settings that hold in this start."""
        return _with(saved, self.values)

    def after_change(self, saved: Settings, wanted: Settings) -> tuple[Settings, StartOptions]:
        """What is to be saved, and which options still hold, once a person has changed what holds now into `wanted`.

        An option that the person has not touched stays out of the saved settings; one that they have touched ends.
        """
        kept = {place: value for place, value in self.values.items() if _value(wanted, place) == value}
        return _with(wanted, {place: _value(saved, place) for place in kept}), StartOptions(kept)


def options_of(arguments: argparse.Namespace) -> StartOptions:
    """The options that stand on the command line."""
    said = {
        ("models", "chat_model"): _model(arguments.model),
        ("models", "embedder"): _model(arguments.embedder),
        ("web", "mode"): arguments.web,
        ("answers", "budget"): arguments.budget,
    }
    return StartOptions({place: value for place, value in said.items() if value is not None})


def _value(settings: Settings, place: Place) -> Any:
    section, name = place
    return getattr(getattr(settings, section), name)


def _with(settings: Settings, values: Mapping[Place, Any]) -> Settings:
    for (section, name), value in values.items():
        changed = getattr(settings, section).model_copy(update={name: value})
        settings = settings.model_copy(update={section: changed})
    return settings


def _model(named: str | None) -> str | None:
    """A path becomes absolute; anything else is a catalogue id."""
    if named is None:
        return None
    path = Path(os.path.expanduser(named))
    looks_like_path = any(separator in named for separator in "/\\") or path.suffix.lower() == ".gguf" or path.is_dir()
    return str(path.absolute()) if looks_like_path else named
