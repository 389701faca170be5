from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library.formats.reading import read_document
from core.library.formats.subtitles import read_subtitles

SRT = """1
00:00:01,000 --> 00:00:03,500 X1:40 X2:600
<i>The lamp burns</i>

2
00:00:03,500 --> 00:00:05,000
{\\an8}for nine hours.

3
00:01:10,000 --> 00:01:12,000
1871

4
01:00:00,000 --> 01:00:02,000
- Who keeps it?
- Arno &amp; Vik.
"""
VTT = """WEBVTT - made by hand

NOTE nobody
reads this

STYLE
::cue { color: red }

intro
00:01.000 --> 00:03.000 align:start
<v Ann>The lamp <00:02.000>burns

second
00:03.000 --> 00:05.000
<v Ann>for nine hours.

NOTE check this

00:05.000 --> 00:06.000
<v.loud Bob>No.
"""
ASS = """[Script Info]
Title: x
[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,left out
Dialogue: 0,0:00:09.00,0:00:10.00,Default,Bob,0,0,0,,Later, he said.
Dialogue: 0,0:00:01.50,0:00:02.00,Default,,0,0,0,,{\\i1}The lamp{\\i0}\\Nburns.
Dialogue: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,{\\p1}m 0 0 l 1 1{\\p0}
"""


def lines(text: str) -> list[str]:
    return read_subtitles(text).text.split("\n")


def test_subrip_becomes_sentences_with_the_time_at_which_they_begin() -> None:
    assert lines(SRT) == [
        "[00:00:01] The lamp burns for nine hours.",
        "[00:01:10] 1871",
        "[01:00:00] - Who keeps it? - Arno & Vik.",
    ]


def test_of_webvtt_only_what_is_said_is_kept_and_who_says_it() -> None:
    assert lines(VTT) == ["[00:00:01] Ann: The lamp burns for nine hours.", "[00:00:05] Bob: No."]


def test_substation_is_read_in_the_order_in_which_it_is_shown() -> None:
    assert lines(ASS) == ["[00:00:01] The lamp burns.", "[00:00:09] Bob: Later, he said."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{1}{1}25\n{250}{300}{Y:i}The lamp|burns.\n{500}{520}Oil.", ["[00:00:10] The lamp burns.", "[00:00:20] Oil."]),
        ("{250}{300}The lamp\n{500}{520}burns.", ["The lamp burns."]),
        ("[INFORMATION]\n00:00:01.00,00:00:03.00\nThe lamp[br]burns.\n", ["[00:00:01] The lamp burns."]),
    ],
)
def test_three_formats_are_called_sub(text: str, expected: list[str]) -> None:
    assert lines(text) == expected


def test_captions_that_roll_up_are_said_once() -> None:
    cues = [("The lamp", ""), ("The lamp", "burns for"), ("burns for", "nine hours.")]
    text = "\n\n".join(f"00:00:0{n},000 --> 00:00:0{n + 1},000\n{above}\n{below}".rstrip() for n, (above, below) in enumerate(cues))

    assert lines(text) == ["[00:00:00] The lamp burns for nine hours."]


def test_silence_and_length_end_a_line_too() -> None:
    apart = "00:00:00,000 --> 00:00:01,000\nThe lamp\n\n00:00:30,000 --> 00:00:31,000\nburns"
    long = "\n\n".join(f"00:00:{n:02},000 --> 00:00:{n + 1:02},000\nno full stop in any of these words" for n in range(20))

    assert lines(apart) == ["[00:00:00] The lamp", "[00:00:30] burns"]
    assert max(map(len, lines(long))) < 300


def test_chinese_cues_are_joined_to_sentences() -> None:
    text = (
        "1\n00:00:01,000 --> 00:00:02,000\n灯亮了，\n\n2\n00:00:02,000 --> 00:00:03,000\n油还够。\n\n3\n00:00:03,000 --> 00:00:04,000\n好。"
    )

    assert lines(text) == ["[00:00:01] 灯亮了，油还够。", "[00:00:03] 好。"]


def test_a_file_without_cues_is_the_text_it_is() -> None:
    assert read_subtitles("Only words.\n").text == "Only words.\n"


def test_the_encoding_is_found_like_that_of_any_text() -> None:
    found = read_document(".srt", "1\n00:00:01,000 --> 00:00:02,000\n灯塔里的灯亮了，守塔人把油加满。".encode("gb18030"))

    assert (found.text, found.encoding) == ("[00:00:01] 灯塔里的灯亮了，守塔人把油加满。", "gb18030")


@given(st.text(alphabet="0123:,.->{}<>[]\n|ab WEBVTTDialogue,Format", max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    read_subtitles(text)


@pytest.mark.parametrize(
    "unit", ["{", "<", "00:", "{1}{2}a|\n", "00:00:01,000 --> 00:00:02,000\n", "<v ", "{\\p1", "Dialogue: 0,\n", "1\n", "[br]"]
)
def test_pathological_texts_take_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        started = time.thread_time()
        read_subtitles("00:00:01,000 --> 00:00:02,000\n" + unit * (size // len(unit)))
        return time.thread_time() - started

    seconds(10_000)
    small, large = seconds(50_000), seconds(400_000)

    assert large < 8 * 4 * small + 0.2
