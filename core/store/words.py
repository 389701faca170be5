"""Words as the index keeps them, and queries that find them again.

SQLite's tokenizer makes one token of a whole run of Chinese, Japanese or Korean, so those runs are written as overlapping pairs
of characters, and queries are cut the same way. Traditional and simplified characters are one (`core.simplified`). Both sides must
change together: `words_version` says when they did.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from core.simplified import simplified, simplified_version
from core.store.storable import storable

_RULES_VERSION = 2

_CJK = "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_CJK_OR_WORD = re.compile(f"([{_CJK}]+)|([^\\s{_CJK}]+)")
_TERM = re.compile(r'"(?:[^"]|"")*"\*?')
_PHRASE_CHARACTERS = 4
_QUERY_TERMS = 64
_QUERY_CHARACTERS = 2000


def _terms(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH_STOP_WORDS = _terms(
    "a an and are as at be but by did do does for from had has have how i if in into is it its me my no not of on or our please s so such t tell that"
    " the their then there these they this to us was we were what when where which who whom whose why will with would you your"
)
_CHINESE_STOP_PAIRS = _terms(
    "什么 多少 怎么 怎样 如何 为何 哪个 哪些 哪里 哪位 是谁 请问 是否 有何 几个 有哪 是什 么是 的是 是多 少是 谁是 为什 有什 是哪 么样 的什 一下"
)


def words_version() -> str:
    """Names the rules by which words are kept. An index that was written by other rules has to be written anew before it is asked."""
    return f"{_RULES_VERSION} {simplified_version()}"


def indexed_form(text: str) -> str:
    """`text` as it is given to the word index: width, compatibility and traditional forms unified, CJK runs cut into overlapping pairs."""
    return _CJK_RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", _one_form(text))


def match_query(question: str) -> str:
    """An FTS5 query that finds the words of `question`, any of them, or "" if it has none.

    Every term is quoted, so nothing in `question` is ever read as query syntax.
    """
    text = _one_form(storable(question[:_QUERY_CHARACTERS]))
    terms: dict[str, bool] = {}
    for cjk, word in _CJK_OR_WORD.findall(text):
        found = _cjk_terms(cjk) if cjk else _word_terms(word)
        for term, weak in found:
            terms.setdefault(term, weak)
    strong = [term for term, weak in terms.items() if not weak]
    return " OR ".join((strong or list(terms))[:_QUERY_TERMS])


def terms_of(match: str) -> tuple[str, ...]:
    """The terms of a query that `match_query` or `match_phrases` made; any of them is enough to be found."""
    return tuple(_TERM.findall(match))


def match_phrases(phrases: Iterable[str]) -> str:
    """An FTS5 query that finds any of the phrases, each with its words next to each other, or "" if none has a word."""
    return " OR ".join(dict.fromkeys(filter(None, map(_phrase, phrases))))


def is_short(question: str) -> bool:
    """Whether a query is one or two words, or one run of a few Chinese characters: a name or a code rather than a question."""
    found = _CJK_OR_WORD.findall(unicodedata.normalize("NFKC", question[:_QUERY_CHARACTERS]))
    terms = [cjk or word for cjk, word in found if cjk or any(character.isalnum() for character in word)]
    return 0 < len(terms) <= 2 and all(len(cjk) <= _PHRASE_CHARACTERS for cjk, _ in found)


def _one_form(text: str) -> str:
    return simplified(unicodedata.normalize("NFKC", text))


def _phrase(phrase: str) -> str:
    runs = _CJK_OR_WORD.findall(_one_form(storable(phrase[:_QUERY_CHARACTERS])))
    tokens: list[str] = []
    for place, (cjk, word) in enumerate(runs, start=1):
        # The index has the last character of a run by itself, but the phrase may end in the middle of a run.
        open_ended = place == len(runs) and len(cjk) > 1
        tokens += (_pairs(cjk)[:-1] if open_ended else _pairs(cjk)) if cjk else [word]
    return _quoted(" ".join(tokens)) if any(character.isalnum() for token in tokens for character in token) else ""


def _pairs(run: str) -> list[str]:
    """Overlapping pairs and the last character, so that every character begins a token."""
    return [run[i : i + 2] for i in range(len(run))]


def _cjk_terms(run: str) -> list[tuple[str, bool]]:
    if len(run) == 1:
        return [(f"{_quoted(run)}*", False)]
    pairs = _pairs(run)[:-1]
    if len(run) <= _PHRASE_CHARACTERS:
        return [(_quoted(" ".join(pairs)), " ".join(pairs) in _CHINESE_STOP_PAIRS)]
    return [(_quoted(pair), pair in _CHINESE_STOP_PAIRS) for pair in pairs]


def _word_terms(word: str) -> list[tuple[str, bool]]:
    if not any(character.isalnum() for character in word):
        return []
    return [(_quoted(word), word.strip("?!.,;:'\"()").lower() in _ENGLISH_STOP_WORDS)]


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
