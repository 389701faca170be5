"""Subtitles (.srt, .vtt, .ass, .ssa, .sub): what is said, a sentence a line, each with the time at which it begins.

Numbers of cues, times of their ends, places on the screen, fonts and colours are left out: nobody asks for them, and they would be most of
what a search compares. pysubs2 (MIT) takes notes and names of WebVTT cues for words, drops who speaks, and refuses frames without a rate.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.library.formats.markdown import one_line
from core.library.formats.parsed import ParsedDocument

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}"
_CUE = re.compile(rf"[ \t]*{_TIME}[ \t]*(?:-->|,)[ \t]*(?:\d{{1,4}}:)?\d{{1,2}}:\d{{2}}[.,]\d{{1,3}}(?:[ \t].*)?$")
_FRAMES = re.compile(r"[ \t]*\{[ \t]*(\d{1,9})[ \t]*\}[ \t]*\{[ \t]*\d{0,9}[ \t]*\}(.*)$")
_RATE = re.compile(r"\d{1,3}(?:[.,]\d{1,4})?$")
_STYLED = re.compile(r"\{[^{}\n]{0,500}\}")
_DRAWING = re.compile(r"\{[^{}\n]{0,500}\\p[1-9]")
_VOICE = re.compile(r"<v(?:\.[^ \t<>]{0,100})?[ \t]+([^<>\n]{1,100})>")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|<\d[\d:.]{0,20}>|\[br\]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?…。！？♪][\"'”’）)」』]*$")
_WITHOUT_SPACES = re.compile("[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_JOINED_WITHIN_SECONDS = 5
_JOINED_CHARACTERS = 240


@dataclass(frozen=True, slots=True)
class _Cue:
    """What is shown from second `at` on (None: the file does not say when), in lines; `speaker` is empty where nobody is named."""

    at: int | None
    lines: tuple[str, ...]
    speaker: str = ""


def read_subtitles(text: str) -> ParsedDocument:
    """A file without any cue is taken as the text it is. Raises nothing."""
    lines = text.split("\n")
    cues = list(_substation(lines) or _timed(lines) or _framed(lines))
    if not cues:
        return ParsedDocument(text, kind="prose")
    return ParsedDocument("\n".join(_sentences(_without_repeats(cues))), kind="prose")


def _timed(lines: Sequence[str]) -> list[_Cue]:
    """SubRip, WebVTT and SubViewer: a line with two times, then what is said in between."""
    stamps = [(place, match) for place, line in enumerate(lines) if (match := _CUE.match(line))]
    said_of = _until_blank if lines[0].startswith("WEBVTT") else _without_number
    borders = [*(place for place, _ in stamps), len(lines)]
    return [
        _cue(_seconds(*match.groups()), said_of(lines[place + 1 : after]))
        for (place, match), after in zip(stamps, borders[1:], strict=True)
    ]


def _until_blank(lines: Sequence[str]) -> Sequence[str]:
    """A blank line ends a cue of WebVTT; what follows is a note, a style or the name of the next cue."""
    return lines[: next((place for place, line in enumerate(lines) if not line.strip()), len(lines))]


def _without_number(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a SubRip cue, which may have blank ones among them, without the number of the next cue."""
    if len(lines) > 1 and lines[-1].strip().isdigit() and not lines[-2].strip():
        return lines[:-1]
    return lines


def _framed(lines: Sequence[str]) -> list[_Cue]:
    """MicroDVD counts frames. How many there are in a second, only its first line may say."""
    found = [match for line in lines if (match := _FRAMES.match(line))]
    if not found:
        return []
    rate = _RATE.match(found[0][2].strip())
    per_second = float(rate[0].replace(",", ".")) if rate else 0.0
    if rate:
        found = found[1:]
    return [_cue(int(int(match[1]) / per_second) if per_second else None, match[2].split("|")) for match in found]


def _substation(lines: Sequence[str]) -> list[_Cue]:
    """(Advanced) SubStation Alpha: rows of a table whose columns a line names."""
    columns: list[str] = []
    cues: list[_Cue] = []
    for line in lines:
        kind, _, rest = line.partition(":")
        if kind == "Format":
            columns = [name.strip().lower() for name in rest.split(",")]
        elif kind == "Dialogue" and "text" in columns and "start" in columns:
            row = dict(zip(columns, rest.split(",", len(columns) - 1), strict=False))
            time = re.match(_TIME, row["start"].strip())
            if time and not _DRAWING.search(row.get("text", "")):
                said = re.split(r"\\[Nn]", row.get("text", "").replace("\\h", " "))
                cues.append(_cue(_seconds(*time.groups()), said, one_line(row.get("name", row.get("actor", "")))))
    return sorted(cues, key=lambda cue: cue.at or 0)


def _cue(at: int | None, said: Sequence[str], speaker: str = "") -> _Cue:
    lines = []
    for line in said:
        if not speaker and (voice := _VOICE.search(line)):
            speaker = one_line(voice[1])
        words = one_line(html.unescape(_TAG.sub(" ", _STYLED.sub("", line))))
        if words:
            lines.append(words)
    return _Cue(at, tuple(lines), speaker)


def _without_repeats(cues: Sequence[_Cue]) -> Iterator[_Cue]:
    """Captions that roll up show a line again while the next one is spoken."""
    before: tuple[str, ...] = ()
    for cue in cues:
        lines = cue.lines
        while lines and before and lines[0] in before[-2:]:
            lines = lines[1:]
        if lines:
            yield _Cue(cue.at, lines, cue.speaker)
        before = cue.lines or before


def _sentences(cues: Iterator[_Cue]) -> Iterator[str]:
    """Cues that make one sentence together, as one line."""
    line, last = "", _Cue(None, ())
    for cue in cues:
        words = _joined(cue.lines)
        if line and _goes_on(line, last, cue, words):
            line = _joined([line, words])
        else:
            if line:
                yield line
            line = _clock(cue.at) + (f"{cue.speaker}: " if cue.speaker else "") + words
        last = cue
    if line:
        yield line


def _goes_on(line: str, last: _Cue, cue: _Cue, words: str) -> bool:
    if cue.speaker != last.speaker or words.startswith(("-", "–", "—", "♪")) or len(line) + len(words) > _JOINED_CHARACTERS:
        return False
    is_near = cue.at is None or last.at is None or cue.at - last.at <= _JOINED_WITHIN_SECONDS
    return is_near and not _SENTENCE_END.search(line)


def _joined(lines: Sequence[str]) -> str:
    """Lines as one, with spaces between words and none between ideographs."""
    joined = lines[0]
    for line in lines[1:]:
        joined += ("" if _WITHOUT_SPACES.match(joined[-1]) and _WITHOUT_SPACES.match(line[0]) else " ") + line
    return joined


def _seconds(hours: str | None, minutes: str, seconds: str) -> int:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)


def _clock(at: int | None) -> str:
    return "" if at is None else f"[{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}] "
