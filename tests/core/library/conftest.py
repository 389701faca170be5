from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.lease import ComputeLease
from core.library import batch_embedding
from core.library.library import Library
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.core.library.shelf import SMALL_BATCH, Shelf
from tests.fakes.hash_embedder import FakeEmbedder


@pytest.fixture
def shelf(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    monkeypatch.setattr(batch_embedding, "BATCH_CHUNKS", SMALL_BATCH)
    user_store, index_store = UserStore(home / "user.db"), IndexStore(home / "index.db")
    embedder, lease = FakeEmbedder(), ComputeLease()
    docs = tmp_path / "docs"
    docs.mkdir()
    library = Library(user_store, index_store, embedder, lease)
    library.add([docs])
    yield Shelf(library, index_store, user_store, embedder, lease, docs, home)
    index_store.close()
    user_store.close()
