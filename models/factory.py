"""From settings to models: the one place that knows which implementation answers and which one embeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.errors import LamplightError
from core.paths import Paths
from core.qa.thresholds import SAFE, Thresholds
from core.settings import ModelSettings
from models.backends.echo import THRESHOLDS, EchoChatModel, HashEmbedder
from models.calibration import thresholds_of
from models.catalog import locate_chat_model, locate_embedder
from models.chat_model import LlamaCppChatModel
from models.embedder import SentenceTransformersEmbedder


@dataclass(frozen=True, slots=True)
class Models:
    """The models of one run of the app. Their weights are loaded at the first call, in child processes that `close()` ends.

    `thresholds` says where the chat model's decisions tip over; it is asked anew for every question.
    """

    chat_model: LlamaCppChatModel | EchoChatModel
    embedder: SentenceTransformersEmbedder | HashEmbedder
    thresholds: Callable[[], Thresholds]

    def close(self) -> None:
        """End every child process. Safe to call twice."""
        self.chat_model.close()
        self.embedder.close()


def build_models(settings: ModelSettings, paths: Paths, engine_cache: Path | None = None) -> Models:
    """The models that the settings name. Cheap: files are looked for when a model is first asked something.

    `engine_cache` is where the models may keep what they measured and read on this machine; without it nothing is kept.
    """
    chat_model = build_chat_model(settings, lambda: locate_chat_model(settings, paths), engine_cache)
    embedder = SentenceTransformersEmbedder(lambda: locate_embedder(settings, paths), threads=settings.threads, cache=engine_cache)
    return Models(chat_model, embedder, lambda: _thresholds(settings, paths))


def build_chat_model(settings: ModelSettings, locate: Callable[[], Path], engine_cache: Path | None = None) -> LlamaCppChatModel:
    """The chat model whose weights `locate` finds, with the context size and the threads of the settings."""
    return LlamaCppChatModel(locate, context_tokens=settings.context_tokens, threads=settings.threads, cache=engine_cache)


def _thresholds(settings: ModelSettings, paths: Paths) -> Thresholds:
    try:
        weights = locate_chat_model(settings, paths)
    except LamplightError:  # the question itself meets it too, and tells it
        return SAFE
    return thresholds_of(weights, paths.models)


def build_echo_models() -> Models:
    """Models without weights, for a look around, for tests and for screenshots."""
    return Models(EchoChatModel(), HashEmbedder(), lambda: THRESHOLDS)
