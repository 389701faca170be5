from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QImage, QTextDocument
from PySide6.QtWidgets import QLabel, QToolTip
from pytestqt.qtbot import QtBot

from desktop.widgets.safe_text import PlainLabel, SafeTextBrowser, SafeTextDocument, opens_in_browser, plain_tooltip, render, utf16_length

BLUE = QColor("blue")


def anchors(document: QTextDocument) -> dict[str, str]:
    """Text to address of every link."""
    found = {}
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            shape = iterator.fragment().charFormat()
            if shape.isAnchor():
                found[iterator.fragment().text()] = shape.anchorHref()
            iterator += 1
        block = block.next()
    return found


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    file = tmp_path / "picture.png"
    image = QImage(300, 400, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    assert image.save(str(file))
    return file


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every address that a document or a view asks for."""
    addresses: list[str] = []
    for kind in (SafeTextDocument, SafeTextBrowser):
        original = kind.loadResource

        def spy(self, what, name, original=original):  # type: ignore[no-untyped-def]
            addresses.append(str(name))
            return original(self, what, name)

        monkeypatch.setattr(kind, "loadResource", spy)
    return addresses


def payloads(address: str) -> list[str]:
    return [
        f"![x]({address})",
        f"![x][ref]\n\n[ref]: {address}",
        f"[![x]({address})]({address})",
        f"<img src='{address}'>",
        f"<img src='{address}'/> text behind",
        f"<div style=\"background-image: url('{address}')\">a</div>",
        f"<table background='{address}'><tr><td>a</td></tr></table>",
        f"<link rel=stylesheet href='{address}'>",
        f"<iframe src='{address}'></iframe>",
        f"<object data='{address}'></object>",
        f"<svg><image href='{address}'/></svg>",
        f"<body background='{address}'>",
        f'- ![x]({address})\n- ![y]({address} "title")',
        f"> ![x]({address})",
        f"| a |\n|---|\n| ![x]({address}) |",
        f"# ![x]({address})",
        f"**![x]({address})**",
    ]


def test_no_payload_loads_anything(qtbot: QtBot, picture: Path, asked: list[str]) -> None:
    addresses = [
        QUrl.fromLocalFile(str(picture)).toString(),
        "http://127.0.0.1:9/x?q=secret",
        "//server/share/x.png",
        "data:image/png;base64,AAAA",
        "qrc:/x",
    ]
    for address in addresses:
        for payload in payloads(address):
            view = SafeTextBrowser()
            qtbot.addWidget(view)
            view.resize(400, 300)
            view.show_markdown(payload, frozenset(), BLUE)
            view.show()
            view.grab()
            view.selectAll()
            view.copy()
            assert view.document().size().height() < 200, payload

    assert asked == []


def test_even_a_document_that_is_asked_reads_no_file(qtbot: QtBot, tmp_path: Path) -> None:
    # A pipe tells whether anybody opened it: the writer below waits until a reader comes.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    opened = threading.Event()

    def wait_for_reader() -> None:
        with open(pipe, "wb"):
            opened.set()

    threading.Thread(target=wait_for_reader, daemon=True).start()
    document = SafeTextDocument()

    document.setHtml(f"<img src='{QUrl.fromLocalFile(str(pipe)).toString()}'>")
    document.size()
    document.resource(int(QTextDocument.ResourceType.ImageResource.value), QUrl.fromLocalFile(str(pipe)))

    assert not opened.is_set()
    with open(pipe, "rb"):
        opened.wait(5)


@pytest.mark.parametrize(
    "payload", ["<b>bold</b>", "<script>alert(1)</script>", "a <i>b</i> c", "<h1>Update needed</h1>", "<a href='file:///etc/passwd'>x</a>"]
)
def test_html_is_shown_as_it_is_written(qtbot: QtBot, payload: str) -> None:
    document = render(payload, frozenset(), BLUE)

    assert document.toPlainText() == payload
    assert anchors(document) == {}


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "javascript:alert(1)", "smb://server/x", "vscode://x", "cite:1", "data:text/html,x", "../x"]
)
def test_links_to_anything_but_the_web_are_text(qtbot: QtBot, address: str) -> None:
    document = render(f"a [link]({address}) b", frozenset({1}), BLUE)

    assert document.toPlainText() == "a link b"
    assert anchors(document) == {}


def test_source_marks_are_links_only_where_there_is_a_source(qtbot: QtBot) -> None:
    document = render("It is so [1], and [2]; `a[1]` and [9].\n\n```\nx[1]\n```\n\n- 🎉 emoji [2]", frozenset({1, 2}), BLUE)

    assert anchors(document) == {"[1]": "cite:1", "[2]": "cite:2"}
    assert "a[1]" in document.toPlainText() and "[9]" in document.toPlainText()


def test_a_model_cannot_turn_a_mark_into_its_own_link(qtbot: QtBot) -> None:
    document = render("True [1].\n\n[1]: http://evil.example/x\n> [1]: http://evil.example/y", frozenset({1}), BLUE)

    assert set(anchors(document).values()) == {"cite:1", "http://evil.example/x", "http://evil.example/y"}
    assert anchors(document)["[1]"] == "cite:1"


def test_money_and_formulas_stay_text(qtbot: QtBot) -> None:
    text = "It costs $5 and $10, $$x$$, ROWS($A$1:$A$9), $HOME/$USER"

    assert render(text, frozenset(), BLUE).toPlainText() == text


def test_a_mark_and_a_web_link_are_only_reported(qtbot: QtBot) -> None:
    view = SafeTextBrowser()
    qtbot.addWidget(view)
    view.show_markdown("See [1] and https://example.org/a.", frozenset({1}), BLUE)
    heard: list[object] = []
    view.citation_chosen.connect(heard.append)
    view.address_chosen.connect(heard.append)

    for address in ("cite:1", "https://example.org/a", "file:///etc/hosts", "cite:../x", "javascript:1"):
        view.anchorClicked.emit(QUrl(address))

    assert heard == [1, "https://example.org/a"]
    assert "See [1]" in view.toPlainText()


def test_streamed_text_equals_the_whole(qtbot: QtBot) -> None:
    view = SafeTextBrowser()
    qtbot.addWidget(view)
    text = "Grüße, 你好 👩‍👩‍👧 <b>x</b>\n\n- a\n- b\tc"

    for character in text:
        view.append_text(character)

    assert view.toPlainText() == text
    assert view.renders == 0


def test_the_view_grows_with_its_text(qtbot: QtBot) -> None:
    view = SafeTextBrowser()
    qtbot.addWidget(view)
    view.resize(300, 50)
    view.show()
    before = view.height()

    view.append_text("line\n" * 50)

    qtbot.waitUntil(lambda: view.height() > before * 10)


def test_labels_and_tooltips_show_tags(qtbot: QtBot) -> None:
    label = PlainLabel("<b>x</b>.pdf")
    qtbot.addWidget(label)
    shown = QTextDocument()
    shown.setHtml(plain_tooltip("<b>x</b> & <img src='file:///x'>\nsecond"))

    assert isinstance(label, QLabel) and label.text() == "<b>x</b>.pdf" and label.textFormat().name == "PlainText"
    assert shown.toPlainText() == "<b>x</b> & <img src='file:///x'>\nsecond"
    assert plain_tooltip("") == "" and QToolTip.text() == ""


def test_only_web_addresses_with_a_host_open() -> None:
    assert opens_in_browser(QUrl("https://example.org/a")) and opens_in_browser(QUrl("HTTP://example.org"))
    for address in ("http:///a", "file:///a", "ftp://example.org", "javascript:alert(1)", "//example.org", "", "cite:1"):
        assert not opens_in_browser(QUrl(address))


def test_positions_count_as_qt_counts() -> None:
    assert utf16_length("a👍b") == 4
