from __future__ import annotations

import zipfile

import pytest

from core.errors import DocumentUnreadable
from core.library.formats import archive
from core.library.formats.archive import MAX_MEMBERS, Archive, resolve
from tests.fakes.office_files import zipped


def code_of(data: bytes, name: str = "a.xml") -> str:
    with pytest.raises(DocumentUnreadable) as caught:
        Archive(data).read(name)
    return caught.value.code


def test_members_are_read_by_name_with_any_kind_of_slash() -> None:
    found = Archive(zipped({"word/a.xml": "one", "word\\b.xml": "two", "/c.xml": "three"}))

    assert [found.read("word/a.xml"), found.read("word/b.xml"), found.read("c.xml")] == [b"one", b"two", b"three"]
    assert found.read_if_there("d.xml") is None
    assert "word/a.xml" in found and "nothing" not in found


def test_a_member_that_inflates_like_a_bomb_is_refused_before_it_is_unpacked() -> None:
    assert code_of(zipped({"a.xml": b"\0" * 30_000_000})) == "unpacks_too_large"


def test_many_members_that_are_large_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 2_500)
    found = Archive(zipped({name: name * 1_000 for name in "abc"}))
    found.read("a")
    found.read("b")

    with pytest.raises(DocumentUnreadable) as caught:
        found.read("c")

    assert caught.value.code == "unpacks_too_large"


def test_one_member_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBER_BYTES", 999)

    assert code_of(zipped({"a.xml": "a" * 1_000})) == "unpacks_too_large"


def test_a_member_that_is_not_asked_for_costs_nothing() -> None:
    assert Archive(zipped({"media/film": b"\0" * 30_000_000, "a.xml": "text"})).read("a.xml") == b"text"


def test_a_member_that_lies_about_its_size_gives_no_more_than_it_says() -> None:
    data = bytearray(zipped({"a.xml": b"\0" * 5_000_000}))
    true, small = (5_000_000).to_bytes(4, "little"), (100).to_bytes(4, "little")

    assert code_of(bytes(data.replace(true, small))) == "damaged"


def test_too_many_members_are_refused_before_their_list_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped({f"{number}": "" for number in range(MAX_MEMBERS + 1)}, compression=zipfile.ZIP_STORED)
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("the list was read"))

    assert code_of(data) == "unpacks_too_large"


@pytest.mark.parametrize("data", [b"", b"PK", b"no archive at all", zipped({"a.xml": "text" * 500})[:60]])
def test_what_is_no_whole_archive_is_damaged(data: bytes) -> None:
    assert code_of(data) == "damaged"


def test_an_archive_for_a_library_holds_what_was_asked_for_and_nothing_else() -> None:
    found = Archive(zipped({"xl\\a.xml": "one", "/b.xml": "two", "film": b"\0" * 30_000_000}))

    packed = found.repacked(["xl/a.xml", "b.xml"], lambda name, content: name.encode() + content)

    with zipfile.ZipFile(packed) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {"xl/a.xml": b"xl/a.xmlone", "b.xml": b"b.xmltwo"}


def test_a_missing_part_is_damage() -> None:
    assert code_of(zipped({"b.xml": ""})) == "damaged"


def test_an_encrypted_member_says_so() -> None:
    data = bytearray(zipped({"a.xml": "text"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1

    assert code_of(bytes(data)) == "needs_password"


@pytest.mark.parametrize(
    ("base", "target", "member"),
    [
        ("word/document.xml", "styles.xml", "word/styles.xml"),
        ("ppt/slides/slide1.xml", "../notes/n1.xml", "ppt/notes/n1.xml"),
        ("xl/workbook.xml", "/xl/sheet1.xml", "xl/sheet1.xml"),
        ("book.opf", "text/./one.xhtml", "text/one.xhtml"),
    ],
)
def test_a_target_is_looked_up_from_where_it_is_named(base: str, target: str, member: str) -> None:
    assert resolve(base, target) == member


@pytest.mark.parametrize("target", ["../../../etc/passwd", "/etc/passwd", "..\\..\\windows\\win.ini", "file:///etc/passwd"])
def test_a_target_outside_the_archive_names_nothing(target: str) -> None:
    found = Archive(zipped({"word/document.xml": ""}))

    assert found.read_if_there(resolve("word/document.xml", target)) is None


def test_a_member_called_by_a_way_out_is_only_a_name() -> None:
    assert Archive(zipped({"../../etc/passwd": "mine"})).read("../../etc/passwd") == b"mine"
