from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import DocumentUnreadable
from core.library.formats.xml_tree import attribute, child, children, descendants, integer, name_of, parse

LAUGHS = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><x><row>&b;</row></x>'


def test_names_are_told_without_their_namespaces() -> None:
    tree = parse(b'<w:a xmlns:w="urn:w"><w:b w:val="1"><c/></w:b><w:b w:val="2"/></w:a>')

    assert name_of(tree) == "a"
    assert [attribute(item, "val") for item in children(tree, "b")] == ["1", "2"]
    assert name_of(child(tree, "b", "c")) == "c"
    assert child(tree, "b", "nothing", "more") is None
    assert len(list(descendants(tree, "c"))) == 1
    assert attribute(tree, "val", "none") == "none"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(encoding: str) -> None:
    data = LAUGHS.replace('"1.0"', f'"1.0" encoding="{encoding}"').encode(encoding)

    with pytest.raises(DocumentUnreadable) as caught:
        parse(data)

    assert caught.value.code == "damaged"


def test_a_file_named_by_a_document_type_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "secret.dtd").write_text('<!ENTITY found "secret words">', encoding="utf-8")

    tree = parse(f'<!DOCTYPE x SYSTEM "{(tmp_path / "secret.dtd").as_uri()}"><x>plain &found; text</x>'.encode())

    assert "secret" not in "".join(tree.itertext())


@pytest.mark.parametrize("data", [b"", b"not xml", b"<a><b></a>", b"<a>" * 100_000])
def test_what_is_no_xml_is_damaged(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        parse(data)

    assert caught.value.code == "damaged"


@pytest.mark.parametrize(("text", "number"), [("12", 12), ("-3", -3), ("", 7), ("x", 7), ("9" * 5_000, 7), ("1.5", 7)])
def test_numbers_are_read_with_a_default(text: str, number: int) -> None:
    assert integer(text, 7) == number
