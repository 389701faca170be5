from __future__ import annotations

from pathlib import Path

from core.cancel import CancelToken
from core.events import IndexFinished
from core.lease import ComputeLease
from core.library.library import Library
from core.paths import RESOURCES
from core.retrieval.hybrid import HybridRetriever
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from tests.fakes.hash_embedder import FakeEmbedder

SAMPLE = RESOURCES / "sample_library"


def test_every_file_of_the_sample_library_is_ready_and_can_be_found_by_words(home: Path, cancel: CancelToken) -> None:
    user_store, index_store = UserStore(home / "user.db"), IndexStore(home / "index.db")
    library = Library(user_store, index_store, FakeEmbedder(), ComputeLease())
    library.add([SAMPLE])

    *_, finished = library.index(cancel)

    assert isinstance(finished, IndexFinished)
    assert {file.state for file in finished.report.files} == {"ready"}
    assert {file.path.suffix for file in finished.report.files} == {".md", ".csv", ".html", ".js", ".txt"}
    assert {file.encoding for file in finished.report.files} == {"utf-8", "gb18030"}
    assert library.check().ok
    retriever = HybridRetriever(index_store, FakeEmbedder(), mode="words")
    for question, name in [
        ("How many days of paid leave does an employee have?", "staff-handbook.md"),
        ("What does the gimbal ring GR-7 cost?", "price-list-2031.csv"),
        ("When does the ferry sail from Port Hale?", "harbour-guide.html"),
        ("北航道什么时候封闭？", "港务通知-2031-18.txt"),
        ("谁在1903年开设了制灯厂？", "燕鸥港简史.md"),
    ]:
        assert name in [passage.chunk.path.name for passage in retriever.search(question, k=3, cancel=cancel)], question
    index_store.close()
    user_store.close()
