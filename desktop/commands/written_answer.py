"""An answer in plain text: what it says, where it comes from, and its sources numbered under it."""

from __future__ import annotations

from core.documents import Answer, Citation
from core.errors import WebSearchFailed
from core.events import AnswerText
from desktop.commands.restriction import scope_words
from desktop.error_text import describe, limit_text, note_text
from desktop.page_words import page_text
from desktop.plain_words import shortened
from desktop.terminal import Terminal, shown_path

OWN_KNOWLEDGE = "From the model's own knowledge, not from your files:"
QUOTE_CHARACTERS = 300


class AnswerWriter:
    """Writes one answer to stdout: piece by piece on a terminal, in its final form alone anywhere else. In JSON mode it writes nothing."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._files: list[str] = []
        self._model: list[str] = []
        self._without_files = False
        self._finished = False

    def answering_without_files(self) -> None:
        """All text from here on is the model's own."""
        self._without_files = True

    def add(self, piece: AnswerText) -> None:
        """More text has been written."""
        own = piece.own_knowledge or self._without_files
        if self._terminal.is_live:
            if own and not self._model:
                self._terminal.stream(("\n\n" if self._files else "") + OWN_KNOWLEDGE + "\n")
            self._terminal.stream(piece.text)
        (self._model if own else self._files).append(piece.text)

    def restart(self) -> None:
        """The answer is written again from more evidence: what was shown of it no longer holds."""
        if self._terminal.is_live and self._files:
            self._terminal.stream("\n\n(More was found, so the answer is written again:)\n")
        self._files.clear()

    def finish(self, answer: Answer) -> None:
        """The answer is complete."""
        self._finished = True
        if self._terminal.as_json:
            return
        if self._terminal.is_live and self._shown == _body(answer):
            self._terminal.stream("\n")
        elif self._terminal.is_live and (self._files or self._model):
            self._terminal.stream("\n\n(Checked against its sources, the answer is:)\n")
            self._terminal.result(_body(answer))
        else:
            self._terminal.result(_body(answer))
        for line in closing_lines(answer):
            self._terminal.result(line)
        for code in answer.notes:
            self._terminal.note(f"Note: {note_text(code).title}")
        for code in answer.limits_hit:
            self._terminal.note(f"Limit: {limit_text(code).title}")

    def abandon(self) -> None:
        """The run broke off: what was written until then is kept."""
        if self._finished or self._terminal.as_json:
            return
        if self._terminal.is_live:
            self._terminal.stream("\n" if self._shown else "")
        elif self._shown:
            self._terminal.result(self._shown)

    @property
    def _shown(self) -> str:
        return _joined("".join(self._files), "".join(self._model))


def _body(answer: Answer) -> str:
    if answer.origin == "model":
        return _joined("", "\n\n".join(part for part in (answer.text, answer.own_knowledge) if part))
    return _joined(answer.text, answer.own_knowledge)


def _joined(files: str, model: str) -> str:
    parts = [files.strip()] if files.strip() else []
    if model.strip():
        parts.append(f"{OWN_KNOWLEDGE}\n{model.strip()}")
    return "\n\n".join(parts)


def closing_lines(answer: Answer) -> list[str]:
    """What stands under an answer: where alone it was looked for, its sources or the closest passages of a refusal, and what the web search did."""
    lines = [] if answer.scope.is_everything else ["", f"Searched only {scope_words(answer.scope)}"]
    if answer.doubts:
        parts = dict.fromkeys(f'"{shortened(answer.text[doubt.start : doubt.end])}"' for doubt in answer.doubts)
        lines += ["", f"Check this, the sources do not bear it out: {', '.join(parts)}"]
    if answer.citations:
        heading = "Closest passages" if answer.refused else "Sources"
        lines += ["", heading, *(line for citation in answer.citations for line in _source(citation))]
    if answer.web.searched and not answer.web.error:
        unrestricted = "" if answer.scope.is_everything else " (a web search is not restricted)"
        lines += ["", f'Searched the web for "{answer.web.query}": {len(answer.web.results)} results{unrestricted}']
    elif answer.web.error:
        text = describe(WebSearchFailed("", code=answer.web.error))
        lines += ["", text.title]
    return lines


def _source(citation: Citation) -> list[str]:
    if citation.file is None:
        return [f"[{citation.n}] {citation.title} <{citation.url}>", *([f"    {_short(citation.quote)}"] if citation.quote else [])]
    page = f" ({page_text(citation.file, citation.page)})" if citation.page is not None else ""
    return [f"[{citation.n}] {shown_path(citation.file)}:{citation.line}{page}", f"    {_short(citation.quote)}"]


def _short(text: str) -> str:
    words = " ".join(text.split())
    return f'"{words[:QUOTE_CHARACTERS]}{"…" if len(words) > QUOTE_CHARACTERS else ""}"'
