"""Telling one-byte encodings apart by which letters beyond ASCII their languages use, and how often.

Every one-byte encoding decodes almost any bytes, so the question is only which result looks like a language.
"""

from __future__ import annotations

import math
import re

# Letters beyond ASCII of each language, the most frequent first.
_LANGUAGES = {
    "german": "üäößÄÖÜ",
    "french": "éèàêçôûùâîïœëÉÀÊÇÈæüÔÎ",
    "iberian": "óáéíñúãçêôâõàüÁÉÓÚÍÑÇ¿¡ºª",
    "italian": "èàòùéìÈÀ",
    "nordic": "äåöøæéÅÄÖØÆ",
    "icelandic": "áíðéþóæöúýÁÍÐÉÞÓÆÖÚÝ",
    "dutch": "ëéïèüöáó",
    "polish": "łąężśćóźńŁŚŻÓĆŹĄĘŃ",
    "czech": "íáěéřčžšýůúóťďňľôäĺŕŠČŘŽÍÁÚÉŤĎŇÝĽ",
    "hungarian": "éáöóőíüúÉÁÖÓŐÍÜÚűŰ",
    "romanian": "ăîâşţșțÎĂŞŢÂȘȚ",
    "croatian": "čšžćđČŠŽĆĐ",
    "turkish": "ıüşğçöİŞÇÖÜĞâîû",
    "baltic": "āēīšėųžąčęįūūļņģķõäöüŠŽČĀĒĪŪĖĮŲ",
    "russian": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёъОПСВНКАМРИТДБЗГУЧЕФХЭЯЛЖЦШЮЙЩЫЬЪЁ",
    "ukrainian": "оанивітерсклумдпзьягбчйхцжїєюшщфґПВНОСКЗДМУТАБРІГЯЧЄЇЩЮЖЦХШФЙЛЕИЬҐ",
    "serbian": "аоиенрсјтукдвмплгзбчшцжњхљћђфџСПОНКВДМБТАУИГРЗЈЛЕХШЧЦЖЊЉЋЂФЏ",
    "bulgarian": "аоиентрсвлпдкмзъгяубчщйжцхшюьфПСВНОТКДМБРИАГЗЕУЛХЧФЦЯШЖЮЙЩЪ",
    "greek": "αοιετσνηρκπμυλςωόάίγέδήθχύβφώζξψϊΑΤΟΕΜΠΚΣΗΔΙΓΝΛΘΦΧΒΡΥΆΈΌΊΩΖΉΞΎΏΨΐϋΰ",
    "hebrew": "יוהלאתמרבשנכםעדקחפגטסזןצץךףִּ",
    "arabic": "الينمرتوبةعدسفهكقحجصشطخىأزءئضإغثؤذظآ،؟پچ",
    "thai": "านร่อกเงมย้วลดตสทคบปหะแจพขใชไาำีัิืุู็โถณธศ์ึซฟผญภษฐฉฝฎฏๆฒฬฆฌฮ",
    "vietnamese": "đàáạăâấầậảơớờợưứừựếềệểêôốồộổíìịúùụĐ\u0300\u0301\u0309\u0303\u0323",
}
_WESTERN = ("german", "french", "iberian", "italian", "nordic", "icelandic", "dutch")
_CENTRAL = ("polish", "czech", "hungarian", "romanian", "croatian", "german")
_CYRILLIC = ("russian", "ukrainian", "serbian", "bulgarian")
# Which languages each encoding was used for, the encodings found most often in files first; equal scores go to the earlier.
_ENCODINGS = {
    "cp1252": _WESTERN, "cp1251": _CYRILLIC, "cp1250": _CENTRAL, "iso8859_2": _CENTRAL, "cp1254": ("turkish",), "cp1253": ("greek",), "iso8859_7": ("greek",),
    "koi8_r": ("russian",), "koi8_u": ("ukrainian",), "cp1255": ("hebrew",), "cp1256": ("arabic",), "cp1257": ("baltic",), "cp874": ("thai",), "cp1258": ("vietnamese",),
    "iso8859_5": _CYRILLIC, "cp866": _CYRILLIC, "mac_roman": _WESTERN, "mac_cyrillic": _CYRILLIC, "cp850": _WESTERN, "cp852": _CENTRAL, "cp855": _CYRILLIC,
}  # fmt: skip
_PUNCTUATION = "“”‘’–—…«»„‚°§€£©®·•№×±½¼¾²³\u00a0"
_PUNCTUATION_PROBABILITY = math.log(0.01)
_OTHER_LETTER = math.log(0.0005)
_OTHER = math.log(0.00002)
_LATER_COSTS = 0.004
# These three need good evidence: their letters stand where others have quotation marks and dashes.
_RARE = frozenset({"cp850", "cp852", "mac_roman"})
_RARE_COSTS = 2.0
_SEVERAL_LANGUAGES = math.log(0.5)
_MIXED_SCRIPT_COSTS = 3.0
_LATIN = frozenset((*_WESTERN, *_CENTRAL, "turkish", "baltic", "vietnamese"))
_BESIDE_ACCENTED = re.compile(r"(?<=[^\x00-\xbf])[^\x00-\xbf]")
_WORDS_OF_ONE_LETTER = frozenset("àèéóáåавикосуяіη")
_LONE = re.compile(r"(?<![^\W\d_])[^\W\d_](?![^\W\d_])")
_BESIDE_LATIN = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")


def guess_alphabet(sample: bytes) -> tuple[str, float]:
    """The best one-byte encoding for bytes beyond ASCII in `sample`, and how well it fits: the mean log probability of its letters."""
    best, best_score = "cp1252", -math.inf
    for rank, (encoding, languages) in enumerate(_ENCODINGS.items()):
        score = _score(sample.decode(encoding, "replace"), languages) - rank * _LATER_COSTS - (_RARE_COSTS if encoding in _RARE else 0.0)
        if score > best_score:
            best, best_score = encoding, score
    return best, best_score


def _score(text: str, languages: tuple[str, ...]) -> float:
    counts: dict[str, int] = {}
    for character in text:
        if character > "\x7f":
            counts[character] = counts.get(character, 0) + 1
    total = sum(counts.values())
    if not total:
        return -math.inf
    alone = max(sum(count * _log_probability(character, language) for character, count in counts.items()) for language in languages)
    mixed = sum(count * max(_log_probability(character, language) for language in languages) for character, count in counts.items())
    score = max(alone / total, mixed / total + _SEVERAL_LANGUAGES)
    # A Greek letter in the middle of a Latin word is an accented Latin letter read wrongly, and a whole word of accented letters is Greek.
    pattern = _BESIDE_ACCENTED if languages[0] in _LATIN else _BESIDE_LATIN
    beside = sum(1 for found in pattern.findall(text) if found.isalpha())
    # Few letters are a word by themselves; where such a byte is a sign in another encoding (©, °), it is that.
    lone = sum(1 for found in _LONE.findall(text) if found > "\x7f" and found.isalpha() and found.lower() not in _WORDS_OF_ONE_LETTER)
    return score - _MIXED_SCRIPT_COSTS * (beside + lone) / total


def _log_probability(character: str, language: str) -> float:
    known = _PROFILES[language].get(character)
    if known is not None:
        return known
    if character in _PUNCTUATION:
        return _PUNCTUATION_PROBABILITY
    return _OTHER_LETTER if character.isalpha() else _OTHER


def _profile(letters: str) -> dict[str, float]:
    """Letter frequencies fall about as one over the rank, whatever the language."""
    weights = {letter: 1 / (rank + 3) for rank, letter in enumerate(dict.fromkeys(letters))}
    total = sum(weights.values())
    return {letter: math.log(weight / total) for letter, weight in weights.items()}


_PROFILES = {language: _profile(letters) for language, letters in _LANGUAGES.items()}
