"""The window as it is, without a screen, that also tells on stdout what it encodes and when a run of indexing has ended.

    python -m tests.quality.watching_window HOME [--weights]        SIGTERM closes it

Lines of JSON: {"encoded": texts given to the encoder}, {"ended": "index" or "update"}. The chat model is one without weights.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import desktop.assembly
from core.cancel import CancelToken
from core.events import IndexEvent
from core.library.changed_paths import ChangedPaths
from core.library.library import Library
from core.protocols import Embedder, Vectors
from desktop.assembly import Application
from models.backends.echo import THRESHOLDS, EchoChatModel
from models.factory import Models

Tell = Callable[[dict[str, Any]], None]


class ToldEmbedder:
    """An embedder that tells how many passages it was given."""

    def __init__(self, embedder: Embedder, tell: Tell) -> None:
        self._embedder = embedder
        self._tell = tell

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def is_ready(self) -> bool:
        return self._embedder.is_ready

    def embed_passages(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        self._tell({"encoded": len(texts)})
        return self._embedder.embed_passages(texts, cancel=cancel)

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        return self._embedder.embed_query(text, cancel=cancel)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)


class ToldLibrary(Library):
    """A library that tells when a run has ended well."""

    tell: Tell

    def index(
        self, cancel: CancelToken, paths: Iterable[Path] | None = None, *, changed: ChangedPaths | None = None
    ) -> Iterator[IndexEvent]:
        yield from super().index(cancel, paths, changed=changed)
        self.tell({"ended": "index"})

    def update(self, cancel: CancelToken, paths: Iterable[Path], *, changed: ChangedPaths | None = None) -> Iterator[IndexEvent]:
        yield from super().update(cancel, paths, changed=changed)
        self.tell({"ended": "update"})


def telling(application: Application, tell: Tell) -> Application:
    """The same application, whose library tells what it does."""
    library = ToldLibrary(application.user_store, application.index_store, ToldEmbedder(application.embedder, tell), application.lease)
    library.tell = tell
    models = Models(EchoChatModel(), application.models.embedder, lambda: THRESHOLDS)
    return replace(application, library=library, models=models)


def _tell(line: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(line)}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.watching_window")
    parser.add_argument("home", type=Path)
    parser.add_argument("--weights", action="store_true")
    options = parser.parse_args(arguments)
    assemble = desktop.assembly.assemble

    def assemble_telling(*parts: Any, **named: Any) -> Application:
        return telling(assemble(*parts, **named), _tell)

    # The window takes it from there when it has been painted.
    desktop.assembly.assemble = assemble_telling
    from desktop.app import run

    return run(options.home, use_echo=not options.weights)


if __name__ == "__main__":
    sys.exit(main())
