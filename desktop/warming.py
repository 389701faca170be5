"""What is loaded behind the open window, so that the first question does not wait for the disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.cancel import CancelToken
from core.documents import Message, Prompt
from desktop.translation import system_language

if TYPE_CHECKING:
    from desktop.assembly import Application


def warm_up(application: Application, cancel: CancelToken) -> Iterator[None]:
    """Load the graph and the models before they are needed: the first question should not wait for the disk."""
    prepare_to_ask(application)
    cancel.check()
    yield from load_models(application, cancel)
    chosen = application.settings.appearance.language
    language = system_language() if chosen == "system" else chosen
    application.session.warm_up("zh" if language == "zh_CN" else "en", cancel=cancel)


def load_models(application: Application, cancel: CancelToken) -> Iterator[None]:
    """Let each model say something once."""
    for _ in application.chat_model.stream(Prompt((Message("user", "Hello"),)), max_tokens=1, cancel=cancel):
        pass
    if application.library.has_documents():
        application.answering.embed_query("Hello", cancel=cancel)
        application.embedder.count_tokens(["Hello"])  # reads the tokenizer: else the first file that is saved waits for it
    yield None


def prepare_to_ask(application: Application) -> None:
    """Import what the graph needs, outside the GUI thread."""
    import core.qa.graph  # noqa: F401 - LangGraph comes with it

    application.session  # noqa: B018 - made at its first use
