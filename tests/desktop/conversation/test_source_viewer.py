from __future__ import annotations

import random
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.documents import Citation
from desktop.conversation.source_viewer import SourceViewer, as_shown, shown_position
from tests.fakes.window import citation

LETTERS = "ab \n\r\t文字🎉👩\u2029é\u0301<&"


def test_fifty_passages_are_highlighted_exactly(qtbot: QtBot, tmp_path: Path) -> None:
    viewer = SourceViewer()
    qtbot.addWidget(viewer)
    chance = random.Random(7)
    for _ in range(50):
        text = "".join(chance.choice(LETTERS) for _ in range(400)).replace("\r", "\r\n")
        start = chance.randrange(300)
        end = start + chance.randrange(1, 90)
        if text[start - 1 : start + 1] == "\r\n" or text[end - 1 : end + 1] == "\r\n":
            continue
        source = Citation(1, text[start:end], tmp_path / "a.txt", "a", start, end, text[:start].count("\n") + 1)
        viewer.open_citation([source], 1)

        viewer.show_text(tmp_path / "a.txt", text)

        assert viewer.text.highlighted_text == as_shown(source.quote)


def test_line_numbers_agree_with_the_citation(qtbot: QtBot, tmp_path: Path) -> None:
    text = "one\r\ntwo\r\nthree 🎉\r\nfour"
    source = citation(1, tmp_path / "a.txt", text, "four")
    viewer = SourceViewer()
    qtbot.addWidget(viewer)
    viewer.open_citation([source], 1)

    viewer.show_text(tmp_path / "a.txt", text)

    assert viewer.text.textCursor().blockNumber() + 1 == source.line == 4
    assert "line 4" in viewer.place.text()


def test_the_head_of_a_pdf_names_page_and_line(qtbot: QtBot, tmp_path: Path) -> None:
    viewer = SourceViewer()
    viewer.open_citation([Citation(1, "oil", tmp_path / "log.pdf", "Log", 0, 3, 44, page=12)], 1)

    assert viewer.place.text() == "log.pdf · p. 12 · line 44"


def test_a_text_that_comes_too_late_is_not_shown(qtbot: QtBot, tmp_path: Path) -> None:
    viewer = SourceViewer()
    qtbot.addWidget(viewer)
    viewer.open_file(tmp_path / "a.txt")
    viewer.open_file(tmp_path / "b.txt")

    viewer.show_text(tmp_path / "a.txt", "text of a")
    viewer.show_text(tmp_path / "b.txt", "text of b")

    assert viewer.text.toPlainText() == "text of b"


def test_html_in_a_file_is_text(qtbot: QtBot, tmp_path: Path) -> None:
    viewer = SourceViewer()
    qtbot.addWidget(viewer)
    viewer.open_file(tmp_path / "<b>a.html")

    viewer.show_text(tmp_path / "<b>a.html", "<img src='file:///etc/hosts'><h1>x</h1>")

    assert viewer.text.toPlainText() == "<img src='file:///etc/hosts'><h1>x</h1>"
    assert viewer.title.text() == "<b>a.html"


def test_next_and_previous_go_round_the_file_sources_only(qtbot: QtBot, tmp_path: Path) -> None:
    text = "alpha beta gamma"
    sources = [
        citation(1, tmp_path / "a", text, "alpha"),
        Citation(2, "q", url="https://example.org"),
        citation(3, tmp_path / "b", text, "gamma"),
    ]
    viewer = SourceViewer()
    qtbot.addWidget(viewer)
    viewer.open_citation(sources, 3)
    assert viewer.position.text() == "[3] · 2/2"

    viewer.step(1)

    assert viewer.current is sources[0]
    viewer.step(-1)
    assert viewer.current is sources[2]


@pytest.mark.parametrize(("text", "offset", "position"), [("a👍b", 2, 3), ("a\r\nb", 3, 2), ("a\rb", 2, 2), ("文b", 1, 1)])
def test_offsets_become_positions(text: str, offset: int, position: int) -> None:
    assert shown_position(text, offset) == position
