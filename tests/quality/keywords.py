"""A question set of bare keywords, most of 1 to 6 characters, in Chinese, Japanese, English and mixtures of them: made by code, the same every time.

    python -m tests.quality.keywords FOLDER        then: python -m tests.quality.retrieval FOLDER --home HOME

Each keyword has a note of its own. Other notes stand near it: two with the keyword's parts, but not the keyword, and hundreds of the same wording. Some
queries are written otherwise than the note: in traditional characters, in half width, with or without a hyphen. Right is the note's number in five passages.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ZH = (
    "猫 盐 鹤 锅 棉 桥 梯 伞 电池 退款 年假 合同 发票 宿舍 食堂 保险 押金 签证 培训 打印机 报销单 登记表 灭火器 会议室 停车证 身份证 体检表 工资条 周转箱 验收单 张伟民 欧阳倩"
    " 劳动合同 试用期满 离职证明 差旅补贴 网络安全 数据备份 消防演练 设备台账 质量管理 客户回访 年终奖金 安全生产 供应商名单 采购申请单 临时工宿舍 应急预案表 夜班交接簿 人工智能 机器学习模型 固定资产盘点 员工持股计划"
).split()
MIXED_ZH = "A4纸 5G基站 第3条 第12章 B超室 3号楼 U盘 T恤 K线图 X光机 PM2.5 Wi-Fi密码 VPN账号 1,280元 ¥3,460 2.4米 24V电源 OA系统 USB接口 C盘清理 零件A7 12月奖金 GB/T标准 HR部门".split()
# What is asked, and how the note writes it.
OTHERWISE_ZH = (
    ("頭髮", "头发"), ("圖書館", "图书馆"), ("發票", "发票"), ("後勤部", "后勤部"), ("勞動節", "劳动节"), ("電腦", "电脑"), ("憑證", "凭证"), ("採購", "采购"), ("鑰匙", "钥匙"), ("檔案室", "档案室"),
    ("体育馆", "體育館"), ("账单", "賬單"), ("机场", "機場"), ("药房", "藥房"), ("医务室", "醫務室"), ("云", "雲"), ("龙", "龍"), ("ＡＢＣ表", "ABC表"), ("１２号线", "12号线"), ("1280元", "1,280元"),
    ("３号门", "3号门"), ("第三条", "第3条"), ("Ａ４紙", "A4纸"), ("衛生間", "卫生间"),
)  # fmt: skip
JA = (
    "猫 塩 橋 傘 鶴 鍵 畑 京都 東京都 電池 契約 領収書 有給休暇 会議室 駐車場 保険証 給与明細 消火器 図書館 健康診断 出張旅費 勤怠管理 個人情報 雇用契約書 すし りんご さくら おにぎり てがみ こたつ"
    " サーバー プリンター データ パソコン エレベーター コピー用紙 ログイン ネットワーク アルバイト マニュアル ボーナス パスワード ヘルメット タイムカード 引き継ぎ 打ち合わせ 申し込み 取り扱い 見積もり 振り込み"
    " お問い合わせ 食べ放題 雨漏り 貸し出し 渡辺 佐々木 斎藤さん 人々 時々 関東支社"
).split()
MIXED_JA = "A4用紙 Wi-Fi設定 第3条 5月分 3階 USBメモリ ITサポート PDF変換 2号機 24時間 Tシャツ Y軸".split()
OTHERWISE_JA = (
    ("ﾃﾞｰﾀ", "データ"),
    ("ﾌﾟﾘﾝﾀｰ", "プリンター"),
    ("サーバ", "サーバー"),
    ("プリンタ", "プリンター"),
    ("ソフトウェア・テスト", "ソフトウェアテスト"),
    ("第三条", "第3条"),
    ("１２号室", "12号室"),
    ("２階", "2階"),
)
EN = (
    "refund badge kiln VPN payroll re-entry follow-up check-in maxRetryCount user_name getUserById node.js report_final.docx setup.exe config.yaml v2.3.1 4.1.0 AB-1029 KX-2207/B P-02 ISO-9001 $3,400 1,280.50"
    " li.wei@example.com info@tern-works.example 192.168.1.14 10:45 #2217 C3 E31 O'Neill naïve São"
).split()
OTHERWISE_EN = (
    ("wifi", "Wi-Fi"), ("e-mail", "email"), ("email", "e-mail"), ("P07", "P-07"), ("KT-33", "KT33"), ("2.5.9", "v2.5.9"), ("v3.0.1", "3.0.1"), ("1480", "1,480"), ("2,650", "2650"), ("max_open_files", "maxOpenFiles"),
    ("openPort", "open_port"), ("minFreeSpace", "min free space"), ("github", "GitHub"), ("cafe", "café"), ("RÉSUMÉ", "résumé"), ("retry", "setRetryDelay"), ("on-call", "oncall"), ("ＩＤ９", "ID9"),
)  # fmt: skip

FILLERS = 60
"""Notes of each language that have nothing of any keyword but the wording of the note."""

_WORDING = {
    "zh": (
        "关于“{}”的说明：由{}负责，编号 {}，有疑问请打分机。",
        "请先看{}一栏，再找{}，登记号是 {}。",
        "{}已经处理完毕，经手人{}，存档号 {}。",
    ),
    "ja": (
        "「{}」について：担当は{}、整理番号は {} です。",
        "まず{}の欄を見て、{}に聞いてください。登録番号は {} です。",
        "{}は処理済みです。担当者は{}、保管番号は {} です。",
    ),
    "en": (
        "About {}: {} is in charge, note number {}.",
        "Please look at {} first, then ask {}; it is filed under {}.",
        "The matter of {} was settled by {} and kept as {}.",
    ),
}
_PEOPLE = {"zh": ("王芳", "李强", "赵敏", "孙涛"), "ja": ("田中", "鈴木", "小林", "伊藤"), "en": ("Ash", "Berg", "Costa", "Dahl")}
_FILLER = {"zh": "甲乙丙丁戊己庚辛壬癸", "ja": "イロハニホヘトチリヌ", "en": "qwxzjvkyph"}


@dataclass(frozen=True, slots=True)
class Keyword:
    """What is asked and how the note writes it."""

    asked: str
    written: str
    language: str


def keywords() -> list[Keyword]:
    """All of them."""
    return [
        *(Keyword(word, word, "zh") for word in [*ZH, *MIXED_ZH]),
        *(Keyword(asked, written, "zh") for asked, written in OTHERWISE_ZH),
        *(Keyword(word, word, "ja") for word in [*JA, *MIXED_JA]),
        *(Keyword(asked, written, "ja") for asked, written in OTHERWISE_JA),
        *(Keyword(word, word, "en") for word in EN),
        *(Keyword(asked, written, "en") for asked, written in OTHERWISE_EN),
    ]


def _neighbours(word: str, language: str) -> list[str]:
    """Two words with the parts of `word`: the other way round, and with something in between."""
    if len(word) < 2:
        return []
    middle = (len(word) + 1) // 2
    between = {"zh": "与", "ja": "と", "en": "x"}[language]
    return [word[middle:] + word[:middle], word[:middle] + between + word[middle:]]


def _note(subject: str, language: str, number: int, draw: random.Random) -> tuple[str, str]:
    """A note, and the number that it alone has."""
    code = f"N{number * 7919 % 90_000 + 10_000}"
    return draw.choice(_WORDING[language]).format(subject, draw.choice(_PEOPLE[language]), code), code


def write(folder: Path) -> int:
    """Write `docs/` (one note a file) and `questions.jsonl`; returns the number of questions."""
    docs = folder / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    questions: list[dict[str, object]] = []
    subjects = [
        (language, "".join(draw.choices(_FILLER[language], k=draw.randint(2, 5))))
        for language in ("zh", "ja", "en")
        for _ in range(FILLERS)
    ]
    for keyword in keywords():
        subjects += [(keyword.language, near) for near in _neighbours(keyword.written, keyword.language)]
    notes = [_note(subject, language, number, draw) for number, (language, subject) in enumerate(subjects)]
    codes: dict[str, list[str]] = {}
    files: dict[str, list[str]] = {}
    for keyword in keywords():
        text, code = _note(keyword.written, keyword.language, len(notes), draw)
        codes.setdefault(keyword.written, []).append(code)
        files.setdefault(keyword.written, []).append(f"note-{len(notes):04}.txt")
        notes.append((text, code))
    for number, keyword in enumerate(keywords()):
        right = {"answers": codes[keyword.written], "supporting": files[keyword.written]}
        questions.append({"id": f"kw{number:03}", "question": keyword.asked, "type": "single", "lang": keyword.language, **right})
    for number, (text, _) in enumerate(notes):
        (docs / f"note-{number:04}.txt").write_text(text, encoding="utf-8", newline="")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in questions)
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8", newline="")
    return len(questions)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    (folder,) = sys.argv[1:] if arguments is None else arguments
    sys.stdout.write(f"{write(Path(folder))} questions\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
