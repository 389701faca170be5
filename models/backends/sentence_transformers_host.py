"""The embedding child process. Run by `core.process.host`, never imported by the app."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from core.cancel import CancelToken
from core.errors import ModelUnusable
from core.process.child import serve
from core.process.wire import Json
from models.backends.encoder_folder import WHAT_TO_DO, EncoderFolder, read_encoder_folder

if TYPE_CHECKING:
    from models.backends.sentence_transformers_encoder import SentenceTransformersEncoder


class SentenceTransformersHost:
    """Loads the folder that a request names, once, and encodes with it."""

    def __init__(self) -> None:
        self._encoder: SentenceTransformersEncoder | None = None

    def load(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        """Load the weights."""
        self._loaded(payload)
        yield {}

    def encode(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        vectors = self._loaded(payload).encode(payload["texts"], payload["prompt"], cancel)
        yield {"shape": list(vectors.shape), "float32": base64.b64encode(vectors.astype("<f4").tobytes()).decode("ascii")}

    def _loaded(self, payload: Json) -> SentenceTransformersEncoder:
        if self._encoder is None:
            # Looked at before the libraries are even imported: a folder with code in it gets no further than this.
            folder = read_encoder_folder(Path(payload["folder"]))
            self._encoder = _load(folder, payload["threads"])
        return self._encoder


def _load(folder: EncoderFolder, threads: int) -> SentenceTransformersEncoder:
    from models.backends.sentence_transformers_encoder import SentenceTransformersEncoder

    try:
        return SentenceTransformersEncoder(folder, threads)
    except MemoryError:
        raise
    except Exception as error:
        # The libraries below raise everything from KeyError to their own kinds for weights that do not fit their configuration.
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        message = f"The embedding model in {folder.folder} cannot be loaded. {WHAT_TO_DO}"
        raise ModelUnusable(message, path=str(folder.folder), reason=reason) from error


if __name__ == "__main__":
    host = SentenceTransformersHost()
    serve({"load": host.load, "encode": host.encode}, low_priority=True)
