"""Why a passage does not answer a question, and what the question is about and asks for: from its own words, without a model."""

from __future__ import annotations

import re
from typing import Literal

from core.documents import ScoredChunk, ShortfallCode
from core.qa.citations import share, terms
from core.qa.language import prompt_language
from core.qa.names import EVERYDAY_WORDS, bare, han_names, latin_names, quotations
from core.qa.support import HAN

AskedKind = Literal["reason", "person", "time", "place", "number", "way", "fact"]

SUBJECT_WORDS = 5
# Share of a question's terms from which on a passage is about its subject.
ON_SUBJECT = 0.4

# Behind another such word it begins a clause: "What happens to members who pay late?", "What is done when the pump fails?"
_FIRST = r"^(?:(?!\b(?:what|which|who|whom|whose|how|when|where|why)\b)[\s\S])*"
_ASKS: dict[AskedKind, re.Pattern[str]] = {
    "reason": re.compile(rf"{_FIRST}\bwhy\b|为什么|为何|原因|怎么会", re.IGNORECASE),
    "person": re.compile(rf"{_FIRST}\b(?:who|whom|whose)\b|谁|哪[位个]人|何人", re.IGNORECASE),
    "time": re.compile(
        rf"{_FIRST}\bwhen\b|\b(?:what|which) (?:year|date|day|time)\b|什么时候|何时|哪[年天]|哪一[年天]|几[点月日]|日期|时间",
        re.IGNORECASE,
    ),
    "place": re.compile(rf"{_FIRST}\bwhere\b|哪里|哪儿|在哪|何处|什么地方", re.IGNORECASE),
    "number": re.compile(
        r"\bhow (?:many|much|long|old|far|often|tall|big|high)\b|\b(?:what|which) (?:is the )?(?:number|amount|percentage|price|cost|fee)\b"
        r"|多少|几[个次天年人]|多[长久高大远]",
        re.IGNORECASE,
    ),
    "way": re.compile(rf"{_FIRST}\bhow\b|怎么|如何|怎样", re.IGNORECASE),
}
_HAN_ASKING = re.compile(r"什么时候|为什么|什么|多少|哪里|哪个|哪[位年天些]|怎么|怎样|如何|谁|几[个次天年]|吗|呢|请问|[有坐人？?，。、]")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_ASKING = frozenset(
    (
        "what who whom whose when where which how why does did can could will would should much many long often the and for are was were has have "
        "had from with that this about into there tell please give name"
    ).split()
)


def shortfall(question: str, found: ScoredChunk) -> ShortfallCode:
    """Why a passage does not answer, from the question's names and words."""
    passage = f"{found.chunk.context}\n{found.chunk.text}"
    names = question_names(question)
    known = bare(passage)
    if names and not any(bare(name) in known for name in names):
        return "no_names"
    return "no_answer" if share(terms(question), terms(passage)) >= ON_SUBJECT else "other_topic"


def asked_kind(question: str) -> AskedKind:
    """What sort of thing a question asks for."""
    return next((kind for kind, asks in _ASKS.items() if asks.search(question)), "fact")


def question_names(question: str) -> tuple[str, ...]:
    """The names in a question: capitalised words, codes, titles in 《》, and pieces of Chinese that are no everyday words."""
    found = [*latin_names(question), *quotations(question)]
    if HAN.search(question):
        found += han_names(_HAN_ASKING.sub(lambda asking: " " * len(asking[0]), question), (), ())
    return tuple(dict.fromkeys(question[name.start : name.end] for name in found if not name.begins_sentence))


def question_subject(question: str) -> str:
    """The words that say what a question is about, as a short list of quotations; empty where there are none."""
    if prompt_language(question) == "zh":
        parts = _HAN_ASKING.split(question)
        words = [piece for part in parts for piece in re.findall(r"[\w-]{2,}", EVERYDAY_WORDS.sub(" ", part))]
        between = "、"
    else:
        names = question_names(question)
        inside = {word for name in names for word in name.split()}
        plain = [word for word in _WORD.findall(question) if word not in inside and word.casefold() not in _ASKING and len(word) > 2]
        words = [*names, *plain]
        between = ", "
    return between.join(f"“{word}”" for word in list(dict.fromkeys(words))[:SUBJECT_WORDS])
