from __future__ import annotations

import pytest

from core.errors import InvalidRequest
from core.library.encodings import USUAL_ENCODINGS, declared_encoding, known_encoding


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'<meta charset="gb2312">', "gb18030"), (b"<META http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>", "cp932"),
        (b'<?xml version="1.0" encoding="windows-1251"?>', "windows-1251"), (b"<p>charset=utf-8</p>", ""), (b"", ""), (b"<meta charset=iso-8859-1>", "cp1252"),
    ],
)  # fmt: skip
def test_what_a_page_says_of_its_encoding_is_found(data: bytes, expected: str) -> None:
    assert declared_encoding(data) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("UTF-8", "utf-8"), (" gbk ", "gb18030"), ("Shift_JIS", "cp932"), ("latin-1", "cp1252"), ("big5", "big5hkscs"), ("utf_16_be", "utf-16-be")]
)  # fmt: skip
def test_an_encoding_is_known_by_its_usual_names(name: str, expected: str) -> None:
    assert known_encoding(name) == expected


@pytest.mark.parametrize("name", ["", "utf-99", "base64", "rot13", "zlib", "idna", "unicode_escape", "a\0b", "\udcff", "utf-8; rm", "../x"])
def test_what_is_no_encoding_of_files_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        known_encoding(name)

    assert caught.value.code == "encoding_unknown"


def test_the_usual_ones_are_known_by_their_own_names() -> None:
    assert [known_encoding(name) for name in USUAL_ENCODINGS] == list(USUAL_ENCODINGS)
