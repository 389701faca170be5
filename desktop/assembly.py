"""The wiring both front ends share: settings in, stores, models, library and graph out.

The only place that picks implementations. Cheap to import and to call: weights, LangGraph and the search package are loaded when
they are first needed, and files are opened at their first use, so a simple question works while the index is missing or broken.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import LamplightError, NotFound
from core.home import prepare_home
from core.lease import ComputeLease
from core.library.library import Library
from core.paths import Paths
from core.protocols import ChatModel, Embedder
from core.retrieval.hybrid import Mode
from core.retrieval.takeover import AnsweringEmbedder, TakeoverRetriever
from core.settings import Settings
from core.store.index_store import IndexStore
from core.store.user_store import UserStore
from core.web.search import DuckDuckGoSearch
from models.catalog import find_model, installed_models, locate_embedder, starter_fallback
from models.embedder import SentenceTransformersEmbedder
from models.factory import Models, build_echo_models, build_models

if TYPE_CHECKING:
    from core.qa.session import Session


@dataclass(frozen=True, slots=True)
class SmallerModel:
    """Set-up could not fetch the chat model named `wanted`, so the smaller one named `installed` answers."""

    wanted: str
    installed: str
    wanted_id: str


@dataclass(frozen=True)
class Application:
    """Everything a front end works with. Close it, in any state, from any thread."""

    settings: Settings
    paths: Paths
    model_paths: Paths
    user_store: UserStore
    index_store: IndexStore
    library: Library
    answering: AnsweringEmbedder
    retriever: TakeoverRetriever
    models: Models
    lease: ComputeLease
    web_search: DuckDuckGoSearch
    smaller_model: SmallerModel | None = None

    @property
    def chat_model(self) -> ChatModel:
        """The model that answers."""
        return self.models.chat_model

    @property
    def embedder(self) -> Embedder:
        """The chosen model that searches. Until it has the vectors of every file, `answering` may be the one before."""
        return self.models.embedder

    @cached_property
    def session(self) -> Session:
        """Asks questions of the graph. LangGraph is imported by the first question."""
        from core.qa.session import Session

        return Session(
            chat_model=self.chat_model,
            embedder=self.answering,
            retriever=self.retriever,
            web_search=self.web_search,
            settings=self.settings,
            lease=self.lease,
            thresholds=self.models.thresholds,
        )

    def retriever_for(self, mode: Mode) -> TakeoverRetriever:
        """A retriever over the same index that searches by words, by vectors, or by both."""
        return TakeoverRetriever(self.index_store, self.answering, mode=mode)

    def with_settings(self, settings: Settings) -> Application:
        """The same stores and models under other settings. What changes `settings.models` needs `assemble` instead."""
        same_engine = settings.web.engine_url == self.settings.web.engine_url
        # The search object remembers when it last asked and how often it failed: a changed theme must not make it forget.
        web_search = self.web_search if same_engine else DuckDuckGoSearch(engine_url=settings.web.engine_url)
        return replace(self, settings=settings, web_search=web_search)

    def close(self) -> None:
        """End the models' processes first, so that nobody waits for an answer, then close the databases. Safe to call twice."""
        with ExitStack() as closing:  # runs in reverse order, and goes on when one of them fails
            closing.callback(self.user_store.close)
            closing.callback(self.index_store.close)
            closing.callback(self.models.close)
            closing.callback(self.answering.release)
            closing.callback(self.library.close)


def assemble(paths: Paths, settings: Settings, *, use_echo: bool = False, model_paths: Paths | None = None) -> Application:
    """Wire everything for one home. `use_echo` takes models without weights; `model_paths` is a home whose installed models to use.

    Raises:
        InvalidRequest: the home folder cannot be used.
        NotEnoughDisk: there is no room for it.
    """
    prepare_home(paths)
    model_paths = model_paths or paths
    lease = ComputeLease()
    models = build_echo_models() if use_echo else build_models(settings.models, model_paths, paths.engine_cache)
    user_store = UserStore(paths.user_database)
    index_store = IndexStore(paths.index_database)
    chosen = models.embedder
    answering = AnsweringEmbedder(
        index_store,
        chosen,
        find=lambda embedder_id: _embedder_before(embedder_id, index_store, model_paths, settings.models.threads),
        forget=lambda embedder: embedder.close() if isinstance(embedder, SentenceTransformersEmbedder) else None,
    )
    return Application(
        settings=settings,
        paths=paths,
        model_paths=model_paths,
        user_store=user_store,
        index_store=index_store,
        library=Library(
            user_store, index_store, chosen, lease, place=lambda: "" if use_echo else str(locate_embedder(settings.models, model_paths))
        ),
        answering=answering,
        retriever=TakeoverRetriever(index_store, answering),
        models=models,
        lease=lease,
        web_search=DuckDuckGoSearch(engine_url=settings.web.engine_url),
        smaller_model=None if use_echo or settings.models.chat_model else _smaller_model(model_paths),
    )


def _embedder_before(embedder_id: str, index_store: IndexStore, paths: Paths, threads: int) -> SentenceTransformersEmbedder | None:
    """The model with this id: where it lay when it was used last, or among those that are installed. None if it is nowhere, or is another now."""
    before = index_store.place_of(embedder_id)
    installed = [found.folder for found in installed_models(paths) if found.model.kind == "embedding"]
    for folder in [Path(before), *installed] if before else installed:
        embedder = SentenceTransformersEmbedder(partial(Path, folder), threads=threads)
        with suppress(LamplightError, OSError):
            if embedder.model_id == embedder_id:
                return embedder
        embedder.close()
    return None


def _smaller_model(paths: Paths) -> SmallerModel | None:
    fallback = starter_fallback(paths)
    if fallback is None:
        return None
    try:
        wanted, installed = find_model(fallback.wanted), find_model(fallback.installed)
    except NotFound:  # written by a version with another catalogue
        return None
    return SmallerModel(wanted.name, installed.name, wanted.id)
