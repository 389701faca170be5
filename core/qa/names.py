"""Names and quotations in a text, as far as they can be told without a dictionary of names.

In Latin script a name is a run of capitalised words ("Anna Berg", "University of Basel") or a code ("P-02"). In Chinese it is what
stands in 《》, or a piece that neither the evidence nor everyday writing knows: see `strange_han`. What cannot be told is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from core.qa.figures import plain
from core.simplified import simplified

NAME_CHARACTERS = 80

_QUOTE = re.compile(
    r"“([^“”\n]{2,300})”|「([^「」\n]{2,300})」|『([^『』\n]{2,300})』|《([^《》\n]{1,80})》|(?<![\w\"])\"([^\"\n]{2,300})\"(?![\w\"])"
)
_CODE = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]{1,8}-?\d|\d{1,6}[A-Z]{1,3}-\d)[A-Za-z0-9-]{0,20}(?:\.\d+){0,4}")
_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+(?:['’&.-][^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)*")
_FOREIGN_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{1,8}(?:[·•・][\u3400-\u4dbf\u4e00-\u9fff]{1,8}){1,4}")
_HAN_RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,}")
# What may stand between two words of a name.
_GAP = re.compile(r"[.]? |, (?=(?:Jr|Sr)\b)|-| & ")
_INITIAL = re.compile(r"[A-Z]|[A-Z][a-z]|Jr|Sr|Mrs|Prof")
# A code (P-02) is found by its own pattern; a month before its day (Jan 3) is a date.
_BESIDE_FIGURE = re.compile(r"[-. ]{0,2}\d")
_SENTENCE_END = re.compile(r"(?:^|[.!?。！？:：;；\n\"“”‘(（\[\]*#>|•])[\s\"“‘(*#>|-]*$|\d[.)]\s*$")
_JOINERS = frozenset("of de von van der den la le les du des del di da do al bin ibn y e".split())
_TITLES = frozenset("mr mrs ms miss dr prof professor sir lady lord king queen prince princess saint st president the a an jr sr".split())
_NO_NAMES = frozenset(
    (
        "i i'm i've i'd monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays "
        "january february march april may june july august september october november december "
        "am pm ok yes no not stated passage passages question answer note source sources bc ad ce bce"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Name:
    """`text[start:end]`. `words` are the folded words it must be known by, without titles.

    `begins_sentence`: a single word whose capital letter may only be that of the sentence.
    """

    start: int
    end: int
    kind: Literal["name", "quote"]
    words: tuple[str, ...]
    begins_sentence: bool = False


def fold(text: str) -> str:
    """Lower case, without accents, in simplified characters, in the same number of characters."""
    lowered = plain(text).translate(_ACCENTS).lower()
    return (
        lowered if len(lowered) == len(text) else "".join(c if len(c.lower()) != 1 else c.lower() for c in plain(text).translate(_ACCENTS))
    )


def stem(word: str) -> str:
    """A folded English word without its plural or possessive ending."""
    word = word.removesuffix("'s").removesuffix("’s")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def latin_names(text: str) -> Iterator[Name]:
    """Runs of capitalised words, and codes. A single capitalised word that begins a sentence is none: that is only how sentences begin."""
    for code in _CODE.finditer(plain(text)):
        yield Name(code.start(), code.end(), "name", (fold(code[0]),))
    run: list[re.Match[str]] = []
    held: list[re.Match[str]] = []
    for found in _WORD.finditer(text):
        last = (held or run or [found])[-1]
        gap = text[last.end() : found.start()]
        joined = bool(run) and bool(_GAP.fullmatch(gap)) and (gap[0] != "." or bool(_INITIAL.fullmatch(last[0])))
        if joined and (found[0] in _JOINERS or (held and found[0] == "the")) and len(held) < 2:
            held.append(found)
            continue
        if found[0][0].isupper() and fold(found[0]) not in _NO_NAMES and not _BESIDE_FIGURE.match(text, found.end()):
            if joined:
                run += [*held, found]
            else:
                yield from _latin_name(text, run)
                run = [found]
        else:
            yield from _latin_name(text, run)
            run = []
        held = []
    yield from _latin_name(text, run)


def _latin_name(text: str, run: list[re.Match[str]]) -> Iterator[Name]:
    if not run:
        return
    begins = False
    if _begins_sentence(text, run[0].start()):
        whole = len(run) == len(text.split())
        if len(run) > 1 and not whole and fold(run[0][0]) in _SENTENCE_WORDS:
            run = run[1:]
        elif len(run) == 1 and not whole:
            if fold(run[0][0]) in _SENTENCE_WORDS or run[0][0].endswith(("ly", "ing")):
                return
            begins = not any(c.isupper() for c in run[0][0][1:])
    words = tuple(stem(fold(found[0])) for found in run if fold(found[0]) not in _TITLES and fold(found[0]) not in _JOINERS)
    words = tuple(word for word in words if len(word) > 1)
    if words and run[-1].end() - run[0].start() <= NAME_CHARACTERS:
        yield Name(run[0].start(), run[-1].end(), "name", words, begins)


def _begins_sentence(text: str, start: int) -> bool:
    return start == 0 or bool(_SENTENCE_END.search(text, max(0, start - 12), start))


def quotations(text: str) -> Iterator[Name]:
    """What stands in quotation marks or in 《》: the inside, whose words must stand together in the evidence."""
    for found in _QUOTE.finditer(text):
        group = found.lastindex or 0
        yield Name(found.start(group), found.end(group), "name" if group == 4 else "quote", (bare(found[group]),))


def bare(text: str) -> str:
    """A text by its letters and figures alone: what two wordings of one quotation have in common."""
    return "".join(c for c in fold(text) if c.isalnum())


def han_names(text: str, pairs: Collection[str], characters: Collection[str]) -> Iterator[Name]:
    """Foreign names (卡尔·马克思), and pieces of Chinese that look like names and are strange to the evidence.

    `pairs` and `characters` are the pairs of characters and the characters that the evidence and the question have. A piece is strange
    when none of its pairs is known and one of its characters is neither known nor an everyday one. The words of a name are in
    simplified characters, as the two have to be.
    """
    text = simplified(text)
    for found in _FOREIGN_HAN.finditer(text):
        yield Name(found.start(), found.end(), "name", tuple(re.split("[·•・]", found[0])))
    text = EVERYDAY_WORDS.sub(lambda word: " " * len(word[0]), text)
    for run in _HAN_RUN.finditer(text):
        begin = run.start()
        for place in range(run.start(), run.end()):
            if place + 1 < run.end() and text[place : place + 2] not in pairs:
                continue
            piece = text[begin : place + 1]
            if len(piece) >= 2 and any(c not in characters and c not in EVERYDAY for c in piece):
                yield Name(begin, place + 1, "name", (piece,))
            begin = place + 1


_ACCENTS = str.maketrans(
    "ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿāăąćčďēęěğīłńňōőřśşšţťūůűźżžŁŚŠŻŽČ",
    "AAAAAACEEEEIIIINOOOOOOUUUUYaaaaaaceeeeiiiinoooooouuuuyyaaaccdeeegilnnoorsssttuuuzzzLSSZZC",
)
_SENTENCE_WORDS = frozenset(
    (
        "in on at by for from to with after before during since until under over between among both when while where who what which how why "
        "if as according although though because but and or so then there here this that these those it he she they we you his her their its "
        "yes no not one two three first second third finally also however therefore moreover additionally meanwhile later today the a an "
        "all some many most each every other another based given despite like unlike once only our my your is are was were do did does"
    ).split()
)
# Words that an answer may use whatever it is about.
EVERYDAY_WORDS = re.compile(
    "根据|按照|依据|段落|答案|提到|说明|描述|写明|因此|所以|因为|由于|其中|以及|包括|包含|位于|属于|来自|用于|对于|关于|通过|作为|成为|称为|名为|叫做|称作|"
    "主要|可以|可能|能够|需要|应该|必须|一个|一种|一些|一位|一家|这个|这些|这位|该书|他们|她们|它们|我们|自己|没有|不是|而是|不会|已经|曾经|正在|将会|之后|之前|"
    "后来|然后|最后|最终|首先|其次|同时|此外|另外|例如|比如|但是|不过|然而|虽然|尽管|如果|就是|都是|也是|只有|还有|具有|拥有|存在|出现|开始|结束|进行|完成|"
    "使用|采用|表示|认为|指出|显示|介绍|获得|得到|达到|超过|左右|大约|大概|共有|总共|一共|分别|担任|负责|管理|建成|建立|成立|建造|修建|出生|去世|逝世|发布|"
    "举行|举办|发生|时间|地点|名字|名称|公司|问题|内容|信息|情况|原因|方式|方法|结果|作用|特点|以下|如下|以上|[的是在和与及或了着过由被把将从到对为也都就而且之其]"
)
# The characters of everyday writing, commonest first, as any frequency table of modern Chinese has them.
EVERYDAY = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法"
    "学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业"
    "外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声"
    "提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金"
    "指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格"
    "望觉术领共确传师观清今切院让识候带导争运笔段落根写出称叫做位属共包括含主要因此所以需要可以能够通过关于其中以及例如另外此外同时之间"
    "答案提到没有说明描述具体信息内容问题回答结论总结综上参考来源编号首先其次最后然后认为表示指出显示介绍拥有具有存在位于担任成立建成开始"
    "结束完成使用采用进行举行获得达到超过约近左右分别依次均皆仅只曾已将未被把给向往从自由于对跟按照随着根据除了而且并且或者如果虽然但是"
    "不过只有只要因为由此即使无论第个名位座条项种类件次倍岁年月日时分秒元米公里斤吨人口面积数量价格费用时间地点原因方法过程结果特点作用"
)
