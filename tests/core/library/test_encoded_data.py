from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest

from core.library.encoded_data import without_encoded_data
from core.library.extraction import extract

PICTURE = base64.b64encode(random.Random(5).randbytes(3001)).decode()
IN_LINES = [PICTURE[start : start + 76] for start in range(0, len(PICTURE), 76)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("![a boat](data:image/png;base64,", ")"),
        ("[image1]: <data:image/png;base64,", ">"),
        ("<img src='data:image/svg+xml;charset=utf-8;base64,", "'>"),
        ('"image/png": "', '"'),
        ("PHOTO;ENCODING=b:", ""),
    ],
)
def test_a_picture_within_a_text_is_left_out(before: str, after: str) -> None:
    text = f"Before the boat.\n{before}{PICTURE}{after}\nAfter the boat.\n"

    assert without_encoded_data(text) == f"Before the boat.\n{before}…{after}\nAfter the boat.\n"


def test_a_picture_in_lines_as_notebooks_keep_it_is_left_out() -> None:
    letters = "\\n".join(IN_LINES) + "\\n"

    assert without_encoded_data(f'  "image/png": "{letters}",\n') == '  "image/png": "…",\n'


@pytest.mark.parametrize("indent", ["", "    "])
def test_lines_behind_a_picture_of_many_lines_keep_their_numbers(indent: str) -> None:
    text = f'<image href="data:image/png;base64,{f"{chr(10)}{indent}".join(IN_LINES)}"\n  width="3"/>\nHarbour'

    left = without_encoded_data(text)

    assert left.split("\n").index("Harbour") == text.split("\n").index("Harbour")
    assert left.strip("\n").replace("\n", "") == '<image href="data:image/png;base64,…"  width="3"/>Harbour'


@pytest.mark.parametrize("follows", ["\n\nThe end of the story.\n", "\nTheEnd\n", " The end"])
def test_words_behind_a_picture_stay(follows: str) -> None:
    text = f"data:image/png;base64,{PICTURE[:2000]}{follows}"

    assert without_encoded_data(text) == f"data:image/png;base64,…{follows}"


@pytest.mark.parametrize(
    "text",
    [
        "a" * 5000,
        "ACGT" * 2000,
        "0123456789abcdef" * 500,
        "word " * 2000,
        "字" * 5000,
        "/usr/share/doc/readme/" * 200,
        "The key is data:text/plain;base64,SGVsbG8gV29ybGQh and no more.",
        "ssh-rsa " + PICTURE[:372] + " me@home",
    ],
)
def test_what_somebody_may_have_written_stays(text: str) -> None:
    assert without_encoded_data(text) == text


@pytest.mark.parametrize("name", ["trip.md", "analysis.json", "page.txt", "drawing.svg", "contacts.vcf"])
def test_files_of_every_kind_of_text_come_without_it(name: str) -> None:
    data = f'"We went to Hallein", "data:image/png;base64,{PICTURE}"'.encode()

    assert extract(Path(name), data).text == '"We went to Hallein", "data:image/png;base64,…"'
