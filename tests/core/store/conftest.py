from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.store.index_store import IndexStore


@pytest.fixture
def store(home: Path) -> Iterator[IndexStore]:
    store = IndexStore(home / "index.db")
    yield store
    store.close()
