"""Passages in another language than the question's.

An embedding model for many languages still puts a question nearer to any passage in its own language than to the right one in another (the self
language bias: Yang, Yang, Cer and Darve, EMNLP 2021; means of languages are taken off in Libovický, Rosa and Fraser, EMNLP 2020). So, in a library
with both, the question is searched once more with the difference between the two languages' means added to its vector, and scores are compared with
those of their own language only. Languages are told apart by their script, which is what can be told of a line of text for certain.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from typing import Literal

import numpy as np

from core.cancel import CancelToken
from core.protocols import Embedder, Vectors
from core.store.index_store import IndexStore

Script = Literal["latin", "han", "kana"]

SAMPLES = 256
"""How many blocks of the library's text are looked at to see which scripts there are."""

LEAST_SHARE = 0.05
"""A script with less of the library than this is none of its languages: a few stray passages would be compared with a crowd on any subject."""

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9d]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_OTHER = re.compile(r"[\u0370-\u1fff\ua960-\ua97f\uac00-\ud7ff]")
# A Chinese or Japanese character says about as much as three Latin letters.
_LETTERS_OF_A_CHARACTER = 3
_KANA_SHARE = 0.15

# What people ask in any office, the same in each language: only the mean of their vectors is used.
_QUESTIONS: dict[Script, tuple[str, ...]] = {
    "latin": (
        "How much does it cost?", "Who is responsible for this?", "When does the meeting begin?", "Where is the key kept?",
        "How often must the filter be cleaned?", "What does the error code mean?", "Why was the project delayed?",
        "Which company supplies the parts?", "How many people work there?", "What is the telephone number of the office?",
        "What was decided about the budget?", "How long is the warranty?",
    ),
    "han": (
        "这个多少钱？", "这件事由谁负责？", "会议什么时候开始？", "钥匙放在哪里？", "滤网多久清洗一次？", "这个错误代码是什么意思？", "项目为什么推迟了？",
        "零件由哪家公司供应？", "那里有多少人工作？", "办公室的电话号码是多少？", "关于预算做了什么决定？", "保修期是多长时间？",
    ),
    "kana": (
        "これはいくらですか。", "これは誰の担当ですか。", "会議はいつ始まりますか。", "鍵はどこにありますか。", "フィルターはどのくらいの間隔で掃除しますか。",
        "このエラーコードはどういう意味ですか。", "プロジェクトはなぜ遅れたのですか。", "部品はどの会社が納めていますか。", "そこでは何人が働いていますか。",
        "事務所の電話番号は何番ですか。", "予算について何が決まりましたか。", "保証期間はどのくらいですか。",
    ),
}  # fmt: skip


def script_of(text: str) -> Script | None:
    """The script that most of `text` is in: `kana` is Japanese, `han` Chinese. None for any other, and for text without letters."""
    han, kana, latin, other = (len(letters.findall(text)) for letters in (_HAN, _KANA, _LATIN, _OTHER))
    characters = _LETTERS_OF_A_CHARACTER * (han + kana)
    if other > latin + characters or not latin + characters:
        return None
    if latin > characters:
        return "latin"
    return "kana" if kana > _KANA_SHARE * (han + kana) else "han"


class Languages:
    """Which scripts the library has, and a query's vector in another one. Safe to use from several threads."""

    def __init__(self, index_store: IndexStore) -> None:
        self._index_store = index_store
        self._lock = threading.Lock()
        self._present: tuple[int, frozenset[Script]] = (-1, frozenset())
        self._means: dict[tuple[str, Script], Vectors] = {}

    def beside(self, here: Script | None) -> tuple[Script, ...]:
        """The other scripts of the library, in a fixed order; none where little is in the script `here`: then there is nothing to be nearer to."""
        present = self._scripts()
        return tuple(sorted(present - {here})) if here in present else ()

    def shifted(self, vector: Vectors, here: Script, there: Script, embedder: Embedder, cancel: CancelToken) -> Vectors:
        """A query's vector by `embedder` as if it had been asked in the other script, of length 1. Raises what embedding raises; `Cancelled`."""
        moved: Vectors = vector - self._mean(here, embedder, cancel) + self._mean(there, embedder, cancel)
        length = float(np.linalg.norm(moved))
        return (moved / length).astype(np.float32) if length else vector

    def _scripts(self) -> frozenset[Script]:
        newest = self._index_store.newest_text()
        with self._lock:
            known, scripts = self._present
        if known != newest:
            found: Counter[Script] = Counter(filter(None, map(script_of, self._index_store.text_samples(SAMPLES))))
            scripts = frozenset[Script](script for script, blocks in found.items() if blocks >= LEAST_SHARE * found.total())
            with self._lock:
                self._present = (newest, scripts)
        return scripts

    def _mean(self, script: Script, embedder: Embedder, cancel: CancelToken) -> Vectors:
        key = (embedder.model_id, script)
        with self._lock:
            mean = self._means.get(key)
        if mean is None:
            mean = np.mean([embedder.embed_query(question, cancel=cancel) for question in _QUESTIONS[script]], axis=0)
            with self._lock:
                self._means[key] = mean
        return mean
