"""A question set about codes, dates, amounts and clause numbers, where vectors alone go wrong: made by code, the same every time.

    python -m tests.quality.identifiers FOLDER        then: python -m tests.quality.retrieval FOLDER --home HOME

Hundreds of entries of four files differ in nothing but their numbers. Each question names one of them; the answer stands in one passage only.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

ENTRIES = 500
QUESTIONS = 15
"""Of each file."""

_PARTS = ("pump", "valve", "gearbox", "fan", "heater", "belt", "filter", "seal")
_WORK = ("was inspected and cleaned", "was replaced after a leak", "was greased and adjusted", "was taken out for repair")
_PARTS_ZH = ("水泵", "阀门", "齿轮箱", "风机", "加热器", "皮带", "过滤器", "密封圈")
_WORK_ZH = ("检查并清洗", "因渗漏更换", "加油并调整", "拆下送修")


def _day(number: int) -> tuple[int, int, int]:
    return 2028 + number // 336, number // 28 % 12 + 1, number % 28 + 1


def _tag(number: int) -> str:
    """A number of five digits that no other entry has."""
    return str(10_000 + number * 7919 % 90_000)


def _log(draw: random.Random) -> tuple[str, list[tuple[str, str]]]:
    lines, asked = ["# Maintenance log\n"], []
    for n in range(ENTRIES):
        year, month, day = _day(n)
        order, unit, date = f"WO-{year}-{1000 + n * 37 % 9000:04}", f"P-{n * 13 % 1000:03}", f"{year}-{month:02}-{day:02}"
        lines.append(
            f"{date}: under work order {order} the {draw.choice(_PARTS)} of unit {unit} {draw.choice(_WORK)}. It was closed with tag {_tag(n)}.\n"
        )
        asked += [(f"Which tag closed {order}?", _tag(n)), (f"With which tag was the work of {date} closed?", _tag(n))]
    return "\n".join(lines), asked


def _stock(draw: random.Random) -> tuple[str, list[tuple[str, str]]]:
    lines, asked = ["number,item,shelf,price,order code"], []
    for n in range(ENTRIES):
        number, price = f"KX-{2000 + n * 7 % 5000}/{'ABC'[n % 3]}", f"{100 + n * 17 % 4000}.{n * 3 % 100:02}"
        lines.append(f"{number},{draw.choice(_PARTS)},{'ABCDEF'[n % 6]}{n % 40},{price},{_tag(20_000 + n)}")
        asked += [
            (f"What is the order code of {number}?", _tag(20_000 + n)),
            (f"Which order code belongs to the item that costs {price}?", _tag(20_000 + n)),
        ]
    return "\n".join(lines) + "\n", asked


def _log_zh(draw: random.Random) -> tuple[str, list[tuple[str, str]]]:
    lines, asked = ["# 检修记录\n"], []
    for n in range(ENTRIES):
        year, month, day = _day(n)
        order, date = f"GD-{year}-{1000 + n * 41 % 9000:04}", f"{year}年{month}月{day}日"
        lines.append(
            f"{date}，按工单 {order} 对 B{n * 13 % 1000:03} 的{draw.choice(_PARTS_ZH)}{draw.choice(_WORK_ZH)}，封签号 {_tag(40_000 + n)}。\n"
        )
        asked += [(f"工单 {order} 的封签号是多少？", _tag(40_000 + n)), (f"{date}检修的封签号是多少？", _tag(40_000 + n))]
    return "\n".join(lines), asked


def _rules_zh(draw: random.Random) -> tuple[str, list[tuple[str, str]]]:
    lines, asked = ["# 管理章程\n"], []
    for n in range(ENTRIES):
        clause, code = f"{n // 25 + 1}.{n // 5 % 5 + 1}.{n % 5 + 1}", f"E{4000 + n * 11 % 5000}"
        lines.append(
            f"{clause} 出现 {code} 时，由值班员对{draw.choice(_PARTS_ZH)}{draw.choice(_WORK_ZH)}，并填写表单 {_tag(60_000 + n)}。\n"
        )
        asked += [(f"按 {clause} 条要填写哪张表单？", _tag(60_000 + n)), (f"{code} 要填写哪张表单？", _tag(60_000 + n))]
    return "\n".join(lines), asked


def write(folder: Path) -> int:
    """Write `docs/` and `questions.jsonl`; returns the number of questions."""
    docs = folder / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    questions: list[dict[str, object]] = []
    for name, make, language in (
        ("maintenance-log.md", _log, "en"),
        ("stock.csv", _stock, "en"),
        ("检修记录.md", _log_zh, "zh"),
        ("管理章程.md", _rules_zh, "zh"),
    ):
        text, asked = make(draw)
        (docs / name).write_text(text, encoding="utf-8", newline="")
        for question, answer in draw.sample(asked, QUESTIONS):
            identity = f"id{len(questions):03}"
            questions.append(
                {"id": identity, "question": question, "answers": [answer], "type": "single", "lang": language, "supporting": [name]}
            )
    lines = "".join(json.dumps(question, ensure_ascii=False) + "\n" for question in questions)
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8", newline="")
    return len(questions)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    (folder,) = sys.argv[1:] if arguments is None else arguments
    sys.stdout.write(f"{write(Path(folder))} questions\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
