"""From prompt files and state to prompts.

Two shapes, both laid out so that calls share the longest beginning (the model's cache then does the work once):

    few-shot    [system: rules] [examples as turns] [user: the question]
    evidence    [system: rules] [user: question, passages in the order found, and last a short task]

Text from files and pages is put in by one pass of substitution, so that nothing in it is ever taken for a place-holder.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal, cast

from core.documents import Message, Prompt, ScoredChunk, WebResult
from core.qa.language import PromptLanguage

Role = Literal["system", "user", "assistant"]

_FOLDER = Path(__file__).parent / "prompts"
_FENCE_KEY = secrets.token_bytes(16)
_OWN_MARK = re.compile(r"[\[【［](\d{1,3})[\]】］]")
_TURN = re.compile(r"^## (system|user|assistant)\n", re.MULTILINE)
_PLACE = re.compile(r"\{([a-z_]+)\}")


@cache
def prompt_text(name: str, language: PromptLanguage) -> str:
    """The text of a prompt file; the English one where there is no Chinese one."""
    chinese = _FOLDER / f"{name}.zh.md"
    path = chinese if language == "zh" and chinese.exists() else _FOLDER / f"{name}.md"
    return path.read_text(encoding="utf-8").strip()


def fill(template: str, **values: str) -> str:
    """Put values in the place of `{name}`; a name without a value stays as it is."""
    return _PLACE.sub(lambda found: values.get(found[1], found[0]), template)


def few_shot(name: str, language: PromptLanguage, *, answer_start: str = "", **values: str) -> Prompt:
    """A prompt from a file of `## system`, `## user` and `## assistant` turns; the last turn is the question's own."""
    parts = _TURN.split(prompt_text(name, language))[1:]
    turns = zip(parts[::2], parts[1::2], strict=True)
    messages = tuple(Message(cast(Role, role), fill(text.strip(), **values)) for role, text in turns)
    return Prompt(messages, answer_start)


def evidence_prompt(
    task: str,
    language: PromptLanguage,
    *,
    question: str,
    documents: Sequence[ScoredChunk],
    web_results: Sequence[WebResult] = (),
    answer_start: str = "",
    **values: str,
) -> Prompt:
    """A prompt that shows the question, the evidence, and then what to do with it (prompt file `task`)."""
    # The mark that fences the passages cannot be known to whoever wrote them, and is the same for every prompt of a question.
    mark = hmac.new(_FENCE_KEY, question.encode("utf-8", "replace"), "sha256").hexdigest()[:6]
    head = fill(prompt_text("evidence", language), question=question, mark=mark)
    passages = [*(_passage(n, found.chunk.context, found.chunk.text) for n, found in enumerate(documents, 1))]
    first_page = len(passages) + 1
    passages += [_passage(n, f"{page.title} ({page.domain})", page.snippet) for n, page in enumerate(web_results, first_page)]
    body = "\n\n".join(passages) or prompt_text("no_passages", language)
    end = fill(prompt_text(task, language), question=question, mark=mark, **values)
    content = f"{head}\n\n{body}\n\n{end}"
    return Prompt((Message("system", prompt_text("rules", language)), Message("user", content)), answer_start)


def _passage(n: int, heading: str, text: str) -> str:
    # A number in brackets belongs to the passages alone: one that a file brings along could pass for the next passage.
    return f"[{n}] {_OWN_MARK.sub(_in_round_brackets, heading)}\n{_OWN_MARK.sub(_in_round_brackets, text.strip())}"


def _in_round_brackets(mark: re.Match[str]) -> str:
    return f"({mark[1]})"
