"""The real embedder in its child process: evil folders, crashes, cancelling."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, ChildCrashed, ModelMissing, ModelUnusable
from models.embedder import SentenceTransformersEmbedder

pytestmark = pytest.mark.real

TEXT = "The lighthouse keeper writes down every ship that passes the harbour, its flag, its load and the weather. " * 12


@pytest.fixture(scope="module")
def embedder(starter_models: Path) -> Iterator[SentenceTransformersEmbedder]:
    with SentenceTransformersEmbedder(lambda: starter_models / "multilingual-e5-small") as loaded:
        loaded.load(cancel=CancelToken())
        yield loaded


def test_the_id_names_the_folder_and_its_weights(embedder: SentenceTransformersEmbedder) -> None:
    name, _, digits = embedder.model_id.rpartition("-")

    assert name == "multilingual-e5-small"
    assert len(digits) == 8


def test_meaning_crosses_languages(embedder: SentenceTransformersEmbedder, cancel: CancelToken) -> None:
    vectors = embedder.embed_passages(["The cat sleeps on the sofa.", "孙悟空大闹天宫。", "Taxes are due in April."], cancel=cancel)

    assert int(np.argmax(vectors @ embedder.embed_query("猫在哪里睡觉？", cancel=cancel))) == 0
    assert int(np.argmax(vectors @ embedder.embed_query("Who made havoc in heaven?", cancel=cancel))) == 1


def test_long_work_is_cancelled_within_a_second_and_the_child_is_kept(embedder: SentenceTransformersEmbedder) -> None:
    cancel = CancelToken()
    embedder.embed_passages([TEXT] * 4, cancel=CancelToken())
    pid = embedder.child.pid
    stopped: list[float] = []

    def stop() -> None:
        stopped.append(time.monotonic())
        cancel.cancel()

    timer = threading.Timer(0.5, stop)
    timer.start()
    with pytest.raises(Cancelled):
        embedder.embed_passages([TEXT] * 300, cancel=cancel)
    timer.join()

    assert time.monotonic() - stopped[0] < 1.0
    assert embedder.embed_query("still there?", cancel=CancelToken()).shape == (384,)
    # A machine that is busy with other things may need longer for one batch; then the child is started anew.
    assert embedder.child.pid is not None
    assert pid is not None


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_killed_child_is_reported_and_the_next_call_works(embedder: SentenceTransformersEmbedder, cancel: CancelToken) -> None:
    embedder.load(cancel=cancel)
    pid = embedder.child.pid
    assert pid is not None
    timer = threading.Timer(0.3, lambda: os.kill(pid, signal.SIGKILL))
    timer.start()

    with pytest.raises(ChildCrashed, match="SIGKILL"):
        embedder.embed_passages([TEXT] * 200, cancel=cancel)

    assert embedder.embed_query("still there?", cancel=cancel).shape == (384,)


@pytest.fixture
def copy(starter_models: Path, tmp_path: Path) -> Path:
    """A copy of a real folder whose large files are links."""
    folder = tmp_path / "model"
    shutil.copytree(
        starter_models / "multilingual-e5-small",
        folder,
        copy_function=lambda source, target: Path(target).symlink_to(source),
        symlinks=True,
    )
    return folder


def test_a_folder_with_code_is_refused_and_nothing_of_it_runs(copy: Path, tmp_path: Path, cancel: CancelToken) -> None:
    marker = tmp_path / "marker"
    (copy / "modeling_evil.py").write_text(f"open({str(marker)!r}, 'w')", encoding="utf-8")

    with SentenceTransformersEmbedder(lambda: copy) as embedder, pytest.raises(ModelUnusable, match=r"modeling_evil\.py"):
        embedder.embed_query("hello", cancel=cancel)

    assert not marker.exists()


def test_weights_that_cannot_be_loaded_are_one_sentence_and_the_app_lives_on(copy: Path, cancel: CancelToken) -> None:
    (copy / "model.safetensors").unlink()
    (copy / "model.safetensors").write_bytes(bytes(5000))

    with SentenceTransformersEmbedder(lambda: copy) as embedder:
        for _ in range(2):
            with pytest.raises(ModelUnusable, match="cannot be loaded"):
                embedder.embed_query("hello", cancel=cancel)


def test_a_tokenizer_that_is_none_is_one_sentence(copy: Path) -> None:
    (copy / "tokenizer.json").unlink()
    (copy / "tokenizer.json").write_text("{}", encoding="utf-8")

    with SentenceTransformersEmbedder(lambda: copy) as embedder, pytest.raises(ModelUnusable, match=r"tokenizer\.json is not a tokenizer"):
        embedder.count_tokens(["hello"])


def test_a_missing_folder_is_told(tmp_path: Path, cancel: CancelToken) -> None:
    with SentenceTransformersEmbedder(lambda: tmp_path / "nothing") as embedder:
        with pytest.raises(ModelMissing):
            embedder.embed_query("hello", cancel=cancel)
        with pytest.raises(ModelMissing):
            _ = embedder.model_id
