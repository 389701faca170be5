"""Where everything the app keeps lies: one home folder, readable by its owner alone."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidRequest

PROGRAM = Path(__file__).resolve().parent.parent
RESOURCES = PROGRAM / "resources"


def default_home() -> Path:
    """The platform's data folder for this app; `LAMPLIGHT_HOME` overrides it.

    Raises:
        InvalidRequest: the account has no home folder; code `home_unusable`.
    """
    if chosen := os.environ.get("LAMPLIGHT_HOME"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or _account_home() / "AppData" / "Local") / "Lamplight"
    if sys.platform == "darwin":
        return _account_home() / "Library" / "Application Support" / "Lamplight"
    return Path(os.environ.get("XDG_DATA_HOME") or _account_home() / ".local" / "share") / "lamplight"


def _account_home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise InvalidRequest(
            "This account has no home folder. Name a folder for Lamplight's own files: --home DIR", code="home_unusable"
        ) from error


@dataclass(frozen=True, slots=True)
class Paths:
    """Every file and folder under one home."""

    home: Path

    @property
    def user_database(self) -> Path:
        return self.home / "user.db"

    @property
    def index_database(self) -> Path:
        return self.home / "index.db"

    @property
    def settings_file(self) -> Path:
        return self.home / "settings.json"

    @property
    def models(self) -> Path:
        """Weights that the person installed."""
        return self.home / "models"

    @property
    def starter_models(self) -> Path:
        """Weights that set-up placed beside the program, shared by every home; `LAMPLIGHT_MODELS` overrides it."""
        return Path(os.environ.get("LAMPLIGHT_MODELS") or PROGRAM / ".models")

    @property
    def engine_cache(self) -> Path:
        """What the models measured and read on this machine; can be deleted at any time."""
        return self.home / "engine"

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def lock_file(self) -> Path:
        return self.home / "window.lock"
