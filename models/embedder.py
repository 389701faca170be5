"""The embedding model behind core's protocol: sentence-transformers in a child process that starts at the first text."""

from __future__ import annotations

import base64
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from core.cancel import Aside, CancelToken
from core.errors import Cancelled, ChildCrashed, ModelMissing, ModelUnusable
from core.process.host import ChildProcess
from core.process.wire import Json
from core.protocols import Vectors
from models.backends.encoder_batches import MAX_TOKENS, BatchSizes
from models.backends.encoder_folder import WHAT_TO_DO, EncoderFolder, fingerprint, read_encoder_folder
from models.backends.encoder_precision import BUSY, MOST_ATTEMPTS
from models.backends.golden_texts import GOLDEN_TEXTS
from models.machine import default_threads

MEASURED_FROM_TEXTS = 32
"""The precision is chosen once so many texts are asked for: fewer would take less time than the choosing."""

_UNIT_TOLERANCE = 1e-3
_SHAPES_KEPT = 16
_PATIENCE_SECONDS = 0.05

_log = logging.getLogger(__name__)


class SentenceTransformersEmbedder:
    """Implements `Embedder`. `locate` finds the folder when it is first needed; `threads` 0 means what the machine has.

    `cache` is a folder for what was measured of the encoder on this machine; without one it computes in float32. Between two batches of
    passages, queries of other threads go first.
    Close it, or use it as a `with`.
    """

    def __init__(self, locate: Callable[[], Path], *, threads: int = 0, cache: Path | None = None) -> None:
        self._locate = locate
        self._threads = threads or default_threads()
        self._cache = cache
        self._lock = threading.Lock()
        self._sizes = BatchSizes()
        self._settled = cache is None
        self._attempts = 0
        self._asked_for = 0
        self._settling: CancelToken | None = None
        self._loaded_in: int | None = None  # the child's process, so that one that is started anew is not taken for loaded
        self._queries = 0
        self._folder: EncoderFolder | None = None
        self._tokenizer: Tokenizer | None = None
        self._identity: tuple[tuple[tuple[int, int], ...], str] | None = None
        self.child = ChildProcess(
            "models.backends.sentence_transformers_host",
            name="The embedding model's process",
            environment=encoder_environment(self._threads),
        )

    @property
    def model_id(self) -> str:
        """The folder's name and eight digits that change with its weights."""
        folder = self._checked_folder()
        stamps = tuple((file.stat().st_size, file.stat().st_mtime_ns) for file in folder.weights)
        with self._lock:
            if self._identity is None or self._identity[0] != stamps:
                self._identity = (stamps, f"{folder.folder.resolve().name}-{fingerprint(folder)}")
            return self._identity[1]

    @property
    def dimension(self) -> int:
        return self._checked_folder().dimension

    @property
    def is_ready(self) -> bool:
        """Whether the weights are loaded, and no precision is being chosen now."""
        return self._settling is None and self._loaded_in is not None and self._loaded_in == self.child.pid

    def load(self, *, cancel: CancelToken) -> None:
        """Load the weights and the tokenizer now, side by side, so that the first text does not wait for them."""
        loading = Aside(lambda: self._call("load", self._payload(), cancel))
        try:
            self._loaded_tokenizer()
        finally:
            loading.wait()
        loading.result()

    def embed_passages(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        """Vectors (n, dimension) in the order given. Texts of like length are encoded together, about a third of a second at a time."""
        prompt = self._checked_folder().passage_prompt
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        tokens = self._tokens(texts, prompt)
        lengths = [min(len(one), MAX_TOKENS) for one in tokens]
        order = sorted(range(len(texts)), key=lambda index: -lengths[index])
        self._asked_for += len(texts)
        if not self._settled and self._asked_for >= MEASURED_FROM_TEXTS:
            self._give_way(cancel)
            self.settle(cancel=cancel)
        start = 0
        while start < len(order):
            self._give_way(cancel)
            batch = order[start : start + self._sizes.size(lengths[order[start]])]
            vectors[batch], seconds = self._encode([tokens[index] for index in batch], prompt, cancel)
            self._sizes.learn(seconds, [lengths[index] for index in batch])
            start += len(batch)
        return vectors

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        prompt = self._checked_folder().query_prompt
        if self._tokenizer is None:
            self.load(cancel=cancel)
        with self._asking():
            vector: Vectors = self._encode(self._tokens([text], prompt), prompt, cancel)[0][0]
        return vector

    def settle(self, *, cancel: CancelToken) -> Json | None:
        """Let the child choose its precision: at once if it did so before on this machine, else by measuring, unless a query comes.

        What it says: `precision`, `speed_up`, `cosine`, `seconds`, `failed`. None if a query came.
        """
        settling = CancelToken()
        forget = cancel.on_cancel(settling.cancel)
        with self._lock:
            self._settling = settling
        try:
            prompt = self._checked_folder().passage_prompt
            golden = self._tokens(GOLDEN_TEXTS, prompt)
            chosen = self._call("settle", self._payload(tokens=golden, prompt_tokens=self._prompt_tokens(prompt)), settling)
        except Cancelled:
            cancel.check()
            return None
        except ChildCrashed:
            # The process ended over it. It is started again, remembers, and computes in float32.
            chosen = {"precision": "float32", "speed_up": 0.0, "cosine": 0.0, "seconds": 0.0, "failed": "crashed"}
        finally:
            forget()
            with self._lock:
                self._settling = None
        self._attempts += 1
        self._settled = chosen["failed"] != BUSY or self._attempts >= MOST_ATTEMPTS
        words = "the encoder computes in %s: bfloat16 is %.2f times as fast as float32, smallest cosine %.5f%s"
        failed = f"; it could not be measured ({chosen['failed']})" if chosen["failed"] else ""
        _log.info(words, chosen["precision"], chosen["speed_up"], chosen["cosine"], failed)
        return chosen

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        encodings = self._loaded_tokenizer().encode_batch_fast([_encodable(text) for text in texts], add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]

    def close(self) -> None:
        """End the child process for good."""
        self.child.close()

    def __enter__(self) -> SentenceTransformersEmbedder:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """A query is under way: passages wait after the batch they are at, and nothing is measured now."""
        with self._lock:
            self._queries += 1
            settling = self._settling
        if settling is not None:
            settling.cancel()
        try:
            yield
        finally:
            with self._lock:
                self._queries -= 1

    def _give_way(self, cancel: CancelToken) -> None:
        """Wait until no query needs the encoder."""
        while self._queries and not cancel.wait(_PATIENCE_SECONDS):
            pass
        cancel.check()

    def _tokens(self, texts: Sequence[str], prompt: str) -> list[list[int]]:
        """All tokens of texts that the model reads: the prompt's and the special ones, too."""
        folder, tokenizer = self._checked_folder(), self._loaded_tokenizer()
        given = [_encodable(text.lower() if folder.lower_case else text) for text in texts]
        return [list(encoding.ids) for encoding in tokenizer.encode_batch_fast([prompt + text for text in given])]

    def _prompt_tokens(self, prompt: str) -> int:
        """How many tokens come before a text: the special one at the end does not."""
        return len(self._loaded_tokenizer().encode(prompt).ids) - 1 if prompt else 0

    def _encode(self, texts: Sequence[Sequence[int]], prompt: str, cancel: CancelToken) -> tuple[Vectors, float]:
        """Vectors of one batch, and the seconds it took in the child."""
        event = self._call("encode", self._payload(tokens=texts, prompt_tokens=self._prompt_tokens(prompt)), cancel)
        vectors = np.frombuffer(base64.b64decode(event["float32"]), dtype="<f4").reshape(event["shape"]).astype(np.float32)
        norms = np.linalg.norm(vectors, axis=1)
        if vectors.shape != (len(texts), self.dimension) or not bool(np.all(np.abs(norms - 1.0) < _UNIT_TOLERANCE)):
            # Not-a-number fails the comparison too. Such vectors would be found first by every search.
            raise ModelUnusable(f"The embedding model gives vectors that cannot be compared. {WHAT_TO_DO}", shape=str(vectors.shape))
        return vectors, float(event["seconds"])

    def _call(self, operation: str, payload: Json, cancel: CancelToken) -> Json:
        """Let the child do something; it loads the weights before the first thing that it does."""
        event = self.child.call(operation, payload, cancel=cancel)
        self._loaded_in = self.child.pid
        return event

    def _checked_folder(self) -> EncoderFolder:
        with self._lock:
            if self._folder is None:
                self._folder = read_encoder_folder(self._locate())
            return self._folder

    def _loaded_tokenizer(self) -> Tokenizer:
        file = self._checked_folder().folder / "tokenizer.json"
        with self._lock:
            if self._tokenizer is None:
                try:
                    tokenizer = Tokenizer.from_file(str(file))
                except Exception as error:
                    # The library raises nothing more special than this.
                    if not file.exists():
                        raise ModelMissing(f"The file {file} is not there. {WHAT_TO_DO}", path=str(file)) from error
                    raise ModelUnusable(f"The file {file} is not a tokenizer. {WHAT_TO_DO}", path=str(file)) from error
                tokenizer.no_truncation()
                tokenizer.no_padding()
                self._tokenizer = tokenizer
            return self._tokenizer

    def _payload(self, **more: object) -> Json:
        cache = str(self._cache) if self._cache else ""
        return {"folder": str(self._checked_folder().folder), "threads": self._threads, "cache": cache, **more}


def _encodable(text: str) -> str:
    """The text without lone surrogates, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def encoder_environment(threads: int) -> dict[str, str]:
    """Set before anything is imported there: how many threads, and that nothing is ever fetched or reported."""
    offline = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK")
    return {
        **dict.fromkeys(offline, "1"),
        **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads)),
        # Threads that wait by spinning stall each other as soon as another program wants a core.
        "OMP_WAIT_POLICY": "PASSIVE",
        # PyTorch and oneDNN keep what they prepared for each shape of a batch in bfloat16, a thousand of them, more than a megabyte each. There are ever
        # new shapes; within a batch the layers share a handful.
        **dict.fromkeys(("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"), str(_SHAPES_KEPT)),
        "TOKENIZERS_PARALLELISM": "false",
        "TRANSFORMERS_VERBOSITY": "error",
    }
