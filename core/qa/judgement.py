"""What a judge's findings are worth, and what to search for when they are bad: pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.documents import Doubt, Judgement, ScoredChunk, WebResult
from core.qa.citations import passage_sentences, without_marks
from core.qa.names import fold
from core.qa.support import COMMON, HAN, pairs, tokens

WEIGHTS = RELEVANCE, COMPLETENESS, FAITHFULNESS = 0.4, 0.2, 0.4
# An answer with a part that the evidence does not bear out is not faithful, whatever the model thinks of it.
DOUBTFUL_FAITHFULNESS = 0.3
RETRY_WORDS = 8

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_HAN_PIECE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,}")


def evidence_texts(documents: Sequence[ScoredChunk], web_results: Sequence[WebResult]) -> tuple[str, ...]:
    """The evidence as the model saw it, without numbers: each passage under its heading."""
    texts = [f"{found.chunk.context}\n{found.chunk.text}" for found in documents]
    return (*texts, *(f"{page.title} ({page.domain})\n{page.snippet}" for page in web_results))


def judgement_of(relevance: float, completeness: float, faithfulness: float, doubts: Sequence[Doubt]) -> Judgement:
    """The parts and their weighted sum; `reason` names the weakest part, or the kind of the first doubt."""
    if doubts:
        faithfulness = min(faithfulness, DOUBTFUL_FAITHFULNESS)
    parts = {"faithfulness": faithfulness, "relevance": relevance, "completeness": completeness}
    score = RELEVANCE * relevance + COMPLETENESS * completeness + FAITHFULNESS * faithfulness
    reason = f"doubtful_{doubts[0].kind}" if doubts else min(parts, key=lambda name: parts[name])
    return Judgement(relevance, completeness, faithfulness, score, reason)


def retry_query(question: str, answer: str, doubts: Sequence[Doubt], searched: Sequence[str]) -> str:
    """What else to search for: the question with the subject of the first doubtful part, or what the answer leaves out of the question.

    Never what was doubtful itself, and nothing that was searched already: then it is empty. Only for the person's own files: the words
    of an answer may come from them.
    """
    for query in (_subject_query(question, answer, doubts), _left_out(question, answer)):
        if query and all(_same(query) != _same(earlier) for earlier in (question, *searched)):
            return query
    return ""


def _subject_query(question: str, answer: str, doubts: Sequence[Doubt]) -> str:
    if not doubts:
        return ""
    first = doubts[0]
    start, end = next(((a, b) for a, b in passage_sentences(answer) if a <= first.start < b), (0, 0))
    sentence = answer[start:end]
    for doubt in reversed([doubt for doubt in doubts if start <= doubt.start < end and doubt.kind != "claim"]):
        sentence = f"{sentence[: doubt.start - start]} {sentence[doubt.end - start :]}"
    asked = set(tokens(fold(question)))
    words = [word for word in _pieces(without_marks(sentence)) if not set(tokens(fold(word))) <= asked | COMMON]
    return " ".join((question, *words[:RETRY_WORDS])) if words else ""


def _left_out(question: str, answer: str) -> str:
    """The words of the question that the answer does not take up, where it takes up some."""
    said = set(tokens(fold(answer)))
    asked = _pieces(question)
    left = [word for word in asked if not set(tokens(fold(word))) <= said | COMMON]
    # One word is no search.
    return " ".join(left[:RETRY_WORDS]) if 1 < len(left) < len(asked) else ""


def _pieces(text: str) -> list[str]:
    if HAN.search(text):
        return _HAN_PIECE.findall(text) + [word for word in _WORD.findall(text) if word.isascii()]
    return [word for word in _WORD.findall(text) if len(word) > 2]


def _same(text: str) -> frozenset[str]:
    return frozenset(pairs("".join(tokens(fold(text)))))
