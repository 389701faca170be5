"""The form of an answer from the files: the answer itself on the first line, then the sentences that show it.

    1887

    The tower was finished in 1887, two years late [2].

The first line can be checked before anything is shown, is what a person in a hurry reads, and is what a measurement compares.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from core.qa.citations import without_marks

SHORT_CHARACTERS = 80
_SENTENCE_WORDS = 6
_SENTENCE_CHARACTERS = 14
_MARK_CHARACTERS = 12
_MARK_LIKE = re.compile(r"[\[【].{0,2}[\]】]")
_ENDED = re.compile(r"[.。!！?？]")
_FENCE = re.compile(r"</?[0-9a-f]{6}>")
# A small model sometimes begins with the end of the sentence before. ".5 m" and ".NET" are no such thing.
_STRAY = re.compile(r"\s*(?:[.,;:!?]+(?:\s+|$)|[。，；：、！？]+\s*)")


def first_line(text: str) -> str:
    """The first line that says something, without marks; empty while there is none."""
    return next((plain for line in text.splitlines() if (plain := _without_stray(without_marks(line)))), "")


def short_answer(text: str) -> str:
    """The answer alone, as it stands on the first line; empty where the answer is a text and has no such line."""
    line = first_line(text).rstrip(".。")
    return line if len(line) <= SHORT_CHARACTERS else ""


def has_words(line: str) -> bool:
    """Whether a line says anything beside marks, also such as a model makes up ("[P]")."""
    return any(character.isalnum() for character in _MARK_LIKE.sub("", line))


def shown(text: str, *, finished: bool, asked: Sequence[str] = ()) -> str:
    """What of the text so far may be shown. What this returns for a beginning is a beginning of what it returns for the whole.

    The first line is held back until it is whole, because it may still become a refusal. A sentence that only says the first line
    again is left out, and so are a question of `asked` where the explanation should be and a fence that the model copied.
    """
    text = _without_stray(_FENCE.sub("", text if finished else _without_open_fence(text)).lstrip())
    head, line_end, rest = text.partition("\n")
    if not line_end:
        return text.rstrip() if finished or len(text) > 2 * SHORT_CHARACTERS else ""
    head, rest = head.rstrip(), rest.lstrip()
    for known in (head, *asked) if _is_sentence(head) else asked:
        repeated = _repetition(known, rest)
        # What follows a repetition may be the rest of its mark, which is left out with it.
        if repeated is None or (repeated and not finished and len(rest) - repeated < _MARK_CHARACTERS):
            return head
        if repeated and (known is head or _ENDED.search(rest[:repeated]) or not rest[repeated:].strip()):
            rest = rest[repeated:].lstrip()
            break
    return f"{head}\n\n{rest}".rstrip()


def _without_stray(text: str) -> str:
    begins = _STRAY.match(text)
    return text[begins.end() :] if begins else text


def _is_sentence(line: str) -> bool:
    plain = without_marks(line)
    return len(plain.split()) >= _SENTENCE_WORDS or (not plain.isascii() and len(plain) >= _SENTENCE_CHARACTERS)


def _repetition(known: str, rest: str) -> int | None:
    """How many characters of `rest` say `known` again: 0 when it says something else, None while that is not known yet."""
    wanted, said = _letters(without_marks(known)), ""
    if not wanted:
        return 0
    for count, character in enumerate(rest):
        said += _letters(character)
        if not wanted.startswith(said):
            return 0
        if said == wanted:
            tail = re.match(r"[.。!！?？]?\s*(?:[\[【]\d{1,2}[\]】]\s*)*[.。!！?？]?", rest[count + 1 :])
            return count + 1 + (len(tail[0]) if tail else 0)
    return None


def _letters(text: str) -> str:
    return "".join(character for character in unicodedata.normalize("NFKC", text).casefold() if character.isalnum())


def _without_open_fence(text: str) -> str:
    start = text.rfind("<")
    return text[:start] if start >= 0 and len(text) - start <= len("</a1b2c3>") and ">" not in text[start:] else text
