"""The text a person would read on an HTML page: headings as "# " lines, blocks as lines, tables as Markdown.

Tables that only place things on the page (with headings, other tables or long texts in them) stay rows of "a | b", or lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree  # type: ignore[import-untyped]

from core.library.formats.html_table import HtmlTable


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


_UNSEEN = _names("script style noscript template head svg math iframe object embed audio video canvas select datalist dialog")
_VOID = _names("area base br col command embed frame hr img input keygen link meta param source track wbr")
"""These have no content and no end: nothing after them is inside them, whatever the parser reports."""
_BLOCKS = _names(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer form header hr html legend li main menu nav"
    " ol p pre section summary table tbody tfoot thead tr ul h1 h2 h3 h4 h5 h6 textarea title"
)
_SPACED = _names("p ul ol dl table blockquote pre h1 h2 h3 h4 h5 h6 section article figure")
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:[a-z%;\s]|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)", re.IGNORECASE
)
_SPACES = re.compile(r"[ \t\n\r\f\v\u00a0]+")


@dataclass(frozen=True, slots=True)
class PageText:
    """A page as text, and its <title> (empty if it has none)."""

    text: str
    title: str


def html_to_text(html: str) -> PageText:
    """Turn a page into text. Scripts, styles, comments and hidden elements are left out; nothing is fetched; never fails."""
    target = _Reader()
    parser = etree.HTMLParser(target=target, no_network=True, recover=True, huge_tree=False, remove_comments=True, remove_pis=True)
    # libxml2 has no room for lone surrogates, and believes an XML declaration more than the string it is given.
    parser.feed(re.sub(r"^\s*<\?xml[^>]*\?>", "", html.encode("utf-8", "replace").decode("utf-8")) or " ")
    try:
        page: PageText = parser.close()
    except etree.XMLSyntaxError:
        page = target.close()
    return page


class _Reader:
    """Called by the parser for each tag and text in turn: no tree is built, so depth costs nothing."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._title: list[str] = []
        self._unseen: list[str] = []
        self._in_title = False
        self._pre_depth = 0
        self._cells = 0
        self._tables: list[HtmlTable] = []
        self._lists: list[int | None] = []  # the number of the next item; None where items have dots
        self._in_caption = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = str(tag)
        self._in_title = tag == "title" and "svg" not in self._unseen  # icons have titles of their own
        if self._unseen or tag in _UNSEEN or _is_hidden(attributes):
            if tag not in _VOID:
                self._unseen.append(tag)
            return
        if tag in _BLOCKS:
            self._end_line(blank=tag in _SPACED)
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                self._line.append("#" * int(tag[1]) + " ")
                self._no_table()
            case "ol":
                self._lists.append(_number(attributes.get("start", ""), 1))
            case "ul" | "menu" | "dir":
                self._lists.append(None)
            case "li":
                self._line.append(self._item_mark(attributes))
            case "table":
                self._no_table()
                self._tables.append(HtmlTable(len(self._lines)))
            case "tr":
                self._cells, self._in_caption = 0, False
                if self._tables:
                    self._tables[-1].begin_row()
            case "td" | "th":
                if self._cells:
                    self._line.append(" | ")
                self._cells += 1
                if self._tables:
                    self._tables[-1].begin_cell(attributes.get("colspan", ""), attributes.get("rowspan", ""))
            case "caption":
                self._in_caption = bool(self._tables)
            case "br":
                self._end_line()
                if self._tables:
                    self._tables[-1].add(" ")
            case "pre" | "textarea":
                self._pre_depth += 1
                self._no_table()
            case "img":
                self.data(f" {attributes.get('alt', '')} ")

    def end(self, tag: str) -> None:
        tag = str(tag)
        self._in_title = False
        if tag in _VOID:
            return
        if self._unseen:
            self._unseen.pop()
            return
        if tag in ("ol", "ul", "menu", "dir") and self._lists:
            self._lists.pop()
        if tag in ("pre", "textarea"):
            self._end_line()
            self._pre_depth = max(0, self._pre_depth - 1)
        if tag in _BLOCKS:
            self._end_line(blank=tag in _SPACED)
        if self._tables:
            self._end_of_table_part(tag)

    def data(self, text: str) -> None:
        if self._in_title and len(self._title) < 100:
            self._title.append(text)
        if self._unseen:
            return
        if self._tables and not self._in_caption:
            self._tables[-1].add(text)
        if not self._pre_depth:
            self._line.append(_SPACES.sub(" ", text))
            return
        first, *rest = text.split("\n")
        self._line.append(first)
        for line in rest:
            self._end_line()
            self._line.append(line)

    def close(self) -> PageText:
        self._end_line()
        return PageText("\n".join(self._lines).strip("\n"), " ".join("".join(self._title).split()))

    def _item_mark(self, attributes: dict[str, str]) -> str:
        """What a reader sees before an item: other text speaks of "step 3"."""
        if not self._lists or self._lists[-1] is None:
            return "- "
        number = _number(attributes.get("value", ""), self._lists[-1])
        self._lists[-1] = number + 1
        return f"{number}. "

    def _no_table(self) -> None:
        """What is being read does not stand in tables of figures: the table around it only places things on the page."""
        if self._tables:
            self._tables[-1].is_layout = True

    def _end_of_table_part(self, tag: str) -> None:
        match tag:
            case "td" | "th" | "tr":
                self._tables[-1].end_cell()
            case "caption":
                self._in_caption = False
                if not self._tables[-1].has_rows:
                    self._tables[-1].first_line = len(self._lines)
            case "table":
                ended = self._tables.pop()
                if lines := ended.markdown():
                    self._lines[ended.first_line :] = [*lines, ""]
            case _ if tag in _BLOCKS:
                # Two paragraphs of a cell are two words at least.
                self._tables[-1].add(" ")

    def _end_line(self, *, blank: bool = False) -> None:
        line = "".join(self._line)
        line = line.rstrip() if self._pre_depth else re.sub(r"  +", " ", line).strip()
        self._line = []
        if line and line.strip("#|- "):
            self._lines.append(line)
        if blank and self._lines and self._lines[-1]:
            self._lines.append("")


def _number(words: str, otherwise: int) -> int:
    return int(words) if re.fullmatch(r"\s*-?[0-9]{1,9}\s*", words) else otherwise


def _is_hidden(attributes: dict[str, str]) -> bool:
    return "hidden" in attributes or bool(_HIDDEN_STYLE.search(attributes.get("style", "")))
