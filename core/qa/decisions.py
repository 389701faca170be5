"""Small things the model decides or writes for the graph, and what counts as a decision that broke."""

from __future__ import annotations

from core.cancel import CancelToken
from core.documents import Prompt
from core.errors import ChildCrashed, ChildTimedOut, GrammarInvalid, PromptTooLong, ReplyUnusable
from core.protocols import ChatModel

# Failures after which a node takes its safe default. A missing model or a full memory is not among them: the run cannot go on.
BROKEN_DECISION = (ReplyUnusable, GrammarInvalid, PromptTooLong, ChildCrashed, ChildTimedOut)


def write_line(chat_model: ChatModel, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> str:
    """The first line that the model writes, stripped."""
    text = ""
    pieces = chat_model.stream(prompt, max_tokens=max_tokens, cancel=cancel)
    try:
        while True:
            text += next(pieces)
    except StopIteration:
        return next((line.strip() for line in text.splitlines() if line.strip()), "")


def probability(chat_model: ChatModel, prompt: Prompt, label: str, other: str, *, cancel: CancelToken) -> float:
    """How probable `label` is against `other` as the next thing said, 0..1."""
    return chat_model.choose(prompt, (label, other), cancel=cancel).probabilities[label]
