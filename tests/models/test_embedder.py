"""The real embedder in its child process: evil folders, crashes, cancelling."""

from __future__ import annotations

import base64
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, ChildCrashed, ModelMissing, ModelUnusable
from core.process.wire import Json
from models.backends.encoder_batches import BATCH_TOKENS, MAX_TOKENS
from models.backends.encoder_folder import read_encoder_folder
from models.backends.encoder_precision import LEAST_COSINE, MOST_ATTEMPTS, PrecisionChoice, PrecisionFile
from models.embedder import MEASURED_FROM_TEXTS, SentenceTransformersEmbedder

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


_LIBRARY = """
import base64, json, sys
from sentence_transformers import SentenceTransformer
folder, prompt, longest, texts = json.load(sys.stdin)
model = SentenceTransformer(folder, device="cpu", local_files_only=True)
model.max_seq_length = longest
print(base64.b64encode(model.encode(texts, prompt=prompt).astype("<f4").tobytes()).decode())
"""


def test_vectors_are_those_of_the_library_itself(embedder: SentenceTransformersEmbedder, starter_models: Path, cancel: CancelToken) -> None:
    texts = [
        "A",
        "灯塔的守护人叫阿诺。",
        "  white space \n around\t",
        "<s> special </s> <pad>",
        "CAPITALS and ﬁligature ①",
        TEXT,
        TEXT * 9,
        "字" * 900,
        "",
    ]
    asked = [str(starter_models / "multilingual-e5-small"), "passage: ", MAX_TOKENS, texts]
    said = subprocess.run([sys.executable, "-c", _LIBRARY], input=json.dumps(asked), capture_output=True, text=True, check=True).stdout

    expected = np.frombuffer(base64.b64decode(said), dtype="<f4").reshape(len(texts), -1)
    vectors = embedder.embed_passages(texts, cancel=cancel)

    assert np.sum(vectors * expected, axis=1) == pytest.approx(1.0, abs=1e-5)


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


class ScriptedChild:
    """In place of the child process: a text's vector is made of how many tokens it has. What it was asked is kept."""

    pid: int | None = None

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[list[int]]]] = []
        self.on_encode: Callable[[list[list[int]], CancelToken], None] = lambda texts, cancel: None
        self.on_settle: Callable[[CancelToken], None] = lambda cancel: None
        self.failed = ""

    @property
    def batches(self) -> list[list[list[int]]]:
        return [texts for operation, texts in self.asked if operation == "encode"]

    @property
    def settled(self) -> int:
        return sum(operation == "settle" for operation, _ in self.asked)

    def call(self, operation: str, payload: Json, *, cancel: CancelToken) -> Json:
        cancel.check()
        texts = list(payload.get("tokens", []))
        self.asked.append((operation, texts))
        if operation == "settle":
            self.on_settle(cancel)
            return {"precision": "bfloat16", "speed_up": 2.0, "cosine": 1.0, "seconds": 1.0, "failed": self.failed}
        self.on_encode(texts, cancel)
        angles = np.array([len(tokens) for tokens in texts]) / 1000
        vectors = np.zeros((len(texts), 384), dtype="<f4")
        vectors[:, 0], vectors[:, 1] = np.cos(angles), np.sin(angles)
        values = base64.b64encode(vectors.tobytes()).decode("ascii")
        return {"shape": list(vectors.shape), "float32": values, "seconds": 0.001}

    def close(self) -> None:
        """Nothing to end."""


@pytest.fixture
def scripted(starter_models: Path, tmp_path: Path) -> tuple[SentenceTransformersEmbedder, ScriptedChild]:
    """An embedder whose child is scripted."""
    child = ScriptedChild()
    embedder = SentenceTransformersEmbedder(lambda: starter_models / "multilingual-e5-small", cache=tmp_path / "engine")
    embedder.child.close()
    embedder.child = child  # type: ignore[assignment]
    return embedder, child


Scripted = tuple[SentenceTransformersEmbedder, ScriptedChild]


def test_texts_of_like_length_are_encoded_together_and_vectors_come_in_the_order_given(scripted: Scripted, cancel: CancelToken) -> None:
    embedder, child = scripted
    texts = ["ship " * (1 + n * 37 % 200) for n in range(90)]

    vectors = embedder.embed_passages(texts, cancel=cancel)

    beside = len(child.batches[-1][-1]) - min(embedder.count_tokens(texts))  # tokens of the prompt, and special ones
    lengths = [count + beside for count in embedder.count_tokens(texts)]
    assert np.allclose(np.arctan2(vectors[:, 1], vectors[:, 0]), np.array(lengths) / 1000, atol=1e-5)
    counted = [[len(tokens) for tokens in batch] for batch in child.batches]
    assert [count for counts in counted for count in counts] == sorted(lengths, reverse=True)
    assert all(len(counts) <= 2 or len(counts) * max(counts) <= BATCH_TOKENS for counts in counted)
    assert len(counted) < len(texts) / 2


def test_it_is_ready_while_the_process_lives_that_has_loaded_the_weights(scripted: Scripted, cancel: CancelToken) -> None:
    embedder, child = scripted
    child.pid = 7
    assert not embedder.is_ready

    embedder.load(cancel=cancel)
    assert embedder.is_ready

    for pid in (None, 8):  # it crashed, and another was started
        child.pid = pid
        assert not embedder.is_ready

    embedder.embed_query("Who is it?", cancel=cancel)
    assert embedder.is_ready


def test_it_is_not_ready_while_the_precision_is_chosen(scripted: Scripted, cancel: CancelToken) -> None:
    embedder, child = scripted
    child.pid = 7
    embedder.load(cancel=cancel)
    meanwhile: list[bool] = []
    child.on_settle = lambda token: meanwhile.append(embedder.is_ready)

    embedder.embed_passages(["a ship"] * MEASURED_FROM_TEXTS, cancel=cancel)

    assert meanwhile == [False]
    assert embedder.is_ready


def test_the_precision_is_chosen_once_and_only_when_there_is_much_to_encode(scripted: Scripted, cancel: CancelToken) -> None:
    embedder, child = scripted

    embedder.embed_query("Who is it?", cancel=cancel)
    embedder.embed_passages(["a ship"] * (MEASURED_FROM_TEXTS - 1), cancel=cancel)
    assert child.settled == 0

    for _ in range(3):
        embedder.embed_passages(["a ship"], cancel=cancel)
    assert child.settled == 1


def test_without_a_place_to_keep_it_nothing_is_measured(starter_models: Path, cancel: CancelToken) -> None:
    embedder = SentenceTransformersEmbedder(lambda: starter_models / "multilingual-e5-small")
    embedder.child.close()
    embedder.child = child = ScriptedChild()  # type: ignore[assignment]

    embedder.embed_passages(["a ship"] * 100, cancel=cancel)

    assert child.settled == 0


def test_a_query_stops_the_measuring_and_it_is_made_up_for_later(scripted: Scripted, cancel: CancelToken) -> None:
    embedder, child = scripted
    measuring, stopped = threading.Event(), threading.Event()

    def measure(token: CancelToken) -> None:
        measuring.set()
        if token.wait(20):
            stopped.set()
        token.check()

    child.on_settle = measure
    indexing = threading.Thread(target=lambda: embedder.embed_passages(["a ship"] * 40, cancel=CancelToken()))
    indexing.start()
    assert measuring.wait(20)
    embedder.embed_query("Who is it?", cancel=cancel)
    indexing.join(20)

    assert stopped.is_set()
    assert sum(map(len, child.batches)) == 41
    child.on_settle = lambda token: None
    embedder.embed_passages(["a ship"] * 40, cancel=cancel)
    embedder.embed_passages(["a ship"] * 40, cancel=cancel)
    assert child.settled == 2


def test_cancelling_stops_the_measuring(scripted: Scripted, cancel: CancelToken) -> None:
    embedder, child = scripted

    def measure(token: CancelToken) -> None:
        cancel.cancel()
        assert token.cancelled
        token.check()

    child.on_settle = measure
    with pytest.raises(Cancelled):
        embedder.embed_passages(["a ship"] * 40, cancel=cancel)

    assert child.batches == []


def test_a_process_that_ends_while_it_measures_costs_no_indexing(
    scripted: Scripted, cancel: CancelToken, caplog: pytest.LogCaptureFixture
) -> None:
    embedder, child = scripted

    def crash(token: CancelToken) -> None:
        raise ChildCrashed("The embedding model's process ended.")

    child.on_settle = crash
    with caplog.at_level(logging.INFO):
        for _ in range(2):
            assert embedder.embed_passages(["a ship"] * 40, cancel=cancel).shape == (40, 384)

    assert child.settled == 1
    assert "computes in float32" in caplog.text


def test_a_busy_machine_is_measured_a_little_later_but_not_for_ever(scripted: Scripted, cancel: CancelToken) -> None:
    embedder, child = scripted
    child.failed = "busy"

    for _ in range(MOST_ATTEMPTS + 3):
        embedder.embed_passages(["a ship"] * 40, cancel=cancel)

    assert child.settled == MOST_ATTEMPTS


def test_a_query_of_another_thread_goes_before_the_next_batch(scripted: Scripted, cancel: CancelToken) -> None:
    embedder, child = scripted
    turn = threading.Lock()  # as in the child process: one request at a time
    first = threading.Event()

    def encode(texts: list[list[int]], token: CancelToken) -> None:
        with turn:
            first.set()
            time.sleep(0.02)

    child.on_encode = encode
    indexing = threading.Thread(target=lambda: embedder.embed_passages([TEXT] * 30, cancel=CancelToken()))
    indexing.start()
    assert first.wait(20)
    before = len(child.batches)
    embedder.embed_query("Who is it?", cancel=cancel)
    between = len(child.batches) - before
    indexing.join(20)

    assert between <= 3  # itself, the batch that was under way, and one that began at the same moment
    assert sum(map(len, child.batches)) == 31


def kept_choice(starter_models: Path, cache: Path, threads: int) -> PrecisionFile:
    return PrecisionFile(cache, read_encoder_folder(starter_models / "multilingual-e5-small"), threads=threads)


def test_the_choice_is_measured_kept_and_its_vectors_stand_beside_those_of_float32(
    embedder: SentenceTransformersEmbedder, starter_models: Path, tmp_path: Path, cancel: CancelToken
) -> None:
    texts = [TEXT, "孙悟空大闹天宫，玉帝请如来佛祖降伏他。" * 6, "A", "| part | price |\n| --- | --- |\n| belt | 12.50 |"]
    exact = embedder.embed_passages(texts, cancel=cancel)
    with SentenceTransformersEmbedder(lambda: starter_models / "multilingual-e5-small", threads=2, cache=tmp_path) as other:
        said = other.settle(cancel=cancel)
        vectors = other.embed_passages(texts, cancel=cancel)
        assert other.model_id == embedder.model_id

    assert said is not None
    kept = kept_choice(starter_models, tmp_path, 2).read()
    if said["failed"] == "busy":
        assert kept is None
    else:
        assert kept == PrecisionChoice(said["precision"], said["speed_up"], said["cosine"])
    assert np.min(np.sum(vectors * exact, axis=1)) >= LEAST_COSINE
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_what_was_chosen_before_is_taken_without_measuring(starter_models: Path, tmp_path: Path, cancel: CancelToken) -> None:
    chosen = PrecisionChoice("bfloat16", 3.25, 0.5)
    kept_choice(starter_models, tmp_path, 2).write(chosen)

    with SentenceTransformersEmbedder(lambda: starter_models / "multilingual-e5-small", threads=2, cache=tmp_path) as embedder:
        assert embedder.child.call("load", embedder._payload(), cancel=cancel) == {"precision": "bfloat16"}
        said = embedder.settle(cancel=cancel)

    assert said is not None
    assert (said["precision"], said["speed_up"], said["cosine"], said["failed"]) == ("bfloat16", 3.25, 0.5, "")


def test_a_measurement_that_never_came_to_an_end_is_given_up(starter_models: Path, tmp_path: Path, cancel: CancelToken) -> None:
    file = kept_choice(starter_models, tmp_path, 2)
    file.write(PrecisionChoice("float32", unfinished=MOST_ATTEMPTS))

    with SentenceTransformersEmbedder(lambda: starter_models / "multilingual-e5-small", threads=2, cache=tmp_path) as embedder:
        said = embedder.settle(cancel=cancel)

    assert said is not None
    assert said["precision"] == "float32"
    assert file.read() == PrecisionChoice("float32", unfinished=MOST_ATTEMPTS)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_process_that_is_killed_while_it_measures_leaves_a_mark_and_indexing_goes_on(
    starter_models: Path, tmp_path: Path, cancel: CancelToken
) -> None:
    file = kept_choice(starter_models, tmp_path, 2)
    with SentenceTransformersEmbedder(lambda: starter_models / "multilingual-e5-small", threads=2, cache=tmp_path) as embedder:
        embedder.load(cancel=cancel)
        pid = embedder.child.pid
        assert pid is not None

        def kill() -> None:
            while not list(tmp_path.glob("encoder-*.json")):
                time.sleep(0.005)
            os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        said = embedder.settle(cancel=cancel)
        killer.join(20)
        vector = embedder.embed_query("still there?", cancel=cancel)

    assert said is not None
    assert said["failed"] == "crashed"
    assert file.read() == PrecisionChoice("float32", unfinished=1)
    assert vector.shape == (384,)
