"""What a line of `lamplight eval` is worth. Pure functions of a question line, an answer line and, for citations, the texts.

English is compared as SQuAD and HotpotQA do (case, punctuation and articles do not count), Chinese by character, with figures and Latin words whole.
Two differences: a point or comma inside a number is not punctuation (1.5 is not 15, and 4,650 is 4650), and a hyphen parts words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Json = Mapping[str, Any]
TextOf = Callable[[str], str | None]
"""From the `file` of a citation to the indexed text, or None if there is none."""

HEALTHY = 0.7
_MARK = re.compile(r"\s*\[\d+(?:\s*[,，、]\s*\d+)*\]")
_THOUSANDS = re.compile(r"(?<=\d)[,，](?=\d{3}(?!\d))")
_TOKEN = re.compile(r"\d+(?:\.\d+)*|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W\d_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_INITIAL = re.compile(r"\b([^\W\d_])\.(?=[^\W\d_]\b|\W|$)")
_SOURCES = r"(?:passages?|documents?|files?|texts?|context|evidence|excerpts?|sources?)"
_TELL = r"(?:say|state|mention|contain|provide|specify|include|tell|answer|indicate|give|list|describe|have|show)"
_REFUSAL = re.compile(
    rf"\b{_SOURCES}\b[^.]{{0,60}}\b(?:do|does|did|can)(?: not|n['’]t|not)\b[^.]{{0,40}}\b{_TELL}"
    r"|\bnot (?:explicitly |directly |specifically )?(?:stated|mentioned|specified|provided|indicated|disclosed)\b"
    rf"|\bnot (?:found|given|available) in the (?:\w+ )?{_SOURCES}\b"
    r"|\bno (?:information|mention|answer|evidence|data|record|details?)\b|\b(?:cannot|can['’]t|could not) (?:be )?(?:find|found|determined?|answer)"
    r"|\bI (?:do not|don['’]t) know\b|^unknown\b"
    r"|(?:没有|未|无法|并未|不能)(?:被|有|明确|具体|直接|从中|在文中)*(?:提到|提及|说明|提供|找到|包含|给出|指出|说|记载|写明|回答|确定|得知|相关信息|信息)"
    r"|不知道|不清楚|无相关",
    re.IGNORECASE,
)
_ARTICLES = frozenset(("a", "an", "the"))
_YES = frozenset(("yes", "是", "是的", "对"))
_NO = frozenset(("no", "否", "不是", "不"))


def without_marks(answer: str) -> str:
    """The answer without its source marks."""
    return _MARK.sub("", answer).strip()


def tokens(text: str) -> tuple[str, ...]:
    """The normalised words of English, the characters of Chinese; figures and Latin words whole in both."""
    plain = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text)).casefold()
    plain = _INITIAL.sub(r"\1", plain).replace("'", "").replace("’", "")
    return tuple(token for token in _TOKEN.findall(plain) if token not in _ARTICLES)


def refuses_in_words(answer: str) -> bool:
    """Whether the first sentence says that the files do not say. A pipeline that has no refusal of its own may still refuse in words."""
    first = re.split(r"(?<=[.!?])\s|[。！？\n]", answer.strip(), maxsplit=1)[0]
    return bool(_REFUSAL.search(first))


def exact_match(answer: str, right: Iterable[str]) -> float:
    """1.0 if the answer is one of the right ones after normalising, else 0.0."""
    return float(any(tokens(answer) == tokens(one) for one in right))


def f1(answer: str, right: Iterable[str]) -> float:
    """The best overlap of tokens with one of the right answers, 0..1. Where one side is yes or no, nothing but equality counts."""
    return max((_f1(tokens(answer), tokens(one)) for one in right), default=0.0)


def contained(answer: str, question: Json) -> bool:
    """Whether the answer says a right one: its tokens in a row, or, of an answer in parts, a form of every part.

    A right answer that is yes or no has to come first: "no" is too easily said in passing.
    """
    said = tokens(answer)
    if parts := question.get("answer_parts"):
        return all(any(_says(said, tokens(form)) for form in part) for part in parts)
    return any(_says(said, tokens(one)) for one in question.get("answers") or [])


def recall(question: Json, line: Json) -> tuple[bool, ...]:
    """For each passage that a right answer needs, in the order of the hops: whether it is among the evidence the model was given.

    A place with offsets is there when at least half of it is covered by one document of the line.
    """
    return tuple(
        any(_is_there(place, line.get("documents") or []) for place in entry["places"]) for entry in question.get("evidence") or []
    )


def citations_true(line: Json, text_of: TextOf) -> tuple[bool, ...]:
    """For each source in files: whether its quote is what stands at the place that it names."""
    return tuple(_is_true(citation, text_of) for citation in line.get("citations") or [])


def citations_supporting(question: Json, line: Json) -> tuple[bool, ...]:
    """For each source in files: whether it touches a passage that a right answer needs. Empty where nobody wrote down which those are."""
    places = [place for entry in question.get("evidence") or [] for place in entry["places"]]
    if not places:
        return ()
    return tuple(any(_touches(citation, place) for place in places) for citation in line.get("citations") or [])


def touched_index(line: Json) -> bool:
    """Whether anything was searched or shown from the files."""
    return bool(line.get("documents")) or any(step["node"].startswith("retrieve") for step in line.get("steps") or [])


def route_right(question: Json, line: Json) -> bool | None:
    """Whether the route fits the question; None where the pipeline has no route, or `type` does not say."""
    if not any(step["node"].startswith("route") for step in line.get("steps") or []):
        return None
    return bool((line["strategy"] == "simple") == (question["type"] == "simple"))


def answerable_score(line: Json) -> float | None:
    """How sure the run was that the files answer the question, if the line says so."""
    evaluation = line.get("evaluation") or {}
    sure = evaluation.get("confidence")
    return None if sure is None else float(sure)


@dataclass(frozen=True, slots=True)
class Score:
    """One answer, measured. None where a measure does not apply. Times are seconds; tokens are summed over the steps."""

    id: str
    failed: bool
    refused: bool
    """By its flag, or in the words of its first sentence."""
    right: bool | None
    """What was wanted: a contained answer, or a refusal of an unanswerable question. None for a simple one without a stated answer."""
    em: float | None
    f1: float | None
    contained: bool | None
    recall: tuple[bool, ...]
    route_right: bool | None
    touched_index: bool
    citations: tuple[bool, ...]
    supporting: tuple[bool, ...]
    judge_score: float | None
    first_pass: bool | None
    answerable: float | None
    doubted: bool
    limits_hit: bool
    notes: int
    first_word: float | None
    seconds: float
    evaluated: int
    reused: int
    generated: int
    retrievals: int


def score(question: Json, line: Json, text_of: TextOf | None = None) -> Score:
    """Measure one line. `text_of` is needed for the truth of citations only."""
    steps = line.get("steps") or []
    refused = bool(line.get("refused")) or refuses_in_words(line.get("answer") or "")
    failed = "error" in line
    answer = "" if refused or failed else without_marks(line.get("answer") or "")
    short = "" if refused or failed else without_marks(line.get("short_answer") or "") or answer
    answers = question.get("answers") or []
    unanswerable = question["type"] == "unanswerable"
    says = contained(answer, question) if answers else None
    judgement = line.get("judgement")
    judge_score = judgement["score"] if judgement else None
    judged = sum(step["node"] == "judge_answer" for step in steps)
    return Score(
        id=str(question["id"]),
        failed=failed,
        refused=refused,
        right=refused if unanswerable else says,
        em=exact_match(short, answers) if answers else None,
        f1=f1(short, answers) if answers else None,
        contained=says,
        recall=() if unanswerable or failed else recall(question, line),
        route_right=None if failed else route_right(question, line),
        touched_index=touched_index(line),
        citations=citations_true(line, text_of) if text_of else (),
        supporting=() if refused or not says else citations_supporting(question, line),
        judge_score=judge_score,
        first_pass=None if judge_score is None else judge_score >= HEALTHY and judged <= 1,
        answerable=answerable_score(line),
        doubted=bool(line.get("doubts")),
        limits_hit=bool(line.get("limits_hit")),
        notes=len(line.get("notes") or []),
        first_word=line.get("seconds_to_first_word"),
        seconds=float(line.get("seconds") or 0.0),
        evaluated=sum(step["tokens_evaluated"] for step in steps),
        reused=sum(step["tokens_reused"] for step in steps),
        generated=sum(step["tokens_generated"] for step in steps),
        retrievals=sum(step["node"].startswith("retrieve") for step in steps),
    )


def auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The chance that a positive one scores above a negative one, a tie counting half; None where a side is empty."""
    if not positive or not negative:
        return None
    above = np.asarray(positive)[:, None] - np.asarray(negative)[None, :]
    return float((above > 0).mean() + (above == 0).mean() / 2)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value below which `share` (0..100) of them lie, between two neighbours linearly; None of none."""
    return float(np.percentile(np.asarray(values), share)) if values else None


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, seed: int = 1, rounds: int = 10_000
) -> tuple[float, float, float]:
    """The mean of first - second over the same questions, and the ends of its 95 % bootstrap interval.

    Raises:
        ValueError: the sequences differ in length or are empty.
    """
    if len(first) != len(second) or not first:
        raise ValueError("A paired comparison needs the same questions on both sides.")
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    draws = np.random.default_rng(seed).integers(0, len(differences), size=(rounds, len(differences)))
    low, high = np.percentile(differences[draws].mean(axis=1), (2.5, 97.5))
    return float(differences.mean()), float(low), float(high)


def paired_ratio(
    first: Sequence[float], second: Sequence[float], *, seed: int = 1, rounds: int = 10_000
) -> tuple[float, float, float] | None:
    """The sum of first through the sum of second over the same questions, with its 95 % bootstrap interval; None through nothing."""
    if len(first) != len(second) or not first:
        raise ValueError("A paired comparison needs the same questions on both sides.")
    above, below = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if below.sum() <= 0:
        return None
    draws = np.random.default_rng(seed).integers(0, len(above), size=(rounds, len(above)))
    sums = below[draws].sum(axis=1)
    low, high = np.percentile(above[draws].sum(axis=1)[sums > 0] / sums[sums > 0], (2.5, 97.5))
    return float(above.sum() / below.sum()), float(low), float(high)


def _f1(said: tuple[str, ...], right: tuple[str, ...]) -> float:
    if _yes_or_no(said) or _yes_or_no(right) or not said or not right:
        return float(said == right)
    common = sum((Counter(said) & Counter(right)).values())
    return 2 * common / (len(said) + len(right))


def _yes_or_no(words: tuple[str, ...]) -> str:
    text = "".join(words)
    return "yes" if text in _YES else "no" if text in _NO else ""


def _says(said: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    if not wanted:
        return False
    if verdict := _yes_or_no(wanted):
        forms = [tokens(form) for form in (_YES if verdict == "yes" else _NO)]
        return any(said[: len(form)] == form for form in forms) and not (verdict == "yes" and _begins_with_no(said))
    return any(said[start : start + len(wanted)] == wanted for start in range(len(said) - len(wanted) + 1))


def _begins_with_no(said: tuple[str, ...]) -> bool:
    # 是否... repeats the question; it says neither.
    return any(said[: len(form)] == form for form in (tokens(word) for word in _NO)) or said[:2] == ("是", "否")


def _is_there(place: Json, documents: Iterable[Json]) -> bool:
    for document in documents:
        if not _is_file(document["file"], place["file"]):
            continue
        if "start" not in place:
            return True
        covered = min(document["end"], place["end"]) - max(document["start"], place["start"])
        if covered * 2 >= place["end"] - place["start"]:
            return True
    return False


def _touches(citation: Json, place: Json) -> bool:
    if not _is_file(citation["file"], place["file"]):
        return False
    return "start" not in place or min(citation["end"], place["end"]) > max(citation["start"], place["start"])


def _is_file(path: str, inside: str) -> bool:
    path = path.replace("\\", "/")
    return path == inside or path.endswith("/" + inside)


def _is_true(citation: Json, text_of: TextOf) -> bool:
    text = text_of(citation["file"])
    return text is not None and bool(citation["quote"]) and text[citation["start"] : citation["end"]] == citation["quote"]
