"""Mail (.eml): who wrote to whom, when and about what, then the message itself. Attachments are named, not opened."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from email.message import EmailMessage

from core.errors import DocumentUnreadable
from core.library.decoding import decode
from core.library.encodings import declared_encoding
from core.library.formats.html_text import html_to_text
from core.library.formats.markdown import MarkdownText, one_line
from core.library.formats.parsed import ParsedDocument, damaged, needs_password

_HEADERS = ("From", "To", "Cc", "Date")
_ENCRYPTED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_UNDECODED = re.compile("[\ud800-\udfff]")  # how Python keeps bytes that are no ASCII
_DEEPEST = 3
_PARTS = 1_000


def read_mail(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password (encrypted mail), too_large."""
    message = email.message_from_bytes(_as_ascii_based(data), policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    if not any(_header(message, name) for name in (*_HEADERS, "Subject", "Message-ID", "Content-Type", "Received")):
        raise damaged("it does not begin like a mail")
    text = MarkdownText()
    _write(message, text, depth=1)
    return ParsedDocument(text.text(), _header(message, "Subject"))


def _write(message: EmailMessage, text: MarkdownText, *, depth: int) -> None:
    subject = _header(message, "Subject")
    text.heading(depth, subject)
    lines = [f"{name}: {words}" for name in _HEADERS if (words := _header(message, name))]
    parts = list(_parts(message))
    body = _body(parts)
    names = [one_line(name) for part in parts if part is not body and (name := _file_name(part))]
    if names:
        lines.append(f"Attachments: {', '.join(names)}")
    text.paragraph("\n".join(lines))
    if body is not None:
        text.paragraph(_words(body))
    elif any(part.get_content_type() in _ENCRYPTED and part.get_param("smime-type") != "signed-data" for part in [message, *parts]):
        raise needs_password()
    if depth < _DEEPEST:
        for forwarded in _forwarded(parts):
            _write(forwarded, text, depth=depth + 1)


def _parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """The parts of a message without those of the messages attached to it."""
    waiting = [message]
    for _ in range(_PARTS):
        if not waiting:
            return
        part = waiting.pop()
        if part.get_content_maintype() == "multipart" and isinstance(found := part.get_payload(), list):
            waiting.extend(reversed([item for item in found if isinstance(item, EmailMessage)]))
        else:
            yield part


def _forwarded(parts: list[EmailMessage]) -> Iterator[EmailMessage]:
    for part in parts:
        if part.get_content_type() == "message/rfc822" and isinstance(found := part.get_payload(), list):
            yield from (item for item in found if isinstance(item, EmailMessage))


def _body(parts: list[EmailMessage]) -> EmailMessage | None:
    """The part that is the message: plain text if there is one with words in it, else HTML."""
    shown = [part for part in parts if part.get_content_disposition() != "attachment"]
    for kind in ("text/plain", "text/html"):
        for part in shown:
            if part.get_content_type() == kind and _words(part).strip():
                return part
    # One that promises parts and has none: its text stands where they would.
    return next((part for part in shown if part.get_content_maintype() == "multipart" and _words(part).strip()), None)


def _words(part: EmailMessage) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes) or not data.strip():
        return ""
    declared = part.get_content_charset("") or ""
    try:
        words = data.decode(declared) if declared and "\0" not in declared else ""
    except (UnicodeDecodeError, LookupError):
        words = ""
    if not words:
        try:
            words = decode(data, declared=declared or declared_encoding(data)).text
        except DocumentUnreadable:
            return ""
    return html_to_text(words).text if part.get_content_type() == "text/html" else words.replace("\r\n", "\n").replace("\r", "\n")


def _header(message: EmailMessage, name: str) -> str:
    """A header in words; what its own rules cannot make sense of is taken as it stands."""
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    if _UNDECODED.search(raw):
        # Old programs wrote headers in the encoding of the mail, without saying so.
        return one_line(_decoded(raw.encode("utf-8", "surrogateescape"), message))
    try:
        return one_line(str(message.get(name, "")))
    except (ValueError, LookupError, AttributeError, TypeError, IndexError):
        # The parser of headers stumbles over some that break their own grammar.
        return one_line(raw)


def _decoded(data: bytes, message: EmailMessage) -> str:
    declared = next((charset for part in message.walk() if (charset := part.get_content_charset(""))), "")
    try:
        return decode(data, declared=declared).text
    except DocumentUnreadable:
        return ""


def _file_name(part: EmailMessage) -> str:
    try:
        return part.get_filename("") or ""
    except (ValueError, LookupError, AttributeError, TypeError, IndexError):
        return ""


def _as_ascii_based(data: bytes) -> bytes:
    """A mail that was saved as UTF-16 as UTF-8: headers are looked for in single bytes."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:200]:
        return decode(data).text.encode("utf-8")
    return data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
