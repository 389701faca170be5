"""Words as the index keeps them, and queries that find them again.

SQLite's tokenizer makes one token of a whole run of Chinese, Japanese or Korean, so those runs are written as overlapping pairs
of characters, and queries are cut the same way. Traditional and simplified characters are one (`core.simplified`), and so are the ways
to write a code or a number (`core.store.spellings`). Both sides must change together: `words_version` says when they did.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from core.simplified import simplified, simplified_version
from core.store.spellings import other_spellings, parts_and_wholes
from core.store.storable import storable

_RULES_VERSION = 3

# Without the middle dot of Japanese (U+30FB): it stands between words.
_CJK = "\u1100-\u11ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_CJK_OR_WORD = re.compile(f"([{_CJK}]+)|([^\\s{_CJK}]+)")
_TERM = re.compile(r'"(?:[^"]|"")*"\*?')
_TOKEN = re.compile(r"[^\W_]+")
_SHORT_RUN = 4
_PHRASE_CHARACTERS = 8
_MIXED_CHARACTERS = 12
_QUERY_TERMS = 64
_QUERY_CHARACTERS = 2000


def _terms(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH_STOP_WORDS = _terms(
    "a an and are as at be but by did do does for from had has have how i if in into is it its me my no not of on or our please s so such t tell that"
    " the their then there these they this to us was we were what when where which who whom whose why will with would you your"
)
_STOP_PAIRS = _terms(
    "什么 多少 怎么 怎样 如何 为何 哪个 哪些 哪里 哪位 是谁 请问 是否 有何 几个 有哪 是什 么是 的是 是多 少是 谁是 为什 有什 是哪 么样 的什 一下"
    " です ます すか ませ せん した して てい いる ある する こと もの から まで など どこ どの なに いつ だれ とは には では のは のが のを ので でし"
    " しょ ょう うか くだ ださ さい にす はど はい はな はだ すべ べき なけ けれ れば ばな りま なり ばな"
)


def words_version() -> str:
    """Names the rules by which words are kept. An index that was written by other rules has to be written anew before it is asked."""
    return f"{_RULES_VERSION} {simplified_version()}"


def indexed_form(text: str) -> str:
    """`text` as it is given to the word index: width, compatibility and traditional forms unified, CJK runs cut into overlapping pairs."""
    text = _one_form(text)
    # Other forms go to the end, where they stand between no two words of a phrase.
    return _CJK_RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", text) + " " + parts_and_wholes(text)


def match_query(question: str) -> str:
    """An FTS5 query that finds the words of `question`, any of them, or "" if it has none.

    Every term is quoted, so nothing in `question` is ever read as query syntax.
    """
    return " OR ".join(_query_terms(question))


def coverage(question: str, text: str) -> float:
    """The share (0..1) of the terms of `question` that `text` has, wherever they stand in it; 0 if it has no term."""
    terms = _query_terms(question)
    said = frozenset(_TOKEN.findall(_plain(indexed_form(text))))
    return sum(_is_said(term, said) for term in terms) / len(terms) if terms else 0.0


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
    return 0 < len(terms) <= 2 and all(len(cjk) <= _SHORT_RUN for cjk, _ in found)


def _one_form(text: str) -> str:
    return simplified(unicodedata.normalize("NFKC", text))


def _query_terms(question: str) -> list[str]:
    terms: dict[str, bool] = {}
    for piece in _one_form(storable(question[:_QUERY_CHARACTERS])).split():
        for term, weak in _terms_of(piece):
            terms.setdefault(term, weak)
    strong = [term for term, weak in terms.items() if not weak]
    return (strong or list(terms))[:_QUERY_TERMS]


def _is_said(term: str, said: frozenset[str]) -> bool:
    """Whether all tokens of a term of a query are among those of a text; the last one may only begin one of these if the term says so."""
    *tokens, last = _TOKEN.findall(_plain(term)) or [""]
    ends = any(token.startswith(last) for token in said) if term.endswith("*") else last in said
    return ends and all(token in said for token in tokens)


def _plain(text: str) -> str:
    """As SQLite's tokenizer compares: without upper case and accents."""
    return "".join(character for character in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(character))


def _terms_of(piece: str) -> Iterator[tuple[str, bool]]:
    """Terms of a piece of a query without white space, and whether each says little. What mixes scripts (A4纸, 第3条) is one of them too."""
    runs = _CJK_OR_WORD.findall(piece)
    words = [word for _, word in runs if any(character.isalnum() for character in word)]
    if words and any(cjk for cjk, _ in runs) and len(piece) <= _MIXED_CHARACTERS:
        yield _phrase(piece), False
    for cjk, word in runs:
        yield from _cjk_terms(cjk) if cjk else _word_terms(word)


def _phrase(phrase: str) -> str:
    runs = _CJK_OR_WORD.findall(_one_form(storable(phrase[:_QUERY_CHARACTERS])))
    tokens: list[str] = []
    for place, (cjk, word) in enumerate(runs, start=1):
        # The index has the last character of a run by itself, but the phrase may end in the middle of a run.
        open_ended = place == len(runs) and len(cjk) > 1
        tokens += (_pairs(cjk)[:-1] if open_ended else _pairs(cjk)) if cjk else [word]
    if not any(character.isalnum() for token in tokens for character in token):
        return ""
    return f"{_quoted(' '.join(tokens))}{'*' if len(runs[-1][0]) == 1 else ''}"


def _pairs(run: str) -> list[str]:
    """Overlapping pairs and the last character, so that every character begins a token."""
    return [run[i : i + 2] for i in range(len(run))]


def _cjk_terms(run: str) -> list[tuple[str, bool]]:
    """A short run as a whole, and its pairs: what says it in other words is found as well, after what says just that."""
    if len(run) == 1:
        return [(f"{_quoted(run)}*", False)]
    pairs = [(pair, pair in _STOP_PAIRS) for pair in _pairs(run)[:-1]]
    terms = [(_quoted(pair), weak) for pair, weak in pairs]
    if 2 < len(run) <= _PHRASE_CHARACTERS:
        terms.insert(0, (_quoted(" ".join(pair for pair, _ in pairs)), all(weak for _, weak in pairs)))
    return terms


def _word_terms(word: str) -> list[tuple[str, bool]]:
    if not any(character.isalnum() for character in word):
        return []
    weak = word.strip("?!.,;:'\"()").lower() in _ENGLISH_STOP_WORDS
    return [(_quoted(word), weak), *((_quoted(spelling), weak) for spelling in other_spellings(word))]


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
