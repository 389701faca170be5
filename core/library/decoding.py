"""Text out of bytes: which encoding a file is in, told from its bytes alone."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from core.errors import DocumentUnreadable
from core.library.legacy_encodings import guess_legacy

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_ESCAPES = ((b"\x1b$)C", "iso2022_kr"), (b"\x1b$B", "iso2022_jp_2"), (b"\x1b$@", "iso2022_jp_2"), (b"\x1b(J", "iso2022_jp_2"))
_SIGNATURES = (
    b"%PDF-",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x7fELF",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf",
    b"Rar!",
    b"RIFF",
    b"OggS",
    b"ID3",
    b"fLaC",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"SQLite format 3",
    b"{\\rtf",
    b"!<arch>",
    b"\xca\xfe\xba\xbe",
    b"GGUF",
    b"MZ\x90",
    b"wOFF",
    b"wOF2",
    b"\0\0\1\0\1",
    b"\0asm",
)
_SAMPLE_BYTES = 64 * 1024
_ODD = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\x80-\x84\x86-\x9f\ue000-\uf8ff\ufffe\uffff]")
_ODD_SHARE = 0.1
"""A text of which more than this share are bytes that had to be replaced, controls or private characters is in another encoding."""

# Removed: controls other than tab and newline, zero-width and soft-hyphen characters, direction overrides and Unicode tag letters.
# They are invisible and only serve to hide words from a reader or from a search. Joiners stay: emoji and several scripts need them.
_INVISIBLE = re.compile(
    "[\0-\x08\x0b\x0e-\x1f\x7f\x80-\x84\x86-\x9f\u00ad\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)

# What a terminal obeys and nobody sees: colours and places, titles and links. Without its first character the rest would stick to the words.
_TERMINAL = re.compile("\x1b(?:\\[[0-?]*+[ -/]*+[@-~]|\\][^\x07\x1b\n]{0,4000}+(?:\x07|\x1b\\\\)|[ -/]++[0-~]|[0-Z=>\\\\^_])")
_OVERSTRUCK = re.compile("[^\n\x08]\x08")
"""Manual pages print a letter over itself to make it bold, or over a "_" to underline it."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Readable text with "\\n" line ends, and the Python name of the encoding it was found in."""

    text: str
    encoding: str


def decode(data: bytes, *, declared: str = "", chosen: str = "") -> DecodedText:
    """Find the encoding of `data` and decode it. `declared` is what the file itself claims (an HTML meta tag); it is only a hint.

    `chosen` is the encoding that the person says it is in (a name Python knows); then nothing is guessed. Raises `DocumentUnreadable`
    with code "binary" for what is no text, "wrong_encoding" for what is none in the chosen encoding, and "empty" for nothing but white space.
    """
    text, encoding = _decode_as(data, chosen) if chosen else _decode(data, declared)
    text = clean(text)
    if not text.strip():
        raise DocumentUnreadable("The file has no text in it.", code="empty")
    return DecodedText(text, encoding)


def clean(text: str) -> str:
    """Text with "\\n" line ends and without characters that nobody can see."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text:
        text = _TERMINAL.sub("", text)
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    return _INVISIBLE.sub("", text)


def _decode_as(data: bytes, encoding: str) -> tuple[str, str]:
    """The text in an encoding that was chosen. Bytes that are none in it are replaced, as long as they are few."""
    if data.startswith(_SIGNATURES):
        raise _binary()
    text = data.decode(encoding, "replace")
    odd = text.count("\ufffd") + len(_ODD.findall(text))
    if odd > len(text) * _ODD_SHARE:
        raise DocumentUnreadable("The file is no text in the chosen encoding.", code="wrong_encoding", encoding=encoding)
    return text, encoding


def _decode(data: bytes, declared: str) -> tuple[str, str]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, "replace"), encoding
    if data.startswith(_SIGNATURES):
        raise _binary()
    if b"\0" in data:
        if not _is_text_with_nuls(data):
            encoding = _wide_encoding(data)
            if not encoding:
                raise _binary()
            return data.decode(encoding, "replace"), encoding
        data = data.replace(b"\0", b"")
    for escape, encoding in _ESCAPES:
        if escape in data[:_SAMPLE_BYTES] and (text := _strictly(data, encoding)) is not None:
            return text, encoding
    if (text := _strictly(data, "utf-8")) is not None:
        if _is_mostly_controls(data):
            raise _binary()
        return text, "utf-8"
    if _is_mostly_controls(data):
        raise _binary()
    if (text := _line_by_line(data, declared)) is not None:
        return text, "utf-8"
    encoding = "utf-8" if _is_damaged_utf8(data) else guess_legacy(data, declared)
    return data.decode(encoding, "replace"), encoding


def _line_by_line(data: bytes, declared: str) -> str | None:
    """UTF-8 with whole lines in an older encoding, as in a log that several programs write, or with damaged lines; None if it is neither."""
    lines = data.splitlines(keepends=True)
    foreign = [line for line in lines if not line.isascii()]
    strange = [line for line in foreign if _strictly(line, "utf-8") is None]
    if len(strange) * 2 >= len(foreign):
        return None
    older = frozenset(line for line in strange if _is_older(line))
    encoding = guess_legacy(b"".join(line for line in lines if line in older), declared)
    return "".join(line.decode(encoding if line in older else "utf-8", "replace") for line in lines)


def _is_older(line: bytes) -> bool:
    """Whether more of a line is no UTF-8 than is; else it is UTF-8 that was damaged."""
    text = line.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return bad * 2 > sum(1 for character in text if character > "\x7f")


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _wide_encoding(data: bytes) -> str:
    """UTF-16 or UTF-32 without a mark: where the zero bytes stand tells which. Empty if it is neither."""
    sample = data[: _SAMPLE_BYTES - _SAMPLE_BYTES % 4]
    zeros = [sample[offset::4].count(0) / max(1, len(sample[offset::4])) for offset in range(4)]
    if len(data) % 4 == 0:
        if min(zeros[2:]) > 0.9 and zeros[3] == 1.0 and zeros[0] < 0.5:
            return _plausible(sample, "utf-32-le")
        if min(zeros[:2]) > 0.9 and zeros[0] == 1.0 and zeros[3] < 0.5:
            return _plausible(sample, "utf-32-be")
    if len(data) % 2:
        return ""
    low, high = (zeros[0] + zeros[2]) / 2, (zeros[1] + zeros[3]) / 2
    order = ("utf-16-le", "utf-16-be") if high > low else ("utf-16-be", "utf-16-le")
    return _plausible(sample, order[0]) or _plausible(sample, order[1])


def _plausible(sample: bytes, encoding: str) -> str:
    """`encoding` if the sample is text in it: no NULs, hardly any controls or unassigned characters, and few scripts."""
    text = sample.decode(encoding, "replace")
    if not text or "\0" in text:
        return ""
    odd = sum(1 for character in text if not (character.isprintable() or character.isspace()))
    if odd > len(text) * 0.01:
        return ""
    # Bytes that are no text decode to characters from all over the plane; a text stays in few blocks of it and has spaces, or ideographs.
    ideographs = sum(1 for character in text if "\u3000" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3")
    plain = sum(1 for character in text if character < "\x7f")
    if ideographs > len(text) * 0.5:
        return encoding
    return encoding if plain > len(text) * 0.04 and len({ord(character) >> 8 for character in text}) <= 24 else ""


def _is_text_with_nuls(data: bytes) -> bool:
    """Text with some NULs, or with a stretch of them as crashed programs leave in logs. In UTF-16 they stand between the letters."""
    without = data.replace(b"\0", b"")
    runs = len(re.findall(rb"\0+", data))
    return runs <= len(without) * 0.1 and not _is_mostly_controls(without) and _strictly(without, "utf-8") is not None


def _is_mostly_controls(data: bytes) -> bool:
    sample = data[:_SAMPLE_BYTES]
    controls = len(sample) - len(sample.translate(None, bytes(set(range(32)) - {7, 8, 9, 10, 12, 13, 26, 27} | {127})))
    return controls > len(sample) * 0.02


def _is_damaged_utf8(data: bytes) -> bool:
    """UTF-8 with some bad bytes: hardly any of the many sequences of three bytes that its text has would decode by chance."""
    text = data[: _SAMPLE_BYTES * 4].decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return (
        sum(1 for character in text if character > "\x7f") - bad > 20 * bad
        or sum(1 for character in text if character > "\u07ff") - bad > bad // 2
    )


def _binary() -> DocumentUnreadable:
    return DocumentUnreadable("The file is not text.", code="binary")
