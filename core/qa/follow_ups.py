"""What can be told about a follow-up question without a model: whether it points back, and whether a rewriting of it is true to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from core.documents import Message
from core.qa.figures import plain
from core.qa.language import prompt_language
from core.qa.names import fold, han_names, latin_names, stem
from core.simplified import simplified

Reference = Literal["points_back", "unclear", "stands_alone"]

_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|there|this|that|these|those)\b(?:['’](?:s|re|d|ll))?", re.IGNORECASE
)
_POINTING = re.compile(
    r"\b(?:same|others?|another|else|instead|too|former|latter|ones?|also|again|first|second|third|next|previous|last) ?(?:\w+ )?\w*[?？]?$",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^\W*(?:and|but|or|so|then|what about|how about|what of|which of|why not)\b", re.IGNORECASE)
_ZH_PRONOUN = re.compile(r"他们|她们|它们|[他她它]|[这那该此](?![么样])")
_ZH_LEADING = re.compile(r"^(?:那么?|还有|另外|然后|后来|最后|接着|也|再|又|其中|同样)")
_ZH_ELLIPSIS = re.compile(r"呢[？?]?$|上述|前者|后者|^其|(?<=[，。、的在由被把对和与])其(?![他它实余])")
_QUOTED = re.compile(r"[“「『《\"]([^“”「」『』《》\"]{1,80})[”」』》\"]")
_NUMBERED = re.compile(r"[A-Za-z0-9./:-]*\d[A-Za-z0-9./:%-]*")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_WORD = re.compile(r"[^\W\d_\u3040-\u9fff\uac00-\ud7af]{3,}")
_MARKS = " ?？!！.。,，、:：;；“”\"'‘’"
_COMMON = frozenset(
    (
        "the and for are was were did does has had have how who what when where which why whom whose with from into that this these those there "
        "about many much long old far often can could will would shall should may might must not you your our his her its their they she him them"
    ).split()
)
_QUESTION_WORDS = frozenset("why how when where who what which whose whom really since until and or but more less yes no".split())
_FEW_WORDS = 3


def reference(question: str) -> Reference:
    """Whether a question points back to what was said before.

    `points_back`: it has a pronoun, or begins or ends like a fragment. `stands_alone`: nothing of that, and it names something.
    `unclear`: a name comes before the pronoun, which may mean that name, or there is neither pronoun nor name.
    """
    text = question.strip()
    named = min((name.start for name in latin_names(text) if not (name.start == 0 and name.words[0] in _QUESTION_WORDS)), default=None)
    if named is None and (quoted := _QUOTED.search(text) or _NUMBERED.search(text)):
        named = quoted.start()
    if prompt_language(text) == "zh":
        if _ZH_ELLIPSIS.search(text) or _ZH_LEADING.search(text):
            return "points_back"
        pronoun = _ZH_PRONOUN.search(text)
        if pronoun is None:
            return "unclear"
    else:
        if _LEADING.search(text) or (named is None and (_POINTING.search(text) or len(text.split()) <= _FEW_WORDS)):
            return "points_back"
        pronoun = _PRONOUN.search(text)
        if pronoun is None:
            return "unclear" if named is None else "stands_alone"
    return "unclear" if named is not None and named < pronoun.start() else "points_back"


def is_true_to(rewritten: str, question: str, history: Sequence[Message]) -> bool:
    """Whether `rewritten` is the question with something of the conversation put in, and nothing of its own.

    It must be a question in the same language, keep the codes, numbers and quotations of the question, use fewer of its pronouns, bring at least
    one word from the conversation, repeat no question asked before, and name nothing that neither the question nor the conversation has.
    """
    said = "\n".join(turn.content for turn in history)
    known = f"{question}\n{said}"
    if not rewritten.strip() or prompt_language(rewritten) != prompt_language(question):
        return False
    if len(rewritten) > 2 * len(question) + 160 or (question.strip()[-1:] in "?？" and rewritten.strip()[-1:] not in "?？"):
        return False
    earlier = {_bare(turn.content) for turn in history if turn.role == "user"} | {_bare(question)}
    if _bare(rewritten) in earlier:
        return False
    kept = [*(found[1] for found in _QUOTED.finditer(question)), *_NUMBERED.findall(question)]
    if any(_bare(piece) not in _bare(rewritten) for piece in kept):
        return False
    before, after = _pronouns(question), _pronouns(rewritten)
    if (before and after >= before) or after > before:
        return False
    return not strange_names(rewritten, known) and _brings_something(rewritten, question, said)


def strange_names(text: str, known: str) -> tuple[str, ...]:
    """Names, codes and numbers of `text` that do not occur in `known`."""
    folded = {stem(word) for word in re.findall(r"\w+", fold(known))}
    bare_known = _bare(known)
    strange = [text[name.start : name.end] for name in latin_names(text) if not _knows(name.words, folded, bare_known)]
    strange += [number for number in _NUMBERED.findall(plain(text)) if _bare(number) not in bare_known]
    han = simplified(known)
    pairs = {run[n : n + 2] for run in _HAN.findall(han) for n in range(len(run) - 1)}
    strange += [text[name.start : name.end] for name in han_names(text, pairs, frozenset(han))]
    return tuple(dict.fromkeys(strange))


def _knows(words: Sequence[str], folded: set[str], bare_known: str) -> bool:
    return all(word in folded or _bare(word) in bare_known for word in words)


def _pronouns(text: str) -> int:
    return len((_ZH_PRONOUN if prompt_language(text) == "zh" else _PRONOUN).findall(text))


def _brings_something(rewritten: str, question: str, said: str) -> bool:
    """Whether a content word, a number, or a pair of Chinese characters came from the conversation."""
    new_words = _content(rewritten) - _content(question)
    return bool(new_words & _content(said))


def _content(text: str) -> set[str]:
    words = {stem(word) for word in _WORD.findall(fold(text)) if word not in _COMMON}
    numbers = {_bare(number) for number in _NUMBERED.findall(text)}
    return words | numbers | {run[n : n + 2] for run in _HAN.findall(simplified(text)) for n in range(len(run) - 1)}


def _bare(text: str) -> str:
    return "".join(character for character in fold(text) if character.isalnum())
