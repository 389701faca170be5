from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from core.paths import PROGRAM
from models.backends.loop_guard import LoopGuard

_TOKEN = re.compile(r"\n| ?[A-Za-z]+| ?\d|[^\w\s]|\w|\s")


def tokens_until_a_loop(text: Iterable[str]) -> int | None:
    guard = LoopGuard()
    for number, piece in enumerate(text, 1):
        if guard.loops(hash(piece), piece):
            return number
    return None


def pieces(text: str) -> list[str]:
    return _TOKEN.findall(text)


LOOPS = {
    "one token": itertools.repeat(" the"),
    "two tokens": itertools.cycle([" ha", "!"]),
    "a word of three tokens": itertools.cycle([" in", "fin", "ite"]),
    "newlines": itertools.repeat("\n"),
    "a Chinese word": itertools.cycle("好的，"),
    "a short sentence": itertools.cycle(pieces("I do not know. ")),
    "a Chinese sentence": itertools.cycle(pieces("宋江是梁山泊的首领。")),
    "a long sentence": itertools.cycle(
        pieces("The quick brown fox jumps over the lazy dog and then goes home to sleep for the whole night. ")
    ),
    "a paragraph": itertools.cycle(
        pieces("The contract ends in May. It can be extended once. Both sides must agree in writing.\n\nSee section four.\n")
    ),
    "a list item": itertools.cycle(pieces("- the passage does not say\n")),
    "a counted list": (piece for n in itertools.count(1) for piece in pieces(f"{n}. The passage says nothing about it.\n")),
    "counted Chinese lines": (piece for n in itertools.count(1) for piece in pieces(f"{n}. 文中没有提到这一点，因此无法回答这个问题。\n")),
}


@pytest.mark.parametrize("kind", LOOPS)
def test_a_loop_is_noticed_within_200_tokens(kind: str) -> None:
    beginning = pieces("The answer is in the second chapter [1]. ")

    noticed = tokens_until_a_loop(itertools.chain(beginning, itertools.islice(LOOPS[kind], 1000)))

    assert noticed is not None
    assert noticed - len(beginning) <= 200


NORMAL = {
    "figures by year": "".join(f"In {2000 + n} the company earned {n * 7 % 13} million dollars.\n" for n in range(20)),
    "Chinese figures by year": "".join(f"{2000 + n}年公司收入为{n * 7 % 13}00万元。\n" for n in range(20)),
    "days": "".join(f"{n}. On day {n} the ship sailed {n * 31 % 17} miles to the south.\n" for n in range(1, 15)),
    "a table": "| name | value | unit |\n|------|-------|------|\n" + "".join(f"| row {n} | {n * 7} | kg |\n" for n in range(60)),
    "a wide table's rule": "|" + "-----|" * 20 + "\n" + "|" + " 0 |" * 20 + "\n",
    "numbers": ", ".join(str(n) for n in range(300)),
    "a matrix": "\n".join("0, 1, 0, 0, 1, 0, 0, 0" if n % 2 else "1, 0, 0, 1, 0, 0, 1, 1" for n in range(8)),
    "a poem with a refrain": "\n".join(
        f"{line}\nAnd the river runs on, and the river runs on.\n" for line in ("One fell", "Two rose", "Three sang", "Four slept")
    ),
    "a rule of signs": "Title\n" + "=" * 60 + "\nText\n" + "-" * 60 + "\n",
    "a list of chapters": "\n".join(
        f"Chapter {n}: {name}" for n, name in enumerate("Dawn Morning Noon Evening Dusk Night Midnight Dream End".split(), 1)
    ),
    "Chinese enumeration": "".join(f"第{n}回讲的是{name}的故事。" for n, name in enumerate("宋江林冲武松鲁智深李逵吴用", 1)),
}


@pytest.mark.parametrize("kind", NORMAL)
def test_a_normal_text_is_no_loop(kind: str) -> None:
    assert tokens_until_a_loop(pieces(NORMAL[kind])) is None


@pytest.mark.parametrize("file", sorted((PROGRAM / "models").rglob("*.py")), ids=lambda file: file.name)
def test_program_code_is_no_loop(file: Path) -> None:
    assert tokens_until_a_loop(pieces(file.read_text(encoding="utf-8"))) is None
