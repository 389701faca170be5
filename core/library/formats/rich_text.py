"""Rich Text Format (.rtf): paragraphs, headings, lists, tables and footnotes, in whatever code pages its fonts name."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from core.library.formats.markdown import MarkdownText, one_line
from core.library.formats.parsed import ParsedDocument, damaged

_TOKEN = re.compile(rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|[\r\n\0]+|([^\\{}\r\n\0]+)", re.DOTALL)
_DEEPEST = 1_000
_BODY_LEVEL = 9
# By the number that the font table gives a font. 0 and 1 say nothing, so the document's own code page holds.
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255",
    178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_CODE_PAGES = {936: "gb18030", 65001: "utf-8", 10000: "mac_roman", 1361: "johab"}
_SYMBOL_CHARSET = 2
_DEFAULT = "cp1252"
_SIGNS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "emspace": " ", "enspace": " ", "qmspace": " ", "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
_ESCAPED = {"~": " ", "_": "-", "\\": "\\", "{": "{", "}": "}"}
# Groups that hold no words of the text. All that begin with \* are left out, too, but for those in _SHOWN.
_LEFT_OUT = frozenset(
    "colortbl stylesheet info header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn pict object"
    " objdata themedata colorschememapping latentstyles datastore listtable listoverridetable revtbl rsidtbl generator xmlnstbl fldinst annotation"
    " atnid atnauthor bkmkstart bkmkend nonesttables sp sn sv xe tc txe rxe template pn upr filetbl private mmathPr do shprslt".split()
)
_SHOWN = frozenset({"shptxt", "dptxbxtext", "ud"})
_MARKS = frozenset({"listtext", "pntext"})


@dataclass(frozen=True, slots=True)
class _Format:
    """What a group hands on to the groups inside it, and forgets at its end."""

    is_left_out: bool = False
    is_hidden: bool = False
    is_fonts: bool = False
    is_mark: bool = False
    is_note: bool = False
    font: int = -1
    skipped_after_unicode: int = 1
    outline: int = _BODY_LEVEL
    list_level: int = 0
    is_in_table: bool = False


@dataclass(slots=True)
class _Words:
    """Text as it comes: bytes of some code page, and characters."""

    parts: list[str] = field(default_factory=list)
    pending: bytearray = field(default_factory=bytearray)
    encoding: str = _DEFAULT

    def add_bytes(self, data: bytes, encoding: str) -> None:
        if encoding != self.encoding:
            self.flush()
            self.encoding = encoding
        self.pending += data

    def add(self, text: str) -> None:
        self.flush()
        self.parts.append(text)

    def flush(self) -> None:
        # A character of two bytes may be written half in hexadecimal and half as it is, so bytes are decoded together.
        if self.pending:
            self.parts.append(self.pending.decode(self.encoding, "replace"))
            self.pending.clear()

    def take(self) -> str:
        self.flush()
        text = "".join(self.parts)
        self.parts.clear()
        # What lies beyond the first 65,536 characters is written as two halves.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_rich_text(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, too_large."""
    if not is_rich_text(data):
        raise damaged("it does not begin like a Rich Text file")
    return ParsedDocument(_Reader().read(data))


def is_rich_text(data: bytes) -> bool:
    """Whether it begins like one, or like a part of one."""
    return data[:200].lstrip().startswith((b"{\\rtf", b"{\\pard"))


class _Reader:
    """Goes through the file once. Paragraphs are written when they end, tables when a paragraph outside them begins."""

    def __init__(self) -> None:
        self._markdown = MarkdownText()
        self._format = _Format()
        self._groups: list[_Format] = []
        self._document_encoding = _DEFAULT
        self._fonts: dict[int, str] = {}
        self._words = _Words()
        self._mark = _Words()
        self._note = _Words()
        self._notes: list[str] = []
        self._cell: list[str] = []
        self._row: list[str] = []
        self._rows: list[list[str]] = []
        self._to_skip = 0
        self._is_starred = False

    def read(self, data: bytes) -> str:
        for match in self._matches(data):
            word, number, hexadecimal, sign, brace, plain = match.groups()
            if brace:
                self._to_skip = 0
                self._group(opens=brace == b"{")
            elif word:
                self._control(word.decode("ascii"), int(number) if number else None)
            elif hexadecimal:
                self._bytes(bytes.fromhex(hexadecimal.decode("ascii")))
            elif sign:
                self._sign(sign.decode("latin-1"))
            elif plain:
                self._bytes(plain)
        self._end_paragraph()
        self._end_table()
        for number, note in enumerate(self._notes, 1):
            self._markdown.item(note, mark=f"[^{number}]:")
        return self._markdown.text()

    def _matches(self, data: bytes) -> Iterator[re.Match[bytes]]:
        place = 0
        while match := _TOKEN.match(data, place):
            place = match.end()
            if match[1] == b"bin":
                # So many bytes follow as they are, whatever they look like.
                place += max(0, int(match[2] or 0))
            else:
                yield match

    def _group(self, *, opens: bool) -> None:
        self._is_starred = False
        if opens:
            if len(self._groups) >= _DEEPEST:
                raise damaged("its groups lie too deep in each other")
            self._groups.append(self._format)
        elif self._groups:
            if len(self._groups) == 1:
                self._end_paragraph()
            inner, self._format = self._format, self._groups.pop()
            if inner.is_note and not self._format.is_note:
                self._end_note()

    def _control(self, word: str, number: int | None) -> None:
        if self._to_skip and word not in ("u", "uc"):
            self._to_skip -= 1
            return
        is_starred, self._is_starred = self._is_starred, False
        if word in _SHOWN:
            self._format = replace(self._format, is_left_out=False)
        elif word in _MARKS:
            self._format = replace(self._format, is_mark=True)
        elif word == "fonttbl":
            self._format = replace(self._format, is_fonts=True)
        elif word == "footnote":
            self._begin_note()
        elif is_starred or word in _LEFT_OUT:
            self._format = replace(self._format, is_left_out=True)
        elif self._is_character_format(word, number):
            return
        elif not (self._format.is_left_out or self._format.is_fonts):
            self._layout(word, number)

    def _is_character_format(self, word: str, number: int | None) -> bool:
        """Take what says how letters are to be read; whether it was that."""
        match word:
            case "ansicpg":
                self._document_encoding = _known(_CODE_PAGES.get(number or 0, f"cp{number}"))
            case "mac" | "pc" | "pca":
                self._document_encoding = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
            case "f":
                self._format = replace(self._format, font=number or 0)
            case "fcharset" if self._format.is_fonts and number is not None:
                self._fonts[self._format.font] = "symbol" if number == _SYMBOL_CHARSET else _CHARSETS.get(number, "")
            case "uc":
                self._format = replace(self._format, skipped_after_unicode=max(0, number or 0))
            case "u":
                if number is not None:
                    self._text(chr(number % 0x10000))
                self._to_skip = self._format.skipped_after_unicode
            case "v" | "deleted":
                self._format = replace(self._format, is_hidden=number != 0)
            case "plain":
                self._format = replace(self._format, is_hidden=False)
            case _:
                return False
        return True

    def _layout(self, word: str, number: int | None) -> None:
        match word:
            case "par" | "sect" | "page" | "column":
                self._end_paragraph()
            case "pard":
                self._format = replace(self._format, outline=_BODY_LEVEL, list_level=0, is_in_table=False)
            case "outlinelevel":
                self._format = replace(self._format, outline=_BODY_LEVEL if number is None else number)
            case "ilvl":
                self._format = replace(self._format, list_level=number or 0)
            case "intbl":
                self._format = replace(self._format, is_in_table=True)
            case "cell":
                self._format = replace(self._format, is_in_table=True)
                self._end_paragraph()
                self._row.append(" ".join(self._cell))
                self._cell = []
            case "row":
                self._end_row()
            case "nestcell":
                self._format = replace(self._format, is_in_table=True)
                self._end_paragraph()
            case "chftn":
                return
            case _ if word in _SIGNS:
                self._text(_SIGNS[word])

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self._is_starred = True
        elif sign in "\r\n":
            self._layout("par", None)
        elif sign in _ESCAPED:
            self._bytes(_ESCAPED[sign].encode("ascii"))

    def _bytes(self, data: bytes) -> None:
        skipped = min(self._to_skip, len(data))
        self._to_skip -= skipped
        data = data[skipped:]
        if not data or not self._is_shown():
            return
        encoding = self._fonts.get(self._format.font, "") or self._document_encoding
        if encoding == "symbol":
            # Such a font has pictures in the places of letters; the one that is in nearly every file is a dot before an item.
            data, encoding = data.replace(b"\xb7", b"\x95"), _DEFAULT
        self._place().add_bytes(data, encoding)

    def _text(self, text: str) -> None:
        if self._is_shown():
            self._place().add(text)

    def _is_shown(self) -> bool:
        return not (self._format.is_left_out or self._format.is_hidden or self._format.is_fonts)

    def _place(self) -> _Words:
        if self._format.is_note:
            return self._note
        return self._mark if self._format.is_mark else self._words

    def _begin_note(self) -> None:
        if not self._format.is_left_out and not self._format.is_note:
            self._words.add(f"[^{len(self._notes) + 1}]")
            self._format = replace(self._format, is_note=True, outline=_BODY_LEVEL)

    def _end_note(self) -> None:
        self._notes.append(one_line(self._note.take()))

    def _end_paragraph(self) -> None:
        if self._format.is_note:
            self._note.add("\n")
            return
        text, mark = self._words.take(), one_line(self._mark.take())
        if self._format.is_in_table:
            if words := one_line(f"{mark if any(map(str.isalnum, mark)) else ''} {text}"):
                self._cell.append(words)
            return
        self._end_table()
        if not text.strip():
            return
        if self._format.outline < _BODY_LEVEL:
            self._markdown.heading(self._format.outline + 1, f"{mark if any(map(str.isalnum, mark)) else ''} {text}")
        elif mark:
            self._markdown.item(text, mark=mark if any(map(str.isalnum, mark)) else "-", depth=self._format.list_level)
        else:
            self._markdown.paragraph(text)

    def _end_row(self) -> None:
        if text := one_line(self._words.take()):
            self._cell.append(text)
        if self._cell:
            self._row.append(" ".join(self._cell))
            self._cell = []
        if self._row:
            self._rows.append(self._row)
            self._row = []

    def _end_table(self) -> None:
        if self._cell or self._row:
            self._end_row()
        if self._rows:
            rows, self._rows = self._rows, []
            self._markdown.table(rows)


def _known(encoding: str) -> str:
    try:
        codecs.lookup(encoding)
    except LookupError:
        return _DEFAULT
    return encoding
