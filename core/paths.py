"""Where everything the app keeps lies: one home folder, readable by its owner alone."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent
RESOURCES = PROGRAM / "resources"


def default_home() -> Path:
    """The platform's data folder for this app; `LAMPLIGHT_HOME` overrides it."""
    if chosen := os.environ.get("LAMPLIGHT_HOME"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "Lamplight"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Lamplight"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "lamplight"


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
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def lock_file(self) -> Path:
        return self.home / "window.lock"
