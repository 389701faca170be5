from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library.chunking import ANCHOR_TOKENS, MAX_TOKENS, chunk
from core.library.file_kinds import Kind

ENGLISH = "The keeper lit the lamp at dusk. He had done so for thirty years, and nobody had thanked him once. "
CHINESE = "灯塔的守护人每天黄昏点亮灯火。他已经这样做了三十年，从来没有人向他道过谢。“你好！”他说。"
JAPANESE = "灯台守は夕暮れに灯をともした。「三十年になる」と彼は言った。誰も礼を言わなかった。"


def count_tokens(texts: Sequence[str]) -> list[int]:
    """About what a multilingual tokenizer counts: a token for four Latin letters, or for one and a half ideographs."""
    return [-(-sum(1 if character < "\u0800" else 3 for character in text) // 4) if text.strip() else 0 for text in texts]


def texts_of(text: str, kind: Kind = "prose") -> list[str]:
    return [text[span.start : span.end] for span in chunk(text, kind, count_tokens)]


def check_spans(text: str, kind: Kind) -> None:
    spans = chunk(text, kind, count_tokens)
    position = 0
    for span in spans:
        assert span.start >= position
        assert not text[position : span.start].strip()
        body = text[span.start : span.end]
        assert body
        assert body == body.strip()
        assert span.line == text.count("\n", 0, span.start) + 1
        position = span.end
    assert not text[position:].strip()
    assert bool(spans) == bool(text.strip())
    assert all(count <= MAX_TOKENS + 5 for count in count_tokens([text[span.start : span.end] for span in spans]))


KINDS = st.sampled_from(["prose", "markdown", "table", "code", "other"])
PIECES = st.sampled_from(
    [
        "word ",
        "A sentence. ",
        "\n",
        "\n\n",
        "# Heading\n",
        "## Sub\n",
        "第三章 灯塔\n",
        "中文句子。",
        "「引用」",
        "a" * 900,
        "中" * 700,
        "|a|b|\n",
        "```\n",
        "===\n",
        " ",
        "\t",
        "\u3000",
        "🙂",
        "1.5 ",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join), KINDS)
def test_chunks_are_exact_slices_that_cover_the_text(text: str, kind: Kind) -> None:
    check_spans(text, kind)


@given(st.text(max_size=400), KINDS)
def test_any_text_can_be_cut(text: str, kind: Kind) -> None:
    check_spans(text, kind)


@pytest.mark.parametrize("text", [ENGLISH * 200, CHINESE * 200, JAPANESE * 200, (ENGLISH + "\n\n" + CHINESE) * 100])
def test_long_texts_become_chunks_of_about_the_wanted_size(text: str) -> None:
    counts = count_tokens(texts_of(text))

    assert 200 <= sum(counts) / len(counts) <= 260
    assert min(counts) >= 100


@pytest.mark.parametrize("text", [ENGLISH * 50, CHINESE * 50, JAPANESE * 50])
def test_chunks_end_where_sentences_end(text: str) -> None:
    assert all(passage[-1] in ".。！？”」" for passage in texts_of(text))


def test_a_number_or_an_abbreviation_ends_no_sentence() -> None:
    passages = texts_of("Cable no. seven costs 3.50 per metre e.g. in bulk, " * 100)

    assert all(passage.startswith("Cable") for passage in passages)


def test_a_chunk_begins_at_its_heading_and_knows_the_headings_above() -> None:
    text = f"# Manual\n\n{ENGLISH * 6}\n\n## Cleaning\n\n{ENGLISH * 6}\n\n### Lens\n\n{ENGLISH * 6}\n\n## Storage\n\n{ENGLISH * 6}"

    found = [(text[span.start : span.end].split("\n")[0], span.heading_path) for span in chunk(text, "markdown", count_tokens)]

    assert found == [
        ("# Manual", "Manual"),
        ("## Cleaning", "Manual > Cleaning"),
        ("### Lens", "Manual > Cleaning > Lens"),
        ("## Storage", "Manual > Storage"),
    ]


def test_a_heading_is_never_alone() -> None:
    text = f"# Part\n\n## Chapter\n\n### Section\n\n{ENGLISH * 8}"

    assert texts_of(text, "markdown") == [text.strip()]
    assert chunk(text, "markdown", count_tokens)[0].heading_path == "Part > Chapter > Section"


def test_chinese_chapters_are_headings() -> None:
    text = f"第一卷 海\n\n第一回 灯火初明\n{CHINESE * 8}\n\n第二回　夜雾\n{CHINESE * 8}\n第十次他没有来。"

    assert {span.heading_path for span in chunk(text, "prose", count_tokens)} == {"第一卷 海 > 第一回 灯火初明", "第一卷 海 > 第二回 夜雾"}


def test_english_chapters_are_headings() -> None:
    text = f"CHAPTER I. The Lamp\n\n{ENGLISH * 8}\n\nChapter 2\n\n{ENGLISH * 8}\npart of the crew slept."

    assert [span.heading_path for span in chunk(text, "prose", count_tokens)] == ["CHAPTER I. The Lamp", "Chapter 2"]


def test_comments_in_code_and_in_fences_are_no_headings() -> None:
    assert chunk("# set up\nx = 1\n", "code", count_tokens)[0].heading_path == ""
    assert chunk("# Real\n\n```sh\n# not a heading\n```\n", "markdown", count_tokens)[0].heading_path == "Real"


def test_underlined_headings_are_headings() -> None:
    text = f"Manual\n======\n\n{ENGLISH * 6}\n\nCleaning\n--------\n\n{ENGLISH * 6}"

    assert [span.heading_path for span in chunk(text, "markdown", count_tokens)] == ["Manual", "Manual > Cleaning"]


def test_rows_of_a_table_keep_their_header_and_stay_whole() -> None:
    text = "part,price\n" + "".join(f"lens {number},{number}.50\n" for number in range(500))

    spans = chunk(text, "table", count_tokens)

    assert len(spans) > 5
    assert {span.heading_path for span in spans} == {"part,price"}
    assert all(text[span.end - 3 : span.end] == ".50" for span in spans)


def test_rows_of_a_markdown_table_keep_the_names_of_its_columns() -> None:
    rows = "".join(f"| Lens {number} | {number} euros and nothing more than that |\n" for number in range(100))
    text = f"# Prices\n\nWhat things cost.\n\n| Part | Price |\n| --- | :-: |\n{rows}\nAll of it in euros, paid in advance. " + ENGLISH * 20

    spans = chunk(text, "markdown", count_tokens)

    among_rows = [span for span in spans if text.startswith("| Lens", span.start)]
    assert len(among_rows) > 3
    assert {span.heading_path for span in among_rows} == {"Prices > | Part | Price |"}
    assert spans[0].heading_path == spans[-1].heading_path == "Prices"


def table_of(rows: int) -> str:
    return "| Part | Price |\n| --- | --- |\n" + "".join(
        f"| Lens {number} | It costs {number} euros. Not more. |\n" for number in range(rows)
    )


@pytest.mark.parametrize("lead", range(0, 24, 3))
@pytest.mark.parametrize("bars", [True, False])
def test_a_small_table_is_never_cut(lead: int, bars: bool) -> None:
    table = table_of(9)
    if not bars:
        table = "\n".join(line.strip("| ") for line in table.strip().split("\n")) + "\n"
    text = "It burns all night. " * lead + f"\n\n{table}\n" + "It shines far over the sea. " * 30

    assert any(table.strip() in piece for piece in texts_of(text, "markdown"))


def test_the_names_of_columns_stay_with_the_first_row_and_no_row_is_cut() -> None:
    table = table_of(100)

    pieces = texts_of("Before it. " * 40 + f"\n\n{table}\nAfter it.", "markdown")

    assert any("| --- | --- |\n| Lens 0 |" in piece for piece in pieces)
    lines = [line for piece in pieces for line in piece.split("\n") if "Lens" in line]
    assert lines == table.strip().split("\n")[2:]


@pytest.mark.parametrize("kind", ["markdown", "org", "prose"])
def test_rows_know_their_columns_in_every_kind_of_text_that_has_tables(kind: Kind) -> None:
    rule = "|------+-------|" if kind == "org" else "| --- | --- |"
    text = "Prices.\n\n" + table_of(100).replace("| --- | --- |", rule)

    spans = chunk(text, kind, count_tokens)

    among_rows = [span for span in spans if text.startswith("| Lens", span.start)]
    assert len(among_rows) > 3
    assert all(span.heading_path.endswith("| Part | Price |") for span in among_rows)


def test_rows_of_a_drawn_table_know_their_columns_and_stay_whole() -> None:
    border = "+----------+----------------+\n"
    rows = [f"| Lens {number:3} | It costs.      |\n|          | {number:3} euros.     |\n" for number in range(80)]
    text = (
        "Prices\n======\n\n" + border + "| Part     | Price          |\n" + border.replace("-", "=") + "".join(row + border for row in rows)
    )

    spans = chunk(text, "rst", count_tokens)

    among_rows = [span for span in spans if text.startswith("| Lens", span.start)]
    assert len(among_rows) > 3
    assert {span.heading_path for span in among_rows} == {"Prices > | Part | Price |"}
    assert all(text[span.start : span.end].count("Lens") == text[span.start : span.end].count("euros") for span in spans)


def test_a_row_goes_on_over_the_end_of_a_line_inside_quotes() -> None:
    rows = [f'{number},"Lens.\nIt costs, they say,\n{number} euros."\n' for number in range(120)]
    text = "number,words\n" + "".join(rows)

    pieces = texts_of(text, "table")

    assert len(pieces) > 3
    assert all(piece.endswith('euros."') for piece in pieces)


def test_a_quote_that_is_never_closed_costs_no_more_than_its_row() -> None:
    text = 'number,words\n1,"open\n' + "".join(f"{number},lens {number} for a lamp by the sea\n" for number in range(2, 400))

    pieces = texts_of(text, "table")

    assert len(pieces) > 5
    assert max(count_tokens(pieces)) <= MAX_TOKENS


def test_a_table_too_wide_for_a_chunk_is_cut_all_the_same() -> None:
    text = (
        "| "
        + " | ".join(f"column {number}" for number in range(300))
        + " |\n|"
        + "---|" * 300
        + "\n| "
        + " | ".join("x" * 9 for _ in range(300))
        + " |\n"
    )

    check_spans(text, "markdown")
    assert max(count_tokens(texts_of(text, "markdown"))) <= MAX_TOKENS


def test_short_sections_share_a_chunk() -> None:
    text = "".join(f"## Question {number}\n\nA short answer to it, in a few words.\n\n" for number in range(40))

    counts = count_tokens(texts_of(text, "markdown"))

    assert min(counts[:-1]) >= 80
    assert max(counts) <= MAX_TOKENS


def varied(sentence: str, kind: str, sentences: int) -> str:
    """A long text without headings in which no two sentences are alike: paragraphs of one to seven, or lines as in a table or a log."""
    chance = random.Random(8)
    text = ""
    for number in range(sentences):
        text += sentence.format(number, chance.randrange(10**6))
        text += "\n" if kind == "table" else "\n\n" if chance.random() < 0.25 else ""
    return text


ENGLISH_SENTENCE = "On day {} the keeper wrote down {} ships and the weather of the evening. "
CHINESE_SENTENCE = "第{}天，守护人记下了{}艘船，还有傍晚的天气和海上的风。"
ROW = "{},{},calm,north"


@pytest.mark.parametrize("change", ["insert", "delete", "word", "append"])
@pytest.mark.parametrize(
    ("sentence", "kind"), [(ENGLISH_SENTENCE, "prose"), (ENGLISH_SENTENCE, "markdown"), (CHINESE_SENTENCE, "prose"), (ROW, "table")]
)
def test_an_edit_changes_only_a_few_chunks_of_a_long_text(sentence: str, kind: Kind, change: str) -> None:
    text = varied(sentence, kind, 4000)
    before = texts_of(text, kind)
    most = 0

    for part in (0.02, 0.25, 0.5, 0.9):
        at = text.index("\n", int(len(text) * part)) + 1
        after = text.index("\n", at + 1) + 1
        edited = {
            "insert": text[:at] + sentence.format("X", "many") * 3 + "\n" + text[at:],
            "delete": text[:at] + text[after:],
            "word": text[:at] + "Never " + text[at:],
            "append": text + sentence.format("X", "many") * 3,
        }[change]
        most = max(most, len(set(texts_of(edited, kind)) - set(before)))

    assert len(before) > 80
    assert 0 < most <= 5 * ANCHOR_TOKENS // MAX_TOKENS


def test_a_section_of_usual_length_has_no_anchors(monkeypatch: pytest.MonkeyPatch) -> None:
    text = varied(ENGLISH_SENTENCE, "prose", 75)
    before = texts_of(text)

    monkeypatch.setattr("core.library.chunking.ANCHOR_TOKENS", 10**9)

    assert len(before) > 4
    assert texts_of(text) == before


def test_lines_that_are_all_alike_can_be_cut_too() -> None:
    check_spans("the same line again\n" * 3000, "prose")


def test_many_short_lines_take_little_memory() -> None:
    text = "".join(random.Random(1).choices(["ab\n", "cd\n", "efg\n"], k=200_000))

    tracemalloc.start()
    try:
        spans = chunk(text, "prose", lambda texts: [1] * len(texts))
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert spans[-1].end == len(text) - 1
    assert most < 40 * len(text)  # the largest file that is read, 50 MB, then takes less than 2 GB, whatever is in it; it was 90


@pytest.mark.parametrize("sentence", [ENGLISH_SENTENCE, ROW])
def test_pieces_that_were_put_together_come_back_in_step_after_an_edit(monkeypatch: pytest.MonkeyPatch, sentence: str) -> None:
    monkeypatch.setattr("core.library.chunking._MANY_PIECES", 1)
    words = random.Random(3).choices([f"word{number}" for number in range(500)], k=30_000)
    before = texts_of("\n".join(words))

    after = texts_of("\n".join([*words[:100], "one more", *words[100:]]))

    check_spans("\n".join(words), "prose")
    check_spans(varied(sentence, "table", 1000), "table")
    assert len(before) > 80
    assert len(set(after) - set(before)) <= 5 * ANCHOR_TOKENS // MAX_TOKENS


MILLION = 200_000


@pytest.mark.parametrize(
    "text",
    ["a" * 10 * MILLION, "中" * 3 * MILLION, "." * 10 * MILLION, "。" * 3 * MILLION, ".\" " * MILLION, "\n" * 5 * MILLION + "x", " " * 10 * MILLION + "x",
     "\n " * 3 * MILLION + "x", "# h\n" * 50_000, "第一回\n" * 50_000, "`" * 10 * MILLION, "```\n" * MILLION, "=\n" * MILLION, "a b " * 2 * MILLION, "|" * 5 * MILLION, "|-\n" * MILLION, "| a\n" * MILLION, "[" * 5 * MILLION],
    ids=lambda text: repr(text[:4]),
)  # fmt: skip
def test_pathological_texts_take_linear_time(text: str) -> None:
    started = time.perf_counter()

    spans = chunk(text, "markdown", count_tokens)

    assert time.perf_counter() - started < 20  # a quadratic step would take hours; the margin is for a busy machine
    assert all(span.end - span.start <= 2400 for span in spans)
