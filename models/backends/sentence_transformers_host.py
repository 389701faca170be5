"""The embedding child process. Run by `core.process.host`, never imported by the app."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core.cancel import CancelToken
from core.errors import Cancelled, ModelUnusable
from core.process.child import serve
from core.process.wire import Json
from models.backends.allocator import give_back_memory
from models.backends.encoder_folder import WHAT_TO_DO, EncoderFolder, read_encoder_folder
from models.backends.encoder_precision import BUSY, Precision, PrecisionChoice, PrecisionFile

if TYPE_CHECKING:
    from models.backends.sentence_transformers_encoder import SentenceTransformersEncoder


class SentenceTransformersHost:
    """Loads the folder that a request names, once, and encodes with it."""

    def __init__(self) -> None:
        self._encoder: SentenceTransformersEncoder | None = None

    def load(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        """Load the weights, in the precision that was chosen before, or in float32."""
        yield {"precision": self._loaded(payload).precision}

    def settle(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        """Choose the precision for this machine: as kept in `cache`, or measured now on the golden texts' tokens, which takes some seconds."""
        encoder = self._loaded(payload)
        started = time.monotonic()
        file = _file(payload)
        known, failed = file.read(), ""
        if known is not None and known.is_final:
            choice = known
        else:
            choice, self._encoder, failed = _measured(payload, encoder, file, known, cancel)
            del encoder
            give_back_memory()
        yield {**asdict(choice), "failed": failed, "seconds": time.monotonic() - started}

    def encode(self, payload: Json, cancel: CancelToken) -> Iterator[Json]:
        """Vectors of texts that make one batch, each as its tokens, and what they took."""
        encoder = self._loaded(payload)
        started = time.monotonic()
        vectors = encoder.encode(payload["tokens"], payload["prompt_tokens"], cancel)
        values = base64.b64encode(vectors.astype("<f4").tobytes()).decode("ascii")
        yield {"shape": list(vectors.shape), "float32": values, "seconds": time.monotonic() - started}

    def _loaded(self, payload: Json) -> SentenceTransformersEncoder:
        if self._encoder is None:
            folder = _folder(payload)
            known = _file(payload).read() if payload["cache"] else None
            self._encoder = _load(folder, payload["threads"], known.precision if known else "float32")
        return self._encoder


def _measured(
    payload: Json, encoder: SentenceTransformersEncoder, file: PrecisionFile, known: PrecisionChoice | None, cancel: CancelToken
) -> tuple[PrecisionChoice, SentenceTransformersEncoder, str]:
    """Measure now: the choice, the encoder to go on with, and what kept it from being measured."""
    from models.backends.sentence_transformers_encoder import measure_precision

    # Should a precision end this process the hard way, the next one finds this, and the third does not try any more.
    begun = PrecisionChoice("float32", unfinished=known.unfinished + 1 if known else 1)
    file.write(begun)
    try:
        measured = measure_precision(encoder, payload["tokens"], payload["prompt_tokens"], payload["threads"], cancel)
    except Cancelled:
        _take_back(file, known)
        raise
    except MemoryError:
        return begun, encoder, "memory"
    except Exception as error:
        # Libraries raise anything for what a processor or a model cannot do. Float32 is loaded and works.
        measured, failed = (PrecisionChoice("float32"), encoder), type(error).__name__
    else:
        failed = ""
    if measured is None:
        _take_back(file, known)
        return begun, encoder, BUSY
    file.write(measured[0])
    return *measured, failed


def _take_back(file: PrecisionFile, known: PrecisionChoice | None) -> None:
    if known is None:
        file.forget()
    else:
        file.write(known)


def _folder(payload: Json) -> EncoderFolder:
    # Looked at before the libraries are even imported: a folder with code in it gets no further than this.
    return read_encoder_folder(Path(payload["folder"]))


def _file(payload: Json) -> PrecisionFile:
    return PrecisionFile(Path(payload["cache"]), _folder(payload), threads=payload["threads"])


def _load(folder: EncoderFolder, threads: int, precision: Precision) -> SentenceTransformersEncoder:
    from models.backends.sentence_transformers_encoder import SentenceTransformersEncoder

    try:
        return SentenceTransformersEncoder(folder, threads, precision)
    except MemoryError:
        raise
    except Exception as error:
        # The libraries below raise everything from KeyError to their own kinds for weights that do not fit their configuration.
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        message = f"The embedding model in {folder.folder} cannot be loaded. {WHAT_TO_DO}"
        raise ModelUnusable(message, path=str(folder.folder), reason=reason) from error


if __name__ == "__main__":
    host = SentenceTransformersHost()
    serve({"load": host.load, "settle": host.settle, "encode": host.encode}, low_priority=True)
