"""Which of the two prompt languages a question belongs to."""

from __future__ import annotations

import re
from typing import Literal

PromptLanguage = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA_OR_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ÿ]{2,}")


def prompt_language(text: str) -> PromptLanguage:
    """`zh` for Chinese text, also with foreign names and code words in it; `en` for everything else.

    The English prompts tell the model to answer in the question's language, so Japanese or French questions use them too.
    """
    han = len(_HAN.findall(text))
    if not han or _KANA_OR_HANGUL.search(text):
        return "en"
    return "zh" if han >= len(_LATIN_WORD.findall(text)) else "en"
