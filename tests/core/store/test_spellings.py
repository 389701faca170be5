from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.spellings import MAX_ADDED, other_spellings, parts_and_wholes


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("1,280", ("1280",)), ("1280", ("1,280",)), ("¥1,280", ("1280",)), ("12,345,678.90", ("12345678.90",)), ("2650.5", ("2,650.5", "v2650.5")),
        ("v2.3.1", ("2.3.1",)), ("2.3.1", ("v2.3.1",)), ("V4.1-rc1", ("4.1-rc1",)),
        ("P-02", ("P02",)), ("P02", ("P-02",)), ("(E31)", ("E-31",)), ("KX12a", ("KX-12a",)),
        ("wi-fi", ("wifi",)), ("max_retry_count", ("maxretrycount",)), ("maxRetryCount", ("max Retry Count",)), ("getHTTPServer", ("get HTTP Server",)),
    ],
)  # fmt: skip
def test_codes_numbers_and_compounds_have_other_spellings(word: str, others: tuple[str, ...]) -> None:
    assert other_spellings(word) == others


@pytest.mark.parametrize(
    "word", ["", "lamp", "2029", "0012", "42", "1,28", "12,3456", "IBM", "Lamp", "x", "-", "WO-2029-8798", "a.b", "1.", "灯"]
)
def test_other_words_have_none(word: str) -> None:
    assert other_spellings(word) == ()


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("set maxRetryCount and maxRetryCount2 in GitHub", "max Retry Count Git Hub"),
        ("a Wi-Fi and wi-fi check-in, not -x- or a--b or 3-4", "WiFi wifi checkin"),
        ("nothing of the kind, IBM and Lamp, GmbH and kWh", ""),
    ],
)
def test_humps_and_hyphenated_words_are_added_once(text: str, added: str) -> None:
    assert parts_and_wholes(text) == added


def test_no_text_adds_much() -> None:
    assert len(parts_and_wholes(" ".join(f"ab{'x' * number}-cd" for number in range(20) for _ in range(200))).split()) <= MAX_ADDED * 2


@given(st.text(max_size=80))
def test_any_text_is_taken(text: str) -> None:
    parts_and_wholes(text)

    assert text not in other_spellings(text)
