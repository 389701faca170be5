"""What the transcript shows of one question and its answer: a frozen value between the controller and the widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from core.documents import Answer
from core.scope import EVERYTHING, Scope
from desktop.conversation.days import days_of, days_words
from desktop.conversation.places import short_names
from desktop.conversation.source_place import place_of

TurnState = Literal["running", "finished", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a turn failed, in the window's language, and the label of the button that may help (empty: none)."""

    title: str
    what_to_do: str
    retry: bool = True


@dataclass(frozen=True, slots=True)
class TurnView:
    """One question and how far its answer is. `key` is unique in the window. `library_size` counts the files searched, if known.

    `text` is what was written so far when there is no `answer`. `note` is the one small line below the answer.
    """

    key: int
    question: str
    state: TurnState
    answer: Answer | None = None
    text: str = ""
    own_text: str = ""
    problem: Problem | None = None
    library_size: int | None = None
    note: str = ""
    scope: Scope = EVERYTHING


def origin_role(answer: Answer) -> str:
    """The theme colour that marks where an answer comes from."""
    return {"files": "files", "web": "web", "model": "own_knowledge", "none": "refusal"}[answer.origin]


def origin_words(answer: Answer) -> str:
    """Where an answer comes from, in one line."""
    if answer.origin == "files":
        if any(citation.url for citation in answer.citations):
            return QCoreApplication.translate("Answer", "From your files and the web")
        return QCoreApplication.translate("Answer", "From your files")
    if answer.origin == "web":
        return QCoreApplication.translate("Answer", "From the web")
    if answer.origin == "model":
        return QCoreApplication.translate("Answer", "From the model's own knowledge, not from your files")
    return QCoreApplication.translate("Answer", "Your files do not say")


def sources_strip(answer: Answer, library_size: int | None) -> str:
    """The honest summary beside the origin: how many passages of how many files, or why there are none.

    The passages of a refusal are only the closest ones: they are the source of nothing.
    """
    files = {citation.file for citation in answer.citations if citation.file is not None}
    passages = sum(1 for citation in answer.citations if citation.file is not None)
    pages = sum(1 for citation in answer.citations if citation.url)
    parts = []
    if not answer.scope.is_everything:
        library_size = None
        parts += _restrictions(answer)
    if passages and not answer.refused:
        parts.append(_passages(passages, len(files), library_size))
    elif answer.origin == "none":
        parts.append(_searched(library_size))
    if pages == 1:
        parts.append(QCoreApplication.translate("Answer", "1 web page"))
    elif pages:
        parts.append(QCoreApplication.translate("Answer", "{count} web pages").replace("{count}", str(pages)))
    return " · ".join(part for part in parts if part)


def _restrictions(answer: Answer) -> list[str]:
    """What the files were restricted to, and that a web search was not."""
    parts = []
    if answer.scope.paths:
        names = ", ".join(short_names(answer.scope.paths).values())
        parts.append(QCoreApplication.translate("Answer", "only in {places}").replace("{places}", names))
    if words := days_words(days_of(answer.scope)):
        parts.append(QCoreApplication.translate("Answer", "only {files}").replace("{files}", words))
    if answer.web.searched:
        parts.append(QCoreApplication.translate("Answer", "the web search was not restricted"))
    return parts


def _passages(passages: int, files: int, library_size: int | None) -> str:
    if library_size is not None and library_size >= files:
        text = (
            QCoreApplication.translate("Answer", "1 passage from {files} of {all} files")
            if passages == 1
            else QCoreApplication.translate("Answer", "{passages} passages from {files} of {all} files")
        )
    elif passages == 1:
        text = QCoreApplication.translate("Answer", "1 passage")
    elif files == 1:
        text = QCoreApplication.translate("Answer", "{passages} passages from 1 file")
    else:
        text = QCoreApplication.translate("Answer", "{passages} passages from {files} files")
    return text.replace("{passages}", str(passages)).replace("{files}", str(files)).replace("{all}", str(library_size))


def _searched(library_size: int | None) -> str:
    if library_size is None:
        return ""
    if library_size == 0:
        return QCoreApplication.translate("Answer", "no files in the library yet")
    if library_size == 1:
        return QCoreApplication.translate("Answer", "searched 1 file")
    return QCoreApplication.translate("Answer", "searched {all} files").replace("{all}", str(library_size))


def copied_text(answer: Answer) -> str:
    """The answer as plain text with its sources below, for the clipboard."""
    parts = [answer.text.strip()]
    if answer.own_knowledge.strip():
        heading = QCoreApplication.translate("Answer", "From the model's own knowledge, not from your files")
        parts.append(f"{heading}:\n{answer.own_knowledge.strip()}")
    if answer.citations:
        sources = QCoreApplication.translate("Answer", "Sources:")
        lines = [QCoreApplication.translate("Answer", "Closest passages:") if answer.refused else sources]
        for citation in answer.citations:
            if citation.url:
                lines.append(f"[{citation.n}] {citation.title} {citation.url}")
            else:
                lines.append(f"[{citation.n}] {citation.file}, {place_of(citation)}")
        parts.append("\n".join(lines))
    return "\n\n".join(part for part in parts if part)
