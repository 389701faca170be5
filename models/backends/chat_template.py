"""From messages to the pieces a prompt is tokenised from: the template's own text, and the contents, kept apart.

A chat template comes with the weights and is not trusted; a content comes from documents, the web or the person and must never
become a control token. So the template is rendered with marks in place of the contents, and split at the marks.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}"
    "{{ '<|im_start|>assistant\\n' }}"
)
"""The template of the model families in `_CHATML_FAMILIES`, reviewed; theirs says the same with tools and default system texts around it."""

_CHATML_FAMILIES = ("qwen2.5", "qwen2", "smollm2")
_RENDER_SECONDS = 2.0
_RENDER_CHARACTERS = 1_000_000
_LONGEST_PRODUCT = 100_000

# Private-use characters: no template writes them, and they never reach the model.
_MARK = "\uf8f0{}\uf8f1"
_MARKS = re.compile("\uf8f0(\\d+)\uf8f1")

_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\U000e0000-\U000e007f]")


class TemplateUnusable(Exception):
    """The template fails, runs too long, or does not show every message once."""


class TemplateEndless(TemplateUnusable):
    """The template does not come to an end in the time or space it has."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a rendered prompt. Only a template's own text may hold control tokens."""

    text: str
    is_template: bool


def clean(text: str) -> str:
    """Take out what no reader sees and a tokenizer may trip over: control characters, lone surrogates, invisible tag letters."""
    return _UNWANTED.sub("", text)


def template_for(name: str, own_template: str) -> str:
    """The template for a model: our own for families we know, else the one in the file, else ChatML."""
    plain = name.lower().replace(" ", "").replace("_", "-")
    if any(plain.startswith(family) for family in _CHATML_FAMILIES) and (not own_template or "<|im_start|>" in own_template):
        return CHATML
    return own_template or CHATML


def render(template: str, messages: Sequence[tuple[str, str]], *, bos: str = "", eos: str = "") -> list[Piece]:
    """The pieces of a prompt of `(role, content)` messages, ending where the answer begins. Raises `TemplateUnusable`.

    A template that refuses a system message gets it at the head of the first user message instead.
    """
    try:
        return _render_marked(template, messages, bos, eos)
    except TemplateEndless:
        raise
    except TemplateUnusable:
        if len(messages) < 2 or messages[0][0] != "system" or messages[1][0] != "user":
            raise
        merged = [("user", f"{messages[0][1]}\n\n{messages[1][1]}"), *messages[2:]]
        return _render_marked(template, merged, bos, eos)


def _render_marked(template: str, messages: Sequence[tuple[str, str]], bos: str, eos: str) -> list[Piece]:
    marked = [{"role": role, "content": _MARK.format(number)} for number, (role, _content) in enumerate(messages)]
    text = _limited(lambda: _render_text(template, marked, bos, eos))
    parts = _MARKS.split(text)
    if [int(number) for number in parts[1::2]] != list(range(len(messages))):
        raise TemplateUnusable("the chat template does not show every message once and in order")
    pieces: list[Piece] = []
    for position, part in enumerate(parts):
        is_template = position % 2 == 0
        piece = part if is_template else clean(messages[int(part)][1])
        if piece:
            pieces.append(Piece(piece, is_template))
    return pieces


def _render_text(template: str, messages: list[dict[str, str]], bos: str, eos: str) -> str:
    def raise_exception(message: object) -> None:
        raise TemplateUnusable(str(message)[:200])

    environment = _Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    pieces: list[str] = []
    characters = 0
    compiled = environment.from_string(template)
    variables = {"messages": messages, "add_generation_prompt": True, "bos_token": bos, "eos_token": eos, "enable_thinking": False}
    for piece in compiled.generate(**variables, tools=None, raise_exception=raise_exception, strftime_now=lambda _format: ""):
        pieces.append(piece)
        characters += len(piece)
        if characters > _RENDER_CHARACTERS:
            raise TemplateEndless("the chat template writes without end")
    return "".join(pieces)


class _Sandbox(ImmutableSandboxedEnvironment):
    """Besides the sandbox: no product, padding or formatting that makes a short template fill the memory."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name in ("center", "format", "indent", "wordwrap"):
            self.filters.pop(name, None)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "%" and not isinstance(left, str):
            return left % right
        sizes = [value if isinstance(value, int) else len(value) for value in (left, right)]
        if operator == "*" and sizes[0] * sizes[1] <= _LONGEST_PRODUCT:
            return left * right
        raise TemplateUnusable(f"the chat template uses {operator} in a way that is not allowed")


def _limited(work: Callable[[], str]) -> str:
    """The result of `work`, given up after two seconds."""
    outcome: list[str | BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run, name="template", daemon=True)
    thread.start()
    thread.join(_RENDER_SECONDS)
    if thread.is_alive():
        # An endless loop in a template is Python code, so an exception set from outside ends it.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit))
        raise TemplateEndless("the chat template does not come to an end")
    result = outcome[0]
    if isinstance(result, str):
        return result
    if isinstance(result, TemplateUnusable):
        raise result
    if isinstance(result, TemplateError | ArithmeticError | LookupError | TypeError | ValueError | AttributeError | RecursionError):
        raise TemplateUnusable(f"the chat template fails: {str(result)[:200]}") from result
    raise result
