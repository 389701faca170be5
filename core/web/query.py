"""What may leave the machine: a query made of the question's own words, and of nothing else.

Documents are private and may carry instructions ("search the web for <name> <IBAN>"). So a query is built from the question
alone, and before it is sent it is compared with every passage the run has read: a run of words or characters that it shares
with a passage, and that the question does not have, refuses it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from core.errors import InvalidRequest

MAX_CHARACTERS = 150
SHARED_WORDS = 5
SHARED_CHARACTERS = 16
SHARED_CJK_CHARACTERS = 8

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK_RUN = re.compile(f"[{_CJK}]{{{SHARED_CJK_CHARACTERS},}}")
_WORD = re.compile(r"\w+")

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"\b(?:https?|ftp)://(?:[^\s/@]*@)?([^\s/:?#]+)\S*", re.IGNORECASE)
_PATH = re.compile(
    r"""
    file://\S+                                  # file:///home/x
    | (?<![\w])[A-Za-z]:[\\/][^\s"'<>|]*        # C:\Users\x
    | \\\\[^\s"'<>|]+                           # \\server\share
    | (?<![\w:/.])~?/(?:[^\s/"'<>|]+/)+[^\s/"'<>|]*  # /home/x/y, ~/x/y
    | (?<![\w:/.])~/[^\s"'<>|]+                 # ~/x
    | (?<![\w:/.])\.{1,2}/[^\s"'<>|]+           # ./x, ../x
    """,
    re.VERBOSE | re.ASCII,
)
# ASCII borders: in Chinese nothing but another script stands between a word and the number after it.
_IBAN = re.compile(r"\b[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,4})?\b", re.ASCII)
_PHONE = re.compile(r"(?<![\w])(?:\+|00)?\(?\d(?:[\s().\-/]{0,2}\d){6,18}(?!\w)", re.ASCII)
_SHORT_PHONE = re.compile(r"(?<![\w-])\d{3}-\d{4}(?![\w-])", re.ASCII)
_DATE = re.compile(r"\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|\b\d{1,2}[-/.]\d{1,2}[-/.]\d{4}\b|\b(?:1\d|20)\d\d\s?[-/]\s?(?:1\d|20)\d\d\b")


def build_web_query(question: str, passages: Sequence[str] = ()) -> str:
    """Return the text that may be sent to a search engine for `question`, at most 150 characters.

    E-mail addresses, phone numbers, bank accounts and paths are left out. `passages` are all texts from files that the run has
    read; they can only forbid the query, never add to it.

    Raises:
        InvalidRequest: nothing is left to search for, or the query would carry text of a passage; code `web_query_refused`.
    """
    query = _cut(_without_private(question))
    if not _WORD.search(query):
        raise InvalidRequest("The question has no words that may be sent to the web.", code="web_query_refused")
    check_web_query(query, question, passages)
    return query


def check_web_query(query: str, question: str, passages: Sequence[str]) -> None:
    """Refuse a query, also one that a person edited or a model proposed, that carries what a passage says and the question does not.

    Raises:
        InvalidRequest: with code `web_query_refused`.
    """
    asked = _folded(question)
    asked_words = f" {' '.join(_WORD.findall(asked))} "
    new_runs = {run for run in _character_runs(_folded(query)) if run not in asked}
    new_phrases = {phrase for phrase in _phrases(_folded(query)) if phrase not in asked_words}
    for passage in passages:
        text = _folded(passage)
        words = f" {' '.join(_WORD.findall(text))} "
        if any(run in text for run in new_runs) or any(phrase in words for phrase in new_phrases):
            raise InvalidRequest("The web query would carry text from your files.", code="web_query_refused")


def _without_private(text: str) -> str:
    text = "".join(character if unicodedata.category(character)[0] != "C" else " " for character in text)
    text = _URL.sub(r" \1 ", text)
    for pattern in (_EMAIL, _PATH):
        text = pattern.sub(" ", text)
    text = _IBAN.sub(_unless(lambda found: sum(map(str.isdigit, found)) < 10), text)
    text = _PHONE.sub(_unless(_is_number_or_date), text)
    text = _SHORT_PHONE.sub(" ", text)
    return " ".join(text.split())


def _unless(harmless: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
    return lambda match: match.group() if harmless(match.group()) else " "


def _is_number_or_date(found: str) -> bool:
    digits = sum(map(str.isdigit, found))
    return bool(_DATE.search(found)) or (digits < 9 and not found.startswith(("+", "00", "(")))


def _cut(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    head = text[:MAX_CHARACTERS]
    at_word, _, _ = head.rpartition(" ")
    # Chinese has no spaces: a cut there may fall anywhere.
    return at_word if len(at_word) > MAX_CHARACTERS // 2 else head


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _character_runs(text: str) -> set[str]:
    runs = {text[at : at + SHARED_CHARACTERS] for at in range(len(text) - SHARED_CHARACTERS + 1)}
    for match in _CJK_RUN.finditer(text):
        run = match.group()
        runs |= {run[at : at + SHARED_CJK_CHARACTERS] for at in range(len(run) - SHARED_CJK_CHARACTERS + 1)}
    return runs


def _phrases(text: str) -> set[str]:
    words = _WORD.findall(text)
    return {f" {' '.join(words[at : at + SHARED_WORDS])} " for at in range(len(words) - SHARED_WORDS + 1)}
