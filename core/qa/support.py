"""How well places of the evidence fit what an answer says: by the words that both have, the rarer and the nearer the more."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from core.qa.citations import passage_sentences
from core.qa.figures import Figure, figures
from core.qa.names import bare, fold, stem

# What a word counts that stands in the sentence itself, in the one beside it, elsewhere in the passage.
SAME, BESIDE, PASSAGE = 0.6, 0.45, 0.3
QUESTION_WEIGHT = 0.6
NEAR_TOKENS = 12
NEAREST = 10
# Words of the answer farther away than this say less about a part of it: they may belong to the next clause.
CLAUSE_CHARACTERS = 15

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
LATIN = re.compile(r"[a-z]{3,}")
_TOKEN = re.compile(r"[a-z0-9\u00df-\u024f]+(?:['’-][a-z0-9\u00df-\u024f]+)*|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
# Words that say where an answer comes from, not what it is.
_LEAD = re.compile(
    r"\s*(?:(?:according to|based on|from|in) (?:the|these|this) (?:passages?|documents?|files?|texts?|information|context)[^,.\n]{0,30}, ?)?"
    r"(?:the answer (?:is|to the question is):? )?(?:(?:根据|按照|依据)[^，,。\n]{0,14}[，,])?(?:答案?[是为：:])?"
)
COMMON = frozenset(
    (
        "the a an of to in is are was were and or it he she they for on at by with from that this as be been has have had not its his her "
        "their which who what when where how did does do will would can could than then also but if so such into there these those about "
        "much many often long whose whom "
        "的 了 是 在 和 与 有 为 于 之 也 这 那 哪 什 么 多 少 几 个 请 问 吗 呢"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Place:
    """One sentence of the evidence: its tokens and where they stand, and its figures, each with its first token and the one behind it."""

    passage: int
    number: int
    text: str
    tokens: list[str]
    at: dict[str, list[int]]
    figures: list[tuple[int, int, Figure]]


class Evidence:
    """Passages made ready for many look-ups; `known` are texts that count as borne out but have no place of their own."""

    def __init__(self, passages: Sequence[str], known: Sequence[str] = ()) -> None:
        self.places: list[Place] = []
        self.terms: list[set[str]] = []
        folded = [fold(text) for text in passages]
        for number, text in enumerate(folded):
            found = _places(number, text, len(self.places))
            self.places += found
            self.terms.append({token for place in found for token in place.at})
        self.frequency: dict[str, int] = {}
        for place in self.places:
            for token in place.at:
                self.frequency[token] = self.frequency.get(token, 0) + 1
        self.known = [fold(text) for text in known]
        self.joined = "\n".join((*folded, *self.known))
        self.known_figures = [figure for text in self.known for figure in figures(text)]

    @cached_property
    def words(self) -> set[str]:
        return set(self.frequency) | {token for text in self.known for token in tokens(text)}

    @cached_property
    def bare(self) -> str:
        return bare(self.joined)

    @cached_property
    def pairs(self) -> set[str]:
        return pairs(self.joined)

    @cached_property
    def characters(self) -> set[str]:
        return set(self.joined)

    @cached_property
    def initials(self) -> set[str]:
        """First letters of neighbouring words: what an abbreviation may stand for."""
        letters = "".join(word[0] for word in LATIN.findall(self.joined))
        return {letters[i : i + n] for n in (2, 3, 4, 5) for i in range(len(letters) - n + 1)}

    @cached_property
    def years(self) -> set[object]:
        dated = (figure for place in self.places for *_, figure in place.figures)
        return {value[1] for figure in (*dated, *self.known_figures) for value in figure.values if value[0] in ("d", "n")}

    @cached_property
    def is_han(self) -> bool:
        """Whether the passages are in Chinese rather than in Latin letters: names of the other script may be translated."""
        return len(HAN.findall(self.joined)) > len(LATIN.findall(self.joined))

    def around(self, place: Place) -> list[Place]:
        """The sentences beside a place, in its passage."""
        near = self.places[max(place.number - 1, 0) : place.number + 2]
        return [other for other in near if other.passage == place.passage and other is not place]

    def heading(self, place: Place) -> Place:
        """The first line of the place's passage."""
        return next(other for other in self.places if other.passage == place.passage)

    def weight(self, token: str) -> float:
        """How much a token tells places apart; 0 where the evidence does not have it."""
        found = self.frequency.get(token, 0)
        return math.log(1 + len(self.places) / found) if found else 0.0


class Context:
    """What an answer's sentence and the question say around one of its parts, and how well that fits places of the evidence."""

    def __init__(
        self, around: Sequence[tuple[int, str]], stated: Sequence[Figure], start: int, end: int, question: str, evidence: Evidence
    ) -> None:
        outside = [(at, token) for at, token in around if not start <= at < end]
        values = [(figure.start, key) for figure in stated if not start <= figure.start < end for key in value_keys(figure)]
        self.before = next((token for at, token in reversed(outside) if at < start), "")
        self.behind = next((token for at, token in outside if at >= end), "")
        self.said = {token for _, token in outside if token not in COMMON and not token.isdecimal()}
        asked = [token for token in tokens(fold(question)) if token not in COMMON]
        asked += [key for figure in figures(question) for key in value_keys(figure)]
        weights = {token: QUESTION_WEIGHT * evidence.weight(token) for token in asked}
        for at, token in (*outside, *values):
            if token in self.said or token[0] == "=":
                away = max(0, (start - at if at < start else at - end) - CLAUSE_CHARACTERS)
                weights[token] = max(weights.get(token, 0.0), evidence.weight(token) * max(0.3, 1 - away / (3 * CLAUSE_CHARACTERS)))
        self.weights = {token: weight for token, weight in weights.items() if weight > 0}
        self.total = sum(self.weights.values())
        self.evidence = evidence

    @cached_property
    def nearest(self) -> list[tuple[float, Place]]:
        """The places that fit best, best first, with how well (0..1)."""
        fits = [(self.fit(place), place) for place in self.evidence.places]
        return sorted(fits, key=lambda found: -found[0])[:NEAREST]

    def fit(self, place: Place, at: int | None = None) -> float:
        """Share (0..1) of the context that a place has; nearer to its token `at` is more."""
        if not self.total:
            return 0.0
        terms = self.evidence.terms[place.passage]
        beside = self.evidence.around(place)
        found = 0.0
        for token, weight in self.weights.items():
            stands = place.at.get(token)
            if stands is not None:
                distance = 0 if at is None else min(abs(at - here) for here in stands)
                found += weight * (SAME + (1 - SAME) * max(0.0, 1 - distance / NEAR_TOKENS))
            elif token in terms:
                found += weight * (BESIDE if any(token in other.at for other in beside) else PASSAGE)
        return found / self.total

    def fit_between(self, place: Place, first: int, after: int) -> float:
        """Like `fit`, and more where the tokens right before and behind are those that the answer has too."""
        behind = place.tokens[after] if after < len(place.tokens) else ""
        before = place.tokens[first - 1] if first else ""
        return self.fit(place, first) + 0.15 * (behind == self.behind != "") + 0.1 * (before == self.before != "")


def tokens(folded: str) -> Iterator[str]:
    """Words without their endings, figures, and single characters of scripts without spaces."""
    return (_key(found[0]) for found in _TOKEN.finditer(folded))


def tokens_at(folded: str) -> list[tuple[int, str]]:
    """Tokens of a sentence of an answer with their places; words that only say where it comes from are left out."""
    lead = _LEAD.match(folded)
    return [(found.start(), _key(found[0])) for found in _TOKEN.finditer(folded, lead.end() if lead else 0)]


def value_keys(figure: Figure) -> list[str]:
    """What a figure is compared by beside its letters, so that 27 August is the 2025-08-27 of a table."""
    keys = [f"={value}" for value in figure.values]
    return keys + [f"={('d', None, *value[2:])}" for value in figure.values if value[0] == "d" and value[1] and value[2]]


def pairs(text: str) -> set[str]:
    """Pairs of neighbouring characters."""
    return {text[i : i + 2] for i in range(len(text) - 1)}


def _places(passage: int, text: str, first: int) -> list[Place]:
    matches = [(found.start(), _key(found[0])) for found in _TOKEN.finditer(text)]
    starts = [start for start, _ in matches]
    keys = [key for _, key in matches]
    known = list(figures(text))
    places: list[Place] = []
    for start, end in passage_sentences(text):
        a, b = bisect_left(starts, start), bisect_left(starts, end)
        if a == b:
            continue
        at: dict[str, list[int]] = {}
        for number, key in enumerate(keys[a:b]):
            at.setdefault(key, []).append(number)
        for figure in known:
            if start <= figure.start < end:
                for key in value_keys(figure):
                    at.setdefault(key, []).append(bisect_left(starts, figure.start) - a)
        own = [
            (bisect_left(starts, figure.start) - a, bisect_left(starts, figure.end) - a, figure)
            for figure in known
            if start <= figure.start < end
        ]
        places.append(Place(passage, first + len(places), text[start:end], keys[a:b], at, own))
    return places


@lru_cache(maxsize=20_000)
def _key(token: str) -> str:
    return stem(token) if token.isascii() else token
