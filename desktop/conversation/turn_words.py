"""Why a turn failed and what an answer leaves out, in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.documents import Answer
from core.errors import LamplightError
from core.store.user_store import Turn
from desktop.conversation.turn_view import Problem
from desktop.error_text import limit_text, note_text
from desktop.plain_words import shortened
from desktop.spoken_errors import spoken, translated

NOTES_SHOWN = 2
DOUBTS_SHOWN = 3


def problem_of(error: LamplightError) -> Problem:
    """What the failed turn says. Asking again is always offered: what stood in the way may be mended by then."""
    words = spoken(error)
    return Problem(words.title, words.what_to_do)


def problem_of_stored(turn: Turn) -> Problem:
    """The same for a turn that failed in an earlier run of the program."""
    return problem_of(LamplightError(turn.error_message, code=turn.error_code or "error"))


def doubt_line(answer: Answer) -> str:
    """Which parts of the answer the sources do not bear out, in their own words; empty where there are none."""
    parts = list(dict.fromkeys(shortened(answer.text[doubt.start : doubt.end]) for doubt in answer.doubts))[:DOUBTS_SHOWN]
    quoted = ", ".join(QCoreApplication.translate("StepWords", "“{text}”").replace("{text}", part) for part in parts)
    return (
        QCoreApplication.translate("Answer", "Check this, the sources do not bear it out: {parts}.").replace("{parts}", quoted)
        if parts
        else ""
    )


def note_line(answer: Answer) -> str:
    """One small line about doubtful parts, limits that were hit and parts that failed."""
    notes = [doubt_line(answer)] if answer.doubts else []
    notes += [translated(limit_text(code).title) for code in answer.limits_hit]
    notes += [translated(note_text(code).title) for code in answer.notes]
    return " ".join(list(dict.fromkeys(notes))[:NOTES_SHOWN])
