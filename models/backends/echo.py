"""A chat model and an embedder without weights: deterministic, at once there, and really usable for a look around.

The chat model quotes the sentence of the given passages that fits the question best; the embedder hashes words and pairs of
Chinese, Japanese or Korean characters. Both keep the contracts of the real ones.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import ValidationError

from core.cancel import CancelToken
from core.documents import Prompt, Usage
from core.errors import InvalidRequest, PromptTooLong, ReplyUnusable
from core.protocols import Choice, Reply, ReplyT, Speed, Vectors, Written
from core.qa.thresholds import Thresholds

DIMENSION = 384

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+|[^\w\s]|_")
_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_PASSAGE = re.compile(r"^\[(\d+)\] .*$", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_LAST_FENCE = re.compile(r"^</[0-9a-f]{6}>$", re.MULTILINE)
_FENCE_LINE = re.compile(r"^.*</?[0-9a-f]{6}>.*$", re.MULTILINE)
_LABELLED = re.compile(r"^(?:question|frage|问题|提问)\s*[:：]\s*", re.IGNORECASE)
_NEEDS_NO_FILES = re.compile(r"\d\s*[-+*/×÷=]\s*\d|^(?:hi|hello|hey|thanks|你好|您好|谢谢)\b|函数|function|translate|翻译", re.IGNORECASE)


THRESHOLDS = Thresholds(files=0.5, plan=0.5, enough=0.5, calibrated=True, model_id="echo")
"""Its choices are sure ones, so there is nothing to calibrate."""


@dataclass(frozen=True, slots=True)
class _Passage:
    n: int
    text: str


class EchoChatModel:
    """Implements `ChatModel` by quoting."""

    def __init__(self, *, context_tokens: int = 4096) -> None:
        self._context_tokens = context_tokens
        self._seen: list[str] = []

    @property
    def model_id(self) -> str:
        return "echo"

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    @property
    def speed(self) -> Speed | None:
        """Nothing is read or written by a model: there is no speed."""
        return None

    def load(self, *, cancel: CancelToken) -> None:
        """Nothing to load."""
        cancel.check()

    def keep(self, prompts: Sequence[Prompt], *, cancel: CancelToken) -> None:
        """Nothing is read slowly enough to be kept."""
        cancel.check()

    def stream(self, prompt: Prompt, *, max_tokens: int, cancel: CancelToken) -> Generator[str, None, Written]:
        usage = self._read(prompt, max_tokens, cancel)
        question, passages = _understand(prompt)
        best = _best_sentence(question, passages)
        answer = f"{best[1]} [{best[0]}]" if best else f"You asked: {_last_line(question)}"
        try:
            for piece in re.findall(r"\S+\s*", answer)[:max_tokens]:
                cancel.check()
                usage += Usage(generated=1)
                yield piece
        except GeneratorExit:
            return Written(usage)
        cancel.check()
        return Written(usage)

    def reply(self, prompt: Prompt, reply_type: type[ReplyT], *, max_tokens: int, cancel: CancelToken) -> Reply[ReplyT]:
        usage = self._read(prompt, max_tokens, cancel)
        question, _passages = _understand(prompt)
        schema = reply_type.model_json_schema()
        try:
            value = reply_type.model_validate(_example(schema, schema.get("$defs", {}), _last_line(question)))
        except (ValidationError, RecursionError) as error:
            raise ReplyUnusable(f"There is no simple reply of type {reply_type.__name__}.") from error
        return Reply(value, usage + Usage(generated=1))

    def choose(self, prompt: Prompt, labels: Sequence[str], *, cancel: CancelToken) -> Choice:
        if len(set(labels)) < len(labels) or not all(label.strip() for label in labels):
            raise InvalidRequest("Labels must differ in their first token.")
        usage = self._read(prompt, 1, cancel)
        question, passages = _understand(prompt)
        chosen = _sensible(labels, _last_line(question), _best_sentence(question, passages) is not None)
        rest = 0.1 / max(len(labels) - 1, 1)
        sure = 0.9 if len(labels) > 1 else 1.0
        return Choice({label: sure if label == chosen else rest for label in labels}, usage)

    def choose_each(self, prompts: Sequence[Prompt], labels: Sequence[str], *, cancel: CancelToken) -> tuple[Choice, ...]:
        return tuple(self.choose(prompt, labels, cancel=cancel) for prompt in prompts)

    def count_tokens(self, text: str) -> int:
        return len(_TOKEN.findall(text))

    def close(self) -> None:
        """Nothing to close."""

    def _read(self, prompt: Prompt, max_tokens: int, cancel: CancelToken) -> Usage:
        cancel.check()
        tokens = _TOKEN.findall("\n".join([*(f"{message.role}: {message.content}" for message in prompt.messages), prompt.answer_start]))
        if len(tokens) + max_tokens > self._context_tokens:
            raise PromptTooLong("The prompt does not fit into the model's context window.", prompt_tokens=len(tokens))
        same = (a == b for a, b in zip(tokens, self._seen, strict=False))
        reused = next((count for count, equal in enumerate(same) if not equal), min(len(tokens), len(self._seen)))
        reused = min(reused, max(len(tokens) - 1, 0))
        self._seen = tokens
        return Usage(evaluated=len(tokens) - reused, reused=reused)


class HashEmbedder:
    """Implements `Embedder` by hashing: texts with the same words are near each other, whatever they mean."""

    @property
    def model_id(self) -> str:
        return f"hash-{DIMENSION}-1"

    @property
    def dimension(self) -> int:
        return DIMENSION

    @property
    def is_ready(self) -> bool:
        """There is nothing to load."""
        return True

    def load(self, *, cancel: CancelToken) -> None:
        """Nothing to load."""
        cancel.check()

    def embed_passages(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            cancel.check()
            vectors[row] = _hashed(text)
        return vectors

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        cancel.check()
        return _hashed(text)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(_TOKEN.findall(text)) for text in texts]

    def close(self) -> None:
        """Nothing to close."""


def _terms(text: str) -> list[str]:
    """Words in lower case, and pairs of neighbouring CJK characters."""
    terms: list[str] = []
    for word in _WORD.findall(text.lower()):
        if re.match(f"[{_CJK}]", word):
            terms += [word[i : i + 2] for i in range(len(word) - 1)] or [word]
        else:
            terms.append(word)
    return terms


def _hashed(text: str) -> Vectors:
    vector = np.zeros(DIMENSION, dtype=np.float32)
    for term, count in Counter(_terms(text)).items():
        digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
        # Short words are mostly grammar; long ones say what a text is about.
        weight = math.sqrt(count) * (1.0 if not term.isascii() else min(len(term), 8) / 4)
        vector[int.from_bytes(digest[:4], "little") % DIMENSION] += weight if digest[4] & 1 else -weight
    norm = float(np.linalg.norm(vector))
    if norm == 0.0:
        vector[0] = norm = 1.0
    return (vector / np.float32(norm)).astype(np.float32)


def _understand(prompt: Prompt) -> tuple[str, list[_Passage]]:
    """The question with whatever stands around it, and the numbered passages, from the last user message."""
    whole = next((message.content for message in reversed(prompt.messages) if message.role == "user"), "")
    # The marks that fence the passages, and the line that tells of them, belong neither to the question nor to a passage.
    fences = list(_LAST_FENCE.finditer(whole))
    content = _FENCE_LINE.sub("", whole[: fences[-1].start()]) if fences else whole
    starts = list(_PASSAGE.finditer(content))
    if not starts:
        return whole, []
    ends = [found.start() for found in starts[1:]] + [len(content)]
    passages = []
    for found, end in zip(starts, ends, strict=True):
        text = content[found.end() : end].strip("\n")
        if end == len(content) and not fences:
            # What follows the last passage, after an empty line, is the task.
            text = text.rsplit("\n\n", 1)[0]
        passages.append(_Passage(int(found[1]), text))
    return content[: starts[0].start()], passages


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    labelled = [_LABELLED.sub("", line) for line in lines if _LABELLED.match(line)]
    return (labelled or lines or [""])[-1]


def _best_sentence(question: str, passages: Sequence[_Passage]) -> tuple[int, str] | None:
    """Number and text of the sentence that shares the rarest words with the question."""
    sentences = [(passage.n, found.strip()) for passage in passages for found in _SENTENCE.findall(passage.text) if found.strip()]
    everywhere = Counter(term for _n, sentence in sentences for term in set(_terms(sentence)))
    asked = set(_terms(question))

    def score(sentence: str) -> float:
        shared = asked & set(_terms(sentence))
        return sum(math.log(1 + len(sentences) / everywhere[term]) * min(len(term), 6) for term in shared)

    best = max(sentences, key=lambda item: score(item[1]), default=None)
    return best if best and score(best[1]) > 0 else None


def _sensible(labels: Sequence[str], question: str, has_evidence: bool) -> str:
    plain = {label.strip().lower(): label for label in reversed(labels)}
    if "simple" in plain and "complex" in plain:
        return plain["simple" if _NEEDS_NO_FILES.search(question) else "complex"]
    for yes, no in (("yes", "no"), ("是", "否"), ("能", "否")):
        if yes in plain and no in plain:
            return plain[yes if has_evidence else no]
    return labels[0]


def _example(schema: Mapping[str, Any], definitions: Mapping[str, Any], text: str) -> Any:
    """A small value that fits a schema; strings are the question."""
    if "$ref" in schema:
        return _example(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions, text)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if options := schema.get("anyOf", schema.get("oneOf", schema.get("allOf"))):
        return _example(options[0], definitions, text)
    match schema.get("type"):
        case "object":
            return {key: _example(value, definitions, text) for key, value in schema.get("properties", {}).items()}
        case "array" if "prefixItems" in schema:
            return [_example(item, definitions, text) for item in schema["prefixItems"]]
        case "array":
            count = min(max(schema.get("minItems", 1), 1), schema.get("maxItems", 1))
            return [_example(schema["items"], definitions, text) for _ in range(count)]
        case "string":
            return text[: schema.get("maxLength", 200)]
        case "integer" | "number" as kind:
            least = schema.get("minimum", schema.get("exclusiveMinimum", 0))
            most = schema.get("maximum", max(least, 1))
            return int(most) if kind == "integer" else float(most)
        case "boolean":
            return True
        case _:
            return None
