"""Telling the encodings from before Unicode apart.

Bytes of one encoding often decode in another without an error, but not to characters that people use. Each candidate is scored by
how many of its characters belong to the few hundred that make up most of any text in Chinese, Japanese or Korean. Alphabets are
scored by their letters, and what looks like no language we know goes to charset-normalizer.
"""

from __future__ import annotations

import codecs
import re

import charset_normalizer

from core.library.alphabets import guess_alphabet

_HAN = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进"
    "好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己"
    "制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再"
    "感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万"
    "取拉格望觉术领共确传师观清今切院让识候带导争运笔请九宗客户服单价编码密文档安装版网址页系统录按钮图片数据库参数设置错误信息用户登录注册发布更新测试"
    "這個們來為國說時會對於著過發後裡學樣經麼現當沒動還進從實無與長機業關點將兩間問並應戰頭體見產給變總電數報結"
    "處義條係氣題爾別門員認論場計質隊決書聽卻達強難權設錄記類據該規萬觀術領確傳師讓識帶導爭運筆請單價編碼檔裝版網頁統錯誤訊號線資區東車"
    "日本語時間年月人者会社方法場合情報使用表示設定変更新規登録検索結果画面処理対応必要可能機能開始終了確認追加削除実行入力出力文字円気読続様々単発売買戦楽学校今回"
)
_HANGUL = frozenset(
    "이다는을가에의고하지사도로한은기어자리시를그서나아인라대들게것스과만정일제상해수보부전주장있면와구말생소무안연성없원우조모오여되니으공신동세비관물국용방회경유화금내중선"
    "위양음식간학교문법조건적람때까같더할했습합입니까요었았겠려든운차러마및또새각별후재진심터트크드르프브즈치키파타카하바아저너우리네데레메세테케페베제체계예외왜최된될던단당"
    "달날말살알발반번분본민김박명현영역열결실질집업작약악직식목록복북독속족접답잡감남담참함점험념품통총정청형행향항강방망상생성경영평병명"
)
_PUNCTUATION = frozenset("，。、；：？！“”‘’（）《》〈〉「」『』【】…—～·．％０１２３４５６７８９　ー々〇")
_CJK_CANDIDATES = ("gb18030", "big5", "cp932", "cp949", "euc_jp", "utf-16-le", "utf-16-be", "big5hkscs")
_CJK_ENOUGH = 0.35
_SAMPLE_BYTES = 32 * 1024
_LOOKS_LIKE_A_LANGUAGE = -6.0


def guess_legacy(data: bytes, declared: str = "") -> str:
    """The most likely encoding of text that is not UTF-8. Always an encoding Python knows; never fails."""
    sample = data[:_SAMPLE_BYTES]
    best, score = _best_cjk(sample, whole=len(data) <= _SAMPLE_BYTES)
    if score >= _CJK_ENOUGH:
        return best
    if declared and _decodes(data, declared):
        return codecs.lookup(declared).name
    return _single_byte(sample)


def _best_cjk(sample: bytes, *, whole: bool) -> tuple[str, float]:
    scores = [(_cjk_score(sample, encoding, whole=whole), -rank, encoding) for rank, encoding in enumerate(_CJK_CANDIDATES)]
    score, _, best = max(scores)
    return best, score


def _cjk_score(sample: bytes, encoding: str, *, whole: bool) -> float:
    """Share of common characters among all that are not ASCII, less for every bad byte; 0 when it cannot be this encoding."""
    if encoding.startswith("utf-16") and whole and len(sample) % 2:
        return 0.0
    text = sample.decode(encoding, "replace")
    foreign = [character for character in text if character > "\x7f"]
    if not foreign:
        return 0.0
    bad = foreign.count("\ufffd")
    if not whole and text.endswith("\ufffd"):
        bad -= 1  # the sample ends in the middle of a character
    if bad > 1 + len(foreign) * 0.02:
        return 0.0
    common = sum(_commonness(character) for character in foreign)
    return (common - 4 * bad) / len(foreign)


def _commonness(character: str) -> float:
    if character in _HAN or character in _HANGUL or character in _PUNCTUATION:
        return 1.0
    if "\u3041" <= character <= "\u3093":
        return 1.0
    if "\u30a1" <= character <= "\u30f6":
        return 0.8
    if "\u4e00" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3":
        return 0.1
    # Half-width katakana, private use and box drawing are what wrong guesses are full of.
    return -0.5


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True


def _single_byte(sample: bytes) -> str:
    encoding, score = guess_alphabet(sample)
    if score >= _LOOKS_LIKE_A_LANGUAGE:
        return encoding
    found = charset_normalizer.from_bytes(_densest(sample)).best()
    return codecs.lookup(found.encoding).name if found else encoding


def _densest(sample: bytes) -> bytes:
    """The lines that have letters outside ASCII: the others say nothing about the encoding, and thin the evidence out."""
    lines = [line for line in re.split(rb"[\r\n]+", sample) if not line.isascii()]
    return b"\n".join(lines) or sample
