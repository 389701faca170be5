"""Deviations from a manifest are found, and counted as what they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.quality.messy import DOUBTED, Expectation, Outcome, compared, deviation, main, same_text, table

READY = Outcome("ready", text="The lamp burns oil.", encoding="utf-8", same_text=True)


@pytest.mark.parametrize(
    ("expected", "outcome", "wrong"),
    [
        (Expectation("a", "k", "text", "lamp burns"), READY, ""),
        (Expectation("a", "k", "text", "herring"), READY, "without 'herring'"),
        (Expectation("a", "k", "text"), Outcome("skipped", "binary"), "binary, not text"),
        (Expectation("a", "k", "text"), Outcome(None), "not listed"),
        (Expectation("a", "k", "text"), Outcome("waiting"), "waiting, not text"),
        (Expectation("a", "k", "needs_password"), Outcome("skipped", "needs_password"), ""),
        (Expectation("a", "k", "needs_password"), READY, "ready, not needs_password"),
        (Expectation("a", "k", "empty"), Outcome("skipped", "no_text"), ""),
        (Expectation("a", "k", "error_or_text"), Outcome("failed", "reader_crashed"), "reader_crashed, not error_or_text"),
        (
            Expectation("a", "k", "text", encoding="big5"),
            Outcome("ready", encoding="gb18030", same_text=False),
            "read as gb18030, not big5",
        ),
    ],
)
def test_a_file_deviates_by_its_state_its_reason_its_probe_or_its_encoding(expected: Expectation, outcome: Outcome, wrong: str) -> None:
    assert deviation(expected, outcome) == wrong


def test_a_probe_is_found_as_a_search_would_find_it() -> None:
    found = Outcome("ready", text="a con\u00adspicuous, dangerous fish")

    for probe in ("A conspicuous"[2:], "dan-", "dangerous\nﬁsh", "con\u200bspicuous"):
        assert deviation(Expectation("a", "k", "text", probe), found) == ""


def test_an_encoding_is_right_if_it_reads_the_same_text_whatever_it_is_called() -> None:
    assert same_text("灯".encode("gbk"), "gb18030", "gb2312") is True
    assert same_text("\ufeff灯".encode("utf-16-le"), "utf-16", "UTF-16LE") is True
    assert same_text("～".encode("cp932"), "cp932", "shift_jis") is True
    assert same_text("ï".encode("cp1252"), "iso8859_2", "latin-1") is False
    assert same_text(b"x", "utf-8", "EUC-TW") is None


def test_hangs_and_crashes_are_counted_and_doubted_lines_are_apart() -> None:
    doubted = next(iter(DOUBTED))
    expected = [Expectation(name, "k", "text", encoding="utf-8") for name in ("good", "slow", "crashed", "short", doubted)]
    outcomes = {
        "good": Outcome("ready", text="x" * 300, same_text=True),
        "slow": Outcome("ready", text="x" * 300, same_text=True, seconds=61.0),
        "crashed": Outcome("failed", "reader_crashed"),
        "short": Outcome("ready", text="x", encoding="cp1252", same_text=False),
    }

    groups, deviations = compared(expected, outcomes)

    lines = list(table(groups, deviations))
    assert "| all | 2 | 5 | 2 | 2 | 1 | 1 |" in lines
    assert "As expected: 2 of 5 (40.0 %); without 1 lines of the manifest that we doubt: 2 of 4 (50.0 %)" in lines
    assert [file for file, _ in deviations] == ["crashed", "short", doubted]


def test_a_folder_is_indexed_and_compared_file_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_bytes(("灯塔看守人每天黄昏点亮油灯。" * 20).encode("gb18030"))
    (docs / "b.txt").write_bytes(b"")
    (docs / "c.pdf").write_bytes(b"%PDF-nothing")
    rows = [("a.txt", "text", "点亮"), ("b.txt", "empty", ""), ("c.pdf", "no_text_layer", ""), ("d.txt", "text", "")]
    manifest = [
        {
            "file": f"docs/{name}",
            "kind": "made",
            "expect": expect,
            "probe": probe,
            "expected_encoding": "gb18030" if name == "a.txt" else None,
        }
        for name, expect, probe in rows
    ]
    (tmp_path / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in manifest), encoding="utf-8")

    assert main([str(tmp_path)]) == 0

    out = capsys.readouterr().out
    assert "| made | 2 | 4 | 1 | 1 | 0 | 0 |" in out
    assert "- docs/c.pdf: damaged, not no_text_layer\n- docs/d.txt: not listed\n" in out
