"""Small things the model decides or writes for the graph, and what counts as a decision that broke."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.cancel import CancelToken
from core.documents import Prompt
from core.errors import ChildCrashed, ChildTimedOut, GrammarInvalid, PromptTooLong, ReplyUnusable
from core.protocols import ChatModel, Ending, Written

# Failures after which a node takes its safe default. A missing model or a full memory is not among them: the run cannot go on.
BROKEN_DECISION = (ReplyUnusable, GrammarInvalid, PromptTooLong, ChildCrashed, ChildTimedOut)


class LabelQuestion(NamedTuple):
    """A decision as the model is asked it: is `label` the next thing said, rather than `other`?"""

    prompt: Prompt
    label: str
    other: str


class Stream:
    """The pieces of a streamed text; when they are used up, `notes` says whether it was cut (`answer_cut`, `repetition_stopped`).

    Who needs no more of it stops it, so that the model does not write on and what was paid is counted.
    """

    _NOTES: Mapping[Ending, tuple[str, ...]] = {"end": (), "length": ("answer_cut",), "loop": ("repetition_stopped",)}

    def __init__(self, pieces: Generator[str, None, Written]) -> None:
        self._pieces = pieces
        self.notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[str]:
        written = yield from self._pieces
        self.notes = self._NOTES[written.ending]

    def stop(self) -> None:
        """End the text here."""
        self._pieces.close()


def write_line(chat_model: ChatModel, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> str:
    """The first line that the model writes, stripped. It writes no further than that."""
    text = ""
    stream = chat_model.stream(prompt, max_tokens=max_tokens, cancel=cancel)
    for piece in stream:
        text += piece
        if len(text.lstrip().splitlines()) > 1 or text.lstrip().endswith("\n"):
            stream.close()
            break
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def probability(chat_model: ChatModel, prompt: Prompt, label: str, other: str, *, cancel: CancelToken) -> float:
    """How probable `label` is against `other` as the next thing said, 0..1."""
    return chat_model.choose(prompt, (label, other), cancel=cancel).probabilities[label]


def probabilities(chat_model: ChatModel, questions: Sequence[LabelQuestion], *, cancel: CancelToken) -> tuple[float, ...]:
    """How probable the label is in each of several questions, at least one, that have the same labels and begin alike, 0..1."""
    label, other = questions[0].label, questions[0].other
    choices = chat_model.choose_each([question.prompt for question in questions], (label, other), cancel=cancel)
    return tuple(choice.probabilities[label] for choice in choices)
