"""Text that nobody wrote and that is distributed as language is: a few words stand everywhere, most are rare. The same for the same seed.

What an index costs depends on how many different words there are and how they repeat, not on what they say.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

_FREQUENT = (
    "the of and to a in that it is was for on with as he be at by had not are but from or have an they which one you were her all she there would their"
    " we him been has when who will more no if out so said what up its about into than them can only other new some could time these two may then do"
    " first any my now such like our over man me even most made after also did many before must through back years where much your way well down"
)
_SYLLABLES = (
    "an ar ba ber bo cal can car cha com con cor da de di dis do el en er es ex fa fer fi for ga ge gra ha her in ing ka la le lo lu ma man mar"
    " me mi mo na ne ni no nor on or pa par pe per pla po por pre pro qua ra re ri ro sa se si so sta ste stra su sur ta te ten ter ti tion to tra tri"
    " un ur va ve ver vi vo wa we wil win"
)
_FREQUENT_CHARACTERS = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看"
    "文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机"
)
_ENGLISH_WORDS, _CHINESE_WORDS, _CHARACTERS = 24_000, 16_000, 3_200


@dataclass(frozen=True, slots=True)
class Language:
    """The words of a language, most frequent first, how they are strung together, and how many there are in a sentence."""

    words: Sequence[str]
    weights: Sequence[float]
    between: str
    comma: str
    full_stop: str
    words_of_sentence: tuple[int, int]

    def sentence(self, draw: random.Random) -> str:
        """A sentence without the space behind it."""
        count = draw.randint(*self.words_of_sentence)
        words = draw.choices(self.words, cum_weights=self.weights, k=count)
        if count > 11:
            words[count // 2] += self.comma
        said = self.between.join(words)
        return said[:1].upper() + said[1:] + self.full_stop

    def paragraph(self, draw: random.Random) -> str:
        """A few sentences on one line."""
        return self.between.join(self.sentence(draw) for _ in range(draw.randint(2, 7)))

    def document(self, draw: random.Random, characters: int) -> str:
        """Paragraphs under Markdown headings, about so many characters and no more."""
        parts = [f"# {self._title(draw)}"]
        size = len(parts[0])
        while size < characters:
            parts.append(f"## {self._title(draw)}" if draw.random() < 0.1 else self.paragraph(draw))
            size += len(parts[-1]) + 2
        return "\n\n".join(parts)[:characters]

    def _title(self, draw: random.Random) -> str:
        return self.between.join(draw.choices(self.words, cum_weights=self.weights, k=draw.randint(2, 5))).capitalize()


def english() -> Language:
    """Frequent words are English, rare ones only look so."""
    draw = random.Random(1)
    syllables = _SYLLABLES.split()
    words = dict.fromkeys(_FREQUENT.split())
    while len(words) < _ENGLISH_WORDS:
        words["".join(draw.choices(syllables, k=draw.choice((2, 2, 3, 3, 3, 4))))] = None
    return _language(list(words), " ", ",", ".", (5, 28))


def chinese() -> Language:
    """Words of one to three characters, of which a few hundred make most of the text."""
    draw = random.Random(2)
    # Those of a national standard: the ones that are written at all.
    others = [mark for mark in map(chr, range(0x4E00, 0x9FA5)) if mark.encode("gb2312", "ignore") and mark not in _FREQUENT_CHARACTERS]
    characters = [*_FREQUENT_CHARACTERS, *draw.sample(others, _CHARACTERS - len(_FREQUENT_CHARACTERS))]
    weights = _zipf(len(characters))
    words = dict.fromkeys(_FREQUENT_CHARACTERS[:120])
    while len(words) < _CHINESE_WORDS:
        words["".join(draw.choices(characters, cum_weights=weights, k=draw.choice((2, 2, 2, 2, 3))))] = None
    return _language(list(words), "", "，", "。", (4, 24))


def _language(words: Sequence[str], between: str, comma: str, full_stop: str, length: tuple[int, int]) -> Language:
    return Language(words, _zipf(len(words)), between, comma, full_stop, length)


def _zipf(count: int) -> list[float]:
    """Running sums of weights that fall as in language: the n-th word is said a little more than 1/n times as often as the first."""
    return list(accumulate(1 / (rank + 2.7) for rank in range(count)))


def repeated(make: Callable[[], str], draw: random.Random, size: int, *, pool: int = 4_000) -> str:
    """At least `size` characters out of a pool of paragraphs that `make` makes, in random order, cut at `size`: quick, for very large files."""
    paragraphs = [make() for _ in range(pool)]
    parts: list[str] = []
    have = 0
    while have < size:
        parts.append(draw.choice(paragraphs))
        have += len(parts[-1]) + 2
    return "\n\n".join(parts)[:size]
