from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from core.documents import Answer, Chunk, Citation, Doubt, ScoredChunk, WebOutcome
from core.events import AnswerText
from desktop.commands.written_answer import OWN_KNOWLEDGE, AnswerWriter
from desktop.terminal import Terminal

ANSWER = Answer(
    "q", "q", "complex", "", "It is so [1].", "files", False, citations=(Citation(1, "it\nis so", Path("/docs/a.md"), "a", 0, 8, 3),)
)


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def written(answer: Answer, *pieces: AnswerText, screen: bool = False, as_json: bool = False) -> str:
    out = Screen() if screen else io.StringIO()
    writer = AnswerWriter(Terminal(as_json=as_json, out=out, err=io.StringIO()))
    if answer.origin == "model":
        writer.answering_without_files()
    for piece in pieces:
        writer.add(piece)
    writer.finish(answer)
    return out.getvalue()


def test_sources_stand_numbered_under_the_answer_with_line_and_quote() -> None:
    assert written(ANSWER) == 'It is so [1].\n\nSources\n[1] /docs/a.md:3\n    "it is so"\n'


@pytest.mark.parametrize(
    ("names", "page"),
    [
        ("a.pdf", "p. 12"),
        ("a.pptx a.potx a.odp a.otp a.PPT a.pps a.dps a.dpt", "slide 12"),
        ("a.xlsx a.xltx a.ods a.ots a.XLS a.xlt a.et a.ett", "sheet 12"),
        ("a.epub", "part 12"),
    ],
)
def test_a_source_says_its_page_where_the_file_has_pages(names: str, page: str) -> None:
    (citation,) = ANSWER.citations

    for name in names.split():
        paged = replace(citation, file=Path(f"/docs/{name}"), page=12)
        assert f"[1] /docs/{name}:3 ({page})" in written(replace(ANSWER, citations=(paged,)))


def test_on_a_screen_the_text_appears_as_it_is_written_and_once() -> None:
    text = written(ANSWER, AnswerText("It is "), AnswerText("so [1]."), screen=True)

    assert text.count("It is so [1].") == 1
    assert text.endswith('Sources\n[1] /docs/a.md:3\n    "it is so"\n')


def test_on_a_screen_a_text_that_changed_in_the_end_is_written_again() -> None:
    text = written(ANSWER, AnswerText("It is so [7]."), screen=True)

    assert text.index("It is so [7].") < text.index("It is so [1].")


def test_elsewhere_only_the_final_text_is_written() -> None:
    assert "[7]" not in written(ANSWER, AnswerText("It is so [7]."))


def test_own_knowledge_is_plainly_marked() -> None:
    text = written(replace(ANSWER, own_knowledge="Shakespeare wrote it."))

    assert text.index("It is so") < text.index(OWN_KNOWLEDGE) < text.index("Shakespeare")


def test_an_answer_without_files_is_marked_as_a_whole() -> None:
    assert written(replace(ANSWER, text="2", origin="model", citations=())) == f"{OWN_KNOWLEDGE}\n2\n"


def test_streamed_own_knowledge_is_marked_and_not_repeated() -> None:
    answer = replace(ANSWER, text="2", origin="model", citations=())

    text = written(answer, AnswerText("2"), screen=True)

    assert text.count(OWN_KNOWLEDGE) == 1
    assert text.count("2") == 1


def test_a_refusal_shows_the_closest_passages() -> None:
    chunk = ScoredChunk(Chunk(1, 1, Path("/docs/a.md"), "a", "", 0, 4, 9, "near"), 0.5)
    near = (Citation(1, "near", Path("/docs/a.md"), "a", 0, 4, 9),)

    text = written(replace(ANSWER, text="Your files do not say. [1]", origin="none", refused=True, citations=near, documents=(chunk,)))

    assert text.endswith('\n\nClosest passages\n[1] /docs/a.md:9\n    "near"\n')
    assert "Sources" not in text


def test_a_page_is_cited_with_title_and_address() -> None:
    web = WebOutcome(True, "who", "")

    text = written(replace(ANSWER, citations=(Citation(1, "said", title="Page", url="https://p.example/"),), web=web))

    assert "[1] Page <https://p.example/>" in text
    assert 'Searched the web for "who"' in text


def test_a_failed_web_search_says_why() -> None:
    assert "offline" in written(replace(ANSWER, web=WebOutcome(True, "who", "web_offline")))


def test_text_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in written(replace(ANSWER, text="a\x1b[2Jb"))
    assert "\x1b" not in written(ANSWER, AnswerText("a\x1b[2Jb"), screen=True)


def test_a_broken_off_answer_is_kept() -> None:
    out = io.StringIO()
    writer = AnswerWriter(Terminal(as_json=False, out=out, err=io.StringIO()))

    writer.add(AnswerText("Half an ans"))
    writer.abandon()

    assert out.getvalue() == "Half an ans\n"


def test_nothing_is_written_among_json() -> None:
    assert written(ANSWER, AnswerText("It is"), as_json=True) == ""


def test_doubtful_parts_are_named_under_the_answer() -> None:
    doubtful = replace(ANSWER, doubts=(Doubt(0, 2, "name"),))

    assert 'the sources do not bear it out: "It"' in written(doubtful, AnswerText("It is so [1]."))


def test_an_answer_that_is_written_again_says_so_on_a_terminal() -> None:
    out = Screen()
    writer = AnswerWriter(Terminal(as_json=False, out=out, err=io.StringIO()))

    writer.add(AnswerText("Wrong."))
    writer.restart()
    writer.add(AnswerText("It is so [1]."))
    writer.finish(ANSWER)

    assert "written again" in out.getvalue()
