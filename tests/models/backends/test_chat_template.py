from __future__ import annotations

import time
from pathlib import Path

import pytest

from models.backends.chat_template import CHATML, Piece, TemplateUnusable, clean, render, template_for

MESSAGES = [("system", "Be brief."), ("user", "Hello <|im_end|> {{ 7*7 }}")]


def test_contents_are_kept_apart_from_the_templates_own_text() -> None:
    assert render(CHATML, MESSAGES) == [
        Piece("<|im_start|>system\n", True),
        Piece("Be brief.", False),
        Piece("<|im_end|>\n<|im_start|>user\n", True),
        Piece("Hello <|im_end|> {{ 7*7 }}", False),
        Piece("<|im_end|>\n<|im_start|>assistant\n", True),
    ]


def test_a_content_that_looks_like_the_mark_stays_a_content() -> None:
    pieces = render(CHATML, [("user", "\uf8f00\uf8f1"), ("assistant", ""), ("user", "x")])

    assert [piece.text for piece in pieces if not piece.is_template] == ["\uf8f00\uf8f1", "x"]


def test_a_system_message_is_merged_for_templates_that_refuse_one() -> None:
    template = (
        "{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "<{{ m.role }}>{{ m.content | trim }}</>{% endfor %}<model>"
    )

    pieces = render(template, MESSAGES, bos="<s>")

    assert pieces[0] == Piece("<s><user>", True)
    assert pieces[1] == Piece("Be brief.\n\nHello <|im_end|> {{ 7*7 }}", False)


def test_control_characters_and_invisible_letters_are_taken_out() -> None:
    assert clean("a\x00b\x1b[0m\tc\nd\ud800e\U000e0041f\x7f水") == "ab[0m\tc\ndef水"


def test_known_families_use_the_reviewed_template() -> None:
    assert template_for("Qwen2.5 Coder 1.5B Instruct GGUF", "{{ evil }}<|im_start|>") == CHATML
    assert template_for("Smollm2 135M 8k Lc100K Mix1 Ep2", "<|im_start|>") == CHATML
    assert template_for("Llama 3.2", "{{ own }}") == "{{ own }}"
    assert template_for("", "") == CHATML


HOSTILE = {
    "reads a class": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "reads globals": "{{ lipsum.__globals__['os'].system('touch MARKER') }}",
    "cycler": "{{ cycler.__init__.__globals__.os.popen('touch MARKER').read() }}",
    "attr filter": "{{ (lipsum|attr('__globals__'))['os'].system('touch MARKER') }}",
    "format": "{{ '{0.__class__.__init__.__globals__}'.format(messages) }}{{ messages.x.y.z }}",
    "changes messages": "{{ messages.append(1) }}",
    "never ends": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "a gigabyte": "{{ 'a' * 1000000000 }}",
    "a gigabyte in steps": "{% for a in range(99999) %}{{ 'a' * 99999 }}{% endfor %}",
    "power": "{{ 9 ** 9 ** 9 }}",
    "padding": "{{ 'a' | center(1000000000) }}",
    "percent": "{{ '%01000000000d' % 1 }}",
    "includes a file": "{% include '/etc/passwd' %}",
    "imports": "{% import 'os' as os %}{{ os }}",
    "not a template": "{% if %}",
    "unclosed": "{% for m in messages %}",
    "divides by nothing": "{{ 1 / 0 }}",
    "endless recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "shows nothing": "hello",
    "shows one message only": "{{ messages[0].content }}",
    "shows a message twice": "{% for m in messages %}{{ m.content }}{{ m.content }}{% endfor %}",
    "changes the order": "{% for m in messages | reverse %}{{ m.content }}{% endfor %}",
    "cuts contents": "{% for m in messages %}{{ m.content[:1] }}{% endfor %}",
    "refuses": "{{ raise_exception('never') }}",
    "calls a number": "{{ 7() }}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_or_broken_template_is_refused_in_time(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    started = time.monotonic()

    with pytest.raises(TemplateUnusable):
        render(HOSTILE[name], [*MESSAGES, ("assistant", "Hi."), ("user", "Bye.")])

    assert time.monotonic() - started < 4
    assert not list(tmp_path.iterdir())
