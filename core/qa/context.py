"""Everything a node depends on, handed to it by the run."""

from __future__ import annotations

from dataclasses import dataclass

from core.cancel import CancelToken
from core.protocols import ChatModel, Retriever, WebConsent, WebSearch
from core.qa.limits import Meter
from core.qa.thresholds import Thresholds
from core.settings import WebMode


@dataclass(frozen=True, slots=True)
class QAContext:
    """One run's surroundings. `consent` is None where nobody can be asked: then mode `ask` means no."""

    chat_model: ChatModel
    retriever: Retriever
    web_search: WebSearch
    consent: WebConsent | None
    web_mode: WebMode
    own_knowledge: bool
    thresholds: Thresholds
    meter: Meter
    cancel: CancelToken
