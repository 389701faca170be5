"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from core.cancel import CancelToken
from core.paths import Paths

# Set before Qt or a hub library can be imported by any test.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["HF_HUB_OFFLINE"] = "1"

# A machine that is busy with something else must not fail a test.
hypothesis.settings.register_profile("no_clock", deadline=None)
hypothesis.settings.load_profile("no_clock")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home folder of its own."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def paths(home: Path) -> Paths:
    return Paths(home)


@pytest.fixture
def cancel() -> CancelToken:
    return CancelToken()


@pytest.fixture(scope="session")
def starter_models() -> Path:
    """The folder with the starter weights; set-up fetches them before the suite runs."""
    return Paths(Path()).starter_models
