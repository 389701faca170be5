"""A question set about codes, dates, amounts and names, where vectors alone go wrong: made by code, the same every time.

    python -m tests.quality.identifiers FOLDER        then: python -m tests.quality.retrieval FOLDER --home HOME

200 questions, as many of each file. Hundreds of entries of a file differ in nothing but their codes, whose neighbours are a digit away. Each question
names one entry, sometimes in another spelling than the file's (1280 for 1,280, P02 for P-02, 2.3.1 for v2.3.1, 第三条 for 第3条); what is asked for
stands in one passage only.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ENTRIES = 500
QUESTIONS = 25
"""Of each file."""

Asked = list[tuple[str, str]]

_PARTS = ("pump", "valve", "gearbox", "fan", "heater", "belt", "filter", "seal")
_WORK = ("was inspected and cleaned", "was replaced after a leak", "was greased and adjusted", "was taken out for repair")
_PARTS_ZH = ("水泵", "阀门", "齿轮箱", "风机", "加热器", "皮带", "过滤器", "密封圈")
_WORK_ZH = ("检查并清洗", "因渗漏更换", "加油并调整", "拆下送修")
_PARTS_JA = ("ポンプ", "バルブ", "ファン", "ヒーター", "ベルト", "フィルター", "シール", "モーター")
_GIVEN = (
    "anna",
    "bo",
    "carla",
    "dev",
    "ewa",
    "farid",
    "greta",
    "hugo",
    "ines",
    "jun",
    "karl",
    "lena",
    "mats",
    "nora",
    "omar",
    "pia",
    "ravi",
    "sara",
    "tom",
    "ute",
)
_FAMILY = ("ash", "berg", "costa", "dahl", "eriks", "frey", "gold", "holm", "ito", "jansen", "kern", "lind", "moor", "nagy", "orr", "park", "quist", "rossi", "stein",
           "tran", "urban", "voss", "wolf", "young", "zeller")  # fmt: skip
_SETTINGS = ("Retry", "Cache", "Upload", "Login", "Index", "Queue", "Timer", "Token", "Batch", "Proxy")
_LIMITS = ("Count", "Limit", "Delay", "Size", "Depth")
_REPORTS = ("budget", "forecast", "minutes", "roster", "survey", "audit", "offer", "invoice", "contract", "summary")


def _day(number: int) -> tuple[int, int, int]:
    return 2028 + number // 336, number // 28 % 12 + 1, number % 28 + 1


def _tag(number: int) -> str:
    """A number of five digits that no other entry has."""
    return str(10_000 + number * 7919 % 90_000)


def _log(draw: random.Random) -> tuple[str, Asked]:
    lines, asked = ["# Maintenance log\n"], []
    for n in range(ENTRIES):
        year, month, day = _day(n)
        order, unit, date = f"WO-{year}-{1000 + n * 37 % 9000:04}", f"P-{n * 13 % 1000:03}", f"{year}-{month:02}-{day:02}"
        lines.append(
            f"{date}: under work order {order} the {draw.choice(_PARTS)} of unit {unit} {draw.choice(_WORK)}. It was closed with tag {_tag(n)}.\n"
        )
        asked += [
            (f"Which tag closed {order}?", _tag(n)),
            (f"With which tag was the work of {date} closed?", _tag(n)),
            (f"Which tag belongs to the work on {unit.replace('-', '')}?", _tag(n)),
        ]
    return "\n".join(lines), asked


def _stock(draw: random.Random) -> tuple[str, Asked]:
    lines, asked = ["number,item,shelf,price,order code"], []
    for n in range(ENTRIES):
        number, price = f"KX-{2000 + n * 7 % 5000}/{'ABC'[n % 3]}", f"{100 + n * 17 % 4000}.{n * 3 % 100:02}"
        lines.append(f"{number},{draw.choice(_PARTS)},{'ABCDEF'[n % 6]}{n % 40},{price},{_tag(20_000 + n)}")
        asked += [
            (f"What is the order code of {number}?", _tag(20_000 + n)),
            (f"Which order code belongs to the item that costs {price}?", _tag(20_000 + n)),
        ]
    return "\n".join(lines) + "\n", asked


def _log_zh(draw: random.Random) -> tuple[str, Asked]:
    lines, asked = ["# 检修记录\n"], []
    for n in range(ENTRIES):
        year, month, day = _day(n)
        order, date = f"GD-{year}-{1000 + n * 41 % 9000:04}", f"{year}年{month}月{day}日"
        lines.append(
            f"{date}，按工单 {order} 对 B{n * 13 % 1000:03} 的{draw.choice(_PARTS_ZH)}{draw.choice(_WORK_ZH)}，封签号 {_tag(40_000 + n)}。\n"
        )
        asked += [(f"工单 {order} 的封签号是多少？", _tag(40_000 + n)), (f"{date}检修的封签号是多少？", _tag(40_000 + n))]
    return "\n".join(lines), asked


def _rules_zh(draw: random.Random) -> tuple[str, Asked]:
    lines, asked = ["# 管理章程\n"], []
    for n in range(ENTRIES):
        clause, code = f"{n // 25 + 1}.{n // 5 % 5 + 1}.{n % 5 + 1}", f"E{4000 + n * 11 % 5000}"
        lines.append(
            f"{clause} 出现 {code} 时，由值班员对{draw.choice(_PARTS_ZH)}{draw.choice(_WORK_ZH)}，并填写表单 {_tag(60_000 + n)}。\n"
        )
        asked += [(f"按 {clause} 条要填写哪张表单？", _tag(60_000 + n)), (f"{code} 要填写哪张表单？", _tag(60_000 + n))]
    return "\n".join(lines), asked


def _ledger_zh(draw: random.Random) -> tuple[str, Asked]:
    lines, asked = ["# 付款台账\n"], []
    for n in range(ENTRIES):
        amount = 1_003 + n * 9_973 % 97_001
        written = f"¥{amount:,}" if n % 2 else f"{amount} 元"
        article = f"第{n % 99 + 1}条" if n < 99 else "附则"
        lines.append(f"按{article}，支付{draw.choice(_PARTS_ZH)}货款 {written}，凭证号 {_tag(30_000 + n)}。\n")
        asked += [(f"{amount}元的凭证号", _tag(30_000 + n)), (f"¥{amount:,} 这笔货款的凭证号是多少？", _tag(30_000 + n))]
        if 10 <= n < 99 and n + 1 not in (20, 30, 40, 50, 60, 70, 80, 90):
            digits = "零一二三四五六七八九"
            tens = digits[(n + 1) // 10] if n + 1 >= 20 else ""
            asked.append((f"按第{tens}十{digits[(n + 1) % 10] if (n + 1) % 10 else ''}条支付的货款，凭证号是多少？", _tag(30_000 + n)))
    return "\n".join(lines), asked


def _people(draw: random.Random) -> tuple[str, Asked]:
    lines, asked = ["# Directory\n"], []
    for n in range(ENTRIES):
        given, family = _GIVEN[n % 20], _FAMILY[n // 20]
        address, phone = f"{given}.{family}@tern-works.example", f"+44 20 7{n * 613 % 1000:03} {n * 7121 % 10000:04}"
        lines.append(
            f"{given.title()} {family.title()}, {address}, phone {phone}, looks after {draw.choice(_PARTS)}s, badge {_tag(50_000 + n)}.\n"
        )
        asked += [(f"badge of {address}", _tag(50_000 + n)), (f"Whose number is {phone}? Which badge?", _tag(50_000 + n))]
    return "\n".join(lines), asked


def _releases(draw: random.Random) -> tuple[str, Asked]:
    lines, asked = ["# Releases and files\n"], []
    for n in range(ENTRIES):
        version, setting = f"v{n // 100 + 1}.{n // 10 % 10}.{n % 10}", f"max{_SETTINGS[n % 10]}{_LIMITS[n // 10 % 5]}{n // 50 or ''}"
        file = f"{_REPORTS[n % 10]}_{2020 + n // 10 % 10}_v{n // 100 + 1}.xlsx"
        lines.append(
            f"{version} {draw.choice(_WORK).replace('was ', '')}: see {file}; `{setting}` is now signed with build {_tag(70_000 + n)}.\n"
        )
        asked += [
            (f"Which build is {version}?", _tag(70_000 + n)),
            (f"build of release {version[1:]}", _tag(70_000 + n)),
            (f"In which build is {file} mentioned?", _tag(70_000 + n)),
        ]
        if n < 50:
            asked.append((f"max_{_SETTINGS[n % 10].lower()}_{_LIMITS[n // 10 % 5].lower()}", _tag(70_000 + n)))
    return "\n".join(lines), asked


def _parts_ja(draw: random.Random) -> tuple[str, Asked]:
    lines, asked = ["# 部品台帳\n"], []
    for n in range(ENTRIES):
        number, price = f"TK{1000 + n * 7 % 9000}-{'ABC'[n % 3]}", 1_007 + n * 8_837 % 98_009
        lines.append(
            f"品番 {number}：{draw.choice(_PARTS_JA)}、価格 {price:,}円、棚番 {'ABCDEF'[n % 6]}{n % 40}、管理番号 {_tag(80_000 + n)}。\n"
        )
        asked += [(f"品番{number}の管理番号は？", _tag(80_000 + n)), (f"{price}円の部品の管理番号", _tag(80_000 + n))]
    return "\n".join(lines), asked


FILES: tuple[tuple[str, Callable[[random.Random], tuple[str, Asked]], str], ...] = (
    ("maintenance-log.md", _log, "en"),
    ("stock.csv", _stock, "en"),
    ("检修记录.md", _log_zh, "zh"),
    ("管理章程.md", _rules_zh, "zh"),
    ("付款台账.md", _ledger_zh, "zh"),
    ("directory.md", _people, "en"),
    ("releases.md", _releases, "en"),
    ("部品台帳.md", _parts_ja, "ja"),
)
"""Name, how it is made, language of its questions."""


def write(folder: Path) -> int:
    """Write `docs/` and `questions.jsonl`; returns the number of questions."""
    docs = folder / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    questions: list[dict[str, object]] = []
    for name, make, language in FILES:
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
