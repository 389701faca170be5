"""From settings to models: the one place that knows which implementation answers and which one embeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.paths import Paths
from core.qa.thresholds import SAFE, STARTER, Thresholds
from core.settings import ModelSettings
from models.backends.echo import EchoChatModel, HashEmbedder
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


def build_models(settings: ModelSettings, paths: Paths) -> Models:
    """The models that the settings name. Cheap: files are looked for when a model is first asked something."""
    chat_model = LlamaCppChatModel(
        lambda: locate_chat_model(settings, paths), context_tokens=settings.context_tokens, threads=settings.threads
    )
    embedder = SentenceTransformersEmbedder(lambda: locate_embedder(settings, paths), threads=settings.threads)
    return Models(chat_model, embedder, lambda: STARTER if chat_model.model_id == STARTER.model_id else SAFE)


def build_echo_models() -> Models:
    """Models without weights, for a look around, for tests and for screenshots."""
    return Models(EchoChatModel(), HashEmbedder(), lambda: STARTER)
