"""Text from files, models and the web, shown so that it can do nothing: no image, no remote or local resource, no live link.

Qt guesses HTML in labels and tooltips and reads `file://` images of a text view from disk, so everything that shows such text comes from here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Set
from typing import Any

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QImage, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat, QTextFragment, QWheelEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QTextBrowser, QWidget

CITE_SCHEME = "cite"
LONG_ADDRESS = 200

_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_REFERENCE = re.compile(r"^(\s*(?:>\s*)*)\[(?=[^\]\n]+\]:)")
_MARK = re.compile(r"\[(\d{1,3})\]")
_MARKDOWN = QTextDocument.MarkdownFeature.MarkdownNoHTML | QTextDocument.MarkdownFeature.MarkdownDialectGitHub


def opens_in_browser(url: QUrl) -> bool:
    """Whether a link may ever leave the window: web addresses with a host, nothing else."""
    return url.isValid() and url.scheme().lower() in ("http", "https") and bool(url.host())


def plain_tooltip(text: str) -> str:
    """Text for `setToolTip` that Qt shows letter by letter, whatever tags it contains."""
    return "<qt>" + html.escape(text).replace("\n", "<br>") + "</qt>" if text else ""


def without_references(markdown: str) -> str:
    """Markdown whose link definitions are plain text, so that a model cannot turn the mark [1] into a link of its own."""
    lines = []
    fenced = False
    for line in markdown.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        lines.append(line if fenced else _REFERENCE.sub(r"\1\\[", line))
    return "\n".join(lines)


def nothing(kind: int) -> QImage | QByteArray:
    """What every resource is: one transparent pixel or no text. Never a null value: for that Qt goes and reads the file itself."""
    if kind != int(QTextDocument.ResourceType.ImageResource.value):
        return QByteArray(b"")
    pixel = QImage(1, 1, QImage.Format.Format_ARGB32)
    pixel.fill(Qt.GlobalColor.transparent)
    return pixel


class SafeTextDocument(QTextDocument):
    """A document that loads nothing: every resource is empty, whatever its address."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        return nothing(kind)


def render(markdown: str, marks: Set[int], mark_color: QColor, parent: QObject | None = None) -> SafeTextDocument:
    """A document of the Markdown text without images; [n] is a link `cite:n` for every n in `marks`.

    The document belongs to no view yet, so nothing is laid out, and nothing asked for, before it is safe.
    """
    document = SafeTextDocument(parent)
    document.setMarkdown(without_references(markdown), _MARKDOWN)
    _remove_images(document)
    _disarm_links(document)
    _link_marks(document, marks, mark_color)
    document.setUndoRedoEnabled(False)
    return document


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _fragments(document: QTextDocument) -> list[QTextFragment]:
    found = []
    for block in _blocks(document):
        iterator = block.begin()
        while not iterator.atEnd():
            found.append(iterator.fragment())
            iterator += 1
    return found


def _cursor(document: QTextDocument, start: int, end: int) -> QTextCursor:
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _remove_images(document: QTextDocument) -> None:
    spans = [
        (fragment.position(), fragment.position() + fragment.length(), fragment.charFormat())
        for fragment in _fragments(document)
        if fragment.charFormat().isImageFormat()
    ]
    for start, end, image in reversed(spans):
        alternative = str(image.property(QTextFormat.Property.ImageAltText) or "")
        _cursor(document, start, end).insertText(alternative, QTextCharFormat())


def _disarm_links(document: QTextDocument) -> None:
    spans = [
        (fragment.position(), fragment.position() + fragment.length())
        for fragment in _fragments(document)
        if fragment.charFormat().isAnchor() and not opens_in_browser(QUrl(fragment.charFormat().anchorHref()))
    ]
    for start, end in spans:
        cursor = _cursor(document, start, end)
        plain = QTextCharFormat()
        plain.setFontWeight(cursor.charFormat().fontWeight())
        plain.setFontItalic(cursor.charFormat().fontItalic())
        cursor.setCharFormat(plain)


def _link_marks(document: QTextDocument, marks: Set[int], color: QColor) -> None:
    for block in list(_blocks(document)):
        if block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence):
            continue
        for match in _MARK.finditer(block.text()):
            # Block texts count UTF-16 units, Python counts characters.
            start = block.position() + utf16_length(block.text()[: match.start()])
            cursor = _cursor(document, start, start + len(match.group()))
            if int(match.group(1)) not in marks or cursor.charFormat().isAnchor() or cursor.charFormat().fontFixedPitch():
                continue
            link = QTextCharFormat()
            link.setAnchor(True)
            link.setAnchorHref(f"{CITE_SCHEME}:{match.group(1)}")
            link.setForeground(color)
            link.setFontUnderline(False)
            cursor.mergeCharFormat(link)


def utf16_length(text: str) -> int:
    """How many positions of a Qt document `text` takes: characters outside the basic plane take two."""
    return len(text) + sum(1 for character in text if ord(character) > 0xFFFF)


class SafeTextBrowser(QTextBrowser):
    """A text view as tall as its text, for one message. Links do nothing but say that they were chosen."""

    citation_chosen = Signal(int)
    address_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setAcceptDrops(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.setStyleSheet("QTextBrowser { background: transparent; border: none; padding: 0; }")
        self.anchorClicked.connect(self._choose)
        self.renders = 0
        self._adopt(SafeTextDocument(self))

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        return nothing(kind)

    def show_markdown(self, markdown: str, marks: Set[int], mark_color: QColor) -> None:
        """Show finished text. Costs a whole layout: once per answer, never per token."""
        self.renders += 1
        self._adopt(render(markdown, marks, mark_color, self))

    def show_plain(self, text: str) -> None:
        """Show text letter by letter."""
        document = SafeTextDocument(self)
        document.setPlainText(text)
        self._adopt(document)

    def append_text(self, text: str) -> None:
        """Add streamed text at the end; the cost does not depend on how much is there already."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def sizeHint(self) -> QSize:
        return QSize(240, self._text_height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.fontMetrics().height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the transcript scrolls, not the message

    def _adopt(self, document: QTextDocument) -> None:
        previous = self.document()
        document.setDefaultFont(self.font())
        document.setDocumentMargin(0)
        document.setIndentWidth(self.fontMetrics().height() * 1.1)
        self.setDocument(document)
        # Queued: the size also changes while the document is being painted, and a resize in the midst of that ends the program.
        document.documentLayout().documentSizeChanged.connect(self._fit, Qt.ConnectionType.QueuedConnection)
        if isinstance(previous, SafeTextDocument) and previous is not document:
            previous.deleteLater()
        self._fit()

    def _text_height(self) -> int:
        return max(int(self.document().size().height() + 0.999), self.fontMetrics().height())

    def _fit(self) -> None:
        if self.height() != self._text_height():
            self.setFixedHeight(self._text_height())

    def _choose(self, url: QUrl) -> None:
        if url.scheme() == CITE_SCHEME and url.path().isdecimal():
            self.citation_chosen.emit(int(url.path()))
        elif opens_in_browser(url):
            self.address_chosen.emit(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))


class PlainLabel(QLabel):
    """A label that shows its text letter by letter and wraps it."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, wrap: bool = True) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setText(text)
