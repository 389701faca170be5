from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.documents import Chunk, PageStart, ScoredChunk
from core.errors import IndexDamaged
from core.retrieval.neighbours import grow_evidence

HARBOUR = (
    "The lamp was lit in 1871.\n\nThe keeper, Arno Vik, lived on the rock for thirty years and wrote down every ship that\n"
    "passed in the night. He died in spring.\n\nHis daughter kept the books."
)
TABLE = "# Pumps\n\n| No. | Flow |\n|---|---:|\n| P-01 | 350 |\n| P-02 | 380 |\n| P-03 | 210 |\n\nAll are checked in May."


def part(text: str, begin: str, end: str, *, number: int, score: float = 0.5, document: int = 1, heading: str = "") -> ScoredChunk:
    """The slice of a document from the first `begin` to the end of the first `end` after it, as a chunk."""
    start = text.index(begin)
    stop = text.index(end, start) + len(end)
    line = 1 + text.count("\n", 0, start)
    return ScoredChunk(Chunk(number, document, Path("/f.md"), "F", heading, start, stop, line, text[start:stop]), score, score / 2)


def grown(
    text: str, found: list[ScoredChunk], *, evidence: tuple[ScoredChunk, ...] = (), max_tokens: int = 10_000, overhead_tokens: int = 0
) -> tuple[ScoredChunk, ...]:
    """The evidence after one lookup; tokens are characters. Checks that every passage is a slice of the document, on its line."""
    result = grow_evidence(
        evidence,
        found,
        max_tokens=max_tokens,
        count_tokens=len,
        read=lambda document, start, end: text[start:end] if document == 1 else "",
        overhead_tokens=overhead_tokens,
    )
    for chunk in (item.chunk for item in result):
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.line == 1 + text.count("\n", 0, chunk.start)
    assert [item.chunk for item in result[: len(evidence)]] == [item.chunk for item in evidence]
    return result


def texts(result: tuple[ScoredChunk, ...]) -> list[str]:
    return [item.chunk.text for item in result]


LAMP = part(HARBOUR, "The lamp", "1871.", number=1, score=0.3)
KEEPER = part(HARBOUR, "The keeper", "spring.", number=2, score=0.9)
BOOKS = part(HARBOUR, "His daughter", "books.", number=3, score=0.6)


def test_chunks_that_follow_each_other_become_one_passage_in_the_order_of_the_file() -> None:
    result = grown(HARBOUR, [KEEPER, BOOKS, LAMP])

    assert texts(result) == [HARBOUR]
    assert (result[0].chunk.id, result[0].score, result[0].similarity) == (2, 0.9, 0.45)


def test_a_gap_in_between_keeps_passages_apart_best_first() -> None:
    assert texts(grown(HARBOUR, [BOOKS, LAMP])) == [BOOKS.chunk.text, LAMP.chunk.text]


def test_chunks_of_different_files_are_never_joined() -> None:
    other = part(HARBOUR, "The keeper", "spring.", number=2, document=2)

    assert len(grown(HARBOUR, [LAMP, other])) == 2


def test_a_later_neighbour_is_appended_and_earlier_passages_stay_as_they_are() -> None:
    first = grown(HARBOUR, [LAMP])

    assert texts(grown(HARBOUR, [KEEPER], evidence=first)) == [LAMP.chunk.text, KEEPER.chunk.text]


def test_a_chunk_inside_a_joined_passage_is_not_shown_again_and_raises_its_score() -> None:
    first = grown(HARBOUR, [LAMP, KEEPER])
    again = ScoredChunk(KEEPER.chunk, 0.95, 0.8)

    result = grown(HARBOUR, [again], evidence=first)

    assert texts(result) == texts(first)
    assert (result[0].score, result[0].similarity) == (0.95, 0.8)


def test_a_sentence_cut_at_the_border_is_completed() -> None:
    cut = part(HARBOUR, "The keeper", "ship that", number=4)

    assert texts(grown(HARBOUR, [cut]))[0].endswith("ship that\npassed in the night.")


def test_a_passage_that_begins_within_a_sentence_gets_its_beginning() -> None:
    cut = part(HARBOUR, "passed in", "spring.", number=4)

    assert texts(grown(HARBOUR, [cut]))[0].startswith("The keeper, Arno Vik,")


def test_a_chinese_sentence_is_completed_too() -> None:
    text = "灯塔建于1871年。守塔人叫阿诺，他把夜里经过的每一艘船都记在本子上。后来他走了。"
    cut = part(text, "守塔人", "夜里经过", number=1)

    assert texts(grown(text, [cut])) == ["守塔人叫阿诺，他把夜里经过的每一艘船都记在本子上。"]


def test_nothing_is_completed_without_room() -> None:
    cut = part(HARBOUR, "The keeper", "ship that", number=4)

    assert texts(grown(HARBOUR, [cut], max_tokens=len(cut.chunk.text) + 3)) == [cut.chunk.text]


def test_only_the_new_part_is_appended_when_its_beginning_was_shown() -> None:
    cut = part(HARBOUR, "The keeper", "ship that", number=4)
    rest = part(HARBOUR, "passed in", "spring.", number=5)
    first = grown(HARBOUR, [cut])

    assert texts(grown(HARBOUR, [rest], evidence=first)) == [first[0].chunk.text, "He died in spring."]


@pytest.mark.parametrize("text", ["- one\n- two\n- three", "a,b\n1,2\n3,4", "Title\nBody of it", "First\n\nsecond"])
def test_lines_of_their_own_are_no_cut_sentences(text: str) -> None:
    line = text.split("\n")[0]

    assert texts(grown(text, [part(text, line, line, number=1)])) == [line]


def test_rows_of_a_table_become_the_whole_table() -> None:
    rows = part(TABLE, "| P-02", "380 |", number=1, heading="Pumps > | No. | Flow |")

    (whole,) = grown(TABLE, [rows])

    assert whole.chunk.text == TABLE[TABLE.index("| No.") : TABLE.index("\n\nAll")]
    assert whole.chunk.heading_path == "Pumps"


def test_parts_of_one_table_become_one_passage_at_the_place_of_the_best() -> None:
    first, last = part(TABLE, "| P-01", "350 |", number=1), part(TABLE, "| P-03", "210 |", number=2)

    result = grown(TABLE, [last, first])

    assert [item.chunk.id for item in result] == [2]
    assert result[0].chunk.text.count("P-0") == 3


def test_words_before_a_table_stay_with_all_of_it() -> None:
    head = part(TABLE, "# Pumps", "350 |", number=1)

    assert texts(grown(TABLE, [head])) == [TABLE[: TABLE.index("\n\nAll")]]


def test_a_file_that_is_a_table_is_shown_whole() -> None:
    text = 'part,price\nlens,4\n"oil,\nfine",7\nwick,1\n'
    row = part(text, "wick", "1", number=1, heading="part,price")
    row = replace(row, chunk=replace(row.chunk, path=Path("/prices.csv")))

    (whole,) = grown(text, [row])

    assert (whole.chunk.text, whole.chunk.heading_path) == (text.rstrip(), "")


@pytest.mark.parametrize("rows", [1000, 20])
def test_a_table_without_room_for_all_of_it_stays_rows(rows: int) -> None:
    text = "| No. | Flow |\n|---|---|\n" + "".join(f"| P-{number} | {number * 7} |\n" for number in range(rows)) + "\nEnd."
    (shown,) = grown(text, [part(text, "| P-3 ", "21 |", number=1, heading="Pumps")], max_tokens=10_000 if rows == 1000 else 60)

    assert shown.chunk.text == "| P-3 | 21 |"
    assert shown.chunk.heading_path == "Pumps > | No. | Flow |"


def test_a_table_that_earlier_evidence_shows_a_part_of_is_not_shown_again() -> None:
    shown, row = part(TABLE, "| P-01", "350 |", number=1), part(TABLE, "| P-03", "210 |", number=2)

    assert texts(grown(TABLE, [row], evidence=(shown,))) == [shown.chunk.text, row.chunk.text]


def test_rows_without_their_header_get_it_as_heading() -> None:
    rows = part(TABLE, "| P-02", "210 |", number=1, heading="Pumps")

    assert grown(TABLE, [rows], max_tokens=len(rows.chunk.text))[0].chunk.heading_path == "Pumps > | No. | Flow |"


def test_rows_that_were_indexed_with_their_header_do_not_get_it_twice() -> None:
    rows = part(TABLE, "| P-02", "210 |", number=1, heading="Pumps > | No. | Flow |")

    assert grown(TABLE, [rows], max_tokens=len(rows.chunk.text))[0].chunk.heading_path == "Pumps > | No. | Flow |"


def test_pages_are_known_where_passages_were_joined_and_made_longer() -> None:
    pages = (PageStart(0, 1), PageStart(HARBOUR.index("His"), 2))
    found = [replace(item, chunk=replace(item.chunk, page_starts=pages[n:])) for n, item in enumerate([KEEPER, BOOKS])]

    (whole,) = grown(HARBOUR, [found[1], found[0]])

    assert [whole.chunk.page_at(place) for place in (whole.chunk.start, HARBOUR.index("His"))] == [1, 2]


def test_rows_that_show_their_header_need_no_other() -> None:
    table = part(TABLE, "| No.", "210 |", number=1, heading="Pumps")

    assert grown(TABLE, [table])[0].chunk.heading_path == "Pumps"


def test_no_more_than_the_room_is_taken_and_joining_comes_after_that() -> None:
    room = len(KEEPER.chunk.text) + len(LAMP.chunk.text) + 10

    assert texts(grown(HARBOUR, [KEEPER, LAMP, BOOKS], max_tokens=room, overhead_tokens=5)) == [HARBOUR[: KEEPER.chunk.end]]


def test_evidence_stays_even_if_it_has_more_than_its_room() -> None:
    assert texts(grown(HARBOUR, [LAMP], evidence=(KEEPER,), max_tokens=1)) == [KEEPER.chunk.text]


def test_a_damaged_index_leaves_the_chunks_as_they_were_found() -> None:
    def fail(document: int, start: int, end: int) -> str:
        raise IndexDamaged("The index cannot be read.")

    result = grow_evidence((), [LAMP, KEEPER], max_tokens=1000, count_tokens=len, read=fail)

    assert texts(result) == [LAMP.chunk.text, KEEPER.chunk.text]
