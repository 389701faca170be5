"""From the marks a model wrote to sources that are true: every quote is a slice of the text it is said to come from.

    "The fee is 40 euros [2]."  ->  source 2's sentence that shares most with the claim, with its offsets and line

Marks to passages that do not exist are dropped. A sentence without a mark gets one where a passage plainly carries it. Sources
are numbered in the order in which the answer uses them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.documents import Citation, ScoredChunk, WebResult
from core.simplified import simplified

# Share of a sentence's terms that a passage must hold: to be given as a source unasked, and to stay one that the model named or
# whose figures and codes all agree (that ties an answer to a passage in another language too).
SUPPORT = 0.5
# Pairs of characters cut across the borders of words, so that fewer of them can be shared.
SUPPORT_IN_PAIRS = 0.35
NAMED_SUPPORT = 0.15
QUOTE_CHARACTERS = 300
FIGURE_WEIGHT = 3.0
# A shorter line was ended by its writer, not by the edge of a page.
WRAPPED_BYTES = 60

_ENDINGS = (".", "!", "?", ":", ";", "。", "！", "？", "：", "；")

_MARK = re.compile(r"\s*[\[【]\s*(\d{1,2}(?:\s*[,，、;-]\s*\d{1,2})*)\s*[\]】]")
# A point between figures ("2.6") or in an address ends nothing. Every character belongs to exactly one match.
_SENTENCE = re.compile(r"(?:[^\n。！？!?.]|\.(?!\s|$|[\[【\"')]))*(?:[。！？!?]+[”’」』\"')）]*|\.(?=\s|$|[\[【\"')])[\"')]*|\n|$)")
_ABOUT_SOURCES = re.compile(
    r"(?:[(（]?(?:出处|来源|出自|见)(?:段落)?[:：]?|(?:以上|该|这些?|此)(?:信息|内容|答案)?(?:均)?(?:来自|出自|见)(?:于)?(?:第)?段落|\W*(?:sources?|passages?))[\s,，、和与and]*[)）:：。.]*"
    r"|(?:this|the|that) (?:information|answer|fact) (?:is|can be|was) (?:found|stated|given|mentioned|from|taken)[^.]*passages?(?: and| ,|,)*\.?",
    re.IGNORECASE,
)
# What is left of "From [1] and [2]." without its marks. Without any, it may be part of an answer.
_POINTING = re.compile(
    r"[(（]?(?:(?:from|see|in|by|per|based on|according to|(?:as )?(?:found|stated|given|mentioned|shown) (?:in|by))(?: the)?(?: (?:sources?|passages?|documents?))?|参见|根据|依据|如)(?:[\s,，、和与]|and)*[)）:：。.]*",
    re.IGNORECASE,
)
_HAN_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_WORD = re.compile(r"[a-z0-9à-ÿ]+(?:[-'.:/][a-z0-9à-ÿ]+)*")
_COMMON = frozenset(
    "the a an of to in is are was were and or it he she they for on at by with from that this as be has have had not".split()
)


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """An answer text whose marks `[n]` all lead to one of `citations`."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    text: str
    chunk: ScoredChunk | None = None
    page: WebResult | None = None


def cite(text: str, documents: Sequence[ScoredChunk], web_results: Sequence[WebResult] = ()) -> CitedAnswer:
    """Resolve the marks of an answer written from `documents` (numbers 1..) and then `web_results`.

    One source is one quoted sentence: two sentences of the same passage are two sources, each opening at its own line.
    """
    sources = [*(_Source(found.chunk.text, chunk=found) for found in documents)]
    sources += [_Source(f"{page.title}\n{page.snippet}", page=page) for page in web_results]
    citations: dict[tuple[int, int], Citation] = {}
    written: list[str] = []
    for sentence, marked in _sentences(text):
        numbers: list[int] = []
        for number in _supported(sentence, marked, sources):
            quoted = _citation(len(citations) + 1, sources[number - 1], sentence)
            numbers.append(citations.setdefault((number, quoted.start), quoted).n)
        written.append(_with_marks(sentence, numbers))
    return CitedAnswer("".join(written).strip(), tuple(citations.values()))


def without_marks(text: str) -> str:
    """The words of an answer: what is left when every mark is taken out."""
    return _MARK.sub("", text).strip()


def blank_marks(text: str) -> str:
    """The text with spaces in the place of its marks, so that everything else stays where it is."""
    return _MARK.sub(lambda mark: " " * len(mark[0]), text)


def closest(question: str, documents: Sequence[ScoredChunk]) -> tuple[Citation, ...]:
    """The passages themselves as numbered sources, each with the sentence nearest to the question: what a refusal shows."""
    return tuple(_citation(n, _Source(found.chunk.text, chunk=found), question) for n, found in enumerate(documents, 1))


def terms(text: str) -> set[str]:
    """What two texts are compared by: words and figures, and pairs of characters where there are no spaces."""
    folded = simplified(unicodedata.normalize("NFKC", text)).casefold()
    pairs = {run[i : i + 2] for run in _HAN_RUN.findall(folded) for i in range(max(len(run) - 1, 1))}
    return pairs | {word for word in _WORD.findall(folded) if word not in _COMMON}


def share(claim: set[str], passage: set[str]) -> float:
    """The share of the claim's terms that the passage holds, 0..1."""
    return len(claim & passage) / len(claim) if claim else 0.0


def _sentences(text: str) -> list[tuple[str, list[int]]]:
    """Sentences with the marks that stand in or right behind them; together they are the text without its marks."""
    found: list[tuple[str, list[int]]] = []
    for part in (match[0] for match in _SENTENCE.finditer(text) if match[0]):
        marks = [n for numbers in _MARK.findall(part) for n in _numbers(numbers)]
        sentence = _MARK.sub("", part)
        leading = re.match(rf"(?:{_MARK.pattern})+", part)
        if leading and found:
            # "... ends here. [1] The next": the mark belongs to the sentence before it.
            behind = [n for numbers in _MARK.findall(leading[0]) for n in _numbers(numbers)]
            found[-1][1].extend(behind)
            marks = marks[len(behind) :]
        if (sentence.strip() and not _about_sources_only(sentence, marked=bool(marks))) or not found:
            found.append((sentence, marks))
        elif sentence.strip():
            found[-1][1].extend(marks)
        else:
            last, known = found[-1]
            found[-1] = (last + sentence, known + marks)
    return found


def _about_sources_only(sentence: str, *, marked: bool) -> bool:
    """Whether a sentence says nothing but that there are sources: once its marks are out it is an empty phrase."""
    plain = sentence.strip()
    return bool(_ABOUT_SOURCES.fullmatch(plain) or (marked and _POINTING.fullmatch(plain)))


def _numbers(text: str) -> list[int]:
    span = re.fullmatch(r"(\d+)\s*-\s*(\d+)", text)
    if span and 0 <= int(span[2]) - int(span[1]) < 10:
        return list(range(int(span[1]), int(span[2]) + 1))
    return [int(n) for n in re.findall(r"\d+", text)]


def _supported(sentence: str, marked: Sequence[int], sources: Sequence[_Source]) -> list[int]:
    claim = terms(sentence)
    if not claim:
        return []
    shares = {n: share(claim, terms(source.text)) for n, source in enumerate(sources, 1)}
    # A named passage that carries far less of the claim than another one was named by mistake, or by a file's own trick.
    least = max(NAMED_SUPPORT, max(shares.values(), default=0.0) / 2)
    named = [n for n in dict.fromkeys(marked) if shares.get(n, 0.0) >= least]
    figures = {term for term in claim if _is_figure(term)}
    if named:
        # A figure that stands in none of the named passages has its source elsewhere.
        figures -= set().union(*(terms(sources[n - 1].text) for n in named))
        others = [n for n, source in enumerate(sources, 1) if figures and shares[n] >= NAMED_SUPPORT and figures <= terms(source.text)]
        return [*named, *sorted(others, key=lambda n: -shares[n])[:1]]
    agree = {n for n, source in enumerate(sources, 1) if figures and figures <= terms(source.text)}
    best = max(shares, key=lambda n: (n in agree, shares[n]), default=0)
    in_pairs = sum(bool(_HAN_RUN.match(term)) for term in claim) > len(claim) / 2
    enough = NAMED_SUPPORT if best in agree else SUPPORT_IN_PAIRS if in_pairs else SUPPORT
    return [best] if best and shares[best] >= enough else []


def _with_marks(sentence: str, numbers: Sequence[int]) -> str:
    if not numbers:
        return sentence
    body = sentence.rstrip()
    tail = sentence[len(body) :]
    marks = "".join(f"[{n}]" for n in sorted(numbers))
    return f"{body} {marks}{tail}" if body.isascii() else f"{body}{marks}{tail}"


def _citation(n: int, source: _Source, claim: str) -> Citation:
    if source.page is not None:
        return Citation(n, quote=source.page.snippet, title=source.page.title, url=source.page.url)
    assert source.chunk is not None
    chunk = source.chunk.chunk
    start, end = best_quote(chunk.text, claim)
    return Citation(
        n,
        quote=chunk.text[start:end],
        file=chunk.path,
        title=chunk.title,
        start=chunk.start + start,
        end=chunk.start + end,
        line=chunk.line + chunk.text.count("\n", 0, start),
        page=chunk.page_at(chunk.start + start),
    )


def best_quote(passage: str, claim: str) -> tuple[int, int]:
    """Where in `passage` the sentence stands that shares most with `claim`; the earlier of equals. Never empty, never over 300 characters.

    A term counts the less the more sentences of the passage have it, and a figure more than a word: the heading of a table shares most
    words with what is said of one of its rows, and only the row has the figure.
    """
    wanted = terms(claim)
    spans = [_trimmed(passage, start, end) for start, end in passage_sentences(passage)]
    spans = [span for span in spans if span[1] > span[0]] or [_trimmed(passage, 0, len(passage))]
    shared = {span: wanted & terms(passage[span[0] : span[1]]) for span in spans}
    having = Counter(term for found in shared.values() for term in found)

    def fit(span: tuple[int, int]) -> tuple[float, int]:
        # Of two that fit as well the shorter one is the plainer quote.
        return sum((FIGURE_WEIGHT if _is_figure(term) else 1.0) / having[term] for term in sorted(shared[span])), span[0] - span[1]

    start, end = max(spans, key=fit)
    return start, min(end, start + QUOTE_CHARACTERS)


def _is_figure(term: str) -> bool:
    return any(character.isdigit() for character in term)


def passage_sentences(passage: str) -> list[tuple[int, int]]:
    """Sentences of a passage; a sentence goes on over the end of a line that was only wrapped, not over the end of a row or an item."""
    spans: list[tuple[int, int]] = []
    start = 0
    for line_end in [*(found.start() for found in re.finditer("\n", passage)), len(passage)]:
        if line_end < len(passage) and _is_wrapped(
            passage[passage.rfind("\n", 0, line_end) + 1 : line_end], passage[line_end + 1 : line_end + 2]
        ):
            continue
        block = passage[start:line_end].replace("\n", " ")
        spans += [(start + found.start(), start + found.end()) for found in _SENTENCE.finditer(block)]
        start = line_end + 1
    return spans


def _is_wrapped(line: str, following: str) -> bool:
    is_row = line.count(",") > line.count(", ") + 2 or "|" in line
    return len(line.encode("utf-8")) >= WRAPPED_BYTES and following.isalnum() and not is_row and not line.rstrip().endswith(_ENDINGS)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    if not piece.strip():
        return start, start
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))
