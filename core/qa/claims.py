"""Which numbers, dates, names and quotations of an answer the evidence does not bear out: pure functions, no model.

    evidence "The fee is 40 euros, lunch 45."   answer "The fee is 45 euros."   ->  Doubt(11, 13, "number")

What occurs nowhere in the evidence is doubtful. What does occur is doubtful too when it stands in another connection than in the
answer while a rival stands in the right one. Where the two cannot be told apart there is no doubt: silence is better than a false alarm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from core.documents import Doubt
from core.qa.agreement import agree, are_rivals
from core.qa.citations import blank_marks, passage_sentences
from core.qa.figures import Figure, figures
from core.qa.names import EVERYDAY_WORDS, Name, bare, fold, han_names, latin_names, quotations
from core.qa.support import COMMON, HAN, LATIN, Context, Evidence, Place, pairs, tokens, tokens_at

# By how much (0..1) the place of a rival figure must fit the sentence better than the best place of the answer's own.
MARGIN = 0.12
# The same for a place that another figure of the answer comes from.
SHARED_MARGIN = 0.3
SHORT_TERMS = 3
# An answer that is little more than a name: how well the question must fit somewhere, and how badly where the name stands.
NAME_TOP = {"en": 0.5, "zh": 0.4}
NAME_SHARE = {"en": 0.2, "zh": 0.5}
SHORT_HAN = 14
# A sentence that has this share of its terms from one place was taken from there, so what is strange to the place was put in.
COPY_SHARE = 0.7
COPY_TERMS = 6
# A sentence that has less than this of its terms from the passages is carried by none.
CLAIM_SHARE = 0.15
# Longer than any answer a model is let write; what stands beyond is not looked at.
CHECKED_CHARACTERS = 4000
CHECKED_PARTS = 100

_MEASURE = re.compile(
    r"\s?(?:[个名位人天年月号次只条张本份件部台辆艘架座栋间层楼岁元块角秒点钟周世纪米里公千克吨斤升度倍种类项章回卷节级届代碗杯瓶桶箱包袋双对副匹"
    r"支枝颗粒篇首字页集期场轮步行组队户家所国省市县区镇村%]|分钟|小时)"
)
_IDIOM = re.compile(
    r"十分(?!钟)|万[一岁里分能般]|千[万里年]|百[年姓般货分]|三[国角峡]|四[川周处海]|五[官一金]|九[江州]|[一二]战|八[卦方路]|七夕|[两二]者|两[侧岸旁边极]"
    r"|[一二三四五六七八九]{2}(?![一二三四五六七八九十])"
)
_SUMS = re.compile(
    r"\b(?:total|sum|altogether|combined|difference|average|older|younger|longer|how (?:many|much|long|old|far))\b"
    r"|一共|总共|总计|合计|共计|相差|平均|多少|多久|几[年天个]|多大"
)
_ABOUT_EVIDENCE = re.compile(
    r"\b(?:passages?|documents?|files?|texts?|evidence|information|context|sources?|unclear)\b"
    r"|\b(?:not|n't|no) (?:\w+ ){0,3}(?:stated?|mention\w*|say|said|specif\w*|given?|provided?|found|clear)\b|段落|文中|文件|资料|没有|未|不清楚|无法"
)
_NUMBERED_THING = re.compile(r"(?:passages?|sources?|no\.|step|段落|出处|来源|步骤)\s?$")
_LIST_LINE = re.compile(r"^\s*(?:\d{1,2}[.)、]|[-*•])", re.MULTILINE)


def doubtful(answer: str, passages: Sequence[str], *, question: str = "", known: Sequence[str] = ()) -> tuple[Doubt, ...]:
    """The parts of `answer` that `passages` do not bear out, in order, without overlaps.

    What the question or `known` (short answers of earlier lookups) say counts as borne out. A passage's first line may be its heading.
    """
    if not any(passage.strip() for passage in passages):
        return ()
    answer = blank_marks(answer[:CHECKED_CHARACTERS])
    evidence = Evidence(passages, (question, *known))
    stated = list({figure.values: figure for figure in figures(answer)}.values())
    checked = [figure for figure in figures(answer) if _is_claim(figure, answer)][:CHECKED_PARTS]
    names = [*quotations(answer), *latin_names(answer)]
    if evidence.is_han:
        names += han_names(answer, evidence.pairs, evidence.characters)
    found: list[Doubt] = []
    for start, end in passage_sentences(answer):
        sentence = _Sentence(answer, start, end, question, evidence)
        own = [figure for figure in checked if start <= figure.start < end]
        found += [Doubt(figure.start, figure.end, figure.kind) for figure in own if sentence.doubts_figure(figure, stated)]
        found += [
            Doubt(name.start, name.end, name.kind)
            for name in names[:CHECKED_PARTS]
            if start <= name.start < end and sentence.doubts_name(name)
        ]
        found += [Doubt(*span, "name") for span in sentence.put_in()]
        if sentence.is_carried_by_nothing():
            found.append(Doubt(*sentence.trimmed, "claim"))
    return without_overlaps(found)


def without_overlaps(doubts: Iterable[Doubt]) -> tuple[Doubt, ...]:
    """In the order of the text; of two that overlap the shorter one stays, for it says more exactly what is doubtful; a quotation stays whole."""
    kept: list[Doubt] = []
    for doubt in sorted(doubts, key=lambda doubt: (doubt.kind != "quote", doubt.end - doubt.start)):
        if all(doubt.end <= other.start or other.end <= doubt.start for other in kept):
            kept.append(doubt)
    return tuple(sorted(kept, key=lambda doubt: doubt.start))


class _Sentence:
    """One sentence of the answer, held against the evidence."""

    def __init__(self, answer: str, start: int, end: int, question: str, evidence: Evidence) -> None:
        self.answer, self.start, self.end, self.question, self.evidence = answer, start, end, question, evidence
        self.folded = fold(answer[start:end])

    @property
    def trimmed(self) -> tuple[int, int]:
        text = self.answer[self.start : self.end]
        return self.start + len(text) - len(text.lstrip()), self.end - len(text) + len(text.rstrip())

    @cached_property
    def tokens(self) -> list[tuple[int, str]]:
        return [(self.start + at, token) for at, token in tokens_at(self.folded)]

    @cached_property
    def figures(self) -> list[Figure]:
        return [replace(figure, start=figure.start + self.start) for figure in figures(self.folded)]

    def context(self, start: int, end: int) -> Context:
        return Context(self.tokens, self.figures, start, end, self.question, self.evidence)

    # figures

    def doubts_figure(self, figure: Figure, stated: Sequence[Figure]) -> bool:
        evidence = self.evidence
        if any(agree(figure, other, evidence) for other in evidence.known_figures):
            return False
        own = [(place, at, after) for place in evidence.places for at, after, other in place.figures if agree(figure, other, evidence)]
        if not own:
            return not self._is_written(figure) and not self._is_derived(figure, stated)
        context = self.context(figure.start, figure.end)
        said = (*stated, *evidence.known_figures)
        rivals = [
            (place, at, after)
            for _, place in context.nearest
            for at, after, other in place.figures
            if are_rivals(figure, other) and not any(agree(other, known, evidence) or agree(known, other, evidence) for known in said)
        ]
        if not rivals:
            return False
        best = max(context.fit_between(*found) for found in own)
        return any(
            context.fit_between(*found) - best >= (SHARED_MARGIN if self._takes_from(found[0], figure, stated) else MARGIN)
            for found in rivals
        )

    def _takes_from(self, place: Place, figure: Figure, stated: Sequence[Figure]) -> bool:
        """Whether another figure of the answer stands in that place: then the place fits because of that one."""
        others = [other for other in stated if other.values != figure.values]
        return any(agree(other, found, self.evidence) for *_, found in place.figures for other in others)

    def _is_written(self, figure: Figure) -> bool:
        written = fold(self.answer[figure.start : figure.end])
        return bool(re.search(rf"(?<![\d.,a-z]){re.escape(written)}(?![\da-z])", self.evidence.joined))

    def _is_derived(self, figure: Figure, stated: Sequence[Figure]) -> bool:
        """Whether the number counts what the answer lists, or is a sum or difference of its numbers where such a thing was asked for."""
        value = figure.values[0]
        if value[0] != "n" or not isinstance(value[1], float):
            return False
        items = 1 + len(re.findall(r"[、,，;；]|\band\b|和|以及", self.folded))
        if 2 <= value[1] <= 20 and value[1] in (items, len(_LIST_LINE.findall(self.answer))) and items > 1:
            return True
        if not _SUMS.search(fold(self.question)):
            return False
        context = self.context(figure.start, figure.end)
        near = [other for _, place in context.nearest[:3] for *_, other in place.figures]
        parts = {
            v[1]
            for other in (*stated, *near)
            if other != figure
            for v in other.values
            if v[0] in ("n", "d") and isinstance(v[1], int | float)
        }
        return any(a + b == value[1] or abs(a - b) == value[1] for a in parts for b in parts if a != b) or sum(parts) == value[1]

    # names and quotations

    def doubts_name(self, name: Name) -> bool:
        text = self.answer[name.start : name.end]
        if name.kind == "quote" or self.answer[name.start - 1 : name.start] == "《":
            return self._is_misquoted(text)
        if self.answer[name.end : name.end + 3].lstrip("* ").startswith((":", "：")):
            return False  # the label of what follows, not a statement
        is_code = any(c.isdigit() for c in text)
        if LATIN.search(fold(text)) and self.evidence.is_han and not is_code:
            return False
        if any(not self._knows(word) for word in name.words):
            return not self._is_abbreviation(name) and not (name.begins_sentence and self._is_no_subject(name))
        return self._is_put_in(name) or (not name.begins_sentence and self._is_misplaced(name))

    def _knows(self, word: str) -> bool:
        evidence = self.evidence
        if HAN.search(word):
            return word[:3] in evidence.joined
        if word in evidence.words:
            return True
        if any(c.isdigit() for c in word):
            return bare(word) in evidence.bare
        beginning = word[: max(4, len(word) - 2)]
        parts = [part for part in re.split(r"[-'’&.]", word) if part]
        return bool(re.search(rf"\b{re.escape(beginning)}", evidence.joined)) or (
            len(parts) > 1 and all(p in evidence.words for p in parts)
        )

    def _is_abbreviation(self, name: Name) -> bool:
        if len(name.words) == 1:
            return self.answer[name.start : name.end].isupper() and name.words[0] in self.evidence.initials
        return "".join(word[0] for word in name.words) in self.evidence.words

    def _is_no_subject(self, name: Name) -> bool:
        """Whether a capital letter that begins a sentence says nothing about a name: no verb follows that needs a subject."""
        return not re.match(
            r"(?:'s)? (?:is|was|has|had|wrote|were|are)\b|[,，] (?:a|an|the|who|which|founded|often|born)\b",
            self.answer[name.end : name.end + 12],
        )

    def _is_misquoted(self, text: str) -> bool:
        if self.evidence.is_han != bool(HAN.search(text)):
            return False
        few = len(text) <= 1 if HAN.search(text) else len(text.split()) <= 2 and text.islower()
        return not few and any(part and part not in self.evidence.bare for part in map(bare, re.split(r"…+|\.{3,}", text)))

    def _is_misplaced(self, name: Name) -> bool:
        """For an answer that is little more than a name: whether the question points to places where the name is not."""
        context = self.context(name.start, name.end)
        if len(context.said) > SHORT_TERMS or not self.question:
            return False
        language = "zh" if HAN.search(name.words[-1]) else "en"
        if language == "zh":
            own = [
                context.fit(place, next(iter(place.at.get(name.words[0][0], [0]))))
                for place in self.evidence.places
                if name.words[0] in place.text
            ]
        else:
            own = [
                context.fit(place, place.at[name.words[-1]][0]) for place in self.evidence.places if all(w in place.at for w in name.words)
            ]
        top = context.nearest[0][0] if context.nearest else 0.0
        return bool(own) and top >= NAME_TOP[language] and max(own) < NAME_SHARE[language] * top

    def put_in(self) -> list[tuple[int, int]]:
        """What a sentence has that the place it was taken from does not have: in Chinese, and where the whole answer is a name."""
        end = self.trimmed[1]
        if not self.evidence.is_han or not HAN.search(self.folded):
            return []
        spans = []
        run = re.search(r"[\u3400-\u4dbf\u4e00-\u9fff·]{2,}", self.answer[(self.tokens or [(end, "")])[0][0] : end])
        whole = run and len("".join(token for _, token in self.tokens)) == len(run[0]) <= SHORT_HAN
        if run and whole:
            at = self.tokens[0][0]
            piece = fold(run[0])
            known = len(pairs(piece) & self.evidence.pairs)
            if known < 0.5 * len(pairs(piece)) or self._is_misplaced(Name(at, at + len(piece), "name", (piece,))):
                spans.append((at, at + len(piece)))
            return spans
        own = {(at, pair) for at, pair in self._han_pairs()}
        if len(own) < COPY_TERMS:
            return []
        place = max(self.evidence.places, key=lambda place: len({pair for _, pair in own} & _pairs_of(place)), default=None)
        if place is None:
            return []
        support = set().union(
            *(_pairs_of(p) for p in (place, *self.evidence.around(place), self.evidence.heading(place))),
            *(pairs(t) for t in self.evidence.known),
        )
        if sum(pair in support for _, pair in own) < COPY_SHARE * len(own):
            return []
        strange = sorted(at for at, pair in own if pair not in support)
        for at in strange:
            if spans and at <= spans[-1][1] - 1:
                spans[-1] = (spans[-1][0], at + 2)
            else:
                spans.append((at, at + 2))
        # The first and the last pair of a strange run reach over its border by one character.
        inner = [(a + 1, b - 1) for a, b in spans]
        return [(a, b) for a, b in inner if b - a >= 2 and not self._is_everyday(self.answer[a:b])]

    def _is_everyday(self, text: str) -> bool:
        return len(EVERYDAY_WORDS.sub("", fold(text))) < 2

    def _han_pairs(self) -> list[tuple[int, str]]:
        text = self.folded
        first = self.tokens[0][0] - self.start if self.tokens else len(text)
        return [(self.start + i, text[i : i + 2]) for i in range(first, len(text) - 1) if HAN.match(text[i]) and HAN.match(text[i + 1])]

    def _is_put_in(self, name: Name) -> bool:
        """Whether the sentence was taken from a place that knows nothing of the name."""
        said = {token for at, token in self.tokens if not name.start <= at < name.end and token not in COMMON}
        if len(said) < COPY_TERMS or not self.evidence.places:
            return False
        if HAN.search(name.words[0]) or not all(word.isalnum() for word in name.words):
            return False
        place = max(self.evidence.places, key=lambda place: len(said & place.at.keys()))
        support = {token for other in (place, *self.evidence.around(place), self.evidence.heading(place)) for token in other.at}
        support |= {token for text in self.evidence.known for token in tokens(text)}
        return len(said & place.at.keys()) >= COPY_SHARE * len(said) and not any(word in support for word in name.words)

    def is_carried_by_nothing(self) -> bool:
        """Whether the passages have next to nothing of what the sentence says."""
        han = bool(HAN.search(self.folded))
        if han != self.evidence.is_han or _ABOUT_EVIDENCE.search(self.folded) or self.folded.rstrip().endswith((":", "：")):
            return False
        if han:
            own = {pair for _, pair in self._han_pairs()}
            return len(own) >= 5 and len(own & self.evidence.pairs) < CLAIM_SHARE * len(own)
        terms = {token for _, token in self.tokens if token not in COMMON}
        return len(terms) >= 5 and sum(self._knows(term) for term in terms) < 2 * CLAIM_SHARE * len(terms)


def _pairs_of(place: Place) -> set[str]:
    return pairs(place.text)


def _is_claim(figure: Figure, answer: str) -> bool:
    """Whether a number states something: not 一 of 一般, not 十分, not the number of a passage or of a step."""
    start, end = figure.start, figure.end
    value = figure.values[0]
    if _NUMBERED_THING.search(fold(answer[max(0, start - 10) : start])):
        return False
    if figure.written == "words":
        return value[1] not in (0.0, 1.0) and not (figure.rounded and isinstance(value[1], float) and value[1] < 4)
    if figure.written == "han":
        if value[1] in (0.0, 1.0) or _IDIOM.match(answer, start):
            return False
        return (
            end - start > 1
            or bool(_MEASURE.match(answer, end))
            or (answer[start - 1 : start] == "第" and answer[end : end + 1] not in "，,、：:")
        )
    return not (answer[start - 1 : start] in ("(", "（") and answer[end : end + 1] in (")", "）") and end - start <= 2)
